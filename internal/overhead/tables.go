package overhead

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// costTable sets a side against C++, in latency and in throughput: the form of
// the table in leveldb-rs-binding's README.
func costTable(r *Result, engine string, side Side) *report.Table {
	name := side.Title(engine)
	t := &report.Table{
		Header: []string{engine, "C++ µs/op", name + " µs/op", "latency", "C++ ops/s", name + " ops/s", "throughput"},
		Right:  []bool{false, true, true, true, true, true, true},
	}
	for _, row := range r.RowsOf(engine, PartCommon) {
		native, own := row.Sides[Native], row.Sides[side]
		if native == nil && own == nil {
			continue
		}
		cells := []string{r.Label(row), latency(native), latency(own), "", throughput(native), throughput(own), ""}
		if c, ok := row.Comparison(side, Native); ok {
			cells[3], cells[6] = percent(c.LatencyPercent, c.Shown()), percent(c.ThroughputPercent, c.Shown())
		}
		t.Rows = append(t.Rows, cells)
	}
	if m, ok := r.Mean(engine, PartCommon, side, Native); ok {
		t.Footer = []string{meanLabel(m), "", "", percent(m.LatencyPercent, true), "", "", percent(m.ThroughputPercent, true)}
	}
	return orNone(t)
}

// spreadTable says how sure the figures are, and what one side takes of
// another's time.
func spreadTable(r *Result, engine string) *report.Table {
	plain := Plain.Title(engine)
	t := &report.Table{
		Header: []string{
			engine, "± C++", "± lsmkit", "± " + plain,
			"lsmkit ÷C++", "least ÷C++", plain + " ÷lsmkit", "least ÷lsmkit",
		},
		Right: []bool{false, true, true, true, true, true, true, true},
	}
	for _, row := range r.RowsOf(engine, PartCommon) {
		if len(row.Sides) == 0 {
			continue
		}
		cells := []string{r.Label(row), spread(row.Sides[Native]), spread(row.Sides[Ours]), spread(row.Sides[Plain]), "", "", "", ""}
		if c, ok := row.Comparison(Ours, Native); ok {
			cells[4], cells[5] = factor(c.Factor), factor(c.Least)
		}
		if c, ok := row.Comparison(Plain, Ours); ok {
			cells[6], cells[7] = factor(c.Factor), factor(c.Least)
		}
		t.Rows = append(t.Rows, cells)
	}
	if m, ok := r.Mean(engine, PartCommon, Ours, Native); ok {
		t.Footer = []string{meanLabel(m), "", "", "", factor(m.Factor), factor(m.Least), "", ""}
		if m, ok := r.Mean(engine, PartCommon, Plain, Ours); ok {
			t.Footer[6], t.Footer[7] = factor(m.Factor), factor(m.Least)
		}
	}
	return orNone(t)
}

// countTable shows what was found beside what must be, which is another number
// for C++ where that draws other keys.
func countTable(r *Result, engine string) *report.Table {
	t := &report.Table{
		Header: []string{"found", "lookups", "expected", "lsmkit", Plain.Title(engine), "expected", "C++"},
		Right:  []bool{false, true, true, true, true, true, true},
	}
	for _, row := range r.RowsOf(engine, PartCommon) {
		if row.Expected == nil || row.Expected.Lookups == 0 || len(row.Sides) == 0 {
			continue
		}
		e := row.Expected
		other := humanize.Comma(e.Found)
		if !drawsAlike(engine, Native) {
			other = fmt.Sprintf("%s ±%.2g%%", humanize.Comma(int64(math.Round(e.About))), 100*e.Tolerance/max(e.About, 1))
		}
		t.Rows = append(t.Rows, []string{
			r.Label(row), humanize.Comma(e.Lookups), humanize.Comma(e.Found),
			found(row.Sides[Ours]), found(row.Sides[Plain]), other, found(row.Sides[Native]),
		})
	}
	return orNone(t)
}

