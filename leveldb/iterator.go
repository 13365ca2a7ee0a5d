package leveldb

import (
	"runtime/trace"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/internal/chunk"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// cursor has the methods of store.Iterator but for Close; embedding it under
// this name keeps it out of the exported fields.
type cursor = chunk.Cursor

// An Iterator fulfils store.Iterator. It fetches entries in chunks of growing
// size: moving it stands on leveldb_iter_seek, _seek_to_first, _seek_to_last,
// _next and _prev, reading it on leveldb_iter_key and _value, Err on
// leveldb_iter_get_error. It belongs to one goroutine at a time.
type Iterator struct {
	cursor
	db   *DB
	core *iterCore
}

var _ store.Iterator = (*Iterator)(nil)

// iterCore is what an iterator has in C. It doesn't point to the Iterator, so
// that one that was forgotten can be found by the garbage collector.
type iterCore struct {
	handle.Node
	db       *DB
	c        cIter
	snapshot *snapCore   // held, may be nil
	counted  bool        // what it reads is in the metrics
	busy     atomic.Bool // a call into C is under way
	closed   atomic.Bool
	inside   bool // used within a call, which has a place in the guard already
}

// Free frees the iterator and lets go of its snapshot.
func (x *iterCore) Free() {
	x.closed.Store(true)
	x.c.free()
	if x.snapshot != nil {
		x.snapshot.drop()
	}
}

// NewIterator stands on leveldb_create_iterator. See store.Reader.
func (db *DB) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	if o != nil && o.Snapshot != nil {
		s, ok := o.Snapshot.(*Snapshot)
		if !ok || s == nil || s.db != db {
			return nil, db.invalid("iterator", "snapshot of another store")
		}
		return s.NewIterator(o)
	}
	s, err := db.enter("iterator")
	if err != nil {
		return nil, err
	}
	defer db.guard.Exit(s)
	return db.newIterator(db.engine.reader(), o, nil)
}

// newIterator makes a registered iterator. The caller holds the guards, and has
// taken a reference to the snapshot for it.
func (db *DB) newIterator(r reader, o *store.IterOptions, snapshot *snapCore) (store.Iterator, error) {
	if o == nil {
		o = &store.IterOptions{}
	}
	if len(o.Lower) > store.MaxKeySize+1 || len(o.Upper) > store.MaxKeySize+1 || len(o.Prefix) > store.MaxKeySize+1 {
		return nil, db.sentinel("iterator", store.ErrTooLarge)
	}
	if !o.FillCache.Valid() || !o.VerifyChecksums.Valid() {
		return nil, db.invalid("iterator", "unknown setting")
	}
	kr := o.Range()
	it, err := db.iterator(r, iterSettings{
		lower:     kr.Start,
		upper:     kr.End,
		keysOnly:  o.KeysOnly,
		fillCache: o.FillCache.Enabled(true),
		verify:    o.VerifyChecksums.Enabled(db.engine.verify),
	}, snapshot)
	if err != nil {
		return nil, err
	}
	it.core.counted = true
	db.counts.Count(handle.MadeIterator, 0)
	db.children.Add(handle.Iterator, &it.core.Node, it.core)
	handle.Watch(it, handle.Iterator, it.core.closed.Load)
	return it, nil
}

// inner makes an iterator for use within a call, which has to free its core. It
// works on when Close has begun: that waits for the call.
func (db *DB) inner(s iterSettings) (*Iterator, error) {
	it, err := db.iterator(db.engine.reader(), s, nil)
	if err != nil {
		return nil, err
	}
	it.core.inside = true
	it.Init(it.core, new(atomic.Bool), s.keysOnly)
	return it, nil
}

// iterator makes one that is not registered: the caller has to free its core.
func (db *DB) iterator(r reader, s iterSettings, snapshot *snapCore) (*Iterator, error) {
	c, ok := db.engine.newIter(r, s)
	if !ok {
		return nil, &store.Error{Engine: Engine, Op: "iterator", Path: db.path, Kind: store.ErrUnknown, Msg: "out of memory"}
	}
	it := &Iterator{db: db, core: &iterCore{db: db, c: c, snapshot: snapshot}}
	it.Init(it.core, db.guard.Flag(), s.keysOnly)
	return it, nil
}

// Close stands on leveldb_iter_destroy. See store.Iterator.
func (it *Iterator) Close() error {
	s, err := it.db.enter("iterator close")
	if err != nil {
		it.Finish()
		return err
	}
	defer it.db.guard.Exit(s)
	x := it.core
	if !x.busy.CompareAndSwap(false, true) {
		return it.db.sentinel("iterator close", store.ErrBusy)
	}
	defer x.busy.Store(false)
	it.Finish()
	if it.db.children.Remove(handle.Iterator, &x.Node) {
		x.Free()
	}
	return nil
}

// Fill fetches a chunk for the cursor.
func (x *iterCore) Fill(op chunk.Op, key, buf []byte, limit int) chunk.Result {
	if x.inside {
		r, _ := x.fill(nil, op, key, buf, limit)
		return r
	}
	s := x.db.guard.Enter()
	if s == nil {
		return chunk.Result{End: true, Err: x.ClosedError()}
	}
	r, left := x.fill(s, op, key, buf, limit)
	x.db.guard.Leave(s, left)
	return r
}

// fill is Fill for who has a place in the guard: s, nil for one of the caller's.
func (x *iterCore) fill(s *handle.Stripe, op chunk.Op, key, buf []byte, limit int) (chunk.Result, handle.Left) {
	if len(key) > store.MaxKeySize+1 {
		return chunk.Result{End: true, Err: x.db.sentinel("iterator", store.ErrTooLarge)}, handle.Inside
	}
	// Two goroutines in one iterator are a fault of the program, and no reason
	// to let it crash.
	if !x.busy.CompareAndSwap(false, true) {
		return chunk.Result{End: true, Err: x.db.sentinel("iterator", store.ErrBusy)}, handle.Inside
	}
	defer x.busy.Store(false)
	if x.closed.Load() {
		return chunk.Result{End: true, Err: x.ClosedError()}, handle.Inside
	}
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.scan").End()
	}
	r, left, text := x.c.fill(s, op, key, buf, limit)
	r.Err = x.db.failed("iterator", text)
	if x.counted {
		x.count(op, r)
	}
	return r, left
}

// count counts a chunk.
func (x *iterCore) count(op chunk.Op, r chunk.Result) {
	if op <= chunk.SeekLT {
		x.db.counts.Count(handle.Seek, 0)
	}
	if r.Count > 0 {
		x.db.counts.Count(handle.Entries, r.Count)
		x.db.counts.Count(handle.Chunk, r.Used-r.Count*chunk.HeaderSize)
	}
}

// ClosedError is what a closed iterator's Err returns.
func (x *iterCore) ClosedError() error { return x.db.sentinel("iterator", store.ErrClosed) }
