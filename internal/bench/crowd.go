package bench

import (
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// lookEvery is the time between two looks at a cell with several workers.
const lookEvery = 20 * time.Millisecond

// crowd is what is seen while many workers are at it.
type crowd struct {
	counter store.CallCounter // nil if the engine doesn't count
	looks   int64
	waiting int64 // sum over all looks
	threads *int64
}

// look looks once.
func (c *crowd) look() {
	c.threads = most(c.threads, procThreads())
	if c.counter == nil {
		return
	}
	_, waiting := c.counter.Calls()
	c.looks++
	c.waiting += int64(waiting)
}

// watchCrowd looks at the store, and at this process, until the returned function
// is called, which puts what was seen into the row.
func watchCrowd(db store.DB) (stop func(row *Result)) {
	c := &crowd{}
	c.counter, _ = db.(store.CallCounter)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		again := time.NewTicker(lookEvery)
		defer again.Stop()
		for {
			select {
			case <-again.C:
				c.look()
			case <-quit:
				return
			}
		}
	}()
	return func(row *Result) {
		close(quit)
		<-ended
		row.OSThreads = most(row.OSThreads, c.threads)
		if c.looks > 0 {
			row.CallsWaiting = known(float64(c.waiting) / float64(c.looks))
		}
	}
}

// procThreads returns the number of threads of this process; nil where the system
// doesn't tell.
func procThreads() *int64 { return procNumber("status", "Threads:", 1) }

// most returns the greater of two numbers that may not be known.
func most(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// calls are the calls that have asked for a write, and the writes that the engine
// has made of them.
type calls struct{ asked, made store.Figure }

func writeCalls(m *store.Metrics) calls {
	o := &m.Operations
	sum := uint64(0)
	for _, f := range []store.Figure{o.Put.Calls, o.Delete.Calls, o.DeleteRange.Calls, o.Write.Calls} {
		n, ok := f.Value()
		if !ok {
			return calls{}
		}
		sum += n
	}
	return calls{store.Known(sum), m.Commits.Writes}
}

// groupSize returns how many calls a write was of; nil if that isn't known, or if
// there was none.
func (c calls) groupSize(before calls) *float64 {
	asked, ok := c.asked.Since(before.asked).Value()
	made, ok2 := c.made.Since(before.made).Value()
	if !ok || !ok2 || made == 0 {
		return nil
	}
	return known(float64(asked) / float64(made))
}
