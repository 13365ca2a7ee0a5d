package rocksdb

import (
	"context"
	"log/slog"
	"runtime/trace"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lsmkit/lsmkit/internal/commit"
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// A DB is an open RocksDB store. It fulfils store.DB; the methods' comments
// here say what stands behind them and what is RocksDB's own way. It may be
// used by many goroutines at once.
type DB struct {
	path     string
	options  *Options // effective
	log      *slog.Logger
	stallLog *handle.StallLog
	engine   *engine
	claim    *dir.Claim
	guard    handle.Guard
	counts   handle.Counters
	closing  atomic.Bool // Close has begun; compactions stop
	children handle.Children

	// queue lets one synced write into C at a time; see internal/commit.
	queue *commit.Queue

	// held are the writes that wait in a stall.
	held heldWrites
	gate gate

	// jobsFailed is the number of background errors when a stall last passed.
	jobsFailed atomic.Uint64

	// compacting holds a token while a manual compaction runs: RocksDB can
	// cancel all or none, so there is one at a time.
	compacting chan struct{}
}

var _ store.DB = (*DB)(nil)

// Open opens the store in the folder path, or makes it there if the options
// say so. The path may be relative, may lead through symbolic links, and is
// resolved first; one folder can be open once in a process, however it is
// spelled, but any number of times read-only. Nil options are the zero value;
// they may be reused.
//
// The errors are ErrNotExist, ErrExists, ErrLocked, ErrWrongEngine (a LevelDB
// store, which is left as it is: RocksDB would convert it without a word),
// ErrIncompatible (another comparator, or more column families than default,
// which are named), ErrCorruption (which includes damaged logs, see
// Options.Recovery, and table files without CURRENT: RocksDB would end by deleting
// them), ErrNotSupported, ErrInvalidArgument, ErrNoSpace and ErrIO.
//
// It stands on rocksdb_open and rocksdb_open_for_read_only.
func Open(path string, o *Options) (*DB, error) {
	const op = "open"
	began := time.Now()
	e, err := o.Effective()
	if err != nil {
		return nil, refuse(op, path, err)
	}
	claim, err := dir.Acquire(Engine, op, path, dir.Mode{
		Create: e.CreateIfMissing, ErrorIfExists: e.ErrorIfExists, ReadOnly: e.ReadOnly,
	})
	if err != nil {
		return nil, err
	}
	if err := claim.CheckLogs(e.Recovery == store.Strict); err != nil {
		claim.Abandon()
		return nil, err
	}
	engine, text := open(claim.Path(), e)
	if text != "" {
		claim.Abandon()
		return nil, &store.Error{Engine: Engine, Op: op, Path: claim.Path(), Kind: status.OpenKind(text), Msg: text}
	}
	db := &DB{path: claim.Path(), options: e, log: e.logger(claim.Path()), engine: engine, claim: claim, compacting: make(chan struct{}, 1)}
	db.guard.Init(e.MaxCalls - 1) // one more is the queue's
	db.counts.Init()
	db.stallLog = handle.NewStallLog(db.log)
	db.queue = commit.New(&db.guard, db.commitGroup)
	db.log.Info("opened", "took", time.Since(began), "readonly", e.ReadOnly)
	return db, nil
}

// Path returns the folder that the store is in, as it was resolved.
func (db *DB) Path() string { return db.path }

// Close waits for calls in flight, frees iterators and snapshots that are still
// open, and closes the store. The error is ErrLeaked if there were any; again
// it is ErrClosed. Manual compactions under way are stopped, and their Compact
// returns ErrClosed.
//
// It stands on rocksdb_close.
func (db *DB) Close() error {
	const op = "close"
	// Only a store that is not closed yet may be told to stop compactions, and
	// only afterwards may it be closed, since the latter waits for them.
	if s := db.guard.EnterOver(); s != nil {
		db.closing.Store(true)
		if !db.options.ReadOnly {
			db.engine.cancelCompactions()
		}
		db.guard.Exit(s)
	}
	if !db.guard.Close() {
		return db.sentinel(op, store.ErrClosed)
	}
	leaked := db.children.CloseAll()
	db.engine.close()
	db.claim.Release()
	db.log.Info("closed")
	if leaked != "" {
		db.log.Warn("iterators or snapshots were left open", "open", leaked)
		return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: store.ErrLeaked, Msg: leaked}
	}
	return nil
}

// enter lets a call in; guard.Exit ends it.
func (db *DB) enter(op string) (*handle.Stripe, error) {
	if s := db.guard.Enter(); s != nil {
		return s, nil
	}
	return nil, db.sentinel(op, store.ErrClosed)
}

