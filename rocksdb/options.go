package rocksdb

import (
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Options are those of a RocksDB store. The zero value, and nil, opens an
// existing store with RocksDB's own sizes.
type Options struct {
	store.Options

	// Statistics makes RocksDB count what it does, for the figures that Metrics
	// doesn't have otherwise: hits and misses of the block cache, and the bytes
	// that flushes and compactions have moved. RocksDB counts much more than
	// that, on each call, which costs 2 to 5 % of a read from the cache; it
	// measures no times and makes no histograms.
	Statistics bool

	// ManualWALFlush opens the store for writes with store.WALBuffered, whose log
	// stays in the memory of the process until something writes it out: a write
	// without WALBuffered, FlushWAL, Flush, Close, or a megabyte of it. All other
	// writes are as durable as ever; NoSync costs as much as without, or a little
	// more. The next Open may choose anew. It is RocksDB's manual_wal_flush.
	ManualWALFlush bool
}

// Defaults are those of RocksDB 9.10's Options and BlockBasedTableOptions.
// Limits are those of SanitizeOptions in column_family.cc and of the block
// format, which holds offsets of 32 bits.
const (
	defaultWriteBufferSize = 64 << 20
	defaultBlockCacheSize  = 32 << 20
	defaultBlockSize       = 4 << 10
	defaultRestartInterval = 16
	defaultMaxFileSize     = 64 << 20

	minWriteBufferSize, maxWriteBufferSize = 64 << 10, 64 << 30
	minBlockSize, maxBlockSize             = 1, 1 << 30
	minMaxOpenFiles                        = 20
)

// Effective returns the options as they will be in force: defaults filled in,
// and values that RocksDB clips clipped. The error is ErrInvalidArgument for a
// value without a meaning. It may be called on nil.
func (o *Options) Effective() (*Options, error) {
	var e Options
	if o != nil {
		e = *o
	}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if e.Compression == store.DefaultCompression {
		e.Compression = store.Snappy
	}
	e.WriteBufferSize = clip(e.WriteBufferSize, defaultWriteBufferSize, minWriteBufferSize, maxWriteBufferSize)
	e.BlockSize = clip(e.BlockSize, defaultBlockSize, minBlockSize, maxBlockSize)
	if e.MaxFileSize == 0 {
		e.MaxFileSize = defaultMaxFileSize
	}
	if e.BlockCacheSize == 0 {
		e.BlockCacheSize = defaultBlockCacheSize
	}
	if e.BlockRestartInterval == 0 {
		e.BlockRestartInterval = defaultRestartInterval
	}
	switch {
	case e.MaxOpenFiles == 0:
		e.MaxOpenFiles = store.UnlimitedFiles
	case e.MaxOpenFiles > 0:
		e.MaxOpenFiles = max(e.MaxOpenFiles, minMaxOpenFiles)
	}
	e.MaxCalls = handle.MaxCalls(e.MaxCalls)
	e.VerifyChecksums = setting(e.VerifyChecksums.Enabled(true))
	e.ParanoidChecks = setting(e.ParanoidChecks.Enabled(true))
	if e.ReadOnly {
		e.CreateIfMissing = false
	}
	return &e, nil
}

// clip returns n within lo and hi, or def if n is 0.
func clip(n, def, lo, hi int64) int64 {
	if n == 0 {
		return def
	}
	return min(max(n, lo), hi)
}

func setting(on bool) store.Setting {
	if on {
		return store.On
	}
	return store.Off
}
