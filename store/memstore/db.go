package memstore

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// A DB is an open store in memory. It fulfils store.DB; its methods say only
// what is special about them. Durability makes no difference here: every write
// is there at the next Disk.Open.
type DB struct {
	*image
	disk     *Disk // nil for a store of its own
	path     string
	readOnly bool

	counts handle.Counters
	log    *slog.Logger

	closed    atomic.Bool // set with the image's mu held
	iterators atomic.Int64
	snapshots atomic.Int64
}

var _ store.DB = (*DB)(nil)

// read begins a read of the present state. Without an error, mu.RUnlock ends
// it.
func (db *DB) read(op string) error {
	db.mu.RLock()
	if db.closed.Load() {
		db.mu.RUnlock()
		return db.fail(op, store.ErrClosed)
	}
	return nil
}

// write begins a change. Without an error, mu.Unlock ends it.
func (db *DB) write(op string, o *store.WriteOptions) error {
	db.mu.Lock()
	var err error
	if db.closed.Load() {
		err = db.fail(op, store.ErrClosed)
	} else if db.readOnly {
		err = db.fail(op, store.ErrReadOnly)
	} else if cause := o.Err(); cause != nil {
		err = db.ended(op, cause)
	} else if cause := o.Check(false); cause != nil {
		err = db.fail(op, cause)
	}
	if err != nil {
		db.mu.Unlock()
	}
	return err
}

// Get returns a copy of the value under key; see store.Reader.
func (db *DB) Get(key []byte) ([]byte, error) {
	if err := db.read("get"); err != nil {
		return nil, err
	}
	defer db.mu.RUnlock()
	return db.appendGet("get", db.tree.root, []byte{}, nil, key)
}

// AppendGet appends the value under key to dst; see store.Reader.
func (db *DB) AppendGet(dst, key []byte) ([]byte, error) {
	if err := db.read("get"); err != nil {
		return dst, err
	}
	defer db.mu.RUnlock()
	return db.appendGet("get", db.tree.root, dst, dst, key)
}

// appendGet appends the value under key in root to dst. On an error it returns
// onError.
func (db *DB) appendGet(op string, root *node, dst, onError, key []byte) ([]byte, error) {
	if err := store.CheckKey(key); err != nil {
		return onError, db.fail(op, err)
	}
	value, found := get(root, key)
	if !found {
		db.counts.Count(handle.GetMiss, 0)
		return onError, store.ErrNotFound
	}
	db.counts.Count(handle.GetHit, len(value))
	return append(dst, value...), nil
}

// Has tells whether key is there; see store.Reader.
func (db *DB) Has(key []byte) (bool, error) {
	if err := db.read("has"); err != nil {
		return false, err
	}
	defer db.mu.RUnlock()
	return db.has(db.tree.root, key)
}

func (db *DB) has(root *node, key []byte) (bool, error) {
	if err := store.CheckKey(key); err != nil {
		return false, db.fail("has", err)
	}
	_, found := get(root, key)
	if found {
		db.counts.Count(handle.HasHit, 0)
	} else {
		db.counts.Count(handle.HasMiss, 0)
	}
	return found, nil
}

// MultiGet looks up all keys in one state; see store.Reader.
func (db *DB) MultiGet(keys [][]byte, dst *store.Values) error {
	if err := db.read("multiget"); err != nil {
		reset(dst)
		return err
	}
	defer db.mu.RUnlock()
	return db.multiGet(db.tree.root, keys, dst)
}

func (db *DB) multiGet(root *node, keys [][]byte, dst *store.Values) error {
	if dst == nil {
		return db.fail("multiget", &store.Error{Kind: store.ErrInvalidArgument, Msg: "no destination"})
	}
	dst.Reset()
	hits, bytes := 0, 0
	for _, key := range keys {
		if err := store.CheckKey(key); err != nil {
			dst.Reset()
			return db.fail("multiget", err)
		}
		if value, found := get(root, key); found {
			hits++
			bytes += len(value)
			dst.Append(value)
		} else {
			dst.AppendMissing()
		}
	}
	if len(keys) > 0 {
		db.counts.Count(handle.MultiKeys, len(keys))
		db.counts.Count(handle.MultiHits, hits)
		db.counts.Count(handle.MultiGet, bytes)
	}
	return nil
}

// reset empties a destination, so that a failed MultiGet leaves nothing in it.
func reset(dst *store.Values) {
	if dst != nil {
		dst.Reset()
	}
}

// Put stores value under key; see store.Writer.
func (db *DB) Put(key, value []byte, o *store.WriteOptions) error {
	if err := db.write("put", o); err != nil {
		return err
	}
	defer db.mu.Unlock()
	if err := store.CheckEntry(key, value); err != nil {
		return db.fail("put", err)
	}
	db.tree.put(key, value)
	db.counts.Count(handle.Put, len(key)+len(value))
	return nil
}

// Delete removes key; see store.Writer.
func (db *DB) Delete(key []byte, o *store.WriteOptions) error {
	if err := db.write("delete", o); err != nil {
		return err
	}
	defer db.mu.Unlock()
	if err := store.CheckKey(key); err != nil {
		return db.fail("delete", err)
	}
	db.tree.remove(key)
	db.counts.Count(handle.Delete, len(key))
	return nil
}