// enterOrGiveUp is enter for a call that gives up when ctx, which may be nil,
// ends while it waits for its place.
func (db *DB) enterOrGiveUp(op string, ctx context.Context) (*handle.Stripe, error) {
	s, err := db.guard.EnterContext(ctx)
	switch {
	case err != nil:
		return nil, db.ended(op, "nothing was done", err)
	case s == nil:
		return nil, db.sentinel(op, store.ErrClosed)
	}
	return s, nil
}

// Get stands on rocksdb_get_pinned. See store.Reader.
func (db *DB) Get(key []byte) ([]byte, error) {
	s, err := db.enter("get")
	if err != nil {
		return nil, err
	}
	return db.get(db.engine.reader(), s, key)
}

// AppendGet stands on rocksdb_get_pinned. See store.Reader.
func (db *DB) AppendGet(dst, key []byte) ([]byte, error) {
	s, err := db.enter("get")
	if err != nil {
		return dst, err
	}
	return db.appendGet(db.engine.reader(), s, dst, key)
}

// Has stands on rocksdb_get_pinned; the value stays where it is. See
// store.Reader.
func (db *DB) Has(key []byte) (bool, error) {
	s, err := db.enter("has")
	if err != nil {
		return false, err
	}
	return db.has(db.engine.reader(), s, key)
}

// MultiGet stands on rocksdb_batched_multi_get_cf, which reads one state of the
// store. See store.Reader.
func (db *DB) MultiGet(keys [][]byte, dst *store.Values) error {
	if dst != nil {
		dst.Reset() // also when the store is closed
	}
	s, err := db.enter("multi-get")
	if err != nil {
		return err
	}
	return db.multiGet(db.engine.reader(), s, keys, dst)
}

// The reads below are shared with Snapshot. The caller holds the guards, and
// hands over its place in the store's, which is left in C unless a value is held
// there: nothing of the engine may be touched afterwards.

// stackValue is the size up to which Get needs no second crossing.
const stackValue = 512

func (db *DB) get(r reader, s *handle.Stripe, key []byte) ([]byte, error) {
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.get").End()
	}
	if err := store.CheckKey(key); err != nil {
		db.guard.Exit(s)
		return nil, db.refuse("get", err)
	}
	var buf [stackValue]byte
	v, text := db.engine.get(r, s, key, buf[:])
	defer db.guard.Leave(s, v.left)
	if text != "" {
		return nil, db.fail("get", text)
	}
	if !v.found {
		db.counts.Count(handle.GetMiss, 0)
		return nil, store.ErrNotFound
	}
	db.counts.Count(handle.GetHit, v.n)
	out := make([]byte, v.n)
	if v.held != nil {
		v.take(out)
	} else {
		copy(out, buf[:])
	}
	return out, nil
}

func (db *DB) appendGet(r reader, s *handle.Stripe, dst, key []byte) ([]byte, error) {
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.get").End()
	}
	if err := store.CheckKey(key); err != nil {
		db.guard.Exit(s)
		return dst, db.refuse("get", err)
	}
	v, text := db.engine.get(r, s, key, dst[len(dst):cap(dst)])
	if v.held == nil {
		db.guard.Leave(s, v.left)
	} else {
		defer db.guard.Exit(s)
	}
	if text != "" {
		return dst, db.fail("get", text)
	}
	if !v.found {
		db.counts.Count(handle.GetMiss, 0)
		return dst, store.ErrNotFound
	}
	db.counts.Count(handle.GetHit, v.n)
	end := len(dst) + v.n
	if v.held == nil {
		return dst[:end], nil
	}
	grown := slices.Grow(dst, v.n)[:end]
	v.take(grown[len(dst):])
	return grown, nil
}

func (db *DB) has(r reader, s *handle.Stripe, key []byte) (bool, error) {
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.has").End()
	}
	if err := store.CheckKey(key); err != nil {
		db.guard.Exit(s)
		return false, db.refuse("has", err)
	}
	found, left, text := db.engine.has(r, s, key)
	db.guard.Leave(s, left)
	if text != "" {
		return false, db.fail("has", text)
	}
	db.countHas(found)
	return found, nil
}

func (db *DB) countHas(found bool) {
	if found {
		db.counts.Count(handle.HasHit, 0)
	} else {
		db.counts.Count(handle.HasMiss, 0)
	}
}

