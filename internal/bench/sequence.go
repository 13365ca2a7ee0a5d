package bench

import (
	"math"
	"math/bits"
)

// sequence gives the key numbers of one worker's operations, in order. Made
// again from the same arguments it gives the same numbers, which is how the
// read-back knows what was written.
type sequence interface {
	// fill sets dst to the next len(dst) numbers.
	fill(dst []uint64)
}

// block is how many numbers a kernel draws at a time, so that the call of fill
// costs next to nothing for each.
const block = 64

// split returns the share of worker w, of workers, in total operations:
// contiguous shares, the first workers taking the remainder.
func split(total int64, workers, w int) (first, count int64) {
	each, rest := total/int64(workers), total%int64(workers)
	first = each*int64(w) + min(int64(w), rest)
	count = each
	if int64(w) < rest {
		count++
	}
	return first, count
}

// ascending counts up from next.
type ascending struct{ next uint64 }

func (s *ascending) fill(dst []uint64) {
	for i := range dst {
		dst[i] = s.next + uint64(i)
	}
	s.next += uint64(len(dst))
}

// circling counts up from first, count numbers, and again.
type circling struct{ first, count, at uint64 }

func (s *circling) fill(dst []uint64) {
	for i := range dst {
		dst[i] = s.first + s.at
		if s.at++; s.at == s.count {
			s.at = 0
		}
	}
}

// Generators of random key numbers, as the record names them.
const (
	generatorLehmer   = "lehmer31"
	generatorSplitmix = "splitmix64"
)

// generatorFor returns the generator that reaches num key numbers.
func generatorFor(num int64) string {
	if num > math.MaxInt32 {
		return generatorSplitmix
	}
	return generatorLehmer
}

// newRandom returns random key numbers below num, drawn with the seed.
func newRandom(seed int64, num int64) sequence {
	if generatorFor(num) == generatorSplitmix {
		return &random64{rng: splitmix(seed), num: uint64(num)}
	}
	return &random31{rng: newLehmer(seed), mod: newModulus(uint32(max(num, 1)))}
}

// random31 draws next() % num with the Lehmer generator, as db_bench does.
type random31 struct {
	rng lehmer
	mod modulus
}

func (s *random31) fill(dst []uint64) {
	rng, mod := s.rng, s.mod
	for i := range dst {
		dst[i] = mod.of(rng.next())
	}
	s.rng = rng
}

// random64 is for numbers that 31 bits can't reach.
type random64 struct {
	rng splitmix
	num uint64
}

func (s *random64) fill(dst []uint64) {
	for i := range dst {
		dst[i] = s.rng.below(s.num)
	}
}

// stepping goes up by 0 to 99 each time, from 0 and round again below num, as
// db_bench's seekordered does.
type stepping struct {
	steps sequence // random numbers below 100
	at    uint64
	num   uint64
}

func (s *stepping) fill(dst []uint64) {
	s.steps.fill(dst)
	for i := range dst {
		s.at = (s.at + dst[i]) % s.num
		dst[i] = s.at
	}
}

// notLast gives the number before the last one for the last one, unless it is
// the only one.
type notLast struct {
	sequence
	last uint64
}

func (s *notLast) fill(dst []uint64) {
	s.sequence.fill(dst)
	for i := range dst {
		if dst[i] == s.last && s.last > 0 {
			dst[i]--
		}
	}
}

// permuted gives the images of next, next+1, … under a permutation.
type permuted struct {
	perm permutation
	next uint64
}

func (s *permuted) fill(dst []uint64) {
	for i := range dst {
		dst[i] = s.perm.of(s.next)
		if s.next++; s.next == s.perm.num {
			s.next = 0
		}
	}
}

// permutation is a permutation of 0..num-1 that needs no table: a mixing
// function that is one-to-one on the next power of two, applied again as long
// as its result is out of range (on average less than twice).
type permutation struct {
	num   uint64
	mask  uint64
	shift uint
	keys  [3]uint64 // odd
	adds  [3]uint64
}

func newPermutation(seed int64, num int64) permutation {
	width := bits.Len64(uint64(max(num-1, 0)))
	p := permutation{num: uint64(num), mask: 1<<width - 1, shift: uint(width/2 + 1)}
	rng := splitmix(seed)
	for i := range p.keys {
		p.keys[i] = rng.next() | 1
		p.adds[i] = rng.next()
	}
	return p
}

// of returns the image of i, which must be less than num.
func (p *permutation) of(i uint64) uint64 {
	for {
		// Each step is one-to-one on the numbers up to mask: adding, multiplying
		// by an odd number, xor with the own high bits.
		for r := range p.keys {
			i = ((i + p.adds[r]) * p.keys[r]) & p.mask
			i ^= i >> p.shift
		}
		if i < p.num {
			return i
		}
	}
}
