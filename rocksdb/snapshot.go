package rocksdb

import (
	"runtime/trace"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// A Snapshot fulfils store.Snapshot. It may be used by many goroutines at once.
type Snapshot struct {
	db   *DB
	core *snapCore
}

var _ store.Snapshot = (*Snapshot)(nil)

// snapCore is what a snapshot has in C. The snapshot itself and each iterator
// made from it hold a reference; the last one frees it.
type snapCore struct {
	handle.Node
	db    *DB
	guard handle.Guard
	r     reader
	refs  atomic.Int32
}

// Free lets go of the snapshot's own reference.
func (x *snapCore) Free() {
	x.guard.Close()
	x.drop()
}

func (x *snapCore) drop() {
	if x.refs.Add(-1) == 0 {
		x.db.engine.freeSnapshot(x.r)
	}
}

// NewSnapshot stands on rocksdb_create_snapshot. See store.DB.
func (db *DB) NewSnapshot() (store.Snapshot, error) {
	s, err := db.enter("snapshot")
	if err != nil {
		return nil, err
	}
	defer db.guard.Exit(s)
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.snapshot").End()
	}
	x := &snapCore{db: db, r: db.engine.snapshot()}
	x.guard.Init(0)
	x.refs.Store(1)
	db.counts.Count(handle.MadeSnapshot, 0)
	db.children.Add(handle.Snapshot, &x.Node, x)
	snap := &Snapshot{db: db, core: x}
	handle.Watch(snap, handle.Snapshot, x.guard.Closed)
	return snap, nil
}

// Release stands on rocksdb_release_snapshot. See store.Snapshot.
func (s *Snapshot) Release() error {
	stripe, err := s.db.enter("release")
	if err != nil {
		return err
	}
	defer s.db.guard.Exit(stripe)
	if s.core.guard.Close() && s.db.children.Remove(handle.Snapshot, &s.core.Node) {
		s.core.drop()
	}
	return nil
}

// enter lets a call into the store and the snapshot; exit ends it.
func (s *Snapshot) enter(op string) (outer, inner *handle.Stripe, err error) {
	outer, err = s.db.enter(op)
	if err != nil {
		return nil, nil, err
	}
	if inner = s.core.guard.Enter(); inner == nil {
		s.db.guard.Exit(outer)
		return nil, nil, s.closed(op)
	}
	return outer, inner, nil
}

func (s *Snapshot) closed(op string) error { return s.db.sentinel("snapshot "+op, store.ErrClosed) }

func (s *Snapshot) exit(outer, inner *handle.Stripe) {
	s.core.guard.Exit(inner)
	s.db.guard.Exit(outer)
}

// Get stands on rocksdb_get_pinned. See store.Reader.
func (s *Snapshot) Get(key []byte) ([]byte, error) {
	a, b, err := s.enter("get")
	if err != nil {
		return nil, err
	}
	defer s.core.guard.Exit(b)
	return s.db.get(s.core.r, a, key)
}

// AppendGet stands on rocksdb_get_pinned. See store.Reader.
func (s *Snapshot) AppendGet(dst, key []byte) ([]byte, error) {
	a, b, err := s.enter("get")
	if err != nil {
		return dst, err
	}
	defer s.core.guard.Exit(b)
	return s.db.appendGet(s.core.r, a, dst, key)
}

// Has stands on rocksdb_get_pinned. See store.Reader.
func (s *Snapshot) Has(key []byte) (bool, error) {
	a, b, err := s.enter("has")
	if err != nil {
		return false, err
	}
	defer s.core.guard.Exit(b)
	return s.db.has(s.core.r, a, key)
}

// MultiGet stands on rocksdb_get_pinned. See store.Reader.
func (s *Snapshot) MultiGet(keys [][]byte, dst *store.Values) error {
	if dst != nil {
		dst.Reset() // also when the store is closed
	}
	a, b, err := s.enter("multi-get")
	if err != nil {
		return err
	}
	defer s.core.guard.Exit(b)
	return s.db.multiGet(s.core.r, a, keys, dst)
}

// NewIterator stands on rocksdb_create_iterator. See store.Reader.
func (s *Snapshot) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	a, b, err := s.enter("iterator")
	if err != nil {
		return nil, err
	}
	defer s.exit(a, b)
	if o != nil && o.Snapshot != nil {
		if other, ok := o.Snapshot.(*Snapshot); !ok || other != s {
			return nil, s.db.invalid("iterator", "options name another snapshot")
		}
	}
	s.core.refs.Add(1)
	it, err := s.db.newIterator(s.core.r, o, s.core)
	if err != nil {
		s.core.drop()
	}
	return it, err
}
