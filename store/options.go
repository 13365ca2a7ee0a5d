package store

import (
	"context"
	"log/slog"
)

// A Setting is a choice that has a default: its zero value.
type Setting uint8

const (
	// Default leaves the choice to the documented default.
	Default Setting = iota
	// On switches it on.
	On
	// Off switches it off.
	Off
)

// Enabled returns whether the setting is on, given what its default is.
func (s Setting) Enabled(def bool) bool {
	switch s {
	case On:
		return true
	case Off:
		return false
	}
	return def
}

// Valid tells whether s is one of Default, On and Off.
func (s Setting) Valid() bool { return s <= Off }

// WriteOptions says how a write is done. It is only read, and may be shared
// and reused.
type WriteOptions struct {
	// Sync: the write is on the device (fdatasync) before the call returns, and
	// survives the loss of power. Otherwise it survives a crash of the process.
	Sync bool

	// WALBuffered: the write may stay in the memory of the process, until a write
	// without WALBuffered, FlushWAL (see WALFlusher), Flush or Close, or until the
	// engine's buffer for its log is full. A crash of the process takes such
	// writes, the newest ones only: what is left has no hole. It costs less, by a
	// call into the system. Only RocksDB has it, in stores that are opened for it
	// (rocksdb.Options.ManualWALFlush); in any other it is ErrNotSupported, and
	// together with Sync ErrInvalidArgument. Then nothing is written.
	WALBuffered bool

	// Context, if not nil, ends the waiting of a writer that has not begun to
	// write yet. A context that is done already refuses the write, and nothing is
	// written. A write that has entered the engine is not interrupted.
	Context context.Context
}

var (
	// Sync asks for a write that survives the loss of power.
	Sync = &WriteOptions{Sync: true}
	// NoSync asks for a write that survives a crash of the process, which is
	// what nil options mean as well.
	NoSync = &WriteOptions{}
	// WALBuffered asks for a write that a crash of the process may take, where
	// there is such a thing: see WriteOptions.
	WALBuffered = &WriteOptions{WALBuffered: true}
)

// Err returns the error of o's context if that is done, and nil otherwise. It
// may be called on nil. Engines call it before they write.
func (o *WriteOptions) Err() error {
	if o == nil || o.Context == nil {
		return nil
	}
	return o.Context.Err()
}

// Synced tells whether o asks for Sync. It may be called on nil.
func (o *WriteOptions) Synced() bool { return o != nil && o.Sync }

// Buffered tells whether o asks for WALBuffered. It may be called on nil.
func (o *WriteOptions) Buffered() bool { return o != nil && o.WALBuffered }

// Check returns the error of options without a meaning, and of WALBuffered in a
// store that can't do it. It may be called on nil. Engines call it before they
// write.
func (o *WriteOptions) Check(canBuffer bool) error {
	switch {
	case !o.Buffered():
		return nil
	case o.Sync:
		return &Error{Op: "options", Kind: ErrInvalidArgument, Msg: "both Sync and WALBuffered"}
	case !canBuffer:
		return &Error{Op: "options", Kind: ErrNotSupported, Msg: "the log of this store is not buffered"}
	}
	return nil
}

// IterOptions says what an iterator shows and how it reads. The zero value, and
// nil, is all entries in the way that suits most. It is only read, and its
// slices are copied.
type IterOptions struct {
	// Lower and Upper bound the keys: Lower <= key < Upper. Nil is no bound.
	// Bounds that leave no key make an empty iterator.
	Lower, Upper []byte

	// Prefix shows only keys that begin with it, within the bounds. Nil and
	// empty are no restriction.
	Prefix []byte

	// Reverse tells that the walk will go backwards (Last, SeekLT, Prev). It is
	// a hint: an iterator works in both directions with and without it.
	Reverse bool

	// KeysOnly moves no values: Value returns nil.
	KeysOnly bool

	// FillCache: blocks that are read go to the block cache. The default is On;
	// Off suits a long scan that should not push out what others use.
	FillCache Setting

	// VerifyChecksums checks each block that is read. The default is that of
	// the store's Options.
	VerifyChecksums Setting

	// Snapshot reads the state of this snapshot, which must be of the same
	// store and not released, or the error is ErrInvalidArgument or ErrClosed.
	// Nil reads the state at the call. For a snapshot's own NewIterator it must
	// be nil or that snapshot; another is ErrInvalidArgument.
	Snapshot Snapshot
}

