package bench

import (
	"bytes"
	"compress/flate"
	"slices"
	"testing"
)

func TestValuesArePieces(t *testing.T) {
	v := newValues(FixedSize(100), 0.5, 1)
	if len(v.data) < valueBuffer || len(v.data)%valuePiece != 0 {
		t.Fatalf("the buffer has %d bytes", len(v.data))
	}
	for at := 0; at < len(v.data); at += valuePiece {
		piece := v.data[at : at+valuePiece]
		if !bytes.Equal(piece[:50], piece[50:]) {
			t.Fatalf("the piece at %d does not repeat its half", at)
		}
		for _, c := range piece {
			if c < ' ' || c > '~' {
				t.Fatalf("the piece at %d has the byte %d", at, c)
			}
		}
	}
}

func TestValuesCompress(t *testing.T) {
	size := func(ratio float64) int {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(newValues(FixedSize(100), ratio, 1).data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Len()
	}
	quarter, half, full := size(0.25), size(0.5), size(1)
	if quarter > half*2/3 || half > full*2/3 {
		t.Errorf("a quarter, a half and all of it compress to %d, %d and %d", quarter, half, full)
	}
}

// A stream made again gives the same values, in windows of the right sizes
// that follow each other.
func TestStreamRepeats(t *testing.T) {
	for _, s := range []Sizes{
		FixedSize(0), FixedSize(1), FixedSize(100), FixedSize(100_000), FixedSize(3 << 20),
		{Kind: SizeUniform, Min: 50, Max: 200}, {Kind: SizeZipf, Min: 10, Max: 4000}, {Kind: SizePareto, Min: 1, Max: 100_000},
	} {
		v := newValues(s, 0.5, 1000)
		a, b := v.stream(3), v.stream(3)
		different := map[string]bool{}
		for i := range 2000 {
			x, y := a.next(), b.next()
			if !bytes.Equal(x, y) || int64(len(x)) < s.Min || int64(len(x)) > s.Max {
				t.Fatalf("%v: value %d has %d bytes, and %d", s, i, len(x), len(y))
			}
			if len(different) < 4 {
				different[string(x[:min(len(x), 200)])] = true
			}
		}
		if s.Max > 0 && len(different) < 2 {
			t.Errorf("%v: all values are alike", s)
		}
	}
}

func TestSizesMean(t *testing.T) {
	for _, s := range []Sizes{
		FixedSize(100), {Kind: SizeUniform, Min: 50, Max: 200},
		{Kind: SizeZipf, Min: 10, Max: 4000}, {Kind: SizePareto, Min: 10, Max: 4000},
	} {
		rng := splitmix(1)
		sum, n := 0.0, 200_000
		seen := []int64{s.Max, s.Min}
		for range n {
			x := s.draw(rng.unit())
			sum += float64(x)
			seen[0], seen[1] = min(seen[0], x), max(seen[1], x)
		}
		if mean := sum / float64(n); mean < 0.97*s.Mean() || mean > 1.03*s.Mean() {
			t.Errorf("%v: the mean is %.1f, said to be %.1f", s, mean, s.Mean())
		}
		if seen[0] != s.Min || float64(seen[1]) < 0.9*float64(s.Max) {
			t.Errorf("%v: drawn from %d to %d", s, seen[0], seen[1])
		}
	}
}

func TestParseSizes(t *testing.T) {
	for _, c := range []struct {
		text string
		want Sizes
		bad  bool
	}{
		{text: "100", want: FixedSize(100)},
		{text: "0", want: FixedSize(0)},
		{text: "uniform:50-200", want: Sizes{SizeUniform, 50, 200}},
		{text: "zipf:10-4000", want: Sizes{SizeZipf, 10, 4000}},
		{text: "pareto:7-7", want: Sizes{SizePareto, 7, 7}},
		{text: "-1", bad: true},
		{text: "abc", bad: true},
		{text: "1.5", bad: true},
		{text: "", bad: true},
		{text: "uniform:", bad: true},
		{text: "uniform:5", bad: true},
		{text: "uniform:9-5", bad: true},
		{text: "uniform:-1-5", bad: true},
		{text: "fixed:1-2", bad: true},
		{text: "gauss:1-2", bad: true},
		{text: "99999999999999999999", bad: true},
		{text: "4294967296", bad: true},
	} {
		got, err := ParseSizes(c.text, nil)
		if (err != nil) != c.bad || !c.bad && got != c.want {
			t.Errorf("%q: %v, %v", c.text, got, err)
			continue
		}
		if c.bad {
			continue
		}
		text, _ := got.MarshalText()
		var again Sizes
		if err := again.UnmarshalText(text); err != nil || again != got {
			t.Errorf("%q: read back from %q as %v, %v", c.text, text, again, err)
		}
	}
}

func TestStreamsOfWorkersDiffer(t *testing.T) {
	v := newValues(Sizes{SizeUniform, 1, 1000}, 0.5, 1000)
	lengths := func(worker int) (n []int) {
		s := v.stream(worker)
		for range 10 {
			n = append(n, len(s.next()))
		}
		return n
	}
	if slices.Equal(lengths(0), lengths(1)) {
		t.Error("two workers draw the same sizes")
	}
}
