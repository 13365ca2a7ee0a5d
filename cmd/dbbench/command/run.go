package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// runOptions are the flags of run.
type runOptions struct {
	config   bench.Config
	format   report.Format
	jsonFile string
	csvFile  string
	progress string
	quiet    bool

	engineOptions []string
	engines       []bench.Engine // the table, with these options
}

func newRun(d Deps) *cobra.Command {
	o := &runOptions{config: bench.DefaultConfig(), format: report.FormatText, progress: "auto"}
	o.config.Engines = d.engineNames()
	cmd := &cobra.Command{
		Use:   "run [flags]",
		Short: "Run workloads on the engines and compare them",
		Long: `Run makes passes over a list of workloads on each engine, in interleaved rounds,
each engine on a fresh store, and compares the medians. What was written is read
back; a row that is wrong is a failed row.

Counts are written 1000000, 1_000_000 or 1e6. Sizes take a unit: K, M, G, T, or
KiB, MiB, GiB, TiB are powers of 1024, KB, MB, GB, TB of 1000. A value size is a
size or a distribution, such as uniform:50-200, zipf:10-4000 or pareto:50-2K.
Times take a unit: 500ms, 5s, 1m. A preset may bring numbers of its own, before
which the flags go.

The keys of --engine-option are those of the options in the header, such as
write_buffer_size or bloom_bits.

Without --db the stores are in a temporary folder that is removed at the end. In
--db DIR each engine has a subfolder; a folder that is a store itself is used
directly. A list that writes replaces the stores that it finds, unless
--use-existing-db is given; foreign files and folders stay, and a folder with
other contents than a store is refused.

Results go to stdout. Progress goes to stderr, as do the header and the warnings
when the format is for machines. The files of --json and --csv are written again
after each workload. Ctrl-C prints what there is; a second one ends at once.

Exit codes: 0 all rows are good, 1 a row failed or a folder was refused, 2 wrong
usage (an output file that can't be written included; nothing was touched),
130 interrupted.`,
		Example: `  dbbench run --preset core --num 1e5
  dbbench run --workloads fillrandom,readrandom --value-size 1KiB --rounds 7
  dbbench run --engines rocksdb --workloads fillseq,readseq --format json
  dbbench run --workloads fillseq,readrandom --latency --interval 1s
  dbbench run --workloads fillrandom --latency --rate 50_000 --settle
  dbbench run --workloads fillseq,readwhilewriting --write-rate 1000 --threads 4
  dbbench run --engines rocksdb,rocksdb --preset core
  dbbench run --preset core --engine-option rocksdb:bloom_bits=10`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(d, cmd.Flags().Changed); err != nil {
				return err
			}
			return o.run(cmd, d)
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

// validate checks the flags and resolves the configuration. It touches nothing.
func (o *runOptions) validate(d Deps, given func(flag string) bool) error {
	c := &o.config
	if given("preset") && given("workloads") {
		return usageError("--preset and --workloads exclude each other")
	}
	for _, f := range []struct{ flag, text string }{
		{"preset", c.Preset}, {"db", c.DB}, {"json", o.jsonFile}, {"csv", o.csvFile},
	} {
		if given(f.flag) && f.text == "" {
			return usageError("--%s is empty", f.flag)
		}
	}
	for _, name := range c.Engines {
		if names := d.engineNames(); !slices.Contains(names, name) {
			return usageError("--engines: unknown engine %s%s", quoted(name), didYouMean(name, names))
		}
	}
	for _, name := range c.Workloads {
		if _, ok := bench.FindWorkload(name); !ok {
			return usageError("--workloads: unknown workload %s%s", quoted(name), didYouMean(name, workloadNames()))
		}
	}
	if _, ok := bench.FindPreset(c.Preset); !ok && c.Preset != "" {
		return usageError("--preset: unknown preset %s%s", quoted(c.Preset), didYouMean(c.Preset, presetNames()))
	}
	if o.jsonFile != "" && o.jsonFile == o.csvFile {
		return usageError("--json and --csv name the same file")
	}
	if within(c.DB, o.jsonFile) || within(c.DB, o.csvFile) {
		return usageError("--json and --csv can't be in the folder of the stores, --db %s", quoted(c.DB))
	}
	if preset, ok := bench.FindPreset(c.Preset); ok {
		preset.Apply(c, given)
	}
	resolved, err := c.Resolve()
	if err != nil {
		return usageError("%w", err)
	}
	*c = resolved
	if err := checkHeeded(c, given); err != nil {
		return err
	}
	o.engines, err = withEngineOptions(d.Engines, c.Engines, o.engineOptions)
	return err
}

// checkHeeded refuses a flag that no workload of the list heeds: it would
// change nothing, and whoever gave it thinks otherwise.
func checkHeeded(c *bench.Config, given func(flag string) bool) error {
	for _, h := range heeded {
		some := slices.ContainsFunc(h.workloads, func(name string) bool { return slices.Contains(c.Workloads, name) })
		if given(h.flag) && !some {
			return usageError("--%s: no workload of the list heeds it, only %s", h.flag, strings.Join(h.workloads, ", "))
		}
	}
	return nil
}

// within tells whether a file is in a folder or below; empty names are not.
func within(dir, file string) bool {
	if dir == "" || file == "" {
		return false
	}
	a, errA := filepath.Abs(dir)
	b, errB := filepath.Abs(file)
	return errA == nil && errB == nil && strings.HasPrefix(b+string(filepath.Separator), a+string(filepath.Separator))
}

// run makes the output files, measures, and prints what was measured.
func (o *runOptions) run(cmd *cobra.Command, d Deps) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	files, err := o.createFiles()
	if err != nil {
		return err
	}
	w := &watcher{
		out: stdout, files: files, progress: newProgress(d, stderr, o.quiet || o.progress == "never", time.Duration(o.config.Duration)),
		header: o.headerWriter(stdout, stderr), style: report.Style{Bold: d.escapes(stdout)},
	}
	if o.format != report.FormatText {
		w.style.Bold = d.escapes(stderr)
	}
	rec, err := interruptible(cmd.Context(), d, w.progress.note, func(ctx context.Context) (*bench.Record, error) {
		return d.Run(ctx, o.config, o.engines, w)
	})
	if errors.Is(err, errEndedAtOnce) {
		return &exitError{code: exitInterrupted}
	}
	w.progress.stop()
	return o.finish(cmd, d, w, rec, err)
}

// headerWriter is where the header goes: before the results for people,
// otherwise beside them.
func (o *runOptions) headerWriter(stdout, stderr io.Writer) io.Writer {
	switch {
	case o.quiet:
		return nil
	case o.format == report.FormatText:
		return stdout
	}
	return stderr
}

func (o *runOptions) createFiles() (outputs, error) {
	var files outputs
	for _, f := range []struct {
		flag, path string
		format     report.Format
	}{{"json", o.jsonFile, report.FormatJSON}, {"csv", o.csvFile, report.FormatCSV}} {
		if f.path == "" {
			continue
		}
		file, err := createOutput(f.flag, f.path)
		if err != nil {
			files.discard()
			return nil, err
		}
		file.format = f.format
		files = append(files, file)
	}
	return files, nil
}

// finish prints the results and turns the outcome into an exit code.
func (o *runOptions) finish(cmd *cobra.Command, d Deps, w *watcher, rec *bench.Record, err error) error {
	var config *bench.ConfigError
	switch {
	case errors.As(err, &config):
		w.files.discard()
		return usageError("%w", err)
	case rec == nil || errors.Is(err, bench.ErrRefused):
		w.files.discard()
		return failure(err)
	}
	style := report.Style{Bold: d.escapes(cmd.OutOrStdout()), NoHeader: o.quiet || o.format == report.FormatText}
	if o.format == report.FormatText && !o.quiet {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	writeErr := buffered(cmd.OutOrStdout(), func(out io.Writer) error { return report.Write(out, rec, o.format, style) })
	if o.format != report.FormatText {
		for i := range rec.Warnings {
			if !w.said[i] {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+report.Warning(&rec.Warnings[i]))
			}
		}
	}
	writeErr = errors.Join(writeErr, w.files.finish(rec), w.err)
	switch {
	case errors.Is(err, bench.ErrInterrupted):
		if writeErr != nil {
			return &exitError{exitInterrupted, writeErr}
		}
		return &exitError{code: exitInterrupted}
	case err != nil || writeErr != nil:
		return failure(errors.Join(err, writeErr))
	case rec.Failed():
		return failure(errors.New(failures(rec)))
	}
	return nil
}

// failures says how many rows failed, and why the first of them did.
func failures(rec *bench.Record) string {
	n, first := 0, -1
	for i := range rec.Results {
		if rec.Results[i].Status == bench.StatusFailed {
			if n++; first < 0 {
				first = i
			}
		}
	}
	r := &rec.Results[first]
	return fmt.Sprintf("%d of %d rows failed; the first: %s %s, round %d: %s", n, len(rec.Results), r.Engine, r.Workload, r.Round, r.Error)
}
