package bench

import (
	"math"
	"math/bits"
)

// lehmer is the random number generator of LevelDB's db_bench: the same seed
// gives the same numbers.
type lehmer uint32

const (
	lehmerModulus    = math.MaxInt32 // 2^31 - 1
	lehmerMultiplier = 16807
)

// newLehmer masks the seed to 31 bits; the two values from which the generator
// would never move become 1.
func newLehmer(seed int64) lehmer {
	s := lehmer(uint64(seed) & lehmerModulus)
	if s == 0 || s == lehmerModulus {
		s = 1
	}
	return s
}

// next returns the next number, between 1 and 2^31 - 2.
func (l *lehmer) next() uint32 {
	// (x << 31) mod (2^31 - 1) is x, so that the high bits are added to the low.
	product := uint64(*l) * lehmerMultiplier
	s := uint32(product>>31) + uint32(product&lehmerModulus)
	if s > lehmerModulus {
		s -= lehmerModulus
	}
	*l = lehmer(s)
	return s
}

// modulus computes n % d for 32-bit numbers without a division.
type modulus struct {
	d     uint64
	magic uint64
}

func newModulus(d uint32) modulus {
	return modulus{d: uint64(d), magic: math.MaxUint64/uint64(d) + 1}
}

func (m modulus) of(n uint32) uint64 {
	hi, _ := bits.Mul64(m.magic*uint64(n), m.d)
	return hi
}

// splitmix is a 64-bit generator. It draws key numbers where the Lehmer
// generator can't reach them all, and everything that must not disturb the key
// numbers: sizes, samples, permutations.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a number less than n, which is not 0.
func (s *splitmix) below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.next(), n)
	return hi
}

// unit returns a number u, 0 <= u < 1.
func (s *splitmix) unit() float64 { return float64(s.next()>>11) / (1 << 53) }
