package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"sync/atomic"
	"testing"
)

type entry struct{ key, value []byte }

var errDamage = errors.New("damage")
var errShut = errors.New("closed")

// fake is a source over sorted entries. It works as the engines' C code does,
// and fails the test when it is asked for what a source is never asked for.
type fake struct {
	t        testing.TB
	entries  []entry
	keysOnly bool
	pos      int // of the last entry filled in, or of the one ahead
	ahead    bool
	ended    bool
	backward bool
	fills    int
	damage   int // index of an entry that can't be read; -1
}

func (f *fake) ClosedError() error { return errShut }

func (f *fake) seek(key []byte) int {
	return sort.Search(len(f.entries), func(i int) bool { return bytes.Compare(f.entries[i].key, key) >= 0 })
}

func (f *fake) Fill(op Op, key, buf []byte, limit int) Result {
	f.fills++
	backward := op == Last || op == SeekLT || op == Prev
	step := 1
	if backward {
		step = -1
	}
	switch op {
	case First:
		f.pos = 0
	case Last:
		f.pos = len(f.entries) - 1
	case SeekGE:
		f.pos = f.seek(key)
	case SeekGT:
		f.pos = f.seek(append(bytes.Clone(key), 0))
	case SeekLT:
		f.pos = f.seek(key) - 1
	case Next, Prev:
		if backward != f.backward || f.ended {
			f.t.Errorf("moved on against the direction or behind the end")
		}
		if !f.ahead {
			f.pos += step
		}
	}
	f.ahead, f.ended, f.backward = false, false, backward
	var r Result
	for {
		if f.pos < 0 || f.pos >= len(f.entries) {
			r.End = true
			break
		}
		if f.pos == f.damage {
			r.End, r.Err = true, errDamage
			break
		}
		e := f.entries[f.pos]
		if f.keysOnly {
			e.value = nil
		}
		need := HeaderSize + len(e.key) + len(e.value)
		if need > len(buf)-r.Used {
			f.ahead = true
			r.Need = need
			break
		}
		binary.NativeEndian.PutUint32(buf[r.Used:], uint32(len(e.key)))
		binary.NativeEndian.PutUint32(buf[r.Used+4:], uint32(len(e.value)))
		copy(buf[r.Used+HeaderSize:], e.key)
		copy(buf[r.Used+HeaderSize+len(e.key):], e.value)
		r.Used += need
		if r.Count++; r.Count == limit {
			break
		}
		f.pos += step
	}
	f.ended = r.End
	return r
}

func newCursor(t testing.TB, entries []entry, keysOnly bool) (*Cursor, *fake, *atomic.Bool) {
	src := &fake{t: t, entries: entries, keysOnly: keysOnly, damage: -1}
	var c Cursor
	var closed atomic.Bool
	c.Init(src, &closed, keysOnly)
	return &c, src, &closed
}

// randomEntries have sizes from nothing to more than the largest buffer.
func randomEntries(r *rand.Rand, n int) []entry {
	seen := map[string]bool{}
	var entries []entry
	for range n {
		key := make([]byte, r.IntN(20))
		for i := range key {
			key[i] = byte(r.UintN(256))
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		sizes := []int{0, 1, 100, 5000, 70000, 200000}
		value := make([]byte, r.IntN(1+sizes[r.IntN(len(sizes))]))
		for i := range value {
			value[i] = byte(i * len(value))
		}
		entries = append(entries, entry{key, value})
	}
	sort.Slice(entries, func(i, j int) bool { return bytes.Compare(entries[i].key, entries[j].key) < 0 })
	return entries
}

// A cursor shows what a sorted list shows, over any walk, whatever the sizes of
// the entries: at the borders of chunks, when it turns round, with entries that
// fit into no buffer.
func TestWalkAgainstList(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		entries := randomEntries(r, 60)
		for _, keysOnly := range []bool{false, true} {
			c, _, _ := newCursor(t, entries, keysOnly)
			pos := -1 // -1: not valid
			for step := range 3000 {
				what, ok := move(r, c, entries, &pos)
				at := fmt.Sprintf("seed %d, step %d, %s", seed, step, what)
				if valid := pos >= 0; ok != valid || c.Valid() != valid {
					t.Fatalf("%s: returned %v, Valid %v, want %v", at, ok, c.Valid(), valid)
				}
				if c.Err() != nil {
					t.Fatalf("%s: %v", at, c.Err())
				}
				check(t, at, c, entries, pos, keysOnly)
			}
			c.Finish()
		}
	}
}

func check(t *testing.T, at string, c *Cursor, entries []entry, pos int, keysOnly bool) {
	t.Helper()
	if pos < 0 {
		if c.Key() != nil || c.Value() != nil {
			t.Fatalf("%s: key %q, value of %d bytes; want none", at, c.Key(), len(c.Value()))
		}
		return
	}
	e := entries[pos]
	if !bytes.Equal(c.Key(), e.key) || c.Key() == nil {
		t.Fatalf("%s: key %q, want %q", at, c.Key(), e.key)
	}
	if keysOnly != (c.Value() == nil) || !keysOnly && !bytes.Equal(c.Value(), e.value) {
		t.Fatalf("%s: value of %d bytes (nil: %v), want %d", at, len(c.Value()), c.Value() == nil, len(e.value))
	}
}

