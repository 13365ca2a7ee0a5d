package leveldb

/*
#include <stdlib.h>
#include "capi.h"
*/
import "C"

import (
	"strconv"
	"unsafe"

	"github.com/jmhodges/levigo"
	"github.com/lsmkit/lsmkit/store"
)

// open opens a store with effective options. The error is the engine's text.
func open(path string, o *Options) (*engine, string) {
	e := &engine{verify: o.VerifyChecksums.Enabled(true)}
	e.makeOptions(o)
	db, err := levigo.Open(path, e.opts)
	if err != nil {
		e.freeOptions()
		return nil, err.Error()
	}
	e.levi = db
	e.db = (*C.leveldb_t)(unsafe.Pointer(db.Ldb))
	e.ro = C.ldb_read_options(flag(e.verify))
	e.async = C.ldb_write_options(0)
	e.sync = C.ldb_write_options(1)
	e.batch = C.leveldb_writebatch_create()
	return e, ""
}

// makeOptions makes levigo's options of ours, which are effective ones: no
// field is left to a default.
func (e *engine) makeOptions(o *Options) {
	e.opts = levigo.NewOptions()
	e.opts.SetCreateIfMissing(o.CreateIfMissing)
	e.opts.SetErrorIfExists(o.ErrorIfExists)
	e.opts.SetParanoidChecks(o.paranoid())
	e.opts.SetWriteBufferSize(int(o.WriteBufferSize))
	e.opts.SetMaxOpenFiles(o.MaxOpenFiles)
	e.opts.SetBlockSize(int(o.BlockSize))
	e.opts.SetBlockRestartInterval(o.BlockRestartInterval)
	if o.Compression == store.NoCompression {
		e.opts.SetCompression(levigo.NoCompression)
	} else {
		e.opts.SetCompression(levigo.SnappyCompression)
	}
	// levigo has no setter for the file size.
	C.leveldb_options_set_max_file_size((*C.leveldb_options_t)(unsafe.Pointer(e.opts.Opt)), C.size_t(o.MaxFileSize))
	e.cache = levigo.NewLRUCache(int(o.BlockCacheSize))
	e.opts.SetCache(e.cache)
	if o.BloomBits > 0 {
		e.filter = levigo.NewBloomFilter(o.BloomBits)
		e.opts.SetFilterPolicy(e.filter)
	}
}

// freeOptions frees options, filter and cache, which must outlive the store.
func (e *engine) freeOptions() {
	e.opts.Close()
	if e.filter != nil {
		e.filter.Close()
	}
	e.cache.Close()
}

// repair makes a damaged store readable. The error is the engine's text.
func repair(path string, o *Options) string {
	var e engine
	e.makeOptions(o)
	defer e.freeOptions()
	if err := levigo.RepairDatabase(path, e.opts); err != nil {
		return err.Error()
	}
	return ""
}

// Version returns the version of the LevelDB library that the program is
// linked with, as the library reports it.
//
// It stands on leveldb_major_version and leveldb_minor_version.
func Version() (string, error) {
	return strconv.Itoa(levigo.GetLevelDBMajorVersion()) + "." + strconv.Itoa(levigo.GetLevelDBMinorVersion()), nil
}

// Build tells how the LevelDB library that the program is linked with was
// compiled: "stock" or "tuned", then the compiler and its flags. It is empty
// for a library that scripts/build-deps.sh has not built, such as the system's.
//
// It stands on lsmkit_leveldb_build, a constant that the script adds to the library.
func Build() string { return C.GoString(C.ldb_build()) }

// Unwrap returns levigo's handle of the store, for what this package doesn't
// offer. Nothing guards it: it must not be used after, or at the same time as,
// Close, must not be closed, and what it makes must be freed before Close.
// Errors of writes through it are not noticed by this package.
func (db *DB) Unwrap() *levigo.DB { return db.engine.levi }
