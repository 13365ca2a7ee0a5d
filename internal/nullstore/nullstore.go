// Package nullstore is a store that does nothing: it forgets what is written,
// and reads yield the same canned entries always. Measured with it, a workload
// shows what the measuring itself costs.
package nullstore

import (
	"context"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/store"
)

// Shape says what reading gives.
type Shape struct {
	// Entries is the number of entries of a walk.
	Entries int64
	// KeySize and ValueSize are the lengths of each entry.
	KeySize, ValueSize int
}

// DB is a store that does nothing. It is safe for concurrent use.
type DB struct {
	shape      Shape
	key, value []byte
	closed     atomic.Bool
}

var _ store.DB = (*DB)(nil)

// New returns an open store of the shape.
func New(s Shape) *DB {
	return &DB{shape: s, key: make([]byte, s.KeySize), value: make([]byte, s.ValueSize)}
}

// Get returns a copy of the canned value.
func (db *DB) Get([]byte) ([]byte, error) { return append([]byte{}, db.value...), nil }

// AppendGet appends the canned value.
func (db *DB) AppendGet(dst, _ []byte) ([]byte, error) { return append(dst, db.value...), nil }

// Has says that every key is there.
func (db *DB) Has([]byte) (bool, error) { return true, nil }

// MultiGet gives the canned value for every key.
func (db *DB) MultiGet(keys [][]byte, dst *store.Values) error {
	if dst == nil {
		return fail("multiget", store.ErrInvalidArgument)
	}
	dst.Reset()
	for range keys {
		dst.Append(db.value)
	}
	return nil
}

// NewIterator returns an iterator over the canned entries. Options don't
// matter.
func (db *DB) NewIterator(*store.IterOptions) (store.Iterator, error) {
	return &iterator{db: db}, nil
}

// Put forgets.
func (db *DB) Put(_, _ []byte, _ *store.WriteOptions) error { return nil }

// Delete does nothing.
func (db *DB) Delete([]byte, *store.WriteOptions) error { return nil }

// DeleteRange does nothing.
func (db *DB) DeleteRange(_, _ []byte, _ *store.WriteOptions) error { return nil }

// Write forgets.
func (db *DB) Write(*store.Batch, *store.WriteOptions) error { return nil }

// NewSnapshot returns the store itself, as a snapshot.
func (db *DB) NewSnapshot() (store.Snapshot, error) { return snapshot{db}, nil }

// Flush does nothing.
func (db *DB) Flush() error { return nil }

// Compact does nothing.
func (db *DB) Compact(context.Context, store.KeyRange) error { return nil }

// ApproximateSizes gives zeros.
func (db *DB) ApproximateSizes(rs []store.KeyRange) ([]uint64, error) {
	return make([]uint64, len(rs)), nil
}

// Property knows no name.
func (db *DB) Property(string) (string, error) { return "", fail("property", store.ErrNotFound) }

// Metrics knows no figure.
func (db *DB) Metrics() (store.Metrics, error) { return store.Metrics{Engine: "null"}, nil }

// Close closes the store. Its other methods go on as before: they have nothing
// to lose.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return fail("close", store.ErrClosed)
	}
	return nil
}

func fail(op string, kind error) error { return &store.Error{Engine: "null", Op: op, Kind: kind} }

type snapshot struct{ *DB }

func (s snapshot) Release() error { return nil }

// iterator stands on entry at, from 1 to last. Off either end both are 0, and
// key and value are nil.
type iterator struct {
	at, last   int64
	key, value []byte
	db         *DB
}

func (it *iterator) First() bool        { return it.stand(1) }
func (it *iterator) Last() bool         { return it.stand(it.db.shape.Entries) }
func (it *iterator) SeekGE([]byte) bool { return it.First() }
func (it *iterator) SeekLT([]byte) bool { return it.Last() }
func (it *iterator) Valid() bool        { return it.at > 0 }
func (it *iterator) Key() []byte        { return it.key }
func (it *iterator) Value() []byte      { return it.value }
func (it *iterator) Err() error         { return nil }
func (it *iterator) Close() error       { return nil }

func (it *iterator) Next() bool {
	if it.at < it.last {
		it.at++
		return true
	}
	return it.stand(0)
}

func (it *iterator) Prev() bool {
	if it.at > 1 {
		it.at--
		return true
	}
	return it.stand(0)
}

// stand moves to entry at, if there is one.
func (it *iterator) stand(at int64) bool {
	db := it.db
	*it = iterator{db: db}
	if at < 1 || at > db.shape.Entries {
		return false
	}
	it.at, it.last, it.key, it.value = at, db.shape.Entries, db.key, db.value
	return true
}
