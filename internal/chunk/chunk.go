// Package chunk walks over entries that an engine's iterator delivers many at a
// time. Crossing into C costs more than reading an entry, so an iterator asks
// for a chunk of entries in one crossing and serves them from Go memory.
//
// A chunk is entries one after the other, each the length of the key and that
// of the value in 4 bytes of the machine's order, then key and value.
package chunk

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// Op says from where a chunk is filled, and in which direction.
type Op uint8

// The boundary's C code has the same numbers.
const (
	First       Op = iota // from the first entry on, forward
	Last                  // from the last entry on, backward
	SeekGE                // from the first key >= the given one, forward
	SeekGT                // from the first key > the given one, forward
	SeekLT                // from the last key < the given one, backward
	Next                  // from behind the last entry of the chunk before, forward
	Prev                  // the same, backward
	Current               // from the entry the engine stands on, which did not fit, forward
	CurrentBack           // the same, backward
)

// HeaderSize is the size of the two lengths before an entry.
const HeaderSize = 8

// Result is what a Source has filled in.
type Result struct {
	Used  int   // bytes of the buffer
	Count int   // entries
	Need  int   // if Count is 0: the size that the next entry needs; 0 at the end
	End   bool  // there is nothing behind these entries
	Err   error // what went wrong behind these entries; implies End
}

// A Source is an engine's iterator.
type Source interface {
	// Fill puts up to limit entries into buf. The engine's iterator is left
	// on the last of them, and not moved further before it is asked. Next
	// and Prev are asked for only in the direction of the fill before, and
	// not after its End.
	Fill(op Op, key, buf []byte, limit int) Result
	// ClosedError returns the error of a call after the store was closed.
	ClosedError() error
}

// Sizes of the chunk buffer. The smaller one serves point lookups and short
// scans; a walk that goes on gets the larger one. That one still fits into a
// core's own cache beside what the engine works on: four times as much saves
// crossings that nobody notices, and makes walks backward 2 to 3 % slower.
const (
	smallSize = 4 << 10
	largeSize = 16 << 10
	// fullLimit is the number of entries at which a chunk is bounded by the
	// buffer alone.
	fullLimit = 1 << 10
)

var small, large = pool(smallSize), pool(largeSize)

func pool(size int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, size); return &b }}
}

// A Cursor is the part of an iterator that needs no C: it serves entries from
// chunks and asks its source for more. It has the methods of store.Iterator,
// but for Close. Init must be called before use.
type Cursor struct {
	src    Source
	closed *atomic.Bool // the store's

	// Places in buf: of the current entry, and of what follows it. They are
	// numbers, since moving pointers costs the garbage collector's barriers.
	key, keyEnd int // the current key; 0 is none
	value       int // the current value, which ends at next; 0 is none
	next        int // the entry to serve next
	forward     int // where the chunk ends, if it goes forward; else 0
	back        int // where it ends, if it goes backward; else 0

	backward bool // the direction of the chunk
	end      bool // nothing follows the chunk
	keysOnly bool
	done     bool  // the iterator itself was closed
	limit    int   // entries to ask for next
	err      error // what ended the walk
	pending  error // what will, when the chunk has been served
	buf      []byte
	pooled   *[]byte // buf's memory, if it is one of a pool
}

// Init makes the cursor ready. closed tells whether the store was closed.
func (c *Cursor) Init(src Source, closed *atomic.Bool, keysOnly bool) {
	c.src, c.closed, c.keysOnly = src, closed, keysOnly
}

// First moves to the first entry.
func (c *Cursor) First() bool { return c.position(First, nil, false) }

// Last moves to the last entry.
func (c *Cursor) Last() bool { return c.position(Last, nil, true) }

// SeekGE moves to the first entry whose key is key or greater.
func (c *Cursor) SeekGE(key []byte) bool { return c.position(SeekGE, key, false) }

// SeekLT moves to the last entry whose key is less than key.
func (c *Cursor) SeekLT(key []byte) bool { return c.position(SeekLT, key, true) }

// Next moves to the following entry.
func (c *Cursor) Next() bool {
	if c.next < c.forward && !c.closed.Load() {
		c.serve()
		return true
	}
	return c.advance(false)
}

// Prev moves to the entry before.
func (c *Cursor) Prev() bool {
	if c.next < c.back && !c.closed.Load() {
		c.serve()
		return true
	}
	return c.advance(true)
}

