package report

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// tables are those that set the engines side by side: that of the preset, if
// it has one, else one for all.
func (m *model) tables(s Style) []section {
	if len(m.compared) == 0 {
		return nil
	}
	if preset, ok := bench.FindPreset(m.rec.Config.Preset); ok && len(preset.Labels) > 0 && len(preset.Labels) == len(preset.Workloads) {
		switch {
		case preset.Name == "levelup":
			return []section{m.levelupTable(preset)}
		case preset.Name == "lisk" && len(m.engines) <= 2:
			return m.liskTables(preset, s)
		}
	}
	return []section{{grid: m.comparisonGrid(s), notes: m.footnotes(m.figureNotes(), func(p *position) string { return p.label })}}
}

// presetLabel is what a preset's own table calls a position.
func presetLabel(preset bench.Preset, p *position) string {
	if i := p.number - 1; i >= 0 {
		return preset.Labels[i%len(preset.Labels)]
	}
	return p.label
}

// levelupTable has the mean time of a whole workload, and behind that of each
// engine but the first by how much it is faster.
func (m *model) levelupTable(preset bench.Preset) section {
	header := []string{"levelup"}
	for _, engine := range m.engines {
		header = append(header, OneLine(engine))
	}
	var rows [][]string
	for _, p := range m.compared {
		row := []string{presetLabel(preset, p)}
		if row[0] == "" {
			continue // it prepares, and is no part of the benchmark
		}
		for i, engine := range m.engines {
			text, ok := m.millis(p, engine)
			if ok && i > 0 {
				text += " " + m.levelupFactor(p, engine)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	notes := []string{"Time in ms for all operations."}
	if n := m.rounds(); n > 1 {
		notes = []string{fmt.Sprintf("Mean of %d runs, in ms for all operations.", n)}
	}
	if len(m.engines) > 1 {
		note := fmt.Sprintf("(2.00x): twice as fast as %s; (%s): no difference shown.", OneLine(m.engines[0]), notShown)
		if m.tooFew() {
			note = fmt.Sprintf("(2.00x): twice as fast as %s. With so few runs no difference is shown to be real; use --rounds 5 or more.", OneLine(m.engines[0]))
		}
		notes = append(notes, note)
	}
	return section{grid: numbers(header, rows), notes: m.footnotes(notes, func(p *position) string { return presetLabel(preset, p) })}
}

// millis is the mean time of an engine's rows, or the word for why there is
// none.
func (m *model) millis(p *position, engine string) (text string, ok bool) {
	if state := p.state(engine); state != bench.StatusOK {
		return string(state), false
	}
	s := p.summary[engine]
	if s == nil || s.MeanSeconds == nil {
		return "-", false
	}
	return trimmed(*s.MeanSeconds*1000) + " ms", true
}

// trimmed writes a figure with as many decimals as make it worth reading.
func trimmed(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// levelupFactor is how much faster an engine's mean is than the baseline's.
func (m *model) levelupFactor(p *position, engine string) string {
	s, base := p.summary[engine], p.summary[m.engines[0]]
	if base == nil || base.MeanSeconds == nil || p.state(m.engines[0]) != bench.StatusOK || *s.MeanSeconds <= 0 || *base.MeanSeconds <= 0 {
		return "(" + notShown + ")"
	}
	switch s.Verdict {
	case bench.VerdictFaster, bench.VerdictSlower, bench.VerdictTooFew:
		return factor(*base.MeanSeconds / *s.MeanSeconds)
	}
	return "(" + notShown + ")"
}

// tooFew tells whether the rounds are too few for any verdict.
func (m *model) tooFew() bool {
	few := false
	for i := range m.rec.Summary {
		switch m.rec.Summary[i].Verdict {
		case bench.VerdictTooFew:
			few = true
		case bench.VerdictFaster, bench.VerdictSlower, bench.VerdictNoDifference:
			return false
		}
	}
	return few
}

// liskTables have the mean rate with its relative margin of error, the winner
// and the change, one table a payload.
func (m *model) liskTables(preset bench.Preset, s Style) []section {
	var sections []section
	each := len(preset.Workloads)
	for first := 0; first < len(m.compared); {
		payload := (m.compared[first].number - 1) / each
		last := first
		for last < len(m.compared) && (m.compared[last].number-1)/each == payload {
			last++
		}
		sections = append(sections, m.liskTable(preset, s, m.compared[first:last]))
		first = last
	}
	notes := []string{"ops/sec: of one round."}
	if n := m.rounds(); n > 1 {
		notes = []string{fmt.Sprintf("ops/sec: mean of %d rounds ± the relative margin of error of the mean (Student's t, 95 %%).", n)}
	}
	if len(m.engines) > 1 {
		note := fmt.Sprintf("%% change: of the medians, against %s; %s where no difference is shown.", OneLine(m.engines[0]), notShown)
		notes = append(notes, note)
	}
	notes = append(notes, fmt.Sprintf("batch: puts, %d a batch.", m.rec.Config.BatchSize))
	end := &sections[len(sections)-1]
	end.notes = m.footnotes(notes, func(p *position) string {
		name := presetLabel(preset, p)
		if name == "" || len(m.rec.Config.Payloads) < 2 {
			return name
		}
		return name + " of " + OneLine(m.rec.Config.SizeAt(p.number).String()) + " bytes"
	})
	return sections
}

func (m *model) liskTable(preset bench.Preset, s Style, positions []*position) section {
	size := m.rec.Config.SizeAt(positions[0].number)
	title := "Payload " + OneLine(size.String()) + " bytes"
	if size.Kind == bench.SizeFixed {
		title = "Payload " + humanize.Comma(size.Min) + " bytes"
	}
	header := []string{"lisk"}
	for _, engine := range m.engines {
		header = append(header, OneLine(engine)+" ops/sec")
	}
	if len(m.engines) == 2 {
		header = append(header, "Winner", "% change")
	}
	var rows [][]string
	for _, p := range positions {
		row := []string{presetLabel(preset, p)}
		if row[0] == "" {
			continue // it prepares, and is no part of the benchmark
		}
		for _, engine := range m.engines {
			row = append(row, liskFigure(p, engine))
		}
		if len(m.engines) == 2 {
			c := m.compare(p, m.engines[1])
			winner := c.words
			if c.winner != "" {
				winner = OneLine(c.winner)
			}
			row = append(row, s.mark(winner, c.winner != ""), c.change)
		}
		rows = append(rows, row)
	}
	g := numbers(header, rows)
	if len(m.engines) == 2 {
		g.right[3] = false
	}
	return section{title: title, grid: g}
}

// liskFigure is a rate as benchmark.js writes it, or the word for why there is
// none.
func liskFigure(p *position, engine string) string {
	if state := p.state(engine); state != bench.StatusOK {
		return string(state)
	}
	s := p.summary[engine]
	if s == nil || s.MeanOpsPerSec == nil {
		return "-"
	}
	text := humanize.CommafWithDigits(*s.MeanOpsPerSec, 0)
	if *s.MeanOpsPerSec < 100 {
		text = strconv.FormatFloat(*s.MeanOpsPerSec, 'f', 2, 64)
	}
	if s.MarginPercent != nil {
		text += fmt.Sprintf(" ±%.2f%%", *s.MarginPercent)
	}
	return text
}
