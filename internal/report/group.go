package report

import (
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// groups makes the rows of a table that has a line for each workload with the
// engines below it, or only the former where there is one engine. cells returns
// an engine's lines at a position: a name, empty for the engine's own, and the
// figures; none if the engine has nothing to show there.
func (m *model) groups(cells func(p *position, engine string) []namedCells) [][]string {
	var rows [][]string
	for _, p := range m.positions {
		var lines [][]string
		for _, engine := range m.engines {
			for _, c := range cells(p, engine) {
				name := OneLine(engine)
				switch {
				case c.name != "":
					name = c.name
				case len(m.engines) == 1:
					name = p.label
				}
				if len(m.engines) > 1 || c.name != "" {
					name = indent + name
				}
				lines = append(lines, append([]string{name}, c.figures...))
			}
		}
		if len(lines) > 0 && len(m.engines) > 1 {
			rows = append(rows, append([]string{p.label}, make([]string, len(lines[0])-1)...))
		}
		rows = append(rows, lines...)
	}
	return rows
}

type namedCells struct {
	name    string
	figures []string
}

// indent is before what belongs to the line above. Blanks in front of a cell
// don't survive the wrapping of long ones.
const indent = "- "

// numbers is a grid whose first column has names, the others figures.
func numbers(header []string, rows [][]string) grid {
	g := grid{header: header, rows: rows, right: make([]bool, len(header))}
	for i := range g.right {
		g.right[i] = i > 0
	}
	return g
}

// medianOf is the median of what is known in rows; false if nothing is.
func medianOf(rows []*bench.Result, field func(*bench.Result) (float64, bool)) (float64, bool) {
	var values []float64
	for _, r := range rows {
		if v, ok := field(r); ok {
			values = append(values, v)
		}
	}
	n := len(values)
	if n == 0 {
		return 0, false
	}
	slices.Sort(values)
	return values[(n-1)/2]/2 + values[n/2]/2, true
}

// section is a titled table with words below it.
type section struct {
	title string
	grid  grid
	notes []string
}

func (t section) text(s Style) string {
	var b strings.Builder
	if t.title != "" {
		b.WriteString(s.mark(t.title, true) + "\n")
	}
	b.WriteString(t.grid.text())
	b.WriteString(t.below())
	return b.String()
}

// below are the notes, after an empty line.
func (t section) below() string {
	if len(t.notes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteByte('\n')
	for _, n := range t.notes {
		wrap(&b, "", 0, n)
	}
	return b.String()
}

func (t section) markdown() string {
	var b strings.Builder
	if t.title != "" {
		b.WriteString("**" + t.title + "**\n\n")
	}
	b.WriteString(t.grid.writer(nil).RenderMarkdown() + "\n")
	b.WriteString(t.below())
	return b.String()
}
