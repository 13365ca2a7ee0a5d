package leveldb

import "math/bits"

// A rankSet is a set of numbers below a bound. Adding, removing and finding the
// next one take as many steps as the bound has digits to the base 64.
type rankSet struct {
	// levels[0] has a bit for each number, levels[k+1] one for each word of
	// levels[k] that is not 0.
	levels [][]uint64
}

func newRankSet(n int) *rankSet {
	s := &rankSet{}
	for {
		n = (n + 63) / 64
		s.levels = append(s.levels, make([]uint64, n))
		if n <= 1 {
			return s
		}
	}
}

func (s *rankSet) add(i int) {
	for _, level := range s.levels {
		level[i/64] |= 1 << (i % 64)
		i /= 64
	}
}

func (s *rankSet) remove(i int) {
	for _, level := range s.levels {
		level[i/64] &^= 1 << (i % 64)
		if level[i/64] != 0 {
			return
		}
		i /= 64
	}
}

// next returns the smallest number in the set that is at least i, or -1.
func (s *rankSet) next(i int) int {
	for k := 0; k < len(s.levels); k++ {
		level := s.levels[k]
		if i/64 >= len(level) {
			return -1
		}
		rest := level[i/64] >> (i % 64)
		if rest == 0 {
			i = i/64 + 1
			continue
		}
		i += bits.TrailingZeros64(rest)
		for k--; k >= 0; k-- {
			i = i*64 + bits.TrailingZeros64(s.levels[k][i])
		}
		return i
	}
	return -1
}
