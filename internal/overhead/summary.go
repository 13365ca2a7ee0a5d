package overhead

import (
	"math"
	"slices"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Comparison sets the times of one side against those of another. What it is
// made of are times, so that a factor above 1 is slower.
type Comparison struct {
	Of Side `json:"of"`
	To Side `json:"to"`
	// Factor is that of the medians, Least that of the least times.
	Factor float64 `json:"factor"`
	Least  float64 `json:"least_factor"`
	// LatencyPercent is by how much an operation takes longer, ThroughputPercent
	// by how much more are done in a second.
	LatencyPercent    float64 `json:"latency_percent"`
	ThroughputPercent float64 `json:"throughput_percent"`
	// Verdict says of the rates whether a difference is shown, P with what
	// probability chance alone shows as much.
	Verdict bench.Verdict `json:"verdict"`
	P       *float64      `json:"p,omitempty"`
}

// Shown tells whether the sides differ by more than may be chance.
func (c *Comparison) Shown() bool {
	return c.Verdict == bench.VerdictFaster || c.Verdict == bench.VerdictSlower
}

// Mean is the geometric mean of the comparisons of an engine's rows.
type Mean struct {
	Engine string `json:"engine"`
	Part   Part   `json:"part"`
	Comparison
	// Rows is the number of rows behind it.
	Rows int `json:"rows"`
}

// pairs are the sides that are set against each other.
var pairs = []struct{ of, to Side }{{Ours, Native}, {Plain, Native}, {Plain, Ours}}

// summarize brings all that follows from the series up to date.
func (r *Result) summarize() {
	for _, row := range r.Rows {
		row.summarize()
	}
	r.Means = []Mean{}
	for _, engine := range r.Config.Engines {
		for _, part := range []Part{PartCommon, PartExtras} {
			for _, pair := range pairs {
				if m, ok := meanOf(r.RowsOf(engine, part), pair.of, pair.to); ok {
					m.Engine, m.Part = engine, part
					r.Means = append(r.Means, m)
				}
			}
		}
	}
}

func (r *Row) summarize() {
	for _, s := range r.Sides {
		if len(s.Micros) > 0 {
			spread := bench.SpreadOf(s.Micros)
			s.Time, s.Least = &spread, slices.Min(s.Micros)
		}
	}
	r.Comparisons = []Comparison{}
	for _, pair := range pairs {
		if c, ok := compare(r.Sides[pair.of], r.Sides[pair.to]); ok {
			c.Of, c.To = pair.of, pair.to
			r.Comparisons = append(r.Comparisons, c)
		}
	}
}

// compare sets the times of a against those of b. ok is false if they can't be.
func compare(a, b *Series) (c Comparison, ok bool) {
	if !a.Good() || !b.Good() || a.Time.Median <= 0 || b.Time.Median <= 0 || a.Least <= 0 || b.Least <= 0 {
		return c, false
	}
	c.set(a.Time.Median/b.Time.Median, a.Least/b.Least)
	c.Verdict, c.P = bench.CompareRates(rates(b.Micros), rates(a.Micros))
	return c, true
}

func (c *Comparison) set(factor, least float64) {
	c.Factor, c.Least = factor, least
	c.LatencyPercent, c.ThroughputPercent = (factor-1)*100, (1/factor-1)*100
}

// rates are the operations a second of times in microseconds.
func rates(micros []float64) []float64 {
	list := make([]float64, len(micros))
	for i, t := range micros {
		list[i] = 1e6 / t
	}
	return list
}

// Comparison returns that of two sides; ok is false if there is none.
func (r *Row) Comparison(of, to Side) (c Comparison, ok bool) {
	for _, c := range r.Comparisons {
		if c.Of == of && c.To == to {
			return c, true
		}
	}
	return c, false
}

// meanOf is the geometric mean over the rows that have the comparison.
func meanOf(rows []*Row, of, to Side) (m Mean, ok bool) {
	factor, least := 0.0, 0.0
	for _, row := range rows {
		if c, ok := row.Comparison(of, to); ok {
			m.Rows++
			factor += math.Log(c.Factor)
			least += math.Log(c.Least)
		}
	}
	if m.Rows == 0 {
		return m, false
	}
	n := float64(m.Rows)
	m.Of, m.To = of, to
	m.set(math.Exp(factor/n), math.Exp(least/n))
	return m, true
}

// Mean returns the geometric mean of two sides; ok is false if there is none.
func (r *Result) Mean(engine string, part Part, of, to Side) (m Mean, ok bool) {
	for _, m := range r.Means {
		if m.Engine == engine && m.Part == part && m.Of == of && m.To == to {
			return m, true
		}
	}
	return m, false
}
