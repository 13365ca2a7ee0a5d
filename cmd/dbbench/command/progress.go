package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// progress shows how far a run has come. note may be called at any time, the
// others as an observer's methods are.
type progress interface {
	started(c bench.Cell)
	tick(c bench.Cell, p bench.Progress)
	finished(c bench.Cell, outcome string, failed bool)
	note(text string)
	stop()
}

// newProgress returns a bar on a terminal, one line a cell elsewhere, and
// nothing but notes where no progress is wanted.
// duration is how long each cell runs, 0 if until all is done.
func newProgress(d Deps, w io.Writer, never bool, duration time.Duration) progress {
	switch {
	case never:
		return &plainProgress{w: w, notesOnly: true}
	case d.Terminal(w) && d.Getenv("TERM") != "dumb":
		return newBar(w, duration)
	}
	return &plainProgress{w: w}
}

// plainProgress writes a line for each cell that has finished.
type plainProgress struct {
	w         io.Writer
	notesOnly bool
}

func (p *plainProgress) started(bench.Cell)              {}
func (p *plainProgress) tick(bench.Cell, bench.Progress) {}
func (p *plainProgress) note(text string)                { fmt.Fprintln(p.w, text) }
func (p *plainProgress) stop()                           {}

func (p *plainProgress) finished(c bench.Cell, outcome string, _ bool) {
	if !p.notesOnly {
		fmt.Fprintf(p.w, "[%d/%d] %s%s: %s\n", c.Index+1, c.Cells, cellName(c), cellRound(c), outcome)
	}
}

func cellName(c bench.Cell) string {
	return strings.TrimSpace(report.OneLine(c.Engine) + " " + report.OneLine(c.Workload))
}

// cellRound says which round it is, of something that has rounds.
func cellRound(c bench.Cell) string {
	if c.Rounds == 0 {
		return ""
	}
	return fmt.Sprintf(" round %d/%d", c.Round, c.Rounds)
}

// outcome is a row in a few words.
func outcome(r *bench.Result) string {
	switch {
	case r.Status != bench.StatusOK:
		return report.State(r)
	case r.Text != "":
		return "done"
	}
	return fmt.Sprintf("%.3f micros/op, %s ops/s", r.MicrosPerOp, report.Rate(r.OpsPerSec))
}

// bar is a bar on a terminal for the cell that runs. The renderer's goroutine
// reads what the observer's writes, hence the lock.
type bar struct {
	container *mpb.Progress
	bar       *mpb.Bar

	begun    time.Time     // the run
	duration time.Duration // of each cell; 0 until its operations are done

	mu   sync.Mutex
	cell bench.Cell
	now  bench.Progress
}

func newBar(w io.Writer, duration time.Duration, options ...mpb.ContainerOption) *bar {
	b := &bar{begun: time.Now(), duration: duration}
	b.container = mpb.New(append([]mpb.ContainerOption{mpb.WithOutput(w), mpb.WithWidth(80)}, options...)...)
	b.bar = b.container.New(0, mpb.BarStyle(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return b.left() })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.right() })))
	return b
}

func (b *bar) started(c bench.Cell) {
	b.show(c, bench.Progress{})
	total := c.Ops
	if b.timed(c) {
		total = int64(b.duration)
	}
	b.bar.SetTotal(max(total, 1), false)
	b.bar.SetCurrent(0)
}

// show sets what the texts beside the bar say.
func (b *bar) show(c bench.Cell, p bench.Progress) {
	b.mu.Lock()
	b.cell, b.now = c, p
	b.mu.Unlock()
}

func (b *bar) tick(c bench.Cell, p bench.Progress) {
	b.show(c, p)
	if b.timed(c) {
		b.bar.SetCurrent(min(int64(p.Elapsed), int64(b.duration)))
		return
	}
	b.bar.SetTotal(max(c.Ops, p.Ops, 1), false) // it may be an estimate
	b.bar.SetCurrent(p.Ops)
}

// timed tells whether a cell ends by the clock.
func (b *bar) timed(c bench.Cell) bool {
	w, ok := bench.FindWorkload(c.Workload)
	return b.duration > 0 && ok && !w.Single && w.Name != "load"
}

func (b *bar) finished(c bench.Cell, outcome string, failed bool) {
	if failed {
		b.note(fmt.Sprintf("%s round %d: %s", cellName(c), c.Round, outcome))
	}
}

// note writes a line above the bar, and over what the terminal has echoed there
// (^C, and so the start of the bar's old line).
func (b *bar) note(text string) { fmt.Fprintln(b.container, "\r\x1b[K"+text) }

// stop takes the bar away.
func (b *bar) stop() {
	b.bar.Abort(true)
	b.container.Wait()
}

// left says what runs.
func (b *bar) left() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cell.Cells == 0 {
		return "preparing "
	}
	return fmt.Sprintf("%s %d/%d%s ", cellName(b.cell), b.cell.Position, b.cell.Positions, cellRound(b.cell))
}

// right says how fast it runs, and when it will end: the cell, and once each
// cell has run in a round, the whole run.
func (b *bar) right() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, p := b.cell, b.now
	text := ""
	if seconds := p.Elapsed.Seconds(); seconds > 0 && p.Ops > 0 {
		rate := float64(p.Ops) / seconds
		text = fmt.Sprintf(" %s/s", report.Rate(rate))
		if left := b.duration - p.Elapsed; b.timed(c) {
			text += " ETA " + short(max(left, 0))
		} else if left := c.Ops - p.Ops; left > 0 {
			text += " ETA " + short(time.Duration(float64(left)/rate*float64(time.Second)))
		}
	} else if p.Elapsed > 0 {
		text = " " + short(p.Elapsed)
	}
	if c.Rounds > 1 && c.Index >= c.Cells/c.Rounds {
		perCell := time.Since(b.begun) / time.Duration(c.Index)
		text += ", all " + short(perCell*time.Duration(c.Cells-c.Index))
	}
	return text
}

// short writes a duration in whole seconds, and in hours where it's long.
func short(d time.Duration) string {
	d = d.Round(time.Second)
	if d >= time.Hour {
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.String()
}
