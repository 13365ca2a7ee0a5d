// Package commit lets many goroutines write through one crossing. A goroutine
// in a C call holds an operating-system thread; a thousand of them in a synced
// write would be a thousand threads. Here one writer at a time, the leader, is
// in C. Those that come meanwhile put their changes into a group, and sleep as
// goroutines do; the group's first member leads when it can, and commits it
// whole, with all that have joined until then.
//
// That no two writes are in C at a time is also what lets an engine's wrapper
// see a failed write before any later one has begun.
//
// Writers that wait hold no place in the store's guard, and a leader waits for
// none. The guard's Close waits until all groups have been committed.
package commit

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

const (
	// MaxGroupSize bounds the encoded size of a group in bytes. A single batch
	// that is larger makes a group of its own.
	MaxGroupSize = 1 << 20

	// maxPasses is how often in a row lone writers may lead while a group waits.
	// A writer that comes back at once finds the processor, and the engine's
	// memory, warm; waking another one instead takes longer than a write that is
	// not synced.
	maxPasses = 32
)

// A Queue is the writers of one store. New makes it.
type Queue struct {
	guard *handle.Guard
	write func(b *store.Batch, sync bool) error

	lead   sync.Mutex   // held by the leader
	spent  store.Batch  // memory of the group before; the leader's
	queued atomic.Int32 // groups that wait for the lead
	passes atomic.Int32 // since a group has last led

	mu    sync.Mutex
	open  *group      // that takes writers in
	spare store.Batch // memory for the next

	leading atomic.Int32 // groups: none or one
	waiting atomic.Int64
	groups  atomic.Uint64 // of more than one member
	grouped atomic.Uint64 // their members
	largest atomic.Uint64 // changed by the leader
}

// New returns a queue whose groups are committed by write, which is called by
// one goroutine at a time. The batch is the queue's again when write returns.
// Places are those of guard.
func New(guard *handle.Guard, write func(b *store.Batch, sync bool) error) *Queue {
	return &Queue{guard: guard, write: write}
}

// TryLead makes the caller the leader if there is none, and tells whether it
// is. Lone writers go this way, at the cost of two atomic operations. The
// leader writes, alone, and then calls Done. Where a group waits, a synced write
// has to join it.
func (q *Queue) TryLead(sync bool) bool {
	if q.queued.Load() != 0 && (sync || q.passes.Add(1) > maxPasses) {
		return false
	}
	return q.lead.TryLock()
}

// Done ends the lead, and the call that has the place.
func (q *Queue) Done(place *handle.Stripe) {
	q.lead.Unlock()
	q.guard.Exit(place)
}

// A Write is what a writer wants done.
type Write struct {
	// Add puts the changes into a batch. It must not fail after it has changed
	// the batch; the changes have been checked. It is called before Join returns.
	Add func(b *store.Batch) error
	// Size is about their encoded size.
	Size int
	// Sync asks for a synced write. A group is synced if one of its members is;
	// a synced writer never joins a group that was not to be.
	Sync bool
	// Do, if not nil, is done instead, by the leader and alone. It may be called
	// after Join has returned, if the writer has given up.
	Do func() error
	// Context, if not nil, ends the waiting.
	Context context.Context
}

// GaveUp is the error of a writer whose context has ended while it waited.
type GaveUp struct {
	// Cause is the context's error.
	Cause error
}

// Error says that the outcome is unknown.
func (e *GaveUp) Error() string { return "gave up waiting, the outcome is unknown: " + e.Cause.Error() }

// Unwrap returns the context's error.
func (e *GaveUp) Unwrap() error { return e.Cause }

// Join hands a write to the queue and returns its outcome. The call that has the
// place ends as far as the guard is concerned; its Close waits for the group
// instead. The error of a group's write is that of each member. A writer whose
// context ends gets a *GaveUp; its changes may be committed all the same, and the
// group is.
func (q *Queue) Join(place *handle.Stripe, w Write) error {
	g, leads, err := q.enter(w)
	q.guard.Exit(place)
	switch {
	case err != nil:
		return err
	case !leads:
		return g.wait(w.Context)
	case w.Context == nil:
		q.run(g)
		return g.err
	}
	// This writer may give up, and others rely on the group.
	go q.run(g)
	return g.wait(w.Context)
}

// enter adds a write to the open group, or to a new one, which it then is to
// lead.
func (q *Queue) enter(w Write) (g *group, leads bool, err error) {
	if w.Size > MaxGroupSize { // is not copied while others wait for mu
		g = newGroup(store.Batch{})
		if err := g.add(w); err != nil {
			return nil, false, err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if g == nil {
		if g = q.open; g == nil || !g.takes(w) {
			g = newGroup(q.spare)
			q.spare = store.Batch{}
		}
		if err := g.add(w); err != nil {
			return nil, false, err
		}
	}
	q.waiting.Add(1)
	if g == q.open {
		return g, false, nil
	}
	q.open = g
	q.queued.Add(1)
	q.guard.Hold()
	return g, true, nil
}

// run waits for the lead, and commits the group.
func (q *Queue) run(g *group) {
	q.lead.Lock()
	q.seal(g)
	switch {
	case g.do != nil:
		g.err = g.do()
	case g.batch.Len() > 0:
		q.count(g)
		g.err = q.write(&g.batch, g.sync)
	}
	if g.batch.Size() <= MaxGroupSize {
		g.batch.Reset()
		q.spent = g.batch
	}
	q.waiting.Add(1 - int64(g.members))
	q.leading.Store(0)
	close(g.done)
	q.lead.Unlock()
	q.guard.Unhold()
}

// seal lets nobody join the group any more. The caller leads.
func (q *Queue) seal(g *group) {
	q.passes.Store(0)
	q.leading.Store(1)
	q.waiting.Add(-1) // the others wait on, for the group
	q.queued.Add(-1)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == g {
		q.open = nil
	}
	q.spare, q.spent = q.spent, store.Batch{}
}

// count counts a group that its leader is about to commit.
func (q *Queue) count(g *group) {
	if g.members < 2 {
		return
	}
	n := uint64(g.members)
	q.groups.Add(1)
	q.grouped.Add(n)
	if n > q.largest.Load() {
		q.largest.Store(n)
	}
}

// Leading returns 1 while a group is written, of which the guard knows no call,
// and 0 else.
func (q *Queue) Leading() int { return int(q.leading.Load()) }

// Waiting returns the number of writes that wait, for the lead or for the group
// that they are in.
func (q *Queue) Waiting() int { return int(q.waiting.Load()) }

// Tell puts what the queue has counted into m.
func (q *Queue) Tell(m *store.Commits) {
	m.Groups = store.Known(q.groups.Load())
	m.Grouped = store.Known(q.grouped.Load())
	m.Largest = store.Known(q.largest.Load())
	m.Waiting = store.Known(uint64(q.Waiting()))
}
