package bench

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// numbers returns the first n numbers of a sequence, in pieces as kernels do.
func numbers(s sequence, n int) []uint64 {
	var all []uint64
	for len(all) < n {
		part := make([]uint64, min(7, n-len(all)))
		s.fill(part)
		all = append(all, part...)
	}
	return all
}

// Shares add up to the total, follow each other, and the first workers have
// one operation more than the others.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 1<<40).Draw(t, "total")
		if rapid.Bool().Draw(t, "few") {
			total %= 100
		}
		workers := rapid.IntRange(1, 200).Draw(t, "workers")
		next, sum, previous := int64(0), int64(0), int64(0)
		for w := range workers {
			first, count := split(total, workers, w)
			if first != next {
				t.Fatalf("worker %d begins at %d, want %d", w, first, next)
			}
			if w > 0 && (count > previous || count < previous-1) {
				t.Fatalf("worker %d has %d, the one before %d", w, count, previous)
			}
			next, sum, previous = first+count, sum+count, count
		}
		if first, last := mustCount(total, workers, 0), mustCount(total, workers, workers-1); sum != total || first-last > 1 {
			t.Fatalf("the shares are %d in all, from %d to %d", sum, first, last)
		}
	})
}

func mustCount(total int64, workers, w int) int64 {
	_, count := split(total, workers, w)
	return count
}

func TestPermutationIsOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		num := rapid.Int64Range(1, 5000).Draw(t, "num")
		seed := rapid.Int64().Draw(t, "seed")
		got := numbers(&permuted{perm: newPermutation(seed, num)}, int(num))
		slices.Sort(got)
		for i, n := range got {
			if n != uint64(i) {
				t.Fatalf("place %d holds %d", i, n)
			}
		}
	})
}

// A permutation that kept neighbours together would be no random order.
func TestPermutationScatters(t *testing.T) {
	const num = 100_000
	got := numbers(&permuted{perm: newPermutation(1001, num)}, num)
	near := 0
	for i := 1; i < num; i++ {
		if d := int64(got[i]) - int64(got[i-1]); d > -num/1000 && d < num/1000 {
			near++
		}
	}
	if near > num/100 { // 0.2 % are expected
		t.Errorf("%d of %d steps are short", near, num)
	}
}

func TestRandom64StaysBelow(t *testing.T) {
	const num = 1 << 40
	high := false
	for _, n := range numbers(newRandom(7, num), 10_000) {
		if n >= num {
			t.Fatalf("%d", n)
		}
		high = high || n > num/2
	}
	if !high {
		t.Error("no number in the upper half")
	}
}

func TestSteppingStepsUp(t *testing.T) {
	s := &stepping{steps: newRandom(1001, 100), num: 1000}
	at := uint64(0)
	for i, n := range numbers(s, 1000) {
		step := (n + 1000 - at) % 1000
		if n >= 1000 || step > 99 {
			t.Fatalf("step %d goes from %d to %d", i, at, n)
		}
		at = n
	}
}

func TestNotLast(t *testing.T) {
	for _, c := range []struct {
		last uint64
		want []uint64
	}{
		{last: 5, want: []uint64{3, 4, 4, 6}},
		{last: 0, want: []uint64{3, 4, 5, 6}},
	} {
		s := &notLast{sequence: &ascending{next: 3}, last: c.last}
		if got := numbers(s, 4); !slices.Equal(got, c.want) {
			t.Errorf("last %d: %v, want %v", c.last, got, c.want)
		}
	}
	alone := &notLast{sequence: &ascending{}, last: 0}
	if got := numbers(alone, 1); got[0] != 0 {
		t.Errorf("the only key became %d", got[0])
	}
}
