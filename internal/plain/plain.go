// Package plain is levigo and grocksdb used the usual way: one crossing into C
// a call, the bindings' own iterators, batches and slices, options made once,
// what has to be freed freed. It stands behind store.DB as far as the overhead
// comparison needs that, so that the same workloads run on it as on our own
// engines. It is no library: nothing is guarded, and what isn't needed is
// ErrNotSupported.
package plain

import (
	"context"
	"os"

	"github.com/lsmkit/lsmkit/store"
)

// A Batch is a batch of the binding's own, filled as its callers fill it: one
// crossing a record.
type Batch interface {
	Put(key, value []byte)
	// Write writes the batch, which keeps its records.
	Write(o *store.WriteOptions) error
	Clear()
	Close()
}

// NewBatch returns an empty batch for a store of this package.
func NewBatch(db store.DB) Batch { return db.(interface{ newBatch() Batch }).newBatch() }

// rest is what the comparison doesn't need of store.DB.
type rest struct{ engine string }

func (r rest) no(op string) error {
	return &store.Error{Engine: "plain " + r.engine, Op: op, Kind: store.ErrNotSupported}
}

func (r rest) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &store.Error{Engine: "plain " + r.engine, Op: op, Kind: store.ErrUnknown, Err: err}
}

func (r rest) Has([]byte) (bool, error) { return false, r.no("has") }

func (r rest) DeleteRange(_, _ []byte, _ *store.WriteOptions) error { return r.no("delete range") }

func (r rest) NewSnapshot() (store.Snapshot, error) { return nil, r.no("snapshot") }

func (r rest) Flush() error { return r.no("flush") }

func (r rest) Compact(context.Context, store.KeyRange) error { return r.no("compact") }

func (r rest) ApproximateSizes([]store.KeyRange) ([]uint64, error) {
	return nil, r.no("approximate sizes")
}

func (r rest) Property(string) (string, error) { return "", r.no("property") }

// Metrics knows no figure.
func (r rest) Metrics() (store.Metrics, error) { return store.Metrics{Engine: r.engine}, nil }

// makeParents makes the folder of a new store, whose parents LevelDB doesn't
// make.
func makeParents(path string, o store.Options) error {
	if !o.CreateIfMissing {
		return nil
	}
	return os.MkdirAll(path, 0o755)
}
