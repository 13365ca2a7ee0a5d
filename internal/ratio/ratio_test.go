package ratio

import "testing"

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		all  []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{1, 1, 1, 100, 2}, 1}} {
		if got := median(c.all); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.all, got, c.want)
		}
	}
}

// Both ways are done equally often, and no way is always the first.
func TestCompareTakesTurns(t *testing.T) {
	var order []byte
	result := testing.Benchmark(func(b *testing.B) {
		order = order[:0]
		Compare(b, func() { order = append(order, 'b') }, func() { order = append(order, 'o') })
	})
	first := map[byte]int{}
	for i := 2; i < len(order); i += 2 { // the first two are for warmth
		if order[i] == order[i+1] {
			t.Fatalf("pair %d is %q", i/2, order[i:i+2])
		}
		first[order[i]]++
	}
	if first['b'] != first['o'] || len(order) != 2+2*rounds*turns {
		t.Errorf("of %d slices, base came first %d times, the other %d times", len(order), first['b'], first['o'])
	}
	for _, metric := range []string{"ratio", "least", "most"} {
		if _, ok := result.Extra[metric]; !ok {
			t.Errorf("%s is not reported", metric)
		}
	}
}
