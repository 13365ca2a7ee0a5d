package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/lsmkit/lsmkit/internal/bench"
)

const textWidth = 80

// grid is a table before it's rendered: the same for text and Markdown.
type grid struct {
	header []string
	rows   [][]string
	footer []string
	right  []bool // columns that are aligned to the right
}

// comparisonGrid makes the one table that sets the engines side by side.
func (m *model) comparisonGrid(s Style) grid {
	switch len(m.engines) {
	case 0, 1:
		return m.singleGrid()
	case 2:
		return m.pairGrid(s)
	}
	return m.manyGrid(s)
}

// singleGrid is the table of a run with one engine: nothing to compare.
func (m *model) singleGrid() grid {
	g := grid{
		header: []string{"workload", "ops/s", "µs/op", "MB/s"},
		right:  []bool{false, true, true, true},
	}
	for _, engine := range m.engines {
		cells := m.figures(engine)
		for i, p := range m.compared {
			row := []string{p.label, cells[i], "", ""}
			if s := p.summary[engine]; s != nil && p.state(engine) == bench.StatusOK {
				if s.MedianMicrosPerOp != nil {
					row[2] = fmt.Sprintf("%.3f", *s.MedianMicrosPerOp)
				}
				if s.MedianMBPerSec != nil && *s.MedianMBPerSec > 0 {
					row[3] = fmt.Sprintf("%.1f", *s.MedianMBPerSec)
				}
			}
			g.rows = append(g.rows, row)
		}
	}
	return g
}

// pairGrid is the table of two engines, the second against the first.
func (m *model) pairGrid(s Style) grid {
	base, other := m.engines[0], m.engines[1]
	g := grid{
		header: []string{"workload", OneLine(base) + " ops/s", OneLine(other) + " ops/s", "factor", "change", "winner"},
		right:  []bool{false, true, true, true, true, false},
	}
	left, right := m.figures(base), m.figures(other)
	for i, p := range m.compared {
		c := m.compare(p, other)
		g.rows = append(g.rows, []string{
			p.label, s.mark(left[i], c.winner == base), s.mark(right[i], c.winner == other),
			c.factor, c.change, s.mark(c.words, c.winner != ""),
		})
	}
	for _, mean := range m.means() {
		g.footer = []string{"geometric mean", "", "", factor(mean.Factor), change((mean.Factor - 1) * 100), fmt.Sprintf("over %d", mean.Rows)}
	}
	return g
}

// manyGrid is the table of three engines and more: one line for each.
func (m *model) manyGrid(s Style) grid {
	g := grid{
		header: []string{"workload", "engine", "ops/s", "factor", "change", "winner"},
		right:  []bool{false, false, true, true, true, false},
	}
	columns := map[string][]string{}
	for _, engine := range m.engines {
		columns[engine] = m.figures(engine)
	}
	for i, p := range m.compared {
		for k, engine := range m.engines {
			label, c := p.label, comparison{}
			if k > 0 {
				label, c = "", m.compare(p, engine)
			}
			g.rows = append(g.rows, []string{
				label, OneLine(engine), s.mark(columns[engine][i], k > 0 && c.winner == engine), c.factor, c.change, s.mark(c.words, c.winner != ""),
			})
		}
	}
	for _, mean := range m.means() {
		g.rows = append(g.rows, []string{
			"geometric mean", OneLine(mean.Engine), "", factor(mean.Factor), change((mean.Factor - 1) * 100), fmt.Sprintf("over %d", mean.Rows),
		})
	}
	return g
}

// figures returns an engine's cells for all positions, the spreads below each
// other.
func (m *model) figures(engine string) []string {
	var values, spreads []string
	width := 0
	for _, p := range m.compared {
		v, s := p.figure(engine)
		values, spreads = append(values, v), append(spreads, s)
		width = max(width, text.StringWidth(s))
	}
	for i, s := range spreads {
		if s != "" {
			values[i] += strings.Repeat(" ", 1+width-text.StringWidth(s)) + s
		} else if width > 0 && values[i] != "" && !strings.Contains("failed interrupted skipped -", values[i]) {
			values[i] += strings.Repeat(" ", 1+width)
		}
	}
	return values
}

// mark sets s off, if it's meant to be.
func (s Style) mark(text string, on bool) string {
	if !on || !s.Bold || text == "" {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// text renders the grid without frames. The last column is broken up, or the
// headers are, where the table would be wider than 80 columns.
func (g grid) text() string {
	widths, gap := g.widths()
	t := g.writer(widths)
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{MiddleHorizontal: "-", PaddingRight: strings.Repeat(" ", gap)},
		Format:  table.FormatOptions{Header: text.FormatDefault, Footer: text.FormatDefault},
		Options: table.Options{SeparateHeader: true, SeparateFooter: true},
	})
	var b strings.Builder
	for line := range strings.Lines(t.Render()) {
		line = strings.TrimRight(line, " \n")
		if strings.Trim(line, "-") == "" {
			line = line[:max(0, len(line)-gap)] // drawn under the last column's gap too
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// writer fills a table of go-pretty; nil widths are no bounds.
func (g grid) writer(widths []int) table.Writer {
	t := table.NewWriter()
	var configs []table.ColumnConfig
	for i, right := range g.right {
		c := table.ColumnConfig{Number: i + 1, WidthMaxEnforcer: wrapCell}
		if right {
			c.Align, c.AlignHeader, c.AlignFooter = text.AlignRight, text.AlignRight, text.AlignRight
		}
		if widths != nil {
			c.WidthMax = widths[i]
		}
		configs = append(configs, c)
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(tableRow(g.header))
	for _, r := range g.rows {
		t.AppendRow(tableRow(r))
	}
	if g.footer != nil {
		t.AppendFooter(tableRow(g.footer))
	}
	return t
}

// wrapCell breaks a cell up at blanks. go-pretty fills the lines up to the width
// behind the words, so that they could no longer be aligned to the right.
func wrapCell(s string, width int) string {
	lines := strings.Split(text.WrapSoft(s, width), "\n")
	if len(lines) == 1 {
		return s
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// widths returns the columns' widths and the gap between them, within 80
// columns: headers are broken up at blanks, but for one that is a title, then the
// last column and the first give way, then the gap.
func (g grid) widths() (widths []int, gap int) {
	widths = make([]int, len(g.header))
	least := make([]int, len(g.header)) // the longest word
	for k, r := range append(slices.Clone(g.rows), g.footer, g.header) {
		for i, cell := range r {
			for _, word := range strings.Fields(cell) {
				least[i] = max(least[i], text.StringWidthWithoutEscSequences(word))
			}
			if k <= len(g.rows) || i == 0 && !g.right[0] {
				widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(cell))
			}
		}
	}
	last := len(widths) - 1
	total := 2 * last
	for i := range widths {
		widths[i] = max(widths[i], least[i])
		total += widths[i]
	}
	for _, i := range []int{last, 0} {
		cut := max(0, min(total-textWidth, widths[i]-least[i]))
		widths[i] -= cut
		total -= cut
	}
	if total > textWidth {
		return widths, 1
	}
	return widths, 2
}

func tableRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, c := range cells {
		row[i] = c
	}
	return row
}
