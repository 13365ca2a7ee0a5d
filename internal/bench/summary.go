package bench

import (
	"fmt"
	"math"

	"golang.org/x/perf/benchmath"
)

// enoughRounds is the number of rounds with which a difference can be shown:
// with three a side the smallest p is 0.1.
const enoughRounds = 4

// wantedConfidence is the confidence of intervals where the rounds allow it.
const wantedConfidence = 0.95

// Summarize returns the figures of each engine at each position of the list,
// and how they compare with the first engine's. Rows that are not ok don't
// count; where one has failed, nothing is compared.
func Summarize(rec *Record) []Summary {
	summary := []Summary{}
	for i, workload := range rec.Config.Workloads {
		if workload == "stats" {
			continue // it measures nothing
		}
		var baseline *cellRows
		for _, e := range rec.Engines {
			rows := gather(rec, i+1, e.Name)
			s := rows.summarize()
			s.Workload, s.Position, s.Engine = workload, i+1, e.Name
			if baseline == nil {
				baseline = rows
			} else {
				s.Baseline = rec.Engines[0].Name
				s.compare(baseline, rows)
			}
			summary = append(summary, s)
		}
	}
	return summary
}

// cellRows are the rows of one engine at one position.
type cellRows struct {
	opsPerSec, micros, megabytes []float64
	// unfit says why they must not be compared; empty if they may.
	unfit string
}

func gather(rec *Record, position int, engine string) *cellRows {
	c := &cellRows{}
	for i := range rec.Results {
		row := &rec.Results[i]
		if row.Position != position || row.Engine != engine {
			continue
		}
		switch {
		case row.Status == StatusFailed:
			c.unfit = fmt.Sprintf("%s has failed", engine)
		case row.Status == StatusSkipped && c.unfit == "":
			c.unfit = fmt.Sprintf("%s was skipped", engine)
		case row.Status == StatusOK && row.RewroteNothing() && c.unfit == "":
			c.unfit = fmt.Sprintf("%s rewrote nothing", engine)
		}
		if row.Status == StatusOK {
			c.opsPerSec = append(c.opsPerSec, row.OpsPerSec)
			c.micros = append(c.micros, row.MicrosPerOp)
			c.megabytes = append(c.megabytes, row.MBPerSec)
		}
	}
	return c
}

func (c *cellRows) summarize() Summary {
	s := Summary{Rounds: len(c.opsPerSec)}
	if s.Rounds == 0 {
		return s
	}
	median, low, high, confidence := interval(c.opsPerSec)
	micros, _, _, _ := interval(c.micros)
	megabytes, _, _, _ := interval(c.megabytes)
	s.MedianOpsPerSec, s.MedianMicrosPerOp, s.MedianMBPerSec = &median, &micros, &megabytes
	s.Low, s.High, s.Confidence = &low, &high, &confidence
	return s
}

// interval returns the median of values and an interval around it from order
// statistics: the narrowest of at least wantedConfidence, or from the least to
// the greatest value if they are too few for that, with the confidence that it
// has.
func interval(values []float64) (median, low, high, confidence float64) {
	sample := newSample(values)
	n := len(values)
	all := 1 - math.Pow(2, float64(1-n)) // the confidence of least to greatest
	s := benchmath.AssumeNothing.Summary(sample, min(wantedConfidence, all))
	if n == 1 || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return s.Center, sample.Values[0], sample.Values[n-1], all
	}
	return s.Center, s.Lo, s.Hi, s.Confidence
}

// newSample copies the values, which benchmath sorts.
func newSample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(append([]float64(nil), values...), &benchmath.DefaultThresholds)
}

// compare sets the comparison of rows with the baseline's.
func (s *Summary) compare(baseline, rows *cellRows) {
	switch {
	case baseline.unfit != "":
		s.Verdict, s.Note = VerdictNotCompared, baseline.unfit
		return
	case rows.unfit != "":
		s.Verdict, s.Note = VerdictNotCompared, rows.unfit
		return
	case len(baseline.opsPerSec) == 0 || len(rows.opsPerSec) == 0:
		s.Verdict, s.Note = VerdictNotCompared, "no finished rows on both sides"
		return
	}
	base, _, _, _ := interval(baseline.opsPerSec)
	if base <= 0 || *s.MedianOpsPerSec <= 0 {
		s.Verdict, s.Note = VerdictNotCompared, "no operations"
		return
	}
	factor := *s.MedianOpsPerSec / base
	change := (factor - 1) * 100
	s.Factor, s.ChangePercent = &factor, &change
	if min(len(baseline.opsPerSec), len(rows.opsPerSec)) < enoughRounds {
		s.Verdict = VerdictTooFew
		return
	}
	test := benchmath.AssumeNothing.Compare(newSample(baseline.opsPerSec), newSample(rows.opsPerSec))
	p := test.P
	s.P = &p
	switch {
	case p >= test.Alpha || factor == 1:
		s.Verdict = VerdictNoDifference
	case factor > 1:
		s.Verdict = VerdictFaster
	default:
		s.Verdict = VerdictSlower
	}
}

// GeoMean is the geometric mean of an engine's factors.
type GeoMean struct {
	Engine   string
	Baseline string
	Factor   float64
	// Rows is the number of factors in it.
	Rows int
}

// GeoMeans returns for each engine but the baseline the geometric mean of its
// factors over the positions at which every engine has one.
func GeoMeans(summary []Summary) []GeoMean {
	byPosition := map[int][]Summary{}
	var order []int
	for _, s := range summary {
		if byPosition[s.Position] == nil {
			order = append(order, s.Position)
		}
		byPosition[s.Position] = append(byPosition[s.Position], s)
	}
	var means []GeoMean
	logs := map[string]float64{}
	rows := 0
	for _, position := range order {
		cells := byPosition[position]
		complete := true
		for _, s := range cells[1:] {
			complete = complete && s.Factor != nil
		}
		if !complete {
			continue
		}
		rows++
		for _, s := range cells[1:] {
			logs[s.Engine] += math.Log(*s.Factor)
			if rows == 1 {
				means = append(means, GeoMean{Engine: s.Engine, Baseline: s.Baseline})
			}
		}
	}
	for i := range means {
		means[i].Rows = rows
		means[i].Factor = math.Exp(logs[means[i].Engine] / float64(rows))
	}
	return means
}