// extrasTable has the rows that only the sides in Go have.
func extrasTable(r *Result, engine string) *report.Table {
	plain := Plain.Title(engine)
	t := &report.Table{
		Header: []string{"Go alone", "lsmkit µs/op", "±", plain + " µs/op", "±", plain + " ÷lsmkit", "least ÷lsmkit"},
		Right:  []bool{false, true, true, true, true, true, true},
	}
	for _, row := range r.RowsOf(engine, PartExtras) {
		ours, other := row.Sides[Ours], row.Sides[Plain]
		if ours == nil && other == nil {
			continue
		}
		cells := []string{row.Workload, latency(ours), spread(ours), latency(other), spread(other), "", ""}
		if c, ok := row.Comparison(Plain, Ours); ok {
			cells[5], cells[6] = factor(c.Factor), factor(c.Least)
		}
		t.Rows = append(t.Rows, cells)
	}
	return orNone(t)
}

// processorTable has what a pass of the common workloads takes on each side, in
// medians. A process in Go also reads back what it wrote, and Go's own threads
// look after it: what was used in the clock is told apart.
func processorTable(r *Result, engine string) *report.Table {
	t := &report.Table{
		Header: []string{"seconds", "wall", "user", "system", "clocked"},
		Right:  []bool{false, true, true, true, true},
	}
	for _, side := range []Side{Native, Ours, Plain} {
		var wall, user, system, clocked []float64
		for i := range r.Passes {
			p := &r.Passes[i]
			if p.Engine == engine && p.Side == side && p.Part == PartCommon && p.Error == "" {
				wall, user = append(wall, p.Seconds), append(user, p.CPUUserSeconds)
				system, clocked = append(system, p.CPUSystemSeconds), append(clocked, p.CPUClockedSeconds)
			}
		}
		if len(wall) > 0 {
			t.Rows = append(t.Rows, []string{side.Title(engine), seconds(wall), seconds(user), seconds(system), seconds(clocked)})
		}
	}
	return orNone(t)
}

// harnessTable has what the measuring itself costs, on a store that does nothing.
func harnessTable(r *Result) *report.Table {
	t := &report.Table{Header: []string{"harness", "ns/op", "±"}, Right: []bool{false, true, true}}
	for _, row := range r.RowsOf(Harness, PartHarness) {
		if s := row.Sides[Ours]; s.Good() {
			t.Rows = append(t.Rows, []string{row.Workload, fmt.Sprintf("%.2f", s.Time.Median*1000), spread(s)})
		}
	}
	return orNone(t)
}

func orNone(t *report.Table) *report.Table {
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func meanLabel(m Mean) string { return fmt.Sprintf("geomean of %d", m.Rows) }

// latency writes a time in microseconds with four digits.
func latency(s *Series) string {
	switch {
	case s == nil:
		return ""
	case !s.Good():
		return "failed"
	}
	x := s.Time.Median
	digits := 3
	for a := x; a >= 10 && digits > 0; a /= 10 {
		digits--
	}
	if x < 1 {
		digits = 4
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func throughput(s *Series) string {
	if !s.Good() {
		return ""
	}
	return report.Rate(1e6 / s.Time.Median)
}

// spread writes the larger half of the median's interval in percent of it.
func spread(s *Series) string {
	if !s.Good() {
		return ""
	}
	m := s.Time
	return fmt.Sprintf("%.0f%%", 100*max(m.High-m.Median, m.Median-m.Low)/m.Median)
}

// percent writes a change; ~ follows one that isn't shown to be one.
func percent(x float64, shown bool) string {
	mark := " "
	if !shown {
		mark = "~"
	}
	if x >= 99.95 {
		return fmt.Sprintf("%+.0f%%%s", x, mark)
	}
	return fmt.Sprintf("%+.1f%%%s", x, mark)
}

func factor(x float64) string {
	if x >= 99.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// found is what a side has found: in every round the same, or it has failed.
func found(s *Series) string {
	if s == nil || len(s.Found) == 0 {
		return ""
	}
	for _, n := range s.Found {
		if n != s.Found[0] {
			return "differs"
		}
	}
	return humanize.Comma(s.Found[0])
}

func seconds(list []float64) string {
	m := bench.SpreadOf(list).Median
	if m == 0 {
		return ""
	}
	return strconv.FormatFloat(m, 'f', 2, 64)
}
