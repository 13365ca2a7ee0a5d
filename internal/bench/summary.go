package bench

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// enoughRounds is the number of rounds with which a difference can be shown:
// with three a side the smallest p is 0.1.
const enoughRounds = 4

// wantedConfidence is the confidence of intervals where the rounds allow it.
const wantedConfidence = 0.95

// Summarize returns the figures of each engine at each position of the list,
// and how they compare with the first engine's. Rows that are not ok don't
// count; where one has failed, nothing is compared. A second kind of row at a
// position, such as that of readwhilewriting's writer, follows the first.
func Summarize(rec *Record) []Summary {
	summary := []Summary{}
	for i, workload := range rec.Config.Workloads {
		if w, ok := FindWorkload(workload); ok && w.noFigures {
			continue // it measures nothing
		}
		summary = append(summary, summarizeCell(rec, i+1, workload)...)
		if workload == "readwhilewriting" {
			summary = append(summary, summarizeCell(rec, i+1, WriterRow)...)
		}
	}
	return summary
}

// summarizeCell returns the figures of one kind of row at one position.
func summarizeCell(rec *Record, position int, workload string) []Summary {
	var summary []Summary
	var baseline *cellRows
	for _, e := range rec.Engines {
		rows := gather(rec, position, workload, e.Name)
		s := rows.summarize()
		s.Workload, s.Position, s.Engine = workload, position, e.Name
		if len(rec.Config.Payloads) > 0 {
			s.ValueSize = rec.Config.SizeAt(position).String()
		}
		if baseline == nil {
			baseline = rows
		} else {
			s.Baseline = rec.Engines[0].Name
			s.compare(baseline, rows)
		}
		summary = append(summary, s)
	}
	return summary
}

// cellRows are the rows of one engine at one position.
type cellRows struct {
	opsPerSec, micros, megabytes, seconds []float64
	// unfit says why they must not be compared; empty if they may.
	unfit string
}

func gather(rec *Record, position int, workload, engine string) *cellRows {
	c := &cellRows{}
	for i := range rec.Results {
		row := &rec.Results[i]
		if row.Position == position && row.Workload == workload && row.Engine == engine {
			c.add(row)
		}
	}
	return c
}

func (c *cellRows) add(row *Result) {
	switch {
	case row.Status == StatusFailed:
		c.unfit = fmt.Sprintf("%s has failed", row.Engine)
	case row.Status == StatusSkipped && c.unfit == "":
		c.unfit = fmt.Sprintf("%s was skipped", row.Engine)
	case row.Status == StatusOK && row.DidNothing() && c.unfit == "":
		c.unfit = fmt.Sprintf("%s %s", row.Engine, nothing(row))
	}
	if row.Status == StatusOK {
		c.opsPerSec = append(c.opsPerSec, row.OpsPerSec)
		c.micros = append(c.micros, row.MicrosPerOp)
		c.megabytes = append(c.megabytes, row.MBPerSec)
		c.seconds = append(c.seconds, row.Seconds)
	}
}

// nothing says what a row has not done.
func nothing(row *Result) string {
	if row.Workload == "flush" {
		return "had nothing to flush"
	}
	return "rewrote nothing"
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
	rate, margin := meanAndMargin(c.opsPerSec)
	seconds, _ := meanAndMargin(c.seconds)
	s.MeanOpsPerSec, s.MeanSeconds, s.MarginPercent = &rate, &seconds, margin
	return s
}

// studentT are the two-sided 95 % quantiles of Student's t, by degrees of
// freedom from 1 on.
var studentT = []float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// meanAndMargin returns the mean, and its relative margin of error in percent;
// nil if that can't be told.
func meanAndMargin(values []float64) (mean float64, margin *float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if len(values) < 2 || mean <= 0 {
		return mean, nil
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	t := 1.96
	if len(values)-1 <= len(studentT) {
		t = studentT[len(values)-2]
	}
	return mean, known(t * math.Sqrt(squares/(n-1)/n) / mean * 100)
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

// Spread is the median of values, and the interval Low to High that holds the
// true median with the probability Confidence (order statistics).
type Spread struct {
	Median     float64 `json:"median"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
}

// SpreadOf returns the spread of values, of which there must be one at least. It
// is that of a Summary.
func SpreadOf(values []float64) (s Spread) {
	s.Median, s.Low, s.High, s.Confidence = interval(values)
	return s
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
	c := contrast(baseline.opsPerSec, rows.opsPerSec)
	s.Factor, s.ChangePercent, s.P, s.Verdict, s.Note = c.factor, c.change, c.p, c.verdict, c.note
}

// CompareRates tells whether rates differ from those of a baseline, as a Summary
// does, and the p value of that. Neither is empty.
func CompareRates(baseline, rates []float64) (v Verdict, p *float64) {
	c := contrast(baseline, rates)
	return c.verdict, c.p
}

// contrasted is how two sets of rates compare.
type contrasted struct {
	factor, change, p *float64
	verdict           Verdict
	note              string
}

// contrast compares rates with those of a baseline; neither is empty.
func contrast(baseline, rates []float64) (c contrasted) {
	base, _, _, _ := interval(baseline)
	median, _, _, _ := interval(rates)
	if base <= 0 || median <= 0 {
		c.verdict, c.note = VerdictNotCompared, "no operations"
		return c
	}
	factor := median / base
	c.factor, c.change = &factor, known((factor-1)*100)
	if min(len(baseline), len(rates)) < enoughRounds {
		c.verdict = VerdictTooFew
		return c
	}
	test := benchmath.AssumeNothing.Compare(newSample(baseline), newSample(rates))
	c.p = &test.P
	switch {
	case test.P >= test.Alpha || factor == 1:
		c.verdict = VerdictNoDifference
	case factor > 1:
		c.verdict = VerdictFaster
	default:
		c.verdict = VerdictSlower
	}
	return c
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
// factors over the rows in which every engine has one. A second kind of row at a
// position, such as that of a writer beside readers, is a row of its own.
func GeoMeans(summary []Summary) []GeoMean {
	type row struct {
		position int
		workload string
	}
	cells := map[row][]Summary{}
	var order []row
	for _, s := range summary {
		at := row{s.Position, s.Workload}
		if cells[at] == nil {
			order = append(order, at)
		}
		cells[at] = append(cells[at], s)
	}
	var means []GeoMean
	logs := map[string]float64{}
	rows := 0
	for _, at := range order {
		others := cells[at][1:]
		if len(others) == 0 || slices.ContainsFunc(others, func(s Summary) bool { return s.Factor == nil }) {
			continue
		}
		rows++
		for _, s := range others {
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
