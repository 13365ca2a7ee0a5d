package command

import (
	"fmt"
	"io"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// watcher follows a run: it prints the header, shows the progress and keeps
// the output files up to date.
type watcher struct {
	out      io.Writer
	files    outputs
	progress progress
	header   io.Writer // nil: none
	style    report.Style
	cell     bench.Cell
	said     map[int]bool // warnings that were told at once
	err      error        // the first error of writing
}

var _ bench.Observer = (*watcher)(nil)

func (w *watcher) RunStarted(rec *bench.Record) {
	if w.header != nil {
		w.keep(report.Header(w.header, rec, w.style))
	}
	w.keep(w.files.rewrite(rec))
}

func (w *watcher) CellStarted(c bench.Cell) {
	w.cell = c
	w.progress.started(c)
}

func (w *watcher) Tick(c bench.Cell, p bench.Progress) { w.progress.tick(c, p) }

func (w *watcher) CellFinished(rec *bench.Record, i int) {
	r, c := &rec.Results[i], w.cell
	c.Workload = r.Workload // a writer beside readers has a row of its own
	w.progress.finished(c, outcome(r), r.Status == bench.StatusFailed)
	w.keep(w.files.rewrite(rec))
}

func (w *watcher) CellRevised(rec *bench.Record, i int) {
	if r := &rec.Results[i]; r.Status == bench.StatusFailed {
		w.progress.note(fmt.Sprintf("%s %s round %d: failed after all: %s", r.Engine, r.Workload, r.Round, report.OneLine(r.Error)))
	}
	w.keep(w.files.rewrite(rec))
}

// Warned tells at once what was done to files; the other warnings wait for the
// end.
func (w *watcher) Warned(rec *bench.Record, i int) {
	switch rec.Warnings[i].Code {
	case bench.WarnReplaced, bench.WarnForeignKept, bench.WarnNotClosed, bench.WarnKept:
		w.progress.note("warning: " + report.Warning(&rec.Warnings[i]))
		if w.said == nil {
			w.said = map[int]bool{}
		}
		w.said[i] = true
	}
}

// keep remembers the first error: the run goes on, and its end tells.
func (w *watcher) keep(err error) {
	if err != nil && w.err == nil {
		w.err = err
	}
}
