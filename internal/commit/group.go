package commit

import (
	"context"

	"github.com/lsmkit/lsmkit/store"
)

// group is the changes of writers that wait together.
type group struct {
	batch   store.Batch
	members int
	sync    bool
	alone   bool          // takes nobody else in
	do      func() error  // what to do instead of writing batch
	done    chan struct{} // closed when err holds
	err     error
}

// newGroup returns an empty group, which uses the memory of an empty batch.
func newGroup(memory store.Batch) *group {
	return &group{batch: memory, done: make(chan struct{})}
}

// takes tells whether the group, which waits still, has room for another write,
// and is as durable as that has to be.
func (g *group) takes(w Write) bool {
	return !g.alone && w.Do == nil && (g.sync || !w.Sync) && g.batch.Size()+w.Size <= MaxGroupSize
}

func (g *group) add(w Write) error {
	if w.Do != nil {
		g.do, g.alone = w.Do, true
	} else if err := w.Add(&g.batch); err != nil {
		return err
	}
	g.members++
	g.sync = g.sync || w.Sync
	return nil
}

// wait returns the group's outcome, or a *GaveUp if ctx ends before there is
// one.
func (g *group) wait(ctx context.Context) error {
	if ctx == nil {
		<-g.done
		return g.err
	}
	select {
	case <-g.done:
		return g.err
	case <-ctx.Done():
	}
	select {
	case <-g.done: // both: the outcome is known
		return g.err
	default:
		return &GaveUp{ctx.Err()}
	}
}
