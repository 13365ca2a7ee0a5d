package bench

import (
	"math"
	"strings"
	"testing"
)

// side is a record of one engine and one workload with these rates; below 0 is
// a failed row.
func side(rates ...float64) *Record {
	rec := recordOf("fillseq", rates, nil)
	rec.Engines = rec.Engines[:1]
	return rec
}

// Only a difference that is shown and larger than allowed is a regression.
func TestRegressions(t *testing.T) {
	for _, c := range []struct {
		name       string
		old, new   *Record
		allowed    float64
		verdict    Verdict
		regression bool
		broken     bool
	}{
		{"ten percent slower", side(100, 101, 102, 103, 104), side(90, 91, 92, 93, 94), 5, VerdictSlower, true, false},
		{"ten percent are allowed", side(100, 101, 102, 103, 104), side(90, 91, 92, 93, 94), 10, VerdictSlower, false, false},
		{"nothing is forbidden", side(100, 101, 102, 103, 104), side(50, 51, 52, 53, 54), -1, VerdictSlower, false, false},
		{"none is allowed", side(100, 101, 102, 103, 104), side(98, 98.5, 99, 99.4, 99.5), 0, VerdictSlower, true, false},
		{"faster", side(90, 91, 92, 93, 94), side(100, 101, 102, 103, 104), 5, VerdictFaster, false, false},
		{"not shown", side(100, 120, 80, 90, 110), side(85, 115, 75, 95, 105), 1, VerdictNoDifference, false, false},
		{"too few rounds", side(100, 100, 100), side(10, 10, 10), 5, VerdictTooFew, false, false},
		{"new has failed", side(100, 101, 102, 103), side(100, 101, 102, -1), 5, VerdictNotCompared, false, true},
		{"old had failed", side(100, 101, 102, -1), side(100, 101, 102, 103), 5, VerdictNotCompared, false, false},
		{"both have failed", side(-1, -1, -1, -1), side(-1, -1, -1, -1), 5, VerdictNotCompared, false, false},
		{"nothing measured", side(100, 101, 102, 103), side(), 5, VerdictNotCompared, false, true},
	} {
		got := Compare(c.old, c.new, CompareOptions{MaxRegressionPercent: c.allowed})
		if len(got.Rows) != 1 {
			t.Fatalf("%s: %d rows", c.name, len(got.Rows))
		}
		r := got.Rows[0]
		if r.Verdict != c.verdict || r.Regression != c.regression || r.Broken != c.broken || (r.Note != "") != (c.verdict == VerdictNotCompared) {
			t.Errorf("%s: %+v", c.name, r)
		}
		if len(got.Regressions()) > 0 != c.regression || len(got.Broken()) > 0 != c.broken {
			t.Errorf("%s: %d regressions, %d broken", c.name, len(got.Regressions()), len(got.Broken()))
		}
	}
}

// Rows belong together by engine, workload and how often it came before; what
// only one record has is shown and not compared.
func TestCompareMatchesRows(t *testing.T) {
	make := func(workloads ...string) *Record {
		rec := &Record{Config: Config{Workloads: workloads}, Engines: []EngineInfo{{Name: "a"}}}
		for i, w := range workloads {
			for round := range 4 {
				rec.Results = append(rec.Results, Result{
					Engine: "a", Workload: w, Position: i + 1, Round: round, Status: StatusOK, OpsPerSec: float64(100*(i+1) + round),
				})
			}
		}
		return rec
	}
	c := Compare(make("fillseq", "readseq", "readseq", "compact"), make("readseq", "fillseq", "readseq", "stats", "flush"), CompareOptions{})
	var got []string
	for _, r := range c.Rows {
		line := r.Workload
		if r.Factor != nil {
			line += " compared"
		}
		if r.Broken {
			line += " broken"
		}
		got = append(got, line)
	}
	want := "readseq compared,fillseq compared,readseq compared,flush,compact broken"
	if strings.Join(got, ",") != want {
		t.Errorf("%s, want %s", strings.Join(got, ","), want)
	}
	if f := *c.Rows[2].Factor; f != 1 { // the second of each
		t.Errorf("factor %v", f)
	}
	if len(c.GeoMeans) != 1 || c.GeoMeans[0].Rows != 3 {
		t.Errorf("means %+v", c.GeoMeans)
	}
}

// What differs between the runs is told.
func TestCompareNotes(t *testing.T) {
	a, b := side(1, 2, 3, 4), side(1, 2, 3, 4)
	if c := Compare(a, b, CompareOptions{}); len(c.Notes) != 0 {
		t.Errorf("%v", c.Notes)
	}
	b.Config.Num, b.Environment.CPU, b.Engines[0].LibraryVersion = 5, "other", "2"
	b.Engines[0].Options = OptionList{{Name: OptBlockSize, Value: int64(4096)}}
	if c := Compare(a, b, CompareOptions{}); len(c.Notes) != 4 {
		t.Errorf("%v", c.Notes)
	}
	b = side(1, 2, 3, 4)
	b.Engines[0].Build = &Build{BuildTuned, "g++ 12.2.0 -O2"}
	want := a.Engines[0].Name + " build: unknown before, tuned g++ 12.2.0 -O2 now"
	if c := Compare(a, b, CompareOptions{}); len(c.Notes) != 1 || c.Notes[0] != want {
		t.Errorf("%q, want %q", c.Notes, want)
	}
}

func TestMeanAndMargin(t *testing.T) {
	if _, margin := meanAndMargin([]float64{5}); margin != nil {
		t.Errorf("one value has a margin of %v", *margin)
	}
	mean, margin := meanAndMargin([]float64{90, 100, 110})
	if mean != 100 || margin == nil || math.Abs(*margin-4.303*10/math.Sqrt(3)) > 1e-9 {
		t.Errorf("%v ± %v", mean, margin)
	}
}
