package rocksdb

import (
	"sync/atomic"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// A gate keeps writes from trying whether RocksDB takes them, while it holds others
// back. One goes on trying: that of the queue's leader.
//
// While RocksDB slows writes down, trying is not free. It gives out so many bytes
// a millisecond, and a write that there is no room for is charged the time that it
// would take, expecting that the writer sleeps for that and then writes. With
// no_slowdown it doesn't: it comes again and is charged again. (GetDelay in
// write_controller.cc.) A write of more bytes than come in a millisecond that is
// tried every millisecond is never taken, and writers who try at the same time
// spoil each other's chance. So the others join the queue, and after the leader has
// been refused, it tries again when what it was charged is over.
type gate struct {
	on atomic.Bool // a write has been refused

	// Who leads the queue has these.
	refusals int // since a write was last taken
	last     time.Time
	size     int // of the write last taken, by which RocksDB charges the next
}

// shut tells whether a write has to join the queue without trying.
func (g *gate) shut() bool { return g.on.Load() }

// enter shuts the gate behind a write that is held back, and tells whether it was
// open.
func (g *gate) enter() bool {
	if !g.on.CompareAndSwap(false, true) {
		return false
	}
	g.refused() // which is why it is here
	return true
}

// mayTry tells whether a write of size bytes can be tried now. Only in a slowdown
// that has to wait: for twice what RocksDB has charged, since it must not only be
// over but be granted once more, and longer each time, for those who were outside
// when it began have been charged too.
func (g *gate) mayTry(size int, state func() store.StallState, rate func() uint64) bool {
	if g.refusals == 0 || state() != store.StallDelayed {
		return true
	}
	pause := stallPause
	if bytes := rate(); bytes > 0 {
		charged := float64(max(size, g.size)) / float64(bytes)
		pause += time.Duration(2 * charged * float64(time.Second))
	}
	return time.Since(g.last) >= pause<<min(g.refusals-1, maxDoublings)
}

// maxDoublings bounds the waiting, to what does for a thousand who were outside.
const maxDoublings = 10

func (g *gate) refused() {
	g.refusals++
	g.last = time.Now()
}

// taken notes that RocksDB has taken a write, and opens the gate if it holds none
// back any more, which it tells.
func (g *gate) taken(size int, state store.StallState) bool {
	g.refusals, g.size = 0, size
	if state == store.StallNone {
		g.on.Store(false)
		return true
	}
	return false
}
