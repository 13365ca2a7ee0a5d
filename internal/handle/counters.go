package handle

import (
	"sync"
	"sync/atomic"
)

// An Event is something that is counted: how often it happened, and the sum of
// an amount that each time has, of bytes or of entries.
type Event uint8

// The events.
const (
	GetHit       Event = iota // a get that found the key; amount: bytes of the value
	GetMiss                   // one that didn't
	HasHit                    // the same of has, without an amount
	HasMiss                   //
	Put                       // bytes of key and value
	Delete                    // bytes of the key
	Log                       // what the engine has written as one; bytes of its log record
	Sync                      // the same, if it was synced
	MultiGet                  // bytes of the values
	MultiKeys                 // amount: keys that were asked for
	MultiHits                 // amount: keys that were found
	Write                     // bytes of the encoded batch
	Records                   // amount: records of the batch
	DeleteRange               // bytes of the bounds
	MadeIterator              //
	MadeSnapshot              //
	Seek                      // an iterator was positioned
	Chunk                     // a crossing that fetched entries; their bytes
	Entries                   // amount: entries of the chunk
	Failure                   // a call that the engine did not do
	events
)

// A cell counts an event. Number and amount are in one word, which one atomic
// addition changes; before one of them fills its part, both are emptied out.
type cell struct{ word atomic.Uint64 }

// add counts once, and tells whether the cell has to be spilled.
func (c *cell) add(amount int) bool {
	return c.word.Add(1|uint64(amount)<<numberBits)&spillBits != 0
}

const (
	numberBits = 20
	// spillBits are the upper bits of both parts. From when one of them is set,
	// half a million calls, or eight terabytes, have room until the spill.
	spillBits = 1<<(numberBits-1) | 1<<63
)

// A Sum is what has been counted of an event.
type Sum struct{ Number, Amount uint64 }

func (s *Sum) add(word uint64) {
	s.Number += word & (1<<numberBits - 1)
	s.Amount += word >> numberBits
}

// Counters count the calls of a store, for its metrics. Counting allocates
// nothing, and costs an atomic addition to memory that few other goroutines use.
// Init must be called before use.
type Counters struct {
	off     bool
	stripes *[stripes]counterStripe

	mu      sync.Mutex
	spilled [events]Sum
}

// counterStripe takes up cache lines of its own, since an array of them is
// allocated at a multiple of that.
type counterStripe struct {
	cells [events]cell
	_     [(64 - 8*events%64) % 64]byte
}

// Init makes the counters ready.
func (c *Counters) Init() { c.stripes = new([stripes]counterStripe) }

// Off switches the counters off or on, for benchmarks that show what they cost.
// No call may be in flight.
func (c *Counters) Off(off bool) { c.off = off }

// Count counts an event. The amount must not be negative.
func (c *Counters) Count(e Event, amount int) {
	if c.off {
		return
	}
	if to := &c.stripes[stripe()].cells[e]; to.add(amount) {
		c.empty(to, e)
	}
}

func (c *Counters) empty(from *cell, e Event) {
	c.mu.Lock()
	c.spilled[e].add(from.word.Swap(0))
	c.mu.Unlock()
}

// Sum returns what has been counted of the event. It never goes back.
func (c *Counters) Sum(e Event) Sum {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.spilled[e]
	for i := range stripes {
		sum.add(c.stripes[i].cells[e].word.Load())
	}
	return sum
}
