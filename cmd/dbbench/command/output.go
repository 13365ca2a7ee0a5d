package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// outputFile is a file of results that is written again after each cell: each
// time a new file takes the place of the old one, so that a crash leaves the
// last complete record and never half of one.
type outputFile struct {
	flag   string // the flag that named it, for messages
	path   string // with symbolic links resolved
	mode   fs.FileMode
	stream *os.File // a pipe or a device: written once, at the end
	isNew  bool     // there was no file before
	format report.Format
}

// outputs are all files of a run.
type outputs []*outputFile

// rewrite brings all files up to date with rec.
func (fs outputs) rewrite(rec *bench.Record) error {
	return fs.each(rec, (*outputFile).rewrite)
}

// finish writes all files for the last time.
func (fs outputs) finish(rec *bench.Record) error {
	return fs.each(rec, (*outputFile).finish)
}

func (fs outputs) each(rec *bench.Record, write func(o *outputFile, render func(io.Writer) error) error) error {
	var errs []error
	for _, o := range fs {
		errs = append(errs, write(o, func(w io.Writer) error { return report.Write(w, rec, o.format, report.Style{}) }))
	}
	return errors.Join(errs...)
}

// discard takes the files away again that createOutput has made.
func (fs outputs) discard() {
	for _, o := range fs {
		switch {
		case o.stream != nil:
			o.stream.Close()
		case o.isNew:
			os.Remove(o.path)
		}
	}
}

// createOutput makes sure that path can be written, and leaves an empty file
// there if there was none. What is there already stays until the first write.
func createOutput(flag, path string) (*outputFile, error) {
	o := &outputFile{flag: flag, path: path, mode: 0o644}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		o.path = real
	}
	info, err := os.Stat(o.path)
	switch {
	case err == nil && info.IsDir():
		return nil, usageError("--%s %s: is a directory", flag, quoted(path))
	case err == nil && !info.Mode().IsRegular():
		o.stream, err = os.OpenFile(o.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, usageError("--%s %s: %w", flag, quoted(path), cause(err))
		}
		return o, nil
	case err == nil:
		o.mode = info.Mode().Perm()
	default:
		o.isNew = true
	}
	f, err := os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE, o.mode)
	if err != nil {
		return nil, usageError("--%s %s: %w", flag, quoted(path), cause(err))
	}
	if err := f.Close(); err != nil {
		return nil, usageError("--%s %s: %w", flag, quoted(path), cause(err))
	}
	// The rewriting needs a new file in the same folder.
	t, err := o.temp()
	if err != nil {
		return nil, usageError("--%s %s: its folder can't be written: %w", flag, quoted(path), cause(err))
	}
	return o, errors.Join(t.Close(), os.Remove(t.Name()))
}

func (o *outputFile) temp() (*os.File, error) {
	return os.CreateTemp(filepath.Dir(o.path), "."+filepath.Base(o.path)+".*")
}

// rewrite replaces the file by what render writes. Pipes and devices are left
// alone until finish.
func (o *outputFile) rewrite(render func(io.Writer) error) error {
	if o.stream != nil {
		return nil
	}
	t, err := o.temp()
	if err != nil {
		return o.wrap(err)
	}
	err = buffered(t, render)
	if err == nil {
		err = t.Chmod(o.mode)
	}
	err = errors.Join(err, t.Close())
	if err == nil {
		err = os.Rename(t.Name(), o.path)
	}
	if err != nil {
		os.Remove(t.Name())
	}
	return o.wrap(err)
}

// finish writes the file for the last time.
func (o *outputFile) finish(render func(io.Writer) error) error {
	if o.stream == nil {
		return o.rewrite(render)
	}
	return o.wrap(errors.Join(buffered(o.stream, render), o.stream.Close()))
}

func (o *outputFile) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s %s: %w", o.flag, quoted(o.path), err)
}

// buffered hands render a buffer before w and empties it.
func buffered(w io.Writer, render func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := render(b); err != nil {
		return err
	}
	return b.Flush()
}

// cause drops the operation and the path from an error of package os: the
// message around it has them.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
