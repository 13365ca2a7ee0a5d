package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// Namespace returns a view of db: a DB whose keys are those of db that begin with
// prefix, without it. Nothing else of db can be seen or changed through it, and
// every method keeps its contract, with nil bounds for the ends of the namespace.
// Several namespaces of one store, and namespaces of namespaces, may be in use at
// once. The prefix may be reused after the call.
//
// An empty prefix is ErrInvalidArgument, one longer than MaxKeySize ErrTooLarge.
// In the namespace, the longest key is shorter by the prefix, and so is what a
// batch may hold: MaxBatchSize counts with the prefixes.
//
// Flush, Property and Metrics are about the whole of db, but OpenIterators and
// OpenSnapshots, which are the namespace's, and EstimatedKeys, which is not known
// of a part. What only some engines have (TableLister and the like) has to be
// asked of db.
//
// Close closes the namespace and leaves db open: it waits for calls in flight,
// and releases its snapshots. The error is ErrLeaked if there were any, or
// iterators; these end as well, and let go of the engine when they are closed, or
// with db. After Close, and after that of db, all methods return ErrClosed.
//
// Keys are copied to be put behind the prefix, for which no memory is allocated.
// Iterators leave the prefix out without a copy.
func Namespace(db DB, prefix []byte) (DB, error) {
	const op = "namespace"
	longest := MaxKeySize
	if outer, ok := db.(*namespace); ok {
		longest = outer.longest
	}
	switch {
	case db == nil:
		return nil, &Error{Op: op, Kind: ErrInvalidArgument, Msg: "nil store"}
	case len(prefix) == 0:
		return nil, &Error{Op: op, Kind: ErrInvalidArgument, Msg: "empty prefix"}
	case len(prefix) > longest:
		return nil, &Error{Op: op, Kind: ErrTooLarge, Msg: "prefix"}
	}
	engine, path, err := identify(db)
	if err != nil {
		return nil, err
	}
	n := &namespace{
		db: db, engine: engine, path: path,
		prefix: append([]byte{}, prefix...), end: PrefixEnd(prefix), longest: longest - len(prefix),
		snapshots: make(map[*namespaceSnapshot]struct{}),
	}
	n.scoped = scoped{n, db, ""}
	return n, nil
}

// identify returns the engine and path that db's errors have. It asks for a
// property that no engine has.
func identify(db DB) (engine, path string, err error) {
	_, err = db.Property("")
	var e *Error
	switch {
	case errors.Is(err, ErrClosed):
		return "", "", err
	case errors.As(err, &e):
		engine, path = e.Engine, e.Path
	}
	return engine, path, nil
}

type namespace struct {
	scoped
	db           DB
	engine, path string // of errors
	prefix, end  []byte // no key that begins with prefix is behind end; nil: no end
	longest      int    // length of a key

	// mu is held for reading by calls in flight. closed is set before Close takes
	// it, so that later calls don't wait.
	mu     sync.RWMutex
	closed atomic.Bool

	iterators atomic.Int64 // open ones; they are counted with mu held

	smu       sync.Mutex
	snapshots map[*namespaceSnapshot]struct{} // open ones
}

// enter lets a call in; mu.RUnlock ends it.
func (n *namespace) enter(op string) error {
	if !n.closed.Load() {
		n.mu.RLock()
		if !n.closed.Load() {
			return nil
		}
		n.mu.RUnlock()
	}
	return n.fail(op, ErrClosed, "")
}

func (n *namespace) fail(op string, kind error, msg string) error {
	return &Error{Engine: n.engine, Op: op, Path: n.path, Kind: kind, Msg: msg}
}

// refuse wraps an error about arguments.
func (n *namespace) refuse(op string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Engine: n.engine, Op: op, Path: n.path, Kind: ErrUnknown, Err: err}
	}
	return n.fail(op, e.Kind, e.Msg)
}

// A fullKey is memory for keys with their prefix.
type fullKey struct{ b []byte }

var fullKeys = sync.Pool{New: func() any { return &fullKey{make([]byte, 0, 128)} }}

// largestKept bounds the memory that is kept for the next key, or batch.
const largestKept = 64 << 10

func (k *fullKey) free() {
	if cap(k.b) <= largestKept {
		fullKeys.Put(k)
	}
}

// full returns key behind the prefix. free gives it back.
func (n *namespace) full(key []byte) *fullKey {
	k := fullKeys.Get().(*fullKey)
	k.b = append(append(k.b[:0], n.prefix...), key...)
	return k
}

// begin lets a call with a key in; finish ends it.
func (n *namespace) begin(op string, key []byte) (*fullKey, error) {
	if err := n.enter(op); err != nil {
		return nil, err
	}
	if len(key) > n.longest {
		n.mu.RUnlock()
		return nil, n.fail(op, ErrTooLarge, "key")
	}
	return n.full(key), nil
}

func (n *namespace) finish(k *fullKey) {
	n.mu.RUnlock()
	k.free()
}

// bounded returns the range of db that is r here.
func (n *namespace) bounded(op string, r KeyRange) (KeyRange, error) {
	if len(r.Start) > n.longest || len(r.End) > n.longest+1 {
		return KeyRange{}, n.fail(op, ErrTooLarge, "range bound")
	}
	if err := CheckRange(r.Start, r.End); err != nil {
		return KeyRange{}, n.refuse(op, err)
	}
	out := KeyRange{Start: n.behind(r.Start), End: n.end}
	if r.End != nil {
		out.End = n.behind(r.End)
	}
	return out, nil
}

