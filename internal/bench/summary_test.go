package bench

import (
	"math"
	"slices"
	"testing"
)

// recordOf has one workload, with the rates of engines a and b; a rate below 0
// is a failed row, 0 a row of no operations.
func recordOf(workload string, a, b []float64) *Record {
	rec := &Record{Config: Config{Workloads: []string{workload}}, Engines: []EngineInfo{{Name: "a"}, {Name: "b"}}}
	for e, rates := range [][]float64{a, b} {
		for i, rate := range rates {
			r := Result{Engine: rec.Engines[e].Name, Workload: workload, Position: 1, Round: i + 1, Status: StatusOK, OpsPerSec: rate}
			if rate < 0 {
				r.Status = StatusFailed
			}
			rec.Results = append(rec.Results, r)
		}
	}
	return rec
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		a, b    []float64
		verdict Verdict
		factor  float64 // 0: none
		p       bool
	}{
		{"faster", []float64{1, 2, 3, 4, 5}, []float64{10, 20, 30, 40, 50}, VerdictFaster, 10, true},
		{"slower", []float64{10, 20, 30, 40}, []float64{1, 2, 3, 4}, VerdictSlower, 0.1, true},
		{"mixed up", []float64{1, 3, 5, 7, 9}, []float64{2, 4, 6, 8, 1}, VerdictNoDifference, 0.8, true},
		{"all the same", []float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, VerdictNoDifference, 1, true},
		{"three rounds", []float64{1, 2, 3}, []float64{10, 20, 30}, VerdictTooFew, 10, false},
		{"one round", []float64{1}, []float64{2}, VerdictTooFew, 2, false},
		{"baseline failed", []float64{1, -1, 3, 4, 5}, []float64{10, 20, 30, 40, 50}, VerdictNotCompared, 0, false},
		{"other failed", []float64{1, 2, 3, 4, 5}, []float64{10, 20, 30, 40, -1}, VerdictNotCompared, 0, false},
		{"no operations", []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, VerdictNotCompared, 0, false},
		{"nothing measured", nil, []float64{1, 2, 3, 4}, VerdictNotCompared, 0, false},
	} {
		s := Summarize(recordOf("fillseq", c.a, c.b))
		if s[0].Verdict != "" || s[0].Baseline != "" || s[0].Factor != nil {
			t.Errorf("%s: the baseline is compared: %+v", c.name, s[0])
		}
		b := s[1]
		if b.Verdict != c.verdict || b.Baseline != "a" || (b.P != nil) != c.p || (b.Note != "") != (c.verdict == VerdictNotCompared) {
			t.Errorf("%s: %+v", c.name, b)
		}
		if (b.Factor != nil) != (c.factor != 0) || b.Factor != nil && math.Abs(*b.Factor-c.factor) > 1e-9 {
			t.Errorf("%s: factor %v, want %v", c.name, b.Factor, c.factor)
		}
		if b.Factor != nil && math.Abs(*b.ChangePercent-(c.factor-1)*100) > 1e-6 {
			t.Errorf("%s: change %v", c.name, *b.ChangePercent)
		}
	}
}

// Intervals have the confidence that they say.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		n                     int
		median, low, high, is float64
	}{
		{1, 1, 1, 1, 0},
		{2, 1.5, 1, 2, 0.5},
		{4, 2.5, 1, 4, 0.875},
		{5, 3, 1, 5, 0.9375},
		{6, 3.5, 1, 6, 0.96875},
		{9, 5, 2, 8, 0.9609375},
	} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = float64(c.n - i) // not sorted
		}
		before := slices.Clone(values)
		median, low, high, confidence := interval(values)
		if median != c.median || low != c.low || high != c.high || math.Abs(confidence-c.is) > 1e-12 {
			t.Errorf("%d: %v [%v, %v] at %v", c.n, median, low, high, confidence)
		}
		if !slices.Equal(values, before) {
			t.Errorf("%d: the values were moved", c.n)
		}
	}
}

// A compaction that rewrote nothing has no winner; stats has no row here.
func TestNothingRewrittenIsNotCompared(t *testing.T) {
	rec := recordOf("compact", []float64{1, 1, 1, 1}, []float64{9, 9, 9, 9})
	for i := range rec.Results {
		rec.Results[i].BytesWritten = ptr(int64(i)) // the first one of a wrote nothing
	}
	if s := Summarize(rec)[1]; s.Verdict != VerdictNotCompared || s.Factor != nil || s.Note != "a rewrote nothing" {
		t.Errorf("%+v", s)
	}
	for i := range rec.Results {
		rec.Results[i].Workload = "flush"
	}
	rec.Config.Workloads = []string{"flush"}
	if s := Summarize(rec)[1]; s.Verdict != VerdictNotCompared || s.Note != "a had nothing to flush" {
		t.Errorf("%+v", s)
	}
	if s := Summarize(recordOf("stats", []float64{0}, []float64{0})); len(s) != 0 {
		t.Errorf("stats has %+v", s)
	}
}

func TestGeoMeans(t *testing.T) {
	summary := []Summary{
		{Position: 1, Engine: "a"}, {Position: 1, Engine: "b", Baseline: "a", Factor: ptr(2.0)},
		{Position: 2, Engine: "a"}, {Position: 2, Engine: "b", Baseline: "a", Factor: ptr(8.0)},
		{Position: 3, Engine: "a"}, {Position: 3, Engine: "b", Baseline: "a"},
	}
	got := GeoMeans(summary)
	if len(got) != 1 || got[0].Engine != "b" || got[0].Rows != 2 || math.Abs(got[0].Factor-4) > 1e-9 {
		t.Errorf("%+v", got)
	}
	// A writer's row counts beside its readers', and one that lacks a factor takes
	// no other with it.
	summary = append(summary,
		Summary{Position: 1, Workload: WriterRow, Engine: "a"}, Summary{Position: 1, Workload: WriterRow, Engine: "b", Baseline: "a", Factor: ptr(0.5)},
		Summary{Position: 2, Workload: WriterRow, Engine: "a"}, Summary{Position: 2, Workload: WriterRow, Engine: "b", Baseline: "a"})
	if got := GeoMeans(summary); len(got) != 1 || got[0].Rows != 3 || math.Abs(got[0].Factor-2) > 1e-9 {
		t.Errorf("with writers: %+v", got)
	}
	if got := GeoMeans(nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// What others may use of the statistics is what the summary has.
func TestSpreadAndCompareRates(t *testing.T) {
	if got, want := SpreadOf([]float64{5, 1, 4, 2, 3}), (Spread{Median: 3, Low: 1, High: 5, Confidence: 0.9375}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	slow, fast := []float64{1, 1.1, 1.2, 1.3, 1.4}, []float64{2, 2.1, 2.2, 2.3, 2.4}
	if v, p := CompareRates(slow, fast); v != VerdictFaster || p == nil || *p > 0.05 {
		t.Errorf("%v, %v", v, p)
	}
	if v, _ := CompareRates(fast, slow); v != VerdictSlower {
		t.Error(v)
	}
	if v, p := CompareRates(fast, fast); v != VerdictNoDifference || p == nil {
		t.Errorf("%v, %v", v, p)
	}
	if v, p := CompareRates(fast[:3], slow); v != VerdictTooFew || p != nil {
		t.Errorf("%v, %v", v, p)
	}
}
