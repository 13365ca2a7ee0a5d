package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// position is a place in the workload list, with what each engine made of it.
type position struct {
	number   int
	workload string
	label    string // the workload, with its number where it occurs twice
	rows     map[string][]*bench.Result
	summary  map[string]*bench.Summary
}

// model is a record sorted for tables.
type model struct {
	rec       *bench.Record
	engines   []string
	positions []*position
	compared  []*position // those with a line in the table
}

func newModel(rec *bench.Record) *model {
	m := &model{rec: rec}
	// The writer of readwhilewriting has rows of its own at the same place.
	type place struct {
		number   int
		workload string
	}
	index := map[place]*position{}
	at := func(number int, workload, engine string) *position {
		if !slices.Contains(m.engines, engine) {
			m.engines = append(m.engines, engine)
		}
		p := index[place{number, workload}]
		if p == nil {
			p = &position{
				number: number, workload: workload,
				rows: map[string][]*bench.Result{}, summary: map[string]*bench.Summary{},
			}
			index[place{number, workload}] = p
			m.positions = append(m.positions, p)
		}
		return p
	}
	for i := range rec.Engines {
		if name := rec.Engines[i].Name; !slices.Contains(m.engines, name) {
			m.engines = append(m.engines, name)
		}
	}
	for i := range rec.Results {
		r := &rec.Results[i]
		p := at(r.Position, r.Workload, r.Engine)
		p.rows[r.Engine] = append(p.rows[r.Engine], r)
	}
	for i := range rec.Summary {
		s := &rec.Summary[i]
		at(s.Position, s.Workload, s.Engine).summary[s.Engine] = s
	}
	slices.SortStableFunc(m.positions, func(a, b *position) int { return a.number - b.number })
	// A workload without figures, such as stats, is in no summary; one that an
	// interrupt kept from running has no rows.
	m.compared = slices.DeleteFunc(slices.Clone(m.positions), func(p *position) bool {
		return len(p.summary) == 0 || len(p.rows) == 0
	})
	m.setLabels()
	return m
}

// setLabels tells workloads apart that occur more than once: by the size of
// their values if that does, else by their place.
func (m *model) setLabels() {
	times := map[string]int{}
	name := func(p *position) string {
		if len(m.rec.Config.Payloads) == 0 {
			return OneLine(p.workload)
		}
		return OneLine(p.workload + " " + m.rec.Config.SizeAt(p.number).String())
	}
	for _, p := range m.positions {
		times[name(p)]++
	}
	for _, p := range m.positions {
		p.label = name(p)
		if times[p.label] > 1 {
			p.label += fmt.Sprintf(" #%d", p.number)
		}
	}
}

// state is the status of an engine's rows at a position: that of the worst.
func (p *position) state(engine string) bench.Status {
	rows := p.rows[engine]
	for _, s := range []bench.Status{bench.StatusFailed, bench.StatusInterrupted, bench.StatusSkipped} {
		if slices.ContainsFunc(rows, func(r *bench.Result) bool { return r.Status == s }) {
			return s
		}
	}
	return bench.StatusOK
}

// measured returns the rows that are ok.
func (p *position) measured(engine string) []*bench.Result {
	var ok []*bench.Result
	for _, r := range p.rows[engine] {
		if r.Status == bench.StatusOK {
			ok = append(ok, r)
		}
	}
	return ok
}

// slow tells whether an operation takes so long on some engine that its time
// says more than its rate.
func (p *position) slow() bool {
	const long = 1e5 // µs
	for _, s := range p.summary {
		if s.MedianMicrosPerOp != nil && *s.MedianMicrosPerOp > long {
			return true
		}
	}
	return false
}

// figure is the median rate of an engine at a position, the time of a slow
// operation, or the word for why there is none.
func (p *position) figure(engine string) (text, spreadText string) {
	s := p.summary[engine]
	known := s != nil && s.MedianOpsPerSec != nil
	switch state := p.state(engine); {
	case state == bench.StatusInterrupted && known: // that of the rounds before
	case state != bench.StatusOK:
		return string(state), ""
	case !known:
		return "-", ""
	}
	text = Rate(*s.MedianOpsPerSec)
	if p.slow() && s.MedianMicrosPerOp != nil {
		text = micros(*s.MedianMicrosPerOp)
	}
	if s.Low != nil && s.High != nil && s.Rounds > 1 {
		spreadText = spread(*s.MedianOpsPerSec, *s.Low, *s.High)
	}
	return text, spreadText
}

// comparison is an engine set against the baseline at one position.
type comparison struct {
	factor, change string
	// winner is the faster engine; empty where none is shown to be.
	winner string
	// words say who is faster, or why that is not known.
	words string
}

func (m *model) compare(p *position, engine string) comparison {
	c := comparison{factor: notShown, change: notShown}
	s := p.summary[engine]
	if s == nil || s.Baseline == "" || s.Verdict == "" {
		return c
	}
	c.words = string(s.Verdict)
	switch s.Verdict {
	case bench.VerdictFaster:
		c.winner = s.Engine
	case bench.VerdictSlower:
		c.winner = s.Baseline
	default:
		return c
	}
	c.words = c.winner + " faster"
	if s.Factor != nil && s.ChangePercent != nil {
		c.factor, c.change = factor(*s.Factor), change(*s.ChangePercent)
	}
	return c
}

// means are the geometric means of the engines' factors, without those that
// stand on too few rounds to show anything.
func (m *model) means() []bench.GeoMean {
	if m.rounds() == 0 || !slices.ContainsFunc(m.rec.Summary, func(s bench.Summary) bool {
		return s.Verdict == bench.VerdictFaster || s.Verdict == bench.VerdictSlower || s.Verdict == bench.VerdictNoDifference
	}) {
		return nil
	}
	return slices.DeleteFunc(bench.GeoMeans(m.rec.Summary), func(g bench.GeoMean) bool {
		return !(g.Factor > 0) || math.IsInf(g.Factor, 0)
	})
}

// rounds is the greatest number of rounds behind a figure.
func (m *model) rounds() int {
	n := 0
	for i := range m.rec.Summary {
		n = max(n, m.rec.Summary[i].Rounds)
	}
	return n
}

// confidence is the least probability with which an interval holds, 0 if no
// figure has an interval.
func (m *model) confidence() float64 {
	least := 0.0
	for i := range m.rec.Summary {
		s := &m.rec.Summary[i]
		if c := s.Confidence; c != nil && s.Low != nil && s.Rounds > 1 && (least == 0 || *c < least) {
			least = *c
		}
	}
	return least
}
