package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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
  dbbench run --engines rocksdb --workloads fillseq,readseq --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(d, cmd.Flags().Changed); err != nil {
				return err
			}
			return o.run(cmd, d)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	f, c := cmd.Flags(), &o.config
	f.SortFlags = false
	f.Var(list(&c.Engines), "engines", "engines to run, the first being the baseline")
	f.StringVar(&c.Preset, "preset", "", "`name` of a list of workloads (default \"leveldb\"; see dbbench list presets)")
	f.Var(list(&c.Workloads), "workloads", "workloads in order, instead of a preset (see dbbench list workloads)")
	f.Var(count(&c.Num), "num", "number of keys, and of operations of the writing workloads")
	f.Var(derivedCount(&c.Reads), "reads", "number of operations of the reading workloads (default --num)")
	f.Var(size(&c.KeySize), "key-size", "size of a key, its prefix included")
	f.StringVar(&c.KeyPrefix, "key-prefix", "", "`text` that each key begins with")
	f.Var(choice(&c.KeyFormat, string(bench.KeyDecimal), string(bench.KeyBigEndian), string(bench.KeyPlain)), "key-format",
		"how a key's number is written: decimal, bigendian or plain (without zeros in front)")
	f.Var(sizes(&c.ValueSize), "value-size", "size of a value, or a distribution such as uniform:50-200")
	f.Var(fraction(&c.CompressionRatio), "compression-ratio", "what values can be compressed to: 0.5 is half")
	f.Var(count(&c.Threads), "threads", "goroutines that share a workload's operations")
	f.Var(count(&c.BatchSize), "batch-size", "entries of a batch, and keys of a multi-get")
	f.Var(count(&c.Rounds), "rounds", "passes on each engine; fewer than 4 show no difference")
	f.Var(count(&c.Seed), "seed", "base of the random numbers")
	f.BoolVar(&c.Sync, "sync", false, "sync each write to the device")
	f.Var(choice(&c.Profile, string(bench.ProfileEqual), string(bench.ProfileStock)), "profile",
		"where options come from: equal sets alike what both engines have, stock is what upstream ships")
	f.StringVar(&c.DB, "db", "", "`folder` of the stores (default a temporary one)")
	f.BoolVar(&c.UseExistingDB, "use-existing-db", false, "use the stores in --db, and replace nothing")
	f.BoolVar(&c.KeepDB, "keep-db", false, "keep the temporary folder")
	codecs := []string{"none", "snappy", "lz4", "zstd", "zlib"}
	f.Var(choice(&c.Compression, codecs...), "compression", "codec of table blocks: none, snappy, lz4, zstd or zlib (default the profile's)")
	f.Var(optionalSize(&c.CacheSize), "cache-size", "size of the block cache (default the profile's)")
	f.Var(optionalSize(&c.WriteBufferSize), "write-buffer-size", "size of a memtable (default the profile's)")
	f.Var(optionalSize(&c.BlockSize), "block-size", "size of a table block (default the profile's)")
	f.Var(optionalCount(&c.BloomBits), "bloom-bits", "bits of the bloom filter for each key; 0 is no filter (default the profile's)")
	f.Var(optionalCount(&c.OpenFiles), "open-files", "limit of open files; -1 is none (default the profile's)")
	f.Var(optionalSize(&c.MaxFileSize), "max-file-size", "size of a table file (default the profile's)")
	f.Var(optionalBool(&c.VerifyChecksums), "verify-checksums", "check the checksum of each block read (default the profile's)")
	f.Lookup("verify-checksums").NoOptDefVal = "true"
	f.Var(choice(&o.format, report.Formats()...), "format", "form of the results on stdout: text, markdown, csv, json or gobench")
	f.StringVar(&o.jsonFile, "json", "", "`file` to write the record to")
	f.StringVar(&o.csvFile, "csv", "", "`file` to write all rows to")
	f.Var(choice(&o.progress, "auto", "never"), "progress", "progress on stderr: auto or never")
	f.BoolVar(&o.quiet, "quiet", false, "no header and no progress")
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
	resolved, err := c.Resolve()
	if err != nil {
		return usageError("%w", err)
	}
	*c = resolved
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
		out: stdout, files: files, progress: newProgress(d, stderr, o),
		header: o.headerWriter(stdout, stderr), style: report.Style{Bold: d.escapes(stdout)},
	}
	if o.format != report.FormatText {
		w.style.Bold = d.escapes(stderr)
	}
	rec, err := o.measure(cmd.Context(), d, w)
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

// errEndedAtOnce is the outcome of a second interrupt: nothing is waited for.
var errEndedAtOnce = errors.New("ended at once")

// measure runs the core in a goroutine of its own, so that this one can answer
// to signals whatever the engines do.
func (o *runOptions) measure(ctx context.Context, d Deps, w *watcher) (*bench.Record, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals, stop := d.Interrupts()
	defer stop()
	type outcome struct {
		rec *bench.Record
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		rec, err := d.Run(ctx, o.config, d.Engines, w)
		done <- outcome{rec, err}
	}()
	for interrupted := false; ; {
		select {
		case out := <-done:
			return out.rec, out.err
		case s := <-signals:
			switch {
			case interrupted && s == syscall.SIGPIPE:
				continue // each write to a closed pipe brings some
			case interrupted:
				return nil, errEndedAtOnce
			}
			interrupted = true
			w.progress.note("interrupted: stopping; again to end at once")
			cancel()
		}
	}
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
