package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// copyOptions are the flags of copy.
type copyOptions struct {
	from, to location
	resume   bool
	verify   bool
	format   report.Format
	progress string
	quiet    bool
}

func newCopy(d Deps) *cobra.Command {
	o := &copyOptions{verify: true, format: report.FormatText, progress: "auto"}
	cmd := &cobra.Command{
		Use:   "copy --from ENGINE:FOLDER --to ENGINE:FOLDER [flags]",
		Short: "Copy a store, from one engine to another or within one",
		Long: `Copy reads all entries of a store and writes them to a new one, which may be of
another engine. Then it reads both and compares their checksums (SHA-256 over
keys and values in order).

The source must not be in use, and its entries are not changed. RocksDB's is
opened read-only, and no file of it is touched; LevelDB has no such mode:
opening writes out its log into a table and begins a new log, as every opening
does.

The destination must not exist, or be an empty folder; else it is refused, and
nothing in it is touched. A copy that was interrupted, or whose process has
died, leaves the first entries of the source; --resume compares them with the
source and goes on behind them. Entries are written without sync, and flushed
to the disk at the end.

Results go to stdout, progress to stderr. Ctrl-C keeps what has been copied and
says how to go on; a second one ends at once.

Exit codes: 0 the copy is complete and verified, 1 it is not or a folder was
refused, 2 wrong usage (nothing was touched), 130 interrupted.`,
		Example: `  dbbench copy --from leveldb:old --to rocksdb:new
  dbbench copy --from leveldb:old --to rocksdb:new --resume
  dbbench copy --from rocksdb:new --to leveldb:again --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(d); err != nil {
				return err
			}
			return o.run(cmd, d)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(o.from.flag(), "from", "engine and folder of the store to copy")
	f.Var(o.to.flag(), "to", "engine and folder of the new store")
	f.BoolVar(&o.resume, "resume", false, "go on with a copy that was interrupted")
	f.BoolVar(&o.verify, "verify", o.verify, "compare the checksums of both stores afterwards")
	f.Var(choice(&o.format, string(report.FormatText), string(report.FormatJSON)), "format", "form of the result on stdout: text or json")
	f.Var(choice(&o.progress, "auto", "never"), "progress", "progress on stderr: auto or never")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	return cmd
}

// A location is where a store is, and whose it is.
type location struct{ engine, path string }

// String is how it is given on the command line.
func (l location) String() string { return l.engine + ":" + l.path }

func (l *location) flag() value {
	return value{"engine:folder", nil, func(s string) error {
		engine, path, ok := strings.Cut(s, ":")
		switch {
		case !ok || engine == "":
			return errors.New("is not of the form ENGINE:FOLDER")
		case path == "":
			return errors.New("names no folder")
		}
		*l = location{engine, path}
		return nil
	}}
}

// validate checks the flags. It touches nothing.
func (o *copyOptions) validate(d Deps) error {
	for _, f := range []struct {
		flag string
		at   location
	}{{"from", o.from}, {"to", o.to}} {
		names := d.engineNames()
		switch {
		case f.at == location{}:
			return usageError("--%s ENGINE:FOLDER is missing", f.flag)
		case !slices.Contains(names, f.at.engine):
			return usageError("--%s: unknown engine %s%s", f.flag, quoted(f.at.engine), didYouMean(f.at.engine, names))
		}
	}
	return checkApart(o.from.path, o.to.path)
}

// run copies, and prints what was copied.
func (o *copyOptions) run(cmd *cobra.Command, d Deps) error {
	never, phases := o.quiet || o.progress == "never", 1
	if o.verify {
		phases++
	}
	w := newCopyWatcher(newProgress(d, cmd.ErrOrStderr(), never, 0), never, phases)
	r, err := interruptible(cmd.Context(), d, w.note, func(ctx context.Context) (*copyResult, error) {
		c := &copying{o: o, source: d.engine(o.from.engine), target: d.engine(o.to.engine), watcher: w}
		return c.run(ctx)
	})
	if errors.Is(err, errEndedAtOnce) {
		return &exitError{code: exitInterrupted}
	}
	w.stop()
	if r == nil {
		return failure(err)
	}
	writeErr := buffered(cmd.OutOrStdout(), func(out io.Writer) error { return r.write(out, o.format) })
	switch {
	case r.Status == bench.StatusInterrupted:
		fmt.Fprintf(cmd.ErrOrStderr(), "interrupted: %s; go on with\n  %s\n", r.done(), o.again())
		if writeErr != nil {
			return &exitError{exitInterrupted, writeErr}
		}
		return &exitError{code: exitInterrupted}
	case err != nil || writeErr != nil:
		return failure(errors.Join(err, writeErr))
	}
	return nil
}

// again is the command that goes on with an interrupted copy.
func (o *copyOptions) again() string {
	text := fmt.Sprintf("dbbench copy --from %s --to %s --resume", forShell(o.from.String()), forShell(o.to.String()))
	if !o.verify {
		text += " --verify=false"
	}
	return text
}

// forShell returns a word as it can be typed.
func forShell(s string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:,+=@%", r)
	}
	if !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// engine returns the line of the table for a name that is in it.
func (d Deps) engine(name string) *bench.Engine {
	return &d.Engines[slices.IndexFunc(d.Engines, func(e bench.Engine) bool { return e.Name == name })]
}