// Range returns the keys that o allows: its bounds and its prefix together. It
// may be called on nil. The result shares o's memory where it can.
func (o *IterOptions) Range() KeyRange {
	if o == nil {
		return KeyRange{}
	}
	r := KeyRange{Start: o.Lower, End: o.Upper}
	if len(o.Prefix) > 0 {
		r = r.Intersect(PrefixRange(o.Prefix))
	}
	return r
}

// Compression names a codec for table blocks.
type Compression string

const (
	// DefaultCompression is Snappy, the default of both engines.
	DefaultCompression Compression = ""
	// NoCompression stores blocks as they are.
	NoCompression Compression = "none"
	// Snappy: both engines.
	Snappy Compression = "snappy"
	// LZ4: RocksDB.
	LZ4 Compression = "lz4"
	// Zstd: RocksDB.
	Zstd Compression = "zstd"
	// Zlib: RocksDB.
	Zlib Compression = "zlib"
)

// Recovery says what Open does about a log that does not end as it should. The
// logs hold what has not come to table files yet.
type Recovery uint8

const (
	// TolerateTornTail, the default, opens a store whose logs end in a record that
	// was cut short, or in zeros behind a whole record. That is what a process
	// leaves that is killed in the middle of a write, and the cut record was never
	// acknowledged. All other damage is ErrCorruption: it has acknowledged records
	// behind it, or may be one.
	//
	// After the loss of power, several logs can end so: with RocksDB and with
	// LevelDB, writes without Sync can then be missing though later ones without
	// Sync are there.
	TolerateTornTail Recovery = iota
	// Strict takes a record that was cut short, and zeros, for damage too. It suits
	// a store that was closed in order and then copied or moved.
	Strict
)

// Valid tells whether r is one of TolerateTornTail and Strict.
func (r Recovery) Valid() bool { return r <= Strict }

