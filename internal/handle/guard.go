// Package handle keeps track of what is open: calls in flight into C, and the
// iterators and snapshots that came from a store. With it, Close can wait for
// the former, close the latter, and nothing reaches C afterwards; and no number
// of goroutines can be in C at once, each with a thread of the system.
package handle

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// stripes is the number of counters that calls in flight are spread over at
// most. One counter would be moved between cores by every call.
const stripes = 16

const (
	// unbounded is the room of a stripe of a guard without a limit.
	unbounded = 1 << 32
	// shut is added to every stripe while calls wait or the guard is closed: no
	// stripe has room then, and who enters or leaves sees that in its own
	// counter, without looking at anything that all calls share.
	shut = 1 << 48
)

// A Guard counts calls in flight, lets in a limited number of them at a time,
// and no more once it is closed. Init must be called before use. It must not be
// copied.
//
// Each stripe has its share of the limit, and who finds its own stripe full
// takes a place of another one. Only where all are full a call waits, as
// goroutines do. Those that wait get the places in the order in which they came:
// nobody that comes later is let in before them.
type Guard struct {
	_      noCopy
	closed atomic.Bool
	shift  uint8 // of the four bits that stripe() returns
	used   uint8 // number of stripes

	_       [64]byte
	counter [stripes]Stripe
	held    atomic.Int64
	crowd   crowd
}

// A Stripe is one of a guard's counters, on a cache line of its own.
type Stripe struct {
	// n is the number of calls less the room for them: above 0 it is one too
	// many.
	n    atomic.Int64
	room int64
	_    [48]byte
}

// crowd is what only those come to that find no room, or leave while others
// wait.
type crowd struct {
	mu          sync.Mutex
	shut        bool // shut has been added to each counter
	first, last *waiter
	waiting     atomic.Int64
	wake        chan struct{} // a call left while Close waits
}

// waiter is a call that waits for a place.
type waiter struct {
	prev, next *waiter
	ready      chan struct{} // closed when place holds
	place      *Stripe       // nil if the guard was closed
}

// MaxCalls returns the limit that is in force where an option asks for n calls
// at a time; 0 is the default. That leaves room for Go's own threads below
// GOMAXPROCS + 32, as far as GOMAXPROCS does, and lets more reads wait for the
// device than it is likely to serve at once.
func MaxCalls(n int) int {
	const usual, least = 24, 2
	if n == 0 {
		return max(usual, runtime.GOMAXPROCS(0))
	}
	return max(n, least)
}

// Init makes the guard ready and open. limit is the number of calls that Enter
// lets in at a time; 0 is no limit.
func (g *Guard) Init(limit int) {
	g.crowd.wake = make(chan struct{}, 1)
	g.used = stripes
	if limit > 0 {
		// At least two places a stripe, so that two goroutines that have the same
		// stripe don't have to look further.
		g.used = uint8(min(stripes, 1<<bits.Len(uint(limit)>>2)))
	}
	g.shift = uint8(4 - bits.Len8(g.used) + 1)
	for i := range g.all() {
		s := &g.counter[i]
		switch s.room = unbounded; {
		case limit > 0 && i < limit%int(g.used):
			s.room = int64(limit/int(g.used)) + 1
		case limit > 0:
			s.room = int64(limit / int(g.used))
		}
		s.n.Store(-s.room)
	}
}

func (g *Guard) all() []Stripe { return g.counter[:g.used] }

// Enter lets a call in and returns what Exit needs, or nil once the guard is
// closed. It waits while the limit is reached.
func (g *Guard) Enter() *Stripe {
	s := &g.counter[stripe()>>(g.shift&7)]
	if s.n.Add(1) <= 0 {
		return s
	}
	return g.enterSlow(s)
}

// EnterContext is Enter for a caller that gives up when ctx ends: the error is
// ctx's then. A nil ctx never ends.
func (g *Guard) EnterContext(ctx context.Context) (*Stripe, error) {
	s := &g.counter[stripe()>>(g.shift&7)]
	if s.n.Add(1) <= 0 {
		return s, nil
	}
	return g.enterOrGiveUp(s, ctx)
}

// EnterOrOver is Enter for a caller that has somewhere else to wait: where there
// is no room it lets the call in beyond the limit, and says so.
func (g *Guard) EnterOrOver() (s *Stripe, over bool) {
	s = &g.counter[stripe()>>(g.shift&7)]
	if s.n.Add(1) <= 0 {
		return s, false
	}
	return g.enterOrOver(s)
}

// EnterOver is Enter beyond the limit: it never waits. It is for calls of which
// there is one at a time, and for those that don't go into C.
func (g *Guard) EnterOver() *Stripe {
	s := &g.counter[stripe()>>(g.shift&7)]
	if s.n.Add(1) <= 0 {
		return s
	}
	return g.enterOver(s)
}

// Exit ends the call that Enter let in.
func (g *Guard) Exit(s *Stripe) {
	if s.n.Add(-1) >= 0 {
		g.exitSlow()
	}
}

// Left says how C has left a call's place.
type Left int32

// The boundaries' C code has the same numbers.
const (
	Inside       Left = iota // not: Exit has to be called
	Departed                 // nothing is left to do
	DepartedFull             // others may wait for the place
)

// Leave ends the call that Enter let in, for which C may have lowered Counter
// already. A goroutine that comes back from C may have to wait for a processor
// before it gets to Exit: with more goroutines than Go runs at a time, all places
// would be taken by those, and each call would have to wait for one. To Close the
// call ends when C leaves.
func (g *Guard) Leave(s *Stripe, left Left) {
	switch left {
	case Inside:
		g.Exit(s)
	case DepartedFull:
		g.exitSlow()
	}
}

// Closed tells whether Close has begun.
func (g *Guard) Closed() bool { return g.closed.Load() }

// Flag returns what Closed reads, for those that look at it often.
func (g *Guard) Flag() *atomic.Bool { return &g.closed }

// Close lets no more calls in, those that wait included, waits for those in
// flight, and returns true. It returns false at once if the guard was closed
// already, without waiting.
func (g *Guard) Close() bool {
	if !g.closed.CompareAndSwap(false, true) {
		return false
	}
	g.turnAway()
	// What is held has been so since before its call ended, and so it is looked
	// at last.
	for g.InFlight() != 0 || g.held.Load() != 0 {
		<-g.crowd.wake
	}
	return true
}

// Hold makes Close wait for Unhold, whether calls are in flight or not. Who calls
// it is in flight.
func (g *Guard) Hold() { g.held.Add(1) }

// Unhold ends what Hold has begun.
func (g *Guard) Unhold() {
	if g.held.Add(-1) == 0 && g.closed.Load() {
		g.signal()
	}
}

// InFlight returns the number of calls in flight.
func (g *Guard) InFlight() int {
	var n int64
	for i := range g.all() {
		n += g.counter[i].calls()
	}
	return int(n)
}

// Waiting returns the number of calls that wait for a place.
func (g *Guard) Waiting() int { return int(g.crowd.waiting.Load()) }

// calls returns the number of calls that the stripe counts.
func (s *Stripe) calls() int64 {
	n := s.n.Load() + s.room
	if n >= shut/2 {
		n -= shut
	}
	return n
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
