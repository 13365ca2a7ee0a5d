package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Text writes the whole report for people: the header, each engine's rows as
// db_bench prints them, one table of comparison, and the warnings.
func Text(w io.Writer, rec *bench.Record, s Style) error {
	var b strings.Builder
	if !s.NoHeader {
		b.WriteString(header(rec, s))
		b.WriteByte('\n')
	}
	b.WriteString(results(rec, s))
	_, err := io.WriteString(w, b.String())
	return err
}

// Header writes what stands before the results, which is known before the
// first of them.
func Header(w io.Writer, rec *bench.Record, s Style) error {
	_, err := io.WriteString(w, header(rec, s))
	return err
}

// results is the report without its header.
func results(rec *bench.Record, s Style) string {
	m := newModel(rec)
	var b strings.Builder
	for _, engine := range m.engines {
		b.WriteString(m.engineRows(engine, s))
		b.WriteByte('\n')
	}
	for i, t := range m.sections(s) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.text(s))
	}
	if len(rec.Warnings) > 0 {
		b.WriteString("\n" + warnings(rec.Warnings))
	}
	return b.String()
}

// sections are all tables of the report.
func (m *model) sections(s Style) []section {
	all := m.tables(s)
	if t, ok := m.latencies(); ok {
		all = append(all, t)
	}
	all = append(all, m.intervals()...)
	return append(all, m.resources()...)
}

// engineRows writes an engine's rows in the form that users of db_bench know:
// medians over the rounds, in the order of the list.
func (m *model) engineRows(engine string, s Style) string {
	var b strings.Builder
	b.WriteString(s.mark(OneLine(engine), true))
	for _, e := range m.rec.Engines {
		if e.Name == engine && e.LibraryVersion != "" {
			b.WriteString(" " + OneLine(e.LibraryVersion))
		}
	}
	if n := m.rounds(); n > 1 {
		fmt.Fprintf(&b, ", medians of %d rounds", n)
	}
	b.WriteByte('\n')
	width := 12
	for _, p := range m.positions {
		width = max(width, len(p.workload))
	}
	for _, p := range m.positions {
		name := fmt.Sprintf("%-*s : ", width, OneLine(p.workload))
		rows := p.measured(engine)
		if len(rows) > 0 {
			b.WriteString(name + dbBenchLine(rows) + "\n")
			last := rows[len(rows)-1]
			for _, text := range []string{compaction(last), settled(rows)} {
				if text != "" {
					wrap(&b, "", len(name), text)
				}
			}
			for _, line := range lines(last.Text) {
				b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
			}
		}
		for _, text := range unmeasured(p.rows[engine]) {
			wrap(&b, name, len(name), text)
		}
	}
	return b.String()
}

// dbBenchLine is db_bench's line behind the name, with medians of rows.
func dbBenchLine(rows []*bench.Result) string {
	last := rows[len(rows)-1]
	if last.Text != "" {
		return "the engine's own words"
	}
	line := fmt.Sprintf("%11.3f micros/op;", median(rows, func(r *bench.Result) float64 { return r.MicrosPerOp }))
	if mb := median(rows, func(r *bench.Result) float64 { return r.MBPerSec }); rows[0].Bytes > 0 || rows[0].Lookups != nil {
		line += fmt.Sprintf(" %6.1f MB/s", mb)
	}
	switch {
	case last.Ops == 0:
		line += " (no operations)"
	case last.Lookups != nil && last.Found != nil:
		line += fmt.Sprintf(" (%d of %d found)", *last.Found, *last.Lookups)
	}
	return line
}

// settled says what the rate is when the compaction that a workload has left
// behind is counted in.
func settled(rows []*bench.Result) string {
	seconds, ok := medianOf(rows, floatField(func(r *bench.Result) *float64 { return r.SettleSeconds }))
	rate, known := medianOf(rows, floatField(func(r *bench.Result) *float64 { return r.SettledOpsPerSec }))
	if !ok || !known {
		return ""
	}
	acknowledged := median(rows, func(r *bench.Result) float64 { return r.OpsPerSec })
	if seconds < 1e-6 {
		return fmt.Sprintf("acknowledged %s ops/s; nothing was left to settle", Rate(acknowledged))
	}
	return fmt.Sprintf("acknowledged %s ops/s; %s more to settle: %s ops/s", Rate(acknowledged), micros(seconds*1e6), Rate(rate))
}

