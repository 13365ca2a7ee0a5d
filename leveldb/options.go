package leveldb

import (
	"fmt"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Options are those of a LevelDB store. The zero value, and nil, opens an
// existing store with LevelDB's own sizes.
type Options struct {
	store.Options
}

// Defaults and limits are those of LevelDB's Options and of SanitizeOptions
// in db_impl.cc, which clips without a word.
const (
	defaultWriteBufferSize = 4 << 20
	defaultBlockCacheSize  = 8 << 20
	defaultBlockSize       = 4 << 10
	defaultRestartInterval = 16
	defaultMaxOpenFiles    = 1000
	defaultMaxFileSize     = 2 << 20

	minWriteBufferSize, maxWriteBufferSize = 64 << 10, 1 << 30
	minMaxFileSize, maxMaxFileSize         = 1 << 20, 1 << 30
	minBlockSize, maxBlockSize             = 1 << 10, 4 << 20
	minMaxOpenFiles, maxMaxOpenFiles       = 74, 50000
)

// Effective returns the options as they will be in force: defaults filled in,
// and values that LevelDB clips clipped. The error is ErrInvalidArgument for a
// value without a meaning, and ErrNotSupported for what LevelDB can't do:
// ReadOnly and codecs other than Snappy. It may be called on nil.
func (o *Options) Effective() (*Options, error) {
	var e Options
	if o != nil {
		e = *o
	}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	unsupported := func(what string) error {
		return &store.Error{Op: "options", Kind: store.ErrNotSupported, Msg: what}
	}
	if e.ReadOnly {
		return nil, unsupported("LevelDB has no read-only mode")
	}
	switch e.Compression {
	case store.DefaultCompression:
		e.Compression = store.Snappy
	case store.NoCompression, store.Snappy:
	default:
		return nil, unsupported(fmt.Sprintf("LevelDB has no codec %q", e.Compression))
	}
	e.WriteBufferSize = clip(e.WriteBufferSize, defaultWriteBufferSize, minWriteBufferSize, maxWriteBufferSize)
	e.MaxFileSize = clip(e.MaxFileSize, defaultMaxFileSize, minMaxFileSize, maxMaxFileSize)
	e.BlockSize = clip(e.BlockSize, defaultBlockSize, minBlockSize, maxBlockSize)
	if e.BlockCacheSize == 0 {
		e.BlockCacheSize = defaultBlockCacheSize
	}
	if e.BlockRestartInterval == 0 {
		e.BlockRestartInterval = defaultRestartInterval
	}
	if e.MaxOpenFiles == store.UnlimitedFiles {
		e.MaxOpenFiles = maxMaxOpenFiles // -1 would mean the minimum
	}
	e.MaxOpenFiles = int(clip(int64(e.MaxOpenFiles), defaultMaxOpenFiles, minMaxOpenFiles, maxMaxOpenFiles))
	e.MaxCalls = handle.MaxCalls(e.MaxCalls)
	e.VerifyChecksums = setting(e.VerifyChecksums.Enabled(true))
	e.ParanoidChecks = setting(e.ParanoidChecks.Enabled(false))
	return &e, nil
}

// paranoid tells whether LevelDB's paranoid_checks is to be on, given effective
// options.
//
// LevelDB verifies index and filter blocks, and what compactions read, under
// paranoid_checks alone. Without it a damaged index or filter hides keys, and a
// compaction gives damaged blocks new checksums. VerifyChecksums promises better,
// and so switches it on.
func (o *Options) paranoid() bool {
	return o.VerifyChecksums == store.On || o.ParanoidChecks == store.On
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
