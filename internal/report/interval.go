package report

import (
	"fmt"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// maxIntervals is how many lines of a workload's intervals the text has. The
// record has them all.
const maxIntervals = 60

// intervals are the tables of rates over the time, one a workload, each of the
// last round that was measured.
func (m *model) intervals() []section {
	var sections []section
	for _, p := range m.positions {
		if s, ok := m.intervalsAt(p); ok {
			sections = append(sections, s)
		}
	}
	return sections
}

func (m *model) intervalsAt(p *position) (section, bool) {
	var columns []*bench.Result
	most, round := 0, 0
	withP99 := false
	for _, engine := range m.engines {
		rows := p.measured(engine)
		if len(rows) == 0 || len(rows[len(rows)-1].Intervals) == 0 {
			continue
		}
		r := rows[len(rows)-1]
		columns = append(columns, r)
		most, round = max(most, len(r.Intervals)), max(round, r.Round)
		for _, in := range r.Intervals {
			withP99 = withP99 || in.P99NS != nil
		}
	}
	if len(columns) == 0 {
		return section{}, false
	}
	header := []string{p.label + " until s"}
	for _, r := range columns {
		header = append(header, OneLine(r.Engine)+" ops/s")
		if withP99 {
			header = append(header, OneLine(r.Engine)+" p99 µs")
		}
	}
	var rows [][]string
	for i := range min(most, maxIntervals) {
		row := []string{""}
		for _, r := range columns {
			row = append(row, intervalCells(r, i, withP99)...)
			if i < len(r.Intervals) && row[0] == "" {
				row[0] = fmt.Sprintf("%.2f", r.Intervals[i].T)
			}
		}
		rows = append(rows, row)
	}
	s := section{grid: numbers(header, rows)}
	s.grid.right[0] = true
	if m.rounds() > 1 {
		s.notes = append(s.notes, fmt.Sprintf("%s over the time, in round %d.", p.label, round))
	}
	if most > maxIntervals {
		s.notes = append(s.notes, fmt.Sprintf("%d more intervals are in the record.", most-maxIntervals))
	}
	return s, true
}

// intervalCells are the rate in the i-th piece of the time, and its p99.
func intervalCells(r *bench.Result, i int, withP99 bool) []string {
	cells := []string{""}
	if withP99 {
		cells = append(cells, "")
	}
	if i >= len(r.Intervals) {
		return cells
	}
	in, begin := r.Intervals[i], 0.0
	if i > 0 {
		begin = r.Intervals[i-1].T
	}
	if length := in.T - begin; length > 0 {
		cells[0] = Rate(float64(in.Ops) / length)
	}
	if withP99 && in.P99NS != nil {
		cells[1] = fmt.Sprintf("%.1f", float64(*in.P99NS)/1e3)
	}
	return cells
}
