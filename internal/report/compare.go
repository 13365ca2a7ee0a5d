package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Comparison writes two records side by side: a table for each engine, what
// the runs differ in, and the rows that have become slower than allowed or
// have broken. Old and new name the records.
func Comparison(w io.Writer, c *bench.Comparison, f Format, old, new string, s Style) error {
	var b strings.Builder
	if f == FormatMarkdown {
		s.Bold = false
	}
	for i, t := range comparisonSections(c, s) {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch f {
		case FormatText:
			b.WriteString(t.text(s))
		case FormatMarkdown:
			b.WriteString(t.markdown())
		default:
			return fmt.Errorf("a comparison has no format %q", f)
		}
	}
	b.WriteByte('\n')
	wrap(&b, "", 0, fmt.Sprintf("old: %s; new: %s.", OneLine(old), OneLine(new)))
	wrap(&b, "", 0, "ops/s: medians; ± the larger half of their intervals. factor and change: new against old; "+notShown+" where no difference is shown.")
	for _, n := range c.Notes {
		wrap(&b, "differs:", len("differs: "), OneLine(n))
	}
	for _, r := range c.Regressions() {
		wrap(&b, "regression:", len("regression: "), fmt.Sprintf("%s: %s %s", rowName(&r), change(*r.ChangePercent), pValue(r.P)))
	}
	for _, r := range c.Broken() {
		wrap(&b, "broken:", len("broken: "), rowName(&r)+": "+OneLine(r.Note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func pValue(p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("(p = %.2g)", *p)
}

// rowName names a row of a comparison.
func rowName(r *bench.ComparedRow) string {
	name := OneLine(r.Engine + " " + r.Workload)
	if r.ValueSize != "" {
		name += " " + OneLine(r.ValueSize)
	}
	return fmt.Sprintf("%s (position %d)", name, r.Position)
}

// comparisonSections are the tables, one an engine.
func comparisonSections(c *bench.Comparison, s Style) []section {
	var engines []string
	rows := map[string][]*bench.ComparedRow{}
	for i := range c.Rows {
		r := &c.Rows[i]
		if rows[r.Engine] == nil {
			engines = append(engines, r.Engine)
		}
		rows[r.Engine] = append(rows[r.Engine], r)
	}
	var sections []section
	for _, engine := range engines {
		g := grid{
			header: []string{OneLine(engine), "old ops/s", "new ops/s", "factor", "change", "new is"},
			right:  []bool{false, true, true, true, true, false},
		}
		var notes []string
		labels := comparedLabels(rows[engine])
		for i, r := range rows[engine] {
			factorText, changeText := notShown, notShown
			if (r.Verdict == bench.VerdictFaster || r.Verdict == bench.VerdictSlower) && r.Factor != nil && r.ChangePercent != nil {
				factorText, changeText = factor(*r.Factor), change(*r.ChangePercent)
			}
			words := string(r.Verdict)
			switch {
			case r.Regression:
				words = s.mark("slower: regression", true)
			case r.Broken:
				words = s.mark("broken", true)
			}
			g.rows = append(g.rows, []string{labels[i], comparedFigure(r.Old), comparedFigure(r.New), factorText, changeText, words})
			if r.Note != "" && !r.Broken {
				notes = append(notes, fmt.Sprintf("%s is not compared: %s.", labels[i], strings.TrimSuffix(OneLine(r.Note), ".")))
			}
		}
		for _, mean := range c.GeoMeans {
			if mean.Engine == engine && mean.Factor > 0 && !math.IsInf(mean.Factor, 0) {
				g.footer = []string{"geometric mean", "", "", factor(mean.Factor), change((mean.Factor - 1) * 100), fmt.Sprintf("over %d", mean.Rows)}
			}
		}
		sections = append(sections, section{grid: g, notes: notes})
	}
	return sections
}

// comparedLabels names the rows of an engine, with their place where a name
// occurs twice.
func comparedLabels(rows []*bench.ComparedRow) []string {
	labels := make([]string, len(rows))
	times := map[string]int{}
	for i, r := range rows {
		labels[i] = strings.TrimSpace(OneLine(r.Workload + " " + r.ValueSize))
		times[labels[i]]++
	}
	for i, r := range rows {
		if times[labels[i]] > 1 {
			labels[i] += fmt.Sprintf(" #%d", r.Position)
		}
	}
	return labels
}

// comparedFigure is a side's median with its spread.
func comparedFigure(s *bench.Summary) string {
	if s == nil || s.MedianOpsPerSec == nil {
		return "-"
	}
	text := Rate(*s.MedianOpsPerSec)
	if s.Low != nil && s.High != nil && s.Rounds > 1 {
		text += " " + spread(*s.MedianOpsPerSec, *s.Low, *s.High)
	}
	return text
}
