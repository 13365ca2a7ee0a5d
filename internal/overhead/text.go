package overhead

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// WriteText writes the result for people, within 80 columns. Without the header
// it begins with the first engine's figures.
func WriteText(w io.Writer, r *Result, header bool) error {
	var b strings.Builder
	if header {
		writeHeader(&b, r)
	}
	for _, e := range r.Engines {
		var body strings.Builder
		writeFigures(&body, r, e)
		if header {
			b.WriteByte('\n')
			writeEngine(&b, e)
		}
		if body.Len() > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(body.String())
	}
	if t := harnessTable(r); t != nil {
		b.WriteString("\n" + t.Text())
	}
	writeLegend(&b, r)
	for _, text := range r.Failures() {
		report.Paragraph(&b, "failed: "+text)
	}
	if r.Interrupted != "" {
		report.Paragraph(&b, "interrupted in "+r.Interrupted+": that pass is left out")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeHeader(b *strings.Builder, r *Result) {
	c := &r.Config
	report.Labelled(b, "tool", strings.Join([]string{r.Tool.Name, r.Tool.Version, r.Tool.Commit, r.Tool.Go}, " "))
	report.Labelled(b, "machine", report.Machine(&r.Environment))
	report.Labelled(b, "workloads", strings.Join(c.Workloads, ", "))
	report.Labelled(b, "entries", fmt.Sprintf("%s of %d+%d bytes; compression ratio 0.5; 1 thread; seed %d",
		humanize.Comma(c.Num), keySize, valueSize, bench.DefaultSeed))
	report.Labelled(b, "rounds", fmt.Sprintf("%d, the sides in turns, each pass in a process of its own", c.Rounds))
}

func writeEngine(b *strings.Builder, e *Engine) {
	report.Labelled(b, e.Name, e.Version)
	build := e.Build.text()
	switch {
	case e.SameBuild():
		build += ", on all sides"
	case e.Native != nil:
		build += " in Go; " + e.Native.Build.text() + " in C++"
	}
	report.Labelled(b, "build", build)
	var options []string
	for _, o := range e.Options {
		options = append(options, report.OptionText(o))
	}
	report.Labelled(b, "options", strings.Join(options, ", "))
	switch {
	case e.OptionDiff == nil:
	case len(e.OptionDiff) == 0:
		report.Labelled(b, "", "what RocksDB itself has noted of its options is alike for C++ and Go, "+strings.Join(withoutEffect, ", ")+" aside")
	default:
		report.Labelled(b, "", "RocksDB itself has noted different options for C++ | Go:")
		for _, line := range e.OptionDiff {
			report.Labelled(b, "", line)
		}
	}
	if e.Native != nil {
		report.Labelled(b, "C++", e.Native.Command)
	}
	for i, text := range e.Differs {
		label := ""
		if i == 0 {
			label = "differs"
		}
		report.Labelled(b, label, text)
	}
}

// text is a build in one line: stock (g++ x86_64-linux-gnu 12.2.0).
func (b Build) text() string {
	if b.Compiler == "" {
		return b.Kind
	}
	return b.Kind + " (" + b.Compiler + ")"
}

// writeFigures writes an engine's tables.
func writeFigures(b *strings.Builder, r *Result, e *Engine) {
	var parts []string
	for _, t := range []*report.Table{
		costTable(r, e.Name, Ours), costTable(r, e.Name, Plain), spreadTable(r, e.Name),
		countTable(r, e.Name), extrasTable(r, e.Name), processorTable(r, e.Name),
	} {
		if t != nil {
			parts = append(parts, t.Text())
		}
	}
	b.WriteString(strings.Join(parts, "\n"))
}

// writeLegend says what the figures are.
func writeLegend(b *strings.Builder, r *Result) {
	sure := confidences(r)
	if sure == "" {
		return
	}
	b.WriteByte('\n')
	report.Paragraph(b, fmt.Sprintf("µs/op and ops/s: medians of %s. ±: the larger half of the median's interval, which holds with %s. "+
		"a÷b: times of a by those of b, the medians and the least; above 1 a is slower. ~: no difference shown by the rounds. "+
		"seconds: of a pass; wall, user and system of the whole process; clocked: user and system while workloads were timed, for a process in Go does more, such as reading back what it wrote.",
		counted(rounds(r), "round"), sure))
}

// rounds is the greatest number of rounds of any series.
func rounds(r *Result) (n int) {
	for _, row := range r.Rows {
		for _, s := range row.Sides {
			n = max(n, len(s.Micros))
		}
	}
	return n
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// confidences are those that the intervals really have.
func confidences(r *Result) string {
	var all []float64
	for _, row := range r.Rows {
		for _, s := range row.Sides {
			if s.Time != nil && !slices.Contains(all, s.Time.Confidence) {
				all = append(all, s.Time.Confidence)
			}
		}
	}
	slices.Sort(all)
	var texts []string
	for _, c := range all {
		texts = append(texts, strconv.FormatFloat(100*c, 'f', -1, 64)+" %")
	}
	return strings.Join(texts, " or ")
}
