package command

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
)

const (
	// barEvery is the time between two pictures of the bar.
	barEvery = 100 * time.Millisecond
	// lineEvery is the time between two lines of a phase where there is no bar.
	lineEvery = 10 * time.Second
)

// copyWatcher shows how far a copy has come: a bar on a terminal, else a line now
// and then and one at the end of a phase.
type copyWatcher struct {
	progress
	lines bool // no bar
	phase bench.Cell
	count int // of phases
	begun time.Time
	bar   time.Time // the last picture
	line  time.Time // the last line
}

func newCopyWatcher(p progress, never bool, phases int) *copyWatcher {
	_, plain := p.(*plainProgress)
	return &copyWatcher{progress: p, lines: plain && !never, count: phases}
}

// begin begins a phase, of so many entries, or 0 if that is not known.
func (w *copyWatcher) begin(name string, entries int64) {
	w.phase = bench.Cell{Workload: name, Ops: entries, Position: w.phase.Position + 1, Positions: w.count, Index: w.phase.Position, Cells: w.count}
	w.begun = time.Now()
	w.bar, w.line = w.begun, w.begun
	w.started(w.phase)
}

// end ends it.
func (w *copyWatcher) end(outcome string, err error) {
	if err != nil {
		outcome = "stopped: " + report.OneLine(err.Error())
	}
	w.finished(w.phase, outcome, false)
}

// copied is told by store.Copy.
func (w *copyWatcher) copied(p store.CopyProgress) {
	total, _ := p.Total.Value()
	w.phase.Ops = int64(total)
	w.show(int64(p.Entries + p.Found))
}

// show shows that n entries of the phase are done.
func (w *copyWatcher) show(n int64) {
	now := time.Now()
	if now.Sub(w.bar) >= barEvery {
		w.bar = now
		w.tick(w.phase, bench.Progress{Ops: n, Elapsed: now.Sub(w.begun)})
	}
	if w.lines && now.Sub(w.line) >= lineEvery {
		w.line = now
		text := fmt.Sprintf("%s: %s entries", w.phase.Workload, humanize.Comma(n))
		if w.phase.Ops > n {
			text += " of about " + humanize.Comma(w.phase.Ops)
		}
		w.note(text)
	}
}

// follow shows a count until stop is called.
func (w *copyWatcher) follow(n *atomic.Int64) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(barEvery)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				w.show(n.Load())
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
