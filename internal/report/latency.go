package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// latencyColumns are the figures of the latency table and of CSV.
var latencyColumns = []struct {
	title, name string // for people, and by their name in JSON
	text        bool   // has a column in the table
	field       func(l *bench.Latency) float64
}{
	{"min", "min", false, func(l *bench.Latency) float64 { return float64(l.Min) }},
	{"p50", "p50", true, func(l *bench.Latency) float64 { return float64(l.P50) }},
	{"p90", "p90", true, func(l *bench.Latency) float64 { return float64(l.P90) }},
	{"p95", "p95", true, func(l *bench.Latency) float64 { return float64(l.P95) }},
	{"p99", "p99", true, func(l *bench.Latency) float64 { return float64(l.P99) }},
	{"p99.9", "p99_9", true, func(l *bench.Latency) float64 { return float64(l.P999) }},
	{"p99.99", "p99_99", true, func(l *bench.Latency) float64 { return float64(l.P9999) }},
	{"max", "max", true, func(l *bench.Latency) float64 { return float64(l.Max) }},
	{"mean", "mean", true, func(l *bench.Latency) float64 { return l.Mean }},
}

func uncorrected(r *bench.Result) *bench.Latency { return r.LatencyNS }
func corrected(r *bench.Result) *bench.Latency   { return r.LatencyCorrectedNS }

// latencies is the table of percentiles: medians over the rounds, each column
// in the unit that suits all of it.
func (m *model) latencies() (section, bool) {
	type line struct {
		p      *position
		engine string
		which  func(*bench.Result) *bench.Latency
	}
	values := map[string][]float64{} // by column
	figure := func(l line, column string, field func(*bench.Latency) float64) (float64, bool) {
		return medianOf(l.p.measured(l.engine), func(r *bench.Result) (float64, bool) {
			latency := l.which(r)
			if latency == nil || latency.Count == 0 {
				return 0, false
			}
			return field(latency), true
		})
	}
	withCorrected := false
	for _, p := range m.positions {
		for _, engine := range m.engines {
			for _, c := range latencyColumns {
				for i, which := range []func(*bench.Result) *bench.Latency{uncorrected, corrected} {
					if v, ok := figure(line{p, engine, which}, c.name, c.field); ok {
						values[c.name] = append(values[c.name], v)
						withCorrected = withCorrected || i == 1
					}
				}
			}
		}
	}
	if len(values) == 0 {
		return section{}, false
	}
	header := []string{"latency"}
	units := map[string]timeUnit{}
	for _, c := range latencyColumns {
		if c.text {
			units[c.name] = unitFor(values[c.name])
			header = append(header, c.title+" "+units[c.name].name)
		}
	}
	cells := func(l line) []string {
		var figures []string
		for _, c := range latencyColumns {
			if v, ok := figure(l, c.name, c.field); ok && c.text {
				figures = append(figures, units[c.name].format(v))
			}
		}
		return figures
	}
	rows := m.groups(func(p *position, engine string) (lines []namedCells) {
		if c := cells(line{p, engine, uncorrected}); c != nil {
			lines = append(lines, namedCells{"", c})
		}
		if c := cells(line{p, engine, corrected}); c != nil {
			lines = append(lines, namedCells{"corrected", c})
		}
		return lines
	})
	return section{grid: numbers(header, rows), notes: m.latencyNotes(withCorrected)}, true
}

func (m *model) latencyNotes(withCorrected bool) []string {
	note := "latency: how long an operation took"
	if m.rounds() > 1 {
		note += fmt.Sprintf("; medians of %d rounds", m.rounds())
	}
	notes := []string{note + "."}
	if withCorrected {
		notes = append(notes, "corrected: counted from the moment at which the operation should have begun, so that waiting for a slow one before it shows.")
	} else {
		notes = append(notes, "The next operation begins when one has ended (closed loop): waiting for a slow one doesn't show; --rate does show it.")
	}
	return append(notes, m.samplingNotes()...)
}

// samplingNotes say where not every operation was timed.
func (m *model) samplingNotes() []string {
	where := map[int64][]string{}
	var order []int64
	for _, p := range m.positions {
		for _, engine := range m.engines {
			rows := p.measured(engine)
			if len(rows) == 0 || rows[len(rows)-1].LatencyNS == nil {
				continue
			}
			every := max(rows[len(rows)-1].SampleEvery, 1)
			if where[every] == nil {
				order = append(order, every)
			}
			if !slices.Contains(where[every], p.label) {
				where[every] = append(where[every], p.label)
			}
		}
	}
	var notes []string
	for _, every := range order {
		switch {
		case every > 1 && len(order) == 1:
			notes = append(notes, fmt.Sprintf("One operation in %d was timed.", every))
		case every > 1:
			notes = append(notes, fmt.Sprintf("One operation in %d was timed in %s.", every, strings.Join(where[every], ", ")))
		}
	}
	return notes
}

// timeUnit is the unit of a column of times.
type timeUnit struct {
	name   string
	ns     float64
	digits int
}

// unitFor chooses the unit that keeps the largest of the values short.
func unitFor(values []float64) timeUnit {
	largest := 0.0
	for _, v := range values {
		largest = math.Max(largest, v)
	}
	switch {
	case largest < 1e6:
		return timeUnit{"ns", 1, 0}
	case largest < 1e9:
		return timeUnit{"µs", 1e3, 1}
	}
	return timeUnit{"ms", 1e6, 3}
}

// format writes a time in the unit; of thousands of it without decimals, so that
// the table stays narrow.
func (u timeUnit) format(ns float64) string {
	x, digits := ns/u.ns, u.digits
	if x >= 1000 {
		digits = 0
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}