// behind returns key behind the prefix, as a fresh slice.
func (n *namespace) behind(key []byte) []byte {
	return append(append(make([]byte, 0, len(n.prefix)+len(key)), n.prefix...), key...)
}

func (n *namespace) Put(key, value []byte, o *WriteOptions) error {
	k, err := n.begin("put", key)
	if err != nil {
		return err
	}
	err = n.db.Put(k.b, value, o)
	n.finish(k)
	return err
}

func (n *namespace) Delete(key []byte, o *WriteOptions) error {
	k, err := n.begin("delete", key)
	if err != nil {
		return err
	}
	err = n.db.Delete(k.b, o)
	n.finish(k)
	return err
}

func (n *namespace) DeleteRange(start, end []byte, o *WriteOptions) error {
	r, err := n.beginRange("delete range", KeyRange{start, end})
	if err != nil {
		return err
	}
	defer n.mu.RUnlock()
	return n.db.DeleteRange(r.Start, r.End, o)
}

// beginRange lets a call about a range in; mu.RUnlock ends it.
func (n *namespace) beginRange(op string, r KeyRange) (KeyRange, error) {
	if err := n.enter(op); err != nil {
		return KeyRange{}, err
	}
	full, err := n.bounded(op, r)
	if err != nil {
		n.mu.RUnlock()
	}
	return full, err
}

var fullBatches = sync.Pool{New: func() any { return NewBatch(4 << 10) }}

func (n *namespace) Write(b *Batch, o *WriteOptions) error {
	const op = "write"
	if err := n.enter(op); err != nil {
		return err
	}
	defer n.mu.RUnlock()
	out := fullBatches.Get().(*Batch)
	out.Reset()
	defer func() {
		if cap(out.rep) <= largestKept {
			fullBatches.Put(out)
		}
	}()
	k := n.full(nil)
	defer k.free()
	if err := n.translate(b, out, k); err != nil {
		return n.refuse(op, err)
	}
	return n.db.Write(out, o)
}

// translate adds the changes of b to out, with the prefix before each key: out
// refuses what becomes too large by that. k is the prefix.
func (n *namespace) translate(b, out *Batch, k *fullKey) error {
	size := len(n.prefix)
	return b.Each(func(r Record) error {
		k.b = append(k.b[:size], r.Key...)
		switch r.Kind {
		case KindPut:
			return out.Put(k.b, r.Value)
		case KindDelete:
			return out.Delete(k.b)
		}
		end := n.end
		if r.End != nil {
			end = n.behind(r.End)
		}
		return out.DeleteRange(k.b, end)
	})
}

func (n *namespace) Flush() error {
	if err := n.enter("flush"); err != nil {
		return err
	}
	defer n.mu.RUnlock()
	return n.db.Flush()
}

func (n *namespace) Compact(ctx context.Context, r KeyRange) error {
	r, err := n.beginRange("compact", r)
	if err != nil {
		return err
	}
	defer n.mu.RUnlock()
	return n.db.Compact(ctx, r)
}

func (n *namespace) ApproximateSizes(rs []KeyRange) ([]uint64, error) {
	const op = "approximate sizes"
	if err := n.enter(op); err != nil {
		return nil, err
	}
	defer n.mu.RUnlock()
	full := make([]KeyRange, len(rs))
	for i, r := range rs {
		var err error
		if full[i], err = n.bounded(op, r); err != nil {
			return nil, err
		}
	}
	return n.db.ApproximateSizes(full)
}

func (n *namespace) Property(name string) (string, error) {
	if err := n.enter("property"); err != nil {
		return "", err
	}
	defer n.mu.RUnlock()
	return n.db.Property(name)
}

func (n *namespace) Metrics() (Metrics, error) {
	if err := n.enter("metrics"); err != nil {
		return Metrics{}, err
	}
	defer n.mu.RUnlock()
	m, err := n.db.Metrics()
	if err != nil {
		return Metrics{}, err
	}
	n.smu.Lock()
	snapshots := len(n.snapshots)
	n.smu.Unlock()
	m.EstimatedKeys = Figure{}
	m.OpenIterators, m.OpenSnapshots = Known(uint64(n.iterators.Load())), Known(uint64(snapshots))
	return m, nil
}

func (n *namespace) Close() error {
	const op = "close"
	if !n.closed.CompareAndSwap(false, true) {
		return n.fail(op, ErrClosed, "")
	}
	n.mu.Lock() // calls in flight end
	defer n.mu.Unlock()
	n.smu.Lock()
	defer n.smu.Unlock()
	var leaked []string
	for _, kind := range []struct {
		n    int
		noun string
	}{{int(n.iterators.Load()), "iterator"}, {len(n.snapshots), "snapshot"}} {
		switch {
		case kind.n == 1:
			leaked = append(leaked, "1 "+kind.noun)
		case kind.n > 1:
			leaked = append(leaked, fmt.Sprintf("%d %ss", kind.n, kind.noun))
		}
	}
	for s := range n.snapshots {
		// The store may be closed already, and the snapshot with it.
		_ = s.r.(Snapshot).Release()
	}
	clear(n.snapshots)
	if len(leaked) > 0 {
		return n.fail(op, ErrLeaked, strings.Join(leaked, ", "))
	}
	return nil
}
