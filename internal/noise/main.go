// Command noise reads records of runs in which an engine was measured against
// itself (dbbench run --engines rocksdb,rocksdb), and tells in how many rows a
// difference is shown where there is none. One in twenty may: that is what a
// verdict promises. make noise makes the records.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// allowed is the share of rows that may show a difference.
const allowed = 0.05

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 1 if too many rows show a difference, 2 for files
// that can't be used.
func run(paths []string, stdout, stderr io.Writer) int {
	var all count
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rows\tshown\t  record")
	for _, path := range paths {
		c, err := read(path)
		if err != nil {
			fmt.Fprintf(stderr, "noise: %s: %v\n", path, err)
			return 2
		}
		fmt.Fprintf(w, "%d\t%d\t  %s\n", c.rows, len(c.shown), report.OneLine(path))
		all.rows += c.rows
		all.shown = append(all.shown, c.shown...)
	}
	if all.rows == 0 {
		fmt.Fprintln(stderr, "noise: no rows; name records of at least four rounds")
		return 2
	}
	w.Flush()
	share := float64(len(all.shown)) / float64(all.rows)
	fmt.Fprintf(stdout, "\n%d of %d rows (%.1f %%) show a difference where there is none; %.0f %% may\n", len(all.shown), all.rows, 100*share, 100*allowed)
	for _, name := range all.shown {
		fmt.Fprintln(stdout, "  "+name)
	}
	if share > allowed {
		return 1
	}
	return 0
}

// count are the rows that were compared, and the names of those with a
// difference.
type count struct {
	rows  int
	shown []string
}

func read(path string) (c count, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	rec, err := report.Read(f)
	if err != nil {
		return c, err
	}
	return countRows(rec)
}

// countRows refuses a record of engines that differ.
func countRows(rec *bench.Record) (c count, err error) {
	if names := slices.Compact(slices.Clone(rec.Config.Engines)); len(names) != 1 || len(rec.Config.Engines) < 2 {
		return c, fmt.Errorf("it is of %v, and not of an engine against itself", rec.Config.Engines)
	}
	for _, s := range bench.Summarize(rec) {
		switch s.Verdict {
		case bench.VerdictNoDifference:
			c.rows++
		case bench.VerdictFaster, bench.VerdictSlower:
			c.rows++
			c.shown = append(c.shown, fmt.Sprintf("%s (position %d) of %s: %s by %+.1f %%, p = %.2g",
				s.Workload, s.Position, s.Engine, s.Verdict, *s.ChangePercent, *s.P))
		}
	}
	return c, nil
}