// DeleteRange removes the keys from start up to, not including, end; see
// store.Writer.
func (db *DB) DeleteRange(start, end []byte, o *store.WriteOptions) error {
	if err := db.write("delete range", o); err != nil {
		return err
	}
	defer db.mu.Unlock()
	if err := store.CheckRange(start, end); err != nil {
		return db.fail("delete range", err)
	}
	db.tree.removeRange(start, end)
	db.counts.Count(handle.DeleteRange, len(start)+len(end))
	return nil
}

// Write applies a batch; see store.Writer.
func (db *DB) Write(b *store.Batch, o *store.WriteOptions) error {
	if err := db.write("write", o); err != nil {
		return err
	}
	defer db.mu.Unlock()
	t := &db.tree
	err := b.Each(func(r store.Record) error {
		switch r.Kind {
		case store.KindPut:
			t.put(r.Key, r.Value)
		case store.KindDelete:
			t.remove(r.Key)
		case store.KindDeleteRange:
			t.removeRange(r.Key, r.End)
		}
		return nil
	})
	if err != nil {
		return db.fail("write", err)
	}
	if b.Len() > 0 {
		db.counts.Count(handle.Records, b.Len())
		db.counts.Count(handle.Write, b.Size())
	}
	return nil
}

// Flush marks the present state as the one that ApproximateSizes measures.
func (db *DB) Flush() error {
	if err := db.write("flush", nil); err != nil {
		return err
	}
	defer db.mu.Unlock()
	db.flushed = db.tree.freeze()
	return nil
}

// Compact checks its arguments and is a Flush: there is nothing to rewrite. A
// context that is done already is an error that wraps its own.
func (db *DB) Compact(ctx context.Context, r store.KeyRange) error {
	if err := db.write("compact", &store.WriteOptions{Context: ctx}); err != nil {
		return err
	}
	defer db.mu.Unlock()
	if err := store.CheckRange(r.Start, r.End); err != nil {
		return db.fail("compact", err)
	}
	db.flushed = db.tree.freeze()
	return nil
}

// ApproximateSizes adds up the keys and values of each range as they were at
// the latest Flush or Compact, in time proportional to their number.
func (db *DB) ApproximateSizes(rs []store.KeyRange) ([]uint64, error) {
	if err := db.read("approximate sizes"); err != nil {
		return nil, err
	}
	root := db.flushed
	db.mu.RUnlock()
	sizes := make([]uint64, len(rs))
	for i, r := range rs {
		if err := store.CheckRange(r.Start, r.End); err != nil {
			return nil, db.fail("approximate sizes", err)
		}
		var c cursor
		c.reset(root)
		for c.seekGE(r.Start); c.valid() && r.Contains(c.key()); c.next() {
			sizes[i] += uint64(len(c.key()) + len(c.value()))
		}
	}
	return sizes, nil
}

// Property knows "memstore.keys", the number of entries, and "memstore.bytes",
// the size of their keys and values.
func (db *DB) Property(name string) (string, error) {
	if err := db.read("property"); err != nil {
		return "", err
	}
	defer db.mu.RUnlock()
	switch name {
	case "memstore.keys":
		return strconv.Itoa(db.tree.count), nil
	case "memstore.bytes":
		return strconv.Itoa(db.tree.bytes), nil
	}
	return "", db.fail("property", &store.Error{Kind: store.ErrNotFound, Msg: strconv.Quote(name)})
}

// Metrics tells the operations (but for the calls of Scan: there are no chunks),
// MemoryBytes (keys and values), EstimatedKeys (exact here), OpenIterators and
// OpenSnapshots, and that no write is held back.
func (db *DB) Metrics() (store.Metrics, error) {
	if err := db.read("metrics"); err != nil {
		return store.Metrics{}, err
	}
	defer db.mu.RUnlock()
	m := store.Metrics{
		Engine:        Engine,
		MemoryBytes:   store.Known(uint64(db.tree.bytes)),
		Stalls:        noStalls,
		EstimatedKeys: store.Known(uint64(db.tree.count)),
		OpenIterators: store.Known(uint64(db.iterators.Load())),
		OpenSnapshots: store.Known(uint64(db.snapshots.Load())),
	}
	db.counts.Tell(&m)
	m.Operations.Scan.Calls = store.Figure{}
	m.Failures, m.Commits, m.WAL = store.Figure{}, store.Commits{}, store.WAL{}
	return m, nil
}

// Close closes the store; see store.DB. What is on a Disk stays there.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed.Load() {
		db.mu.Unlock()
		return db.fail("close", store.ErrClosed)
	}
	db.closed.Store(true)
	iterators, snapshots := db.iterators.Load(), db.snapshots.Load()
	db.mu.Unlock()
	// Only now: Open holds the disk's lock while it waits for mu.
	if db.disk != nil {
		db.disk.release(db.image)
	}
	db.log.Info("closed")
	if iterators == 0 && snapshots == 0 {
		return nil
	}
	msg := fmt.Sprintf("%s, %s", plural(iterators, "iterator"), plural(snapshots, "snapshot"))
	db.log.Warn("iterators or snapshots were left open", "open", msg)
	return db.fail("close", &store.Error{Kind: store.ErrLeaked, Msg: msg})
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
