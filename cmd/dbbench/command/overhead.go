package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/overhead"
	"github.com/lsmkit/lsmkit/internal/report"
)

// overheadOptions are the flags of overhead.
type overheadOptions struct {
	config   overhead.Config
	format   report.Format
	jsonFile string
	progress string
	quiet    bool
}

func newOverhead(d Deps) *cobra.Command {
	o := &overheadOptions{config: overhead.DefaultConfig(), format: report.FormatText, progress: "auto"}
	cmd := &cobra.Command{
		Use:   "overhead [flags]",
		Short: "Measure what Go costs: C++ db_bench, lsmkit, and levigo or grocksdb",
		Long: `Overhead measures what it costs to use the engines from Go. Each engine's own
db_bench in C++, this library, and the plain binding (levigo or grocksdb, one
crossing a call) do the same list of workloads with the same options, in turns,
each pass in a process of its own. What only the sides in Go have (batches,
multi-gets, seeks), and the harness on a store that does nothing, follow.

Latency and throughput are set against those of C++, with how sure they are. As
many keys must be found as LevelDB's db_bench finds, exactly; RocksDB's draws
others, which must come within 0.3 % of what is expected (or what chance allows
in small runs). A row that counts wrongly has failed and is not compared.

The db_bench programs are those that scripts/build-deps.sh --from-source has
built together with the libraries in this program. Others can be named:
--native DIR, or LSMKIT_DB_BENCH_LEVELDB and LSMKIT_DB_BENCH_ROCKSDB.

Results go to stdout, progress to stderr. The file of --json is written again
after each pass. Ctrl-C prints what there is, without the pass that runs; a
second one ends at once, and leaves a folder overhead-* where the stores were.

Exit codes: 0 all rows are good, 1 a row failed, 2 wrong usage or no db_bench to
compare with (nothing was touched), 130 interrupted.`,
		Example: `  dbbench overhead
  dbbench overhead --engines leveldb --num 1e5 --rounds 3
  dbbench overhead --workloads fillseq,readseq,readreverse --json overhead.json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(cmd.Flags().Changed); err != nil {
				return err
			}
			return o.run(cmd, d)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *overheadOptions) addFlags(cmd *cobra.Command) {
	f, c := cmd.Flags(), &o.config
	f.SortFlags = false
	f.Var(list(&c.Engines), "engines", "engines to compare")
	workloads := list(&c.Workloads)
	workloads.text = nil // the default is too long for the help
	f.Var(workloads, "workloads", "workloads that all sides do, in order, or none (default those of the preset leveldb)")
	f.BoolVar(&c.Extras, "extras", c.Extras, "also measure what only Go has, and the harness alone")
	f.Var(count(&c.Num), "num", "number of keys, and of operations of most workloads")
	f.Var(count(&c.Rounds), "rounds", "passes of each side; fewer than 4 show no difference")
	f.StringVar(&c.Dir, "db", "", "`folder` for the stores, which are removed afterwards (default the system's temporary one)")
	f.StringVar(&c.Native, "native", "", "`folder` with the db_bench programs, or the one that has it as bin (default that of the libraries in this program)")
	f.Var(choice(&o.format, string(report.FormatText), string(report.FormatJSON)), "format", "form of the results on stdout: text or json")
	f.StringVar(&o.jsonFile, "json", "", "`file` to write everything measured to")
	f.Var(choice(&o.progress, "auto", "never"), "progress", "progress on stderr: auto or never")
	f.BoolVar(&o.quiet, "quiet", false, "no header and no progress")
}

// validate checks the flags. It touches nothing.
func (o *overheadOptions) validate(given func(flag string) bool) error {
	c := &o.config
	if slices.Equal(c.Workloads, []string{"none"}) {
		c.Workloads = []string{}
	}
	for _, f := range []struct{ flag, text string }{{"db", c.Dir}, {"json", o.jsonFile}, {"native", c.Native}} {
		if given(f.flag) && f.text == "" {
			return usageError("--%s is empty", f.flag)
		}
	}
	for _, name := range c.Engines {
		if names := overhead.Engines(); !slices.Contains(names, name) {
			return usageError("--engines: unknown engine %s%s", quoted(name), didYouMean(name, names))
		}
	}
	for _, name := range c.Workloads {
		if names := overhead.Workloads(); !slices.Contains(names, name) {
			return usageError("--workloads: %s is none that all sides have%s", quoted(name), didYouMean(name, names))
		}
	}
	if err := c.Validate(); err != nil {
		return usageError("%w", err)
	}
	return nil
}

// run makes the output file, measures, and prints what was measured.
func (o *overheadOptions) run(cmd *cobra.Command, d Deps) error {
	w := &overheadWatcher{progress: newPassProgress(d, cmd.ErrOrStderr(), o.quiet || o.progress == "never")}
	var files outputs
	if o.jsonFile != "" {
		file, err := createOutput("json", o.jsonFile)
		if err != nil {
			return err
		}
		files = outputs{file}
		w.file = file
	}
	r, err := interruptible(cmd.Context(), d, w.progress.note, func(ctx context.Context) (*overhead.Result, error) {
		return d.Overhead(ctx, o.config, w)
	})
	if errors.Is(err, errEndedAtOnce) {
		return &exitError{code: exitInterrupted}
	}
	w.progress.stop()
	if r == nil {
		files.discard()
		if config := (*bench.ConfigError)(nil); errors.As(err, &config) {
			return usageError("%w", err)
		}
		return failure(err)
	}
	return o.finish(cmd, w, r, err)
}

// finish prints the results and turns the outcome into an exit code.
func (o *overheadOptions) finish(cmd *cobra.Command, w *overheadWatcher, r *overhead.Result, err error) error {
	writeErr := buffered(cmd.OutOrStdout(), func(out io.Writer) error {
		if o.format == report.FormatJSON {
			return overhead.WriteJSON(out, r)
		}
		return overhead.WriteText(out, r, !o.quiet)
	})
	if w.file != nil {
		writeErr = errors.Join(writeErr, w.file.finish(w.render(r)), w.err)
	}
	failed := r.Failures()
	switch {
	case errors.Is(err, bench.ErrInterrupted) && writeErr != nil:
		return &exitError{exitInterrupted, writeErr}
	case errors.Is(err, bench.ErrInterrupted):
		return &exitError{code: exitInterrupted}
	case err != nil || writeErr != nil:
		return failure(errors.Join(err, writeErr))
	case len(failed) == 1:
		return failure(fmt.Errorf("a row failed: %s", failed[0]))
	case len(failed) > 1:
		return failure(fmt.Errorf("%d rows failed; the first: %s", len(failed), failed[0]))
	}
	return nil
}

// overheadWatcher shows the progress and keeps the file up to date.
type overheadWatcher struct {
	progress progress
	file     *outputFile // nil: none
	err      error       // the first error of writing
}

var _ overhead.Observer = (*overheadWatcher)(nil)

func (w *overheadWatcher) PassStarted(p overhead.Pass) { w.progress.started(passCell(p)) }

func (w *overheadWatcher) PassTicked(p overhead.Pass, elapsed time.Duration) {
	w.progress.tick(passCell(p), bench.Progress{Elapsed: elapsed})
}

func (w *overheadWatcher) PassFinished(r *overhead.Result, p overhead.Pass) {
	use := &r.Passes[len(r.Passes)-1]
	text := fmt.Sprintf("%.1f s", use.Seconds)
	if use.Error != "" {
		text = "failed: " + report.OneLine(use.Error)
	}
	w.progress.finished(passCell(p), text, use.Error != "")
	if w.file == nil {
		return
	}
	if err := w.file.rewrite(w.render(r)); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *overheadWatcher) render(r *overhead.Result) func(io.Writer) error {
	return func(out io.Writer) error { return overhead.WriteJSON(out, r) }
}

// passCell is a pass as the progress shows it.
func passCell(p overhead.Pass) bench.Cell {
	return bench.Cell{
		Workload: p.Name(), Round: p.Round, Rounds: p.Rounds,
		Position: p.Index + 1, Positions: p.Passes, Index: p.Index, Cells: p.Passes,
	}
}

// newPassProgress is newProgress for passes, of which the bar shows how many are
// done.
func newPassProgress(d Deps, w io.Writer, never bool) progress {
	p := newProgress(d, w, never, 0)
	if b, ok := p.(*bar); ok {
		return passBar{b}
	}
	return p
}

// passBar is a bar for all passes: nobody outside knows how far one has come.
type passBar struct{ *bar }

func (b passBar) started(c bench.Cell) {
	b.show(c, bench.Progress{})
	b.bar.bar.SetTotal(int64(c.Cells), false)
	b.bar.bar.SetCurrent(int64(c.Index))
}

func (b passBar) tick(c bench.Cell, p bench.Progress) { b.show(c, p) }