// compaction says what a compaction did, for a line of its own below the row.
func compaction(r *bench.Result) string {
	if r.Workload != "compact" {
		return ""
	}
	var parts []string
	switch {
	case r.BytesWritten == nil:
	case *r.BytesWritten == 0:
		parts = append(parts, "nothing rewritten")
	default:
		parts = append(parts, about(*r.BytesWritten)+" rewritten")
	}
	if len(r.FilesPerLevelBefore) > 0 && len(r.FilesPerLevelAfter) > 0 {
		parts = append(parts, fmt.Sprintf("files per level %s -> %s", fewLevels(r.FilesPerLevelBefore), fewLevels(r.FilesPerLevelAfter)))
	}
	return strings.Join(parts, ", ")
}

// fewLevels writes the number of files of each level, without the empty levels
// behind the last.
func fewLevels(files []int) string {
	n := len(files)
	for n > 1 && files[n-1] == 0 {
		n--
	}
	return strings.ReplaceAll(levels(files[:n]), " ", "/")
}

// unmeasured says what became of the rows that have no figure to count on, in
// one line for rows of which the same is to be said.
func unmeasured(rows []*bench.Result) []string {
	var texts []string
	var rounds []int
	for i, r := range rows {
		if r.Status == bench.StatusOK {
			continue
		}
		rounds = append(rounds, r.Round)
		text := State(r)
		if r.Status == bench.StatusInterrupted && r.Ops > 0 {
			text += fmt.Sprintf(" after %d operations (%.3f micros/op)", r.Ops, r.MicrosPerOp)
		}
		if next := i + 1; next < len(rows) && r.Ops == 0 && rows[next].Ops == 0 && State(r) == State(rows[next]) {
			continue
		}
		number := fmt.Sprintf("round %d", rounds[0])
		if n := len(rounds); n > 1 {
			number = fmt.Sprintf("rounds %d-%d", rounds[0], rounds[n-1])
		}
		texts = append(texts, number+" "+text)
		rounds = nil
	}
	return texts
}

func median(rows []*bench.Result, field func(*bench.Result) float64) float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = field(r)
	}
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2]/2 + values[n/2]/2
}

// figureNotes explain the figures of the one table for all.
func (m *model) figureNotes() []string {
	var notes []string
	if m.rounds() > 1 {
		note := fmt.Sprintf("ops/s: median of %d rounds", m.rounds())
		if c := m.confidence(); c > 0 {
			note += fmt.Sprintf("; ± the larger half of its interval, which holds with %.4g %%", 100*c)
		}
		notes = append(notes, note+".")
	}
	if len(m.engines) > 1 {
		notes = append(notes, fmt.Sprintf("factor and change: against %s; %s where no difference is shown.", OneLine(m.engines[0]), notShown))
	}
	return notes
}

// footnotes adds to notes why rows are not compared, and what is noise. label is
// what the table calls a position; empty for one that isn't in it.
func (m *model) footnotes(notes []string, label func(p *position) string) []string {
	said := ""
	for _, p := range m.positions {
		for _, engine := range m.engines {
			s := p.summary[engine]
			if s == nil || s.Verdict != bench.VerdictNotCompared || s.Note == "" {
				continue
			}
			why := strings.TrimSuffix(OneLine(s.Note), ".") + m.whyNothing(p)
			if text := fmt.Sprintf("%s is not compared: %s.", cmp.Or(label(p), p.label), why); text != said {
				notes = append(notes, text)
				said = text
			}
		}
	}
	return append(notes, m.noise()...)
}

// whyNothing says why a compaction has rewritten nothing, where the files tell.
func (m *model) whyNothing(p *position) string {
	for _, engine := range m.engines {
		for _, r := range p.measured(engine) {
			if r.Workload != "compact" || !r.DidNothing() || len(r.FilesPerLevelBefore) == 0 {
				continue
			}
			inUse := 0
			for _, files := range r.FilesPerLevelBefore {
				if files > 0 {
					inUse++
				}
			}
			switch inUse {
			case 0:
				return ", as it had no tables before"
			case 1:
				return ", as all its tables were in one level"
			}
		}
	}
	return ""
}
