package store

import "context"

// Sizes that every engine accepts. Anything larger is refused with
// ErrTooLarge before the engine is entered and without reading the memory.
// The limits leave room below those of the file formats (LevelDB's and
// RocksDB's records hold lengths of 32 bits).
const (
	// MaxKeySize is the length of the longest key: 8 MiB.
	MaxKeySize = 8 << 20
	// MaxValueSize is the length of the longest value: 1 GiB.
	MaxValueSize = 1 << 30
	// MaxBatchSize bounds the encoded size of one batch (see Batch.Size):
	// 2 GiB less one byte.
	MaxBatchSize = 1<<31 - 1
)

// A Reader reads one state of a store: a DB reads the latest, a Snapshot the
// one that it was made of.
type Reader interface {
	// Get returns the value stored under key, as a fresh slice that belongs to
	// the caller. It is not nil, also when the value is empty. A key that is
	// not there is ErrNotFound; a table block with a wrong checksum is
	// ErrCorruption. The key may be reused after the call.
	Get(key []byte) ([]byte, error)

	// AppendGet appends the value stored under key to dst and returns the
	// extended slice, like append. It allocates nothing when dst has room. On
	// any error, ErrNotFound included, it returns dst as it was. dst must not
	// overlap key. The key may be reused after the call.
	AppendGet(dst, key []byte) ([]byte, error)

	// Has tells whether key is there, without moving its value. A missing key
	// is (false, nil): ErrNotFound is never returned. The key may be reused
	// after the call.
	Has(key []byte) (bool, error)

	// MultiGet looks up all keys in one state of the store and puts the
	// results into dst, which is emptied first: result i belongs to keys[i].
	// Keys may repeat and come in any order. A key that is not there is no
	// error but a result that is not present. If any lookup fails, the error is
	// returned and dst is left empty. A nil dst is ErrInvalidArgument. The keys
	// may be reused after the call.
	MultiGet(keys [][]byte, dst *Values) error

	// NewIterator returns an iterator over the state as it is at the call. It
	// is not positioned yet. Nil options mean the zero value. A bound or prefix
	// more than one byte longer than MaxKeySize is ErrTooLarge. Bounds and
	// prefix may be reused after the call. The iterator must be closed.
	NewIterator(o *IterOptions) (Iterator, error)
}

// A Writer changes a store. Each method returns nil once the change is in the
// store with the durability that o asks for; nil options mean NoSync. On an
// error from the engine it is unknown whether the change will be seen after
// the store is next opened; it is never half seen. Keys and values may be
// reused after the call.
type Writer interface {
	// Put stores value under key and replaces what was there. Oversized keys
	// and values are ErrTooLarge.
	Put(key, value []byte, o *WriteOptions) error

	// Delete removes key. Removing a key that is not there is no error.
	Delete(key []byte, o *WriteOptions) error

	// DeleteRange removes every key k with start <= k < end, atomically. A nil
	// start means from the first key on. A nil end means all keys that there
	// are at the call. An empty range does nothing; a range whose start lies
	// behind its end is ErrInvalidArgument. Native on RocksDB. LevelDB has
	// nothing like it: there one delete for each key of the range is written
	// in one batch, and a range that needs more than MaxBatchSize is
	// ErrTooLarge and changes nothing; DeleteRangePieces has no such limit.
	DeleteRange(start, end []byte, o *WriteOptions) error

	// Write applies all of b's operations in their order, atomically: readers
	// and a reopened store see all or none. The batch is left unchanged:
	// writing it again applies it again. A nil or empty batch is no error and
	// does nothing.
	Write(b *Batch, o *WriteOptions) error
}

// A DB is an open store. Its methods may be called by many goroutines at once.
// After Close each of them returns ErrClosed.
type DB interface {
	Reader
	Writer

	// NewSnapshot returns the state as it is at the call, readable until it is
	// released, whatever is written meanwhile. It holds old entries back from
	// compaction.
	NewSnapshot() (Snapshot, error)

	// Flush writes the memtable out to an SST and returns when that is done.
	// It makes all writes so far durable, and starts a new WAL.
	Flush() error

	// Compact rewrites the range (the zero KeyRange: all) so that its data
	// ends up in one level, with overwritten and deleted entries gone as far as
	// no snapshot needs them. The memtable is flushed first. It runs beside
	// reads and writes and returns when it is done. When ctx ends first the
	// outcome differs by engine (see the engine's Compact), and the error wraps
	// that of ctx. A nil ctx never ends.
	Compact(ctx context.Context, r KeyRange) error

	// ApproximateSizes estimates for each range how many bytes of table files
	// it takes up; memtables don't count. The result has as many elements as
	// rs. No ranges give an empty result. A reversed range is
	// ErrInvalidArgument, an empty one is 0.
	ApproximateSizes(rs []KeyRange) ([]uint64, error)

	// Property returns a property's text by the engine's own name for it, such
	// as "leveldb.stats" or "rocksdb.num-files-at-level0". A name that the
	// engine doesn't know is ErrNotFound.
	Property(name string) (string, error)

	// Metrics returns figures about the store under names common to all
	// engines. A figure that the engine doesn't tell is marked so.
	Metrics() (Metrics, error)

	// Close waits for calls in flight, closes what is still open and then the
	// store, and lets go of its lock. It returns nil, or an error that is
	// ErrLeaked and says how many iterators and snapshots were open; the store
	// is closed all the same. A second Close is ErrClosed.
	Close() error
}

// A Snapshot reads the state that the store had when the snapshot was made.
// It may be used by many goroutines at once.
type Snapshot interface {
	Reader

	// Release lets the snapshot go. Calls in flight end first. Iterators made
	// from it go on reading its state until they are closed. Afterwards its
	// methods return ErrClosed. Release may be repeated: again returns nil. Once
	// the DB is closed it returns ErrClosed.
	Release() error
}