// move makes one random move on the cursor and in the list.
func move(r *rand.Rand, c *Cursor, entries []entry, pos *int) (what string, ok bool) {
	limit := func(i int) {
		*pos = i
		if i < 0 || i >= len(entries) {
			*pos = -1
		}
	}
	key := []byte{byte(r.UintN(256)), byte(r.UintN(256))}
	if r.IntN(2) == 0 {
		key = entries[r.IntN(len(entries))].key
	}
	at := sort.Search(len(entries), func(i int) bool { return bytes.Compare(entries[i].key, key) >= 0 })
	switch n := r.IntN(40); {
	case n == 0:
		limit(0)
		return "First", c.First()
	case n == 1:
		limit(len(entries) - 1)
		return "Last", c.Last()
	case n == 2:
		limit(at)
		return "SeekGE", c.SeekGE(key)
	case n == 3:
		limit(at - 1)
		return "SeekLT", c.SeekLT(key)
	case n < 24:
		if *pos >= 0 {
			limit(*pos + 1)
		}
		return "Next", c.Next()
	default:
		if *pos >= 0 {
			limit(*pos - 1)
		}
		return "Prev", c.Prev()
	}
}

// The number of crossings grows with the logarithm of a short walk, and one row
// costs one.
func TestChunksGrow(t *testing.T) {
	var entries []entry
	for i := range 10000 {
		entries = append(entries, entry{fmt.Appendf(nil, "%016d", i), make([]byte, 100)})
	}
	for _, test := range []struct{ rows, fills int }{{1, 1}, {3, 2}, {10, 4}, {100, 9}, {10000, 85}} {
		c, src, _ := newCursor(t, entries, false)
		ok := c.First()
		for range test.rows - 1 {
			ok = c.Next()
		}
		if !ok || src.fills > test.fills {
			t.Errorf("%d rows took %d fills, want at most %d", test.rows, src.fills, test.fills)
		}
	}
}

// Entries before a damage are served, then the walk ends with the error, which
// stays until the cursor is positioned anew.
func TestErrorComesAfterEntries(t *testing.T) {
	var entries []entry
	for i := range 100 {
		entries = append(entries, entry{fmt.Appendf(nil, "%03d", i), nil})
	}
	c, src, _ := newCursor(t, entries, false)
	src.damage = 50
	n := 0
	for ok := c.First(); ok; ok = c.Next() {
		if c.Err() != nil {
			t.Fatalf("error %v at entry %d", c.Err(), n)
		}
		n++
	}
	if n != 50 || c.Err() != errDamage || c.Next() || c.Prev() || c.Valid() || c.Err() != errDamage {
		t.Fatalf("%d entries, error %v", n, c.Err())
	}
	if !c.SeekGE([]byte("060")) || c.Err() != nil {
		t.Fatalf("after the damage: %v", c.Err())
	}
}

// Once the store is closed, or the cursor finished, nothing is shown and
// nothing is asked of the source.
func TestClosed(t *testing.T) {
	entries := []entry{{[]byte("a"), []byte("1")}, {[]byte("b"), []byte("2")}}
	for _, name := range []string{"store", "cursor"} {
		c, src, closed := newCursor(t, entries, false)
		c.First()
		if name == "store" {
			closed.Store(true)
		} else {
			c.Finish()
		}
		fills := src.fills
		if c.Valid() || c.Key() != nil || c.Value() != nil || c.Next() || c.Prev() || c.Err() != errShut {
			t.Errorf("closed %s: valid %v, key %q, error %v", name, c.Valid(), c.Key(), c.Err())
		}
		if src.fills != fills {
			t.Errorf("closed %s: the source was asked", name)
		}
		if name == "cursor" && (c.First() || c.SeekLT([]byte("z")) || c.Err() != errShut || src.fills != fills) {
			t.Errorf("finished cursor was positioned")
		}
	}
}

// The current key may be what is sought: it lies in the buffer that is filled.
func TestSeekCurrentKey(t *testing.T) {
	var entries []entry
	for i := range 100 {
		entries = append(entries, entry{fmt.Appendf(nil, "%03d", i), make([]byte, 50)})
	}
	c, _, _ := newCursor(t, entries, false)
	for ok := c.First(); ok && string(c.Key()) != "050"; {
		ok = c.Next()
	}
	for range 3 {
		if !c.SeekGE(c.Key()) || string(c.Key()) != "050" {
			t.Fatalf("at or behind 050 is %q", c.Key())
		}
	}
	for i := 49; i >= 47; i-- {
		if want := fmt.Sprintf("%03d", i); !c.SeekLT(c.Key()) || string(c.Key()) != want {
			t.Fatalf("%q, want %s", c.Key(), want)
		}
	}
}

// The poisoned build overwrites what is no longer current, also within a chunk,
// where the memory would stay as it is.
func TestPoison(t *testing.T) {
	var entries []entry
	for i := range 20 {
		entries = append(entries, entry{fmt.Appendf(nil, "key%02d", i), []byte("value")})
	}
	c, _, _ := newCursor(t, entries, false)
	kept := 0
	for ok := c.First(); ok; {
		key, value, was := c.Key(), c.Value(), string(c.Key())
		ok = c.Next()
		if string(key) == was && string(value) == "value" {
			kept++
		}
	}
	if poison && kept > 0 || !poison && kept == 0 {
		t.Errorf("%d of 20 entries were still there after Next", kept)
	}
}