// Valid tells whether the cursor stands on an entry.
func (c *Cursor) Valid() bool { return c.key != 0 && !c.closed.Load() }

// Key returns the current key, nil if there is none.
func (c *Cursor) Key() []byte {
	if c.key == 0 || c.closed.Load() {
		return nil
	}
	return c.buf[c.key:c.keyEnd:c.keyEnd]
}

// Value returns the current value, nil if there is none.
func (c *Cursor) Value() []byte {
	if c.value == 0 || c.closed.Load() {
		return nil
	}
	return c.buf[c.value:c.next:c.next]
}

// Err returns what ended the walk.
func (c *Cursor) Err() error {
	if c.done || c.closed.Load() {
		return c.src.ClosedError()
	}
	return c.err
}

// Finish ends the cursor's life: nothing is served any more. Closing the
// iterator calls it; it may be repeated.
func (c *Cursor) Finish() {
	c.clear()
	c.done = true
	c.release()
}

// serve makes the next entry of the chunk the current one.
func (c *Cursor) serve() {
	if poison {
		c.poisonCurrent()
	}
	r := c.buf[c.next:]
	n := int(binary.NativeEndian.Uint32(r))
	m := int(binary.NativeEndian.Uint32(r[4:]))
	c.key = c.next + HeaderSize
	c.keyEnd = c.key + n
	if !c.keysOnly {
		c.value = c.keyEnd
	}
	c.next = c.keyEnd + m
}

// position starts a walk anew.
func (c *Cursor) position(op Op, key []byte, backward bool) bool {
	c.limit = 1
	if poison {
		key = bytes.Clone(key) // it may be the current one
	}
	return c.fill(op, key, backward)
}

// advance moves on when the chunk is used up, or turns round.
func (c *Cursor) advance(backward bool) bool {
	if c.key == 0 || c.closed.Load() {
		return false
	}
	if backward == c.backward {
		if c.end {
			c.clear()
			c.err = c.pending
			return false
		}
		return c.fill(onward(backward), nil, backward)
	}
	// The engine stands on the chunk's last entry, the caller on an earlier
	// one: seek from there. The key is in the buffer that is filled next.
	c.limit = 1
	op := SeekGT
	if backward {
		op = SeekLT
	}
	return c.fill(op, bytes.Clone(c.buf[c.key:c.keyEnd]), backward)
}

func onward(backward bool) Op {
	if backward {
		return Prev
	}
	return Next
}

// fill gets the next chunk and serves its first entry.
func (c *Cursor) fill(op Op, key []byte, backward bool) bool {
	c.clear()
	c.err, c.pending = nil, nil
	if c.done {
		return false
	}
	c.backward = backward
	c.reserve()
	r := c.src.Fill(op, key, c.buf, c.limit)
	if r.Count == 0 && r.Need > len(c.buf) {
		// One entry that is larger than the buffer gets one of its own.
		c.release()
		c.buf = make([]byte, r.Need)
		r = c.src.Fill(onward(backward), nil, c.buf, 1)
	}
	if c.limit < fullLimit {
		c.limit += (c.limit + 1) / 2
	}
	c.end, c.pending = r.End, r.Err
	if r.Count == 0 {
		c.err = r.Err
		return false
	}
	if backward {
		c.back = r.Used
	} else {
		c.forward = r.Used
	}
	c.serve()
	return true
}

// reserve makes the buffer fit for the number of entries that will be asked
// for: small at first, large for a walk that goes on.
func (c *Cursor) reserve() {
	want, from := smallSize, small
	if c.limit > 8 {
		want, from = largeSize, large
	}
	if len(c.buf) >= want {
		return
	}
	c.release()
	c.pooled = from.Get().(*[]byte)
	c.buf = *c.pooled
}

func (c *Cursor) release() {
	switch {
	case c.pooled == nil:
	case len(*c.pooled) == smallSize:
		small.Put(c.pooled)
	default:
		large.Put(c.pooled)
	}
	c.buf, c.pooled = nil, nil
}

func (c *Cursor) clear() {
	if poison {
		c.poisonCurrent()
	}
	c.key, c.keyEnd, c.value, c.next, c.forward, c.back = 0, 0, 0, 0, 0, 0
}

// poisonCurrent overwrites the current entry, in the debug build, so that
// slices that were kept too long show it.
func (c *Cursor) poisonCurrent() {
	if c.key == 0 {
		return
	}
	entry := c.buf[c.key:c.next]
	for i := range entry {
		entry[i] = 0xDB
	}
}
