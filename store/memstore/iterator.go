package memstore

import (
	"bytes"
	"errors"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// An Iterator walks over one state of a DB; see store.Iterator. In a build with
// the tag lsmkitdebug, the bytes that Key and Value returned are overwritten
// when it moves.
type Iterator struct {
	db       *DB
	cursor   cursor
	bounds   store.KeyRange
	keysOnly bool
	closed   bool

	// key is not nil while the iterator stands on an entry.
	key, value []byte
	err        error
}

var _ store.Iterator = (*Iterator)(nil)

// NewIterator returns an iterator over the present state, or over that of the
// snapshot that o names, in constant time.
func (db *DB) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	if o != nil && o.Snapshot != nil {
		s, ok := o.Snapshot.(*Snapshot)
		if !ok || s == nil || s.db != db {
			if err := db.read("iterator"); err != nil {
				return nil, err
			}
			db.mu.RUnlock()
			return nil, db.fail("iterator", &store.Error{Kind: store.ErrInvalidArgument, Msg: "snapshot of another store"})
		}
		return s.NewIterator(o)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed.Load() {
		return nil, db.fail("iterator", store.ErrClosed)
	}
	return db.newIterator(db.tree.freeze, o)
}

// NewIterator returns an iterator over the snapshot's state. Options that name
// another snapshot are ErrInvalidArgument.
func (s *Snapshot) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	s.db.mu.RLock()
	defer s.db.mu.RUnlock()
	if err := s.check("iterator"); err != nil {
		return nil, err
	}
	if o != nil && o.Snapshot != nil && o.Snapshot != store.Snapshot(s) {
		return nil, s.db.fail("iterator", &store.Error{Kind: store.ErrInvalidArgument, Msg: "another snapshot"})
	}
	return s.db.newIterator(func() *node { return s.root }, o)
}

// newIterator is called with mu held, so that Close counts the iterator or
// comes first.
func (db *DB) newIterator(root func() *node, o *store.IterOptions) (store.Iterator, error) {
	it := &Iterator{db: db}
	if o != nil {
		for _, bound := range [][]byte{o.Lower, o.Upper, o.Prefix} {
			if err := checkSeek(bound); err != nil {
				return nil, db.fail("iterator", err)
			}
		}
		r := o.Range()
		it.bounds = store.KeyRange{Start: bytes.Clone(r.Start), End: bytes.Clone(r.End)}
		it.keysOnly = o.KeysOnly
	}
	it.cursor.reset(root())
	db.iterators.Add(1)
	db.counts.Count(handle.MadeIterator, 0)
	return it, nil
}

// First moves to the first entry within the bounds.
func (it *Iterator) First() bool {
	if !it.begin("first") {
		return false
	}
	it.cursor.seekGE(it.bounds.Start)
	return it.settle()
}

// Last moves to the last entry within the bounds.
func (it *Iterator) Last() bool {
	if !it.begin("last") {
		return false
	}
	if it.bounds.End == nil {
		it.cursor.last()
	} else {
		it.cursor.seekLT(it.bounds.End)
	}
	return it.settle()
}

// SeekGE moves to the first entry with key or a greater one.
func (it *Iterator) SeekGE(key []byte) bool {
	if !it.begin("seek") || !it.accept(key) {
		return false
	}
	if bytes.Compare(key, it.bounds.Start) < 0 {
		key = it.bounds.Start
	}
	it.cursor.seekGE(key)
	return it.settle()
}

// SeekLT moves to the last entry with a key less than key.
func (it *Iterator) SeekLT(key []byte) bool {
	if !it.begin("seek") || !it.accept(key) {
		return false
	}
	if it.bounds.End != nil && bytes.Compare(key, it.bounds.End) > 0 {
		key = it.bounds.End
	}
	it.cursor.seekLT(key)
	return it.settle()
}

// Next moves to the following entry.
func (it *Iterator) Next() bool {
	if !it.Valid() {
		return false
	}
	it.leave()
	it.cursor.next()
	return it.settle()
}

// Prev moves to the entry before.
func (it *Iterator) Prev() bool {
	if !it.Valid() {
		return false
	}
	it.leave()
	it.cursor.prev()
	return it.settle()
}

// begin readies the iterator for positioning. It returns false, with err set,
// if it is closed.
func (it *Iterator) begin(op string) bool {
	it.leave()
	it.err = nil
	if it.closed || it.db.closed.Load() {
		it.err = it.db.fail(op, store.ErrClosed)
		return false
	}
	it.db.counts.Count(handle.Seek, 0)
	return true
}

func (it *Iterator) accept(key []byte) bool {
	if err := checkSeek(key); err != nil {
		it.err = it.db.fail("seek", err)
		return false
	}
	return true
}

// leave gives up the present entry.
func (it *Iterator) leave() {
	poison(it.key)
	poison(it.value)
	it.key, it.value = nil, nil
}

// settle takes the entry that the cursor stands on, if it is within the bounds.
func (it *Iterator) settle() bool {
	if !it.cursor.valid() {
		return false
	}
	key := it.cursor.key()
	if !it.bounds.Contains(key) {
		return false
	}
	it.key = lend(key)
	if !it.keysOnly {
		it.value = lend(it.cursor.value())
	}
	it.db.counts.Count(handle.Entries, 1)
	it.db.counts.Count(handle.Chunk, len(it.key)+len(it.value))
	return true
}

// Valid tells whether the iterator stands on an entry.
func (it *Iterator) Valid() bool { return it.key != nil && !it.db.closed.Load() }

// Key returns the current key; see store.Iterator.
func (it *Iterator) Key() []byte {
	if !it.Valid() {
		return nil
	}
	return it.key
}

// Value returns the current value; see store.Iterator.
func (it *Iterator) Value() []byte {
	if !it.Valid() {
		return nil
	}
	return it.value
}

// Err returns ErrClosed after Close, ErrTooLarge after a seek with too large a
// key, and otherwise nil: reading memory does not fail.
func (it *Iterator) Err() error {
	if (it.closed || it.db.closed.Load()) && !errors.Is(it.err, store.ErrClosed) {
		it.err = it.db.fail("iterator", store.ErrClosed)
	}
	return it.err
}

// Close lets the iterator go; see store.Iterator.
func (it *Iterator) Close() error {
	first := !it.closed
	it.closed = true
	it.leave()
	it.cursor = cursor{}
	if it.db.closed.Load() {
		return it.db.fail("close iterator", store.ErrClosed)
	}
	if first {
		it.db.iterators.Add(-1)
	}
	return nil
}
