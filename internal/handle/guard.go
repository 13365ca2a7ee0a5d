// Package handle keeps track of what is open: calls in flight into C, and the
// iterators and snapshots that came from a store. With it, Close can wait for
// the former, close the latter, and nothing reaches C afterwards.
package handle

import "sync/atomic"

// stripes is the number of counters that calls in flight are spread over. One
// counter would be moved between cores by every call.
const stripes = 16

// A Guard counts calls in flight and, once closed, lets no more in. Init must
// be called before use. It must not be copied.
type Guard struct {
	_       noCopy
	closed  atomic.Bool
	wake    chan struct{} // a call left while Close waits
	counter [stripes]Stripe
}

// A Stripe is one of a guard's counters, on a cache line of its own.
type Stripe struct {
	n atomic.Int64
	_ [56]byte
}

// Init makes the guard ready and open.
func (g *Guard) Init() { g.wake = make(chan struct{}, 1) }

// Enter lets a call in and returns what Exit needs, or nil once the guard is
// closed.
func (g *Guard) Enter() *Stripe {
	s := &g.counter[stripe()]
	s.n.Add(1)
	// The count is raised before closed is read, and Close sets closed before
	// it reads the counts: one of the two sees the other.
	if g.closed.Load() {
		g.leave(s)
		return nil
	}
	return s
}

// Exit ends the call that Enter let in.
func (g *Guard) Exit(s *Stripe) {
	if s.n.Add(-1) == 0 && g.closed.Load() {
		g.signal()
	}
}

// leave is Exit kept out of line, so that Enter can be inlined.
//
//go:noinline
func (g *Guard) leave(s *Stripe) { g.Exit(s) }

func (g *Guard) signal() {
	select {
	case g.wake <- struct{}{}:
	default: // Close looks at all counters again anyway
	}
}

// Closed tells whether Close has begun.
func (g *Guard) Closed() bool { return g.closed.Load() }

// Flag returns what Closed reads, for those that look at it often.
func (g *Guard) Flag() *atomic.Bool { return &g.closed }

// Close lets no more calls in, waits for those in flight, and returns true. It
// returns false at once if the guard was closed already, without waiting.
func (g *Guard) Close() bool {
	if !g.closed.CompareAndSwap(false, true) {
		return false
	}
	for i := range g.counter {
		for g.counter[i].n.Load() != 0 {
			<-g.wake
		}
	}
	return true
}

// InFlight returns the number of calls in flight.
func (g *Guard) InFlight() int {
	var n int64
	for i := range g.counter {
		n += g.counter[i].n.Load()
	}
	return int(n)
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