func (db *DB) multiGet(r reader, s *handle.Stripe, keys [][]byte, dst *store.Values) error {
	const op = "multi-get"
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.multi-get").End()
	}
	if dst == nil {
		db.guard.Exit(s)
		return db.invalid(op, "nil destination")
	}
	arena, lens, err := flatten(keys)
	if err != nil {
		db.guard.Exit(s)
		return db.refuse(op, err)
	}
	if len(keys) == 0 {
		db.guard.Exit(s)
		return nil
	}
	sizes := make([]int64, len(keys))
	values, left, text := db.engine.multiGet(r, s, arena, lens, sizes, dst.Arena())
	db.guard.Leave(s, left)
	if text != "" {
		return db.fail(op, text)
	}
	hits := 0
	for _, n := range sizes {
		if n >= 0 {
			hits++
		}
	}
	db.counts.Count(handle.MultiKeys, len(keys))
	db.counts.Count(handle.MultiHits, hits)
	db.counts.Count(handle.MultiGet, len(values))
	dst.SetArena(values, sizes)
	return nil
}

// flatten puts keys into one piece of memory, since a [][]byte may not cross
// into C.
func flatten(keys [][]byte) (arena []byte, lens []uintptr, err error) {
	total := 0
	for _, k := range keys {
		if err := store.CheckKey(k); err != nil {
			return nil, nil, err
		}
		total += len(k)
	}
	arena = make([]byte, 0, total)
	lens = make([]uintptr, 0, len(keys))
	for _, k := range keys {
		arena = append(arena, k...)
		lens = append(lens, uintptr(len(k)))
	}
	return arena, lens, nil
}

// Flush stands on rocksdb_flush. A store that is open read-only is ErrReadOnly.
// See store.DB.
func (db *DB) Flush() error {
	const op = "flush"
	if trace.IsEnabled() {
		defer handle.Region(nil, "lsmkit.flush").End()
	}
	s, err := db.enter(op)
	if err != nil {
		return err
	}
	defer db.guard.Exit(s)
	if db.options.ReadOnly {
		return db.sentinel(op, store.ErrReadOnly)
	}
	return db.failed(op, db.engine.flush())
}

// Compact rewrites the bottommost level too, as far as it has not been written
// by this compaction already (RocksDB's plain call leaves it out). One
// compaction runs at a time; others wait. When ctx ends, what has been rewritten
// stays, the rest is left as it was, and the error wraps ctx's. A store that is
// open read-only is ErrReadOnly.
//
// It stands on rocksdb_compact_range_opt, which returns nothing: an error is
// noticed by the property rocksdb.background-errors, and an empty rocksdb_write
// tells what it is. Stopping stands on rocksdb_disable_manual_compaction.
func (db *DB) Compact(ctx context.Context, r store.KeyRange) error {
	const op = "compact"
	if trace.IsEnabled() {
		defer handle.Region(ctx, "lsmkit.compact").End()
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if err := store.CheckRange(r.Start, r.End); err != nil {
		return db.refuse(op, err)
	}
	switch {
	case db.guard.Closed():
		return db.sentinel(op, store.ErrClosed)
	case db.options.ReadOnly:
		return db.sentinel(op, store.ErrReadOnly)
	case ctx.Err() != nil:
		return db.ended(op, "nothing was done", ctx.Err())
	}
	s, err := db.beginCompaction(op, ctx)
	if err != nil {
		return err
	}
	defer func() { <-db.compacting }()
	defer db.guard.Exit(s)
	switch {
	case db.closing.Load():
		return db.sentinel(op, store.ErrClosed)
	case r.Empty():
		return nil
	}
	return db.compact(ctx, op, r)
}

// beginCompaction waits until no other compaction runs, and lets this one in.
// The caller takes the token out of compacting at the end.
func (db *DB) beginCompaction(op string, ctx context.Context) (*handle.Stripe, error) {
	select {
	case db.compacting <- struct{}{}:
	case <-ctx.Done():
		return nil, db.ended(op, "nothing was done", ctx.Err())
	}
	s, err := db.enterOrGiveUp(op, ctx)
	if err != nil {
		<-db.compacting
	}
	return s, err
}

// compact runs the one compaction. The caller holds the token.
func (db *DB) compact(ctx context.Context, op string, r store.KeyRange) error {
	before := db.backgroundErrors()
	canceled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		db.engine.cancelCompactions()
		close(canceled)
	})
	db.engine.compact(r.Start, r.End)
	ended := !stop()
	if ended {
		<-canceled
		db.engine.allowCompactions()
	}
	if db.closing.Load() {
		return db.sentinel(op, store.ErrClosed)
	}
	if n := db.backgroundErrors(); n > before {
		db.log.Error("background jobs have failed", "number", n-before)
		if text := db.engine.check(); text != "" {
			return db.fail(op, text)
		}
		return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: store.ErrUnknown,
			Msg: "a background job failed; RocksDB's log tells why"}
	}
	if ended {
		return db.ended(op, "stopped on the way", ctx.Err())
	}
	return nil
}

func (db *DB) backgroundErrors() uint64 {
	text, _ := db.engine.property("rocksdb.background-errors")
	n, _ := parseFigure(text).Value()
	return n
}
