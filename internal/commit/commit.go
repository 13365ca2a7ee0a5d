// Package commit lets many goroutines write through one crossing. A goroutine
// in a C call holds an operating-system thread; a thousand of them in a synced
// write would be a thousand threads. Here one writer at a time, the leader, is
// in C. Those that come meanwhile put their changes into a group, and sleep as
// goroutines do; the group's first member leads next and commits it whole.
//
// That no two writes are in C at a time is also what lets an engine's wrapper
// see a failed write before any later one has begun.
package commit

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/store"
)

// MaxGroupSize bounds the encoded size of a group in bytes. A single batch that
// is larger makes a group of its own.
const MaxGroupSize = 1 << 20

// states of a queue.
const (
	idle    = iota // nobody leads
	busy           // somebody leads, nobody waits
	waiting        // somebody leads, groups wait
)

// A Queue is the writers of one store. New makes it.
type Queue struct {
	write func(b *store.Batch, sync bool) error

	state atomic.Int32
	mu    sync.Mutex
	first *group // those that wait, in order
	last  *group

	waiting atomic.Int64
	groups  atomic.Uint64 // of more than one member
	grouped atomic.Uint64 // their members
	largest atomic.Uint64 // changed by who leads
}

// group is the changes of writers that wait together.
type group struct {
	next  *group
	batch store.Batch
	size  int // members
	sync  bool
	alone bool          // takes nobody else in
	do    func() error  // what to do instead of writing batch
	turn  chan struct{} // closed when its first member is to lead
	done  chan struct{} // closed when err holds
	err   error
}

// New returns a queue whose groups are committed by write, which is called by
// one goroutine at a time. The batch is the queue's again when write returns.
func New(write func(b *store.Batch, sync bool) error) *Queue {
	return &Queue{write: write}
}

// TryLead makes the caller the leader if there is none, and tells whether it
// is. Lone writers go this way, at the cost of two atomic operations. The leader
// writes, alone, and then calls Done.
func (q *Queue) TryLead() bool { return q.state.CompareAndSwap(idle, busy) }

// Done ends the caller's lead and gives it to the group that waits longest.
func (q *Queue) Done() {
	if q.state.CompareAndSwap(busy, idle) {
		return
	}
	q.mu.Lock()
	g := q.first
	if q.first = g.next; q.first == nil {
		q.last = nil
		q.state.Store(busy)
	}
	q.mu.Unlock()
	close(g.turn)
}

// A Write is what a writer wants done.
type Write struct {
	// Add puts the changes into a batch. It must not fail after it has changed
	// the batch; the changes have been checked.
	Add func(b *store.Batch) error
	// Size is about their encoded size.
	Size int
	// Sync asks for a synced write. A group is synced if one of its members is;
	// a synced writer never joins a group that was not to be.
	Sync bool
	// Do, if not nil, is done instead, by the leader and alone.
	Do func() error
	// Context, if not nil, ends the waiting.
	Context context.Context
	// Release is called once when the write is over, which may be after Join
	// has returned, if the writer has given up.
	Release func()
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

// Join hands a write to the queue and returns its outcome. The error of a
// group's write is that of each member. A writer whose context ends gets a
// *GaveUp; its changes may be committed all the same, and the group is.
func (q *Queue) Join(w Write) error {
	q.mu.Lock()
	if q.mustLead() {
		q.mu.Unlock()
		defer w.Release()
		g := &group{}
		if err := g.add(w); err != nil {
			q.Done()
			return err
		}
		return q.run(g)
	}
	g, leads, err := q.enter(w)
	q.mu.Unlock()
	if err != nil {
		w.Release()
		return err
	}
	if leads {
		return q.lead(g, w)
	}
	defer w.Release()
	q.waiting.Add(1)
	defer q.waiting.Add(-1)
	if w.Context == nil {
		<-g.done
		return g.err
	}
	select {
	case <-g.done:
		return g.err
	case <-w.Context.Done():
		return &GaveUp{w.Context.Err()}
	}
}

// mustLead makes the caller the leader if there is none any more, and else
// notes that somebody waits. The caller holds mu.
func (q *Queue) mustLead() bool {
	for {
		switch q.state.Load() {
		case idle:
			if q.state.CompareAndSwap(idle, busy) {
				return true
			}
		case busy:
			if q.state.CompareAndSwap(busy, waiting) {
				return false
			}
		default:
			return false
		}
	}
}

// enter adds a write to the last group, or to a new one, which it then is to
// lead. The caller holds mu and has noted that somebody waits.
func (q *Queue) enter(w Write) (g *group, leads bool, err error) {
	if g = q.last; g != nil && g.takes(w) {
		return g, false, g.add(w)
	}
	g = &group{turn: make(chan struct{}), done: make(chan struct{})}
	err = g.add(w)
	if q.last == nil {
		q.first = g
	} else {
		q.last.next = g
	}
	q.last = g
	if err != nil {
		// The group stays in the queue: its turn has been promised. It has
		// nothing to write.
		go func() {
			<-g.turn
			_ = q.run(g)
		}()
	}
	return g, true, err
}

func (g *group) takes(w Write) bool {
	return !g.alone && w.Do == nil && (g.sync || !w.Sync) && g.batch.Size()+w.Size <= MaxGroupSize
}

func (g *group) add(w Write) error {
	if w.Do != nil {
		g.do, g.alone = w.Do, true
		return nil
	}
	if err := w.Add(&g.batch); err != nil {
		return err
	}
	g.size++
	g.sync = g.sync || w.Sync
	return nil
}

// lead waits for the group's turn and commits it.
func (q *Queue) lead(g *group, w Write) error {
	q.waiting.Add(1)
	if w.Context != nil {
		select {
		case <-g.turn:
		case <-w.Context.Done():
			q.waiting.Add(-1)
			// Others rely on the group, which needs a leader still.
			go func() {
				<-g.turn
				_ = q.run(g)
				w.Release()
			}()
			return &GaveUp{w.Context.Err()}
		}
	} else {
		<-g.turn
	}
	q.waiting.Add(-1)
	defer w.Release()
	return q.run(g)
}

// run commits a group as the leader, and ends the lead.
func (q *Queue) run(g *group) error {
	switch {
	case g.do != nil:
		g.err = g.do()
	case g.batch.Len() > 0:
		q.count(g)
		g.err = q.write(&g.batch, g.sync)
	}
	if g.done != nil {
		close(g.done)
	}
	q.Done()
	return g.err
}

// count counts a group that its leader is about to commit.
func (q *Queue) count(g *group) {
	if g.size < 2 {
		return
	}
	n := uint64(g.size)
	q.groups.Add(1)
	q.grouped.Add(n)
	if n > q.largest.Load() {
		q.largest.Store(n)
	}
}

// Tell puts what the queue has counted into m.
func (q *Queue) Tell(m *store.Commits) {
	m.Groups = store.Known(q.groups.Load())
	m.Grouped = store.Known(q.grouped.Load())
	m.Largest = store.Known(q.largest.Load())
	m.Waiting = store.Known(uint64(q.waiting.Load()))
}
