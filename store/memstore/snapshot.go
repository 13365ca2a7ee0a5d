package memstore

import (
	"sync/atomic"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// A Snapshot is one state of a DB; see store.Snapshot.
type Snapshot struct {
	db       *DB
	root     *node
	released atomic.Bool
}

var _ store.Snapshot = (*Snapshot)(nil)

// NewSnapshot returns the present state, in constant time.
func (db *DB) NewSnapshot() (store.Snapshot, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed.Load() {
		return nil, db.fail("snapshot", store.ErrClosed)
	}
	db.snapshots.Add(1)
	db.counts.Count(handle.MadeSnapshot, 0)
	return &Snapshot{db: db, root: db.tree.freeze()}, nil
}

// check returns ErrClosed if the snapshot or its DB is closed.
func (s *Snapshot) check(op string) error {
	if s.released.Load() || s.db.closed.Load() {
		return s.db.fail(op, store.ErrClosed)
	}
	return nil
}

// Get returns a copy of the value under key; see store.Reader.
func (s *Snapshot) Get(key []byte) ([]byte, error) {
	if err := s.check("get"); err != nil {
		return nil, err
	}
	return s.db.appendGet("get", s.root, []byte{}, nil, key)
}

// AppendGet appends the value under key to dst; see store.Reader.
func (s *Snapshot) AppendGet(dst, key []byte) ([]byte, error) {
	if err := s.check("get"); err != nil {
		return dst, err
	}
	return s.db.appendGet("get", s.root, dst, dst, key)
}

// Has tells whether key is there; see store.Reader.
func (s *Snapshot) Has(key []byte) (bool, error) {
	if err := s.check("has"); err != nil {
		return false, err
	}
	return s.db.has(s.root, key)
}

// MultiGet looks up all keys; see store.Reader.
func (s *Snapshot) MultiGet(keys [][]byte, dst *store.Values) error {
	if err := s.check("multiget"); err != nil {
		reset(dst)
		return err
	}
	return s.db.multiGet(s.root, keys, dst)
}

// Release lets the snapshot go; see store.Snapshot.
func (s *Snapshot) Release() error {
	first := !s.released.Swap(true)
	if s.db.closed.Load() {
		return s.db.fail("release", store.ErrClosed)
	}
	if first {
		s.db.snapshots.Add(-1)
	}
	return nil
}