// Options are those that all engines have. The zero value works: it opens an
// existing store with the engine's own sizes. Engine packages embed it in
// their own Options. Sizes are in bytes.
//
// A value that can't be meant (a negative size or count, an unknown setting)
// is ErrInvalidArgument, before the path is touched. A value that the engine
// can't do is ErrNotSupported. Where an engine clips a value in silence, its
// Effective method shows what it will be.
type Options struct {
	// CreateIfMissing makes a new store, missing parent folders included, where
	// there is none. Otherwise that is ErrNotExist, and nothing is created.
	CreateIfMissing bool

	// ErrorIfExists refuses a store that is there already with ErrExists.
	ErrorIfExists bool

	// ReadOnly opens without the lock and without changing anything; every write
	// is ErrReadOnly, and CreateIfMissing is ignored. RocksDB only: LevelDB has
	// no such mode and says ErrNotSupported.
	ReadOnly bool

	// WriteBufferSize is the size of a memtable at which it is flushed. 0: the
	// engine's default (LevelDB 4 MiB, RocksDB 64 MiB).
	WriteBufferSize int64

	// BlockCacheSize is the capacity of the cache for uncompressed blocks. 0:
	// the engine's default (LevelDB 8 MiB, RocksDB 32 MiB).
	BlockCacheSize int64

	// BlockSize is the uncompressed size of a table block. 0: 4 KiB.
	BlockSize int64

	// BlockRestartInterval is the number of keys between restart points of
	// prefix compression. 0: 16.
	BlockRestartInterval int

	// MaxOpenFiles bounds the number of open files. 0: the engine's default
	// (LevelDB 1000, RocksDB no bound). UnlimitedFiles: no bound where the
	// engine has that, else as many as it can.
	MaxOpenFiles int

	// MaxFileSize is the size at which a new table file is begun. 0: the
	// engine's default (LevelDB 2 MiB, RocksDB 64 MiB).
	MaxFileSize int64

	// Compression of table blocks. A codec that the engine or this build of it
	// lacks is ErrNotSupported.
	Compression Compression

	// BloomBits per key in table files; 0 writes no filters. 10 bits give about
	// 1 % false positives.
	BloomBits int

	// VerifyChecksums checks each block that is read against its checksum. The
	// default is On for both engines (LevelDB's own default is off).
	VerifyChecksums Setting

	// Logger gets what the store has to say: Open and Close, what was left open,
	// failed writes and background errors, write stalls, and the engine's own log.
	// Nil is silence, and leaves RocksDB's log to its file LOG, which there is not
	// with a logger; LevelDB writes LOG always.
	//
	// Messages have the attributes engine and path. Those of the engine's log have
	// source=info log, and come a little later, from a goroutine that ends with
	// Close, after the last of them: at Debug what the engine calls info, at Warn
	// and Error what is one. When the handler can't keep up they are dropped, and
	// counted in Metrics. The handler must not use the store: messages come from
	// within its calls, and Close waits for the handler.
	Logger *slog.Logger

	// MaxCalls bounds the goroutines that are in the engine's C code at a time:
	// each holds a thread of the operating system. Others wait, as goroutines do,
	// in the order in which they came; open iterators and snapshots, and writes
	// that wait to be committed together, count for nothing. One of the places is
	// kept for writes. 0: 24, or GOMAXPROCS where that is more. The least is 2. It
	// is not part of the store: the next Open may choose anew.
	MaxCalls int

	// ParanoidChecks makes the engine stop early when it meets damage in its
	// tables, instead of going on with what can be read. The default is the
	// engine's: LevelDB off, RocksDB on. What is done about logs is for Recovery
	// to say.
	ParanoidChecks Setting

	// Recovery says which damage to its logs a store is opened with. Whatever it
	// says, Open never passes over a record that has others behind it. Repair saves
	// what can be read of a store that Open refuses.
	Recovery Recovery
}

// UnlimitedFiles, as MaxOpenFiles, asks for no bound.
const UnlimitedFiles = -1

// Validate returns nil, or an error that is ErrInvalidArgument and names the
// field whose value has no meaning. It does not know what an engine can do.
func (o *Options) Validate() error {
	bad := func(field string) error {
		return &Error{Op: "options", Kind: ErrInvalidArgument, Msg: field}
	}
	switch {
	case o.WriteBufferSize < 0:
		return bad("negative WriteBufferSize")
	case o.BlockCacheSize < 0:
		return bad("negative BlockCacheSize")
	case o.BlockSize < 0:
		return bad("negative BlockSize")
	case o.BlockRestartInterval < 0 || o.BlockRestartInterval > 1<<30:
		return bad("BlockRestartInterval out of range")
	case o.MaxOpenFiles < UnlimitedFiles || o.MaxOpenFiles > 1<<30:
		return bad("MaxOpenFiles out of range")
	case o.MaxFileSize < 0:
		return bad("negative MaxFileSize")
	case o.MaxCalls < 0 || o.MaxCalls > 1<<30:
		return bad("MaxCalls out of range")
	case o.BloomBits < 0 || o.BloomBits > 1<<10:
		return bad("BloomBits out of range")
	case !o.VerifyChecksums.Valid():
		return bad("unknown VerifyChecksums")
	case !o.ParanoidChecks.Valid():
		return bad("unknown ParanoidChecks")
	case !o.Recovery.Valid():
		return bad("unknown Recovery")
	}
	switch o.Compression {
	case DefaultCompression, NoCompression, Snappy, LZ4, Zstd, Zlib:
		return nil
	}
	return bad("unknown Compression " + string(o.Compression))
}
