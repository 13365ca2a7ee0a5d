package bench

import "time"

// Observer watches a run. All methods are called by the goroutine that called
// Run, one at a time, and never inside a timed loop; but Tick is called while
// workers run, so that it should be quick. The record that they get is the one
// being made: it may be read (and written to a file) during the call, and not
// be changed or kept.
type Observer interface {
	// RunStarted is called once, when the environment, the engines and the
	// resolved configuration are known, before any store is opened.
	RunStarted(rec *Record)
	// CellStarted is called before each workload of each pass, its preparation
	// (closing, destroying and opening anew) included.
	CellStarted(c Cell)
	// Tick is called about ten times a second while the clock runs.
	Tick(c Cell, p Progress)
	// CellFinished is called when rec.Results[i] has been added. Skipped rows are
	// reported too, with CellStarted before them.
	CellFinished(rec *Record, i int)
	// CellRevised is called when the read-back has changed rec.Results[i]: its
	// VerifiedKeys is known, or it has failed.
	CellRevised(rec *Record, i int)
	// Warned is called when rec.Warnings[i] has been added.
	Warned(rec *Record, i int)
}

// Cell is one workload of one pass.
type Cell struct {
	Engine   string
	Workload string
	// Position in the list, from 1, of Positions.
	Position, Positions int
	// Round from 1, of Rounds.
	Round, Rounds int
	// Index of the cell in the run, from 0, of Cells.
	Index, Cells int
	Threads      int
	// Ops is the number of operations planned.
	Ops int64
}

// Progress is how far a cell has come.
type Progress struct {
	Ops     int64
	Elapsed time.Duration
}

// NopObserver is an Observer that does nothing. Embed it to implement only
// some of the methods.
type NopObserver struct{}

func (NopObserver) RunStarted(*Record)        {}
func (NopObserver) CellStarted(Cell)          {}
func (NopObserver) Tick(Cell, Progress)       {}
func (NopObserver) CellFinished(*Record, int) {}
func (NopObserver) CellRevised(*Record, int)  {}
func (NopObserver) Warned(*Record, int)       {}
