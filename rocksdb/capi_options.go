package rocksdb

/*
#include <stdlib.h>
#include "capi.h"
*/
import "C"

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/store"
)

// open opens a store with effective options. The error is the engine's text.
func open(path string, o *Options) (*engine, string) {
	e := &engine{verify: o.VerifyChecksums.Enabled(true), counts: o.Statistics}
	e.makeOptions(o)
	err := e.startLog(path, o)
	if err != nil {
		e.freeOptions()
		return nil, err.Error()
	}
	if o.ReadOnly {
		e.gro, err = grocksdb.OpenDbForReadOnly(e.opts, path, false)
	} else {
		e.gro, err = grocksdb.OpenDb(e.opts, path)
	}
	if err != nil {
		e.freeOptions()
		return nil, err.Error()
	}
	p, err := pointer(e.gro, "*grocksdb._Ctype_struct_rocksdb_t")
	if err != nil {
		e.gro.Close()
		e.freeOptions()
		return nil, err.Error()
	}
	e.db = (*C.rocksdb_t)(p)
	e.ro = C.rdb_read_options(flag(e.verify))
	e.async = C.rdb_write_options(0)
	e.spare = C.rdb_spare_new()
	e.sync = C.rdb_write_options(1)
	return e, ""
}

// pointer reads the C pointer in an object of grocksdb's, which exports none:
// its field c, whose type must be the one that is named. A test fails on the
// day that an upgrade changes the layout.
func pointer(object any, typeName string) (unsafe.Pointer, error) {
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("grocksdb: %T is no object", object)
	}
	c := v.Elem().FieldByName("c")
	if !c.IsValid() || c.Kind() != reflect.Pointer || c.Type().String() != typeName {
		return nil, fmt.Errorf("grocksdb: %T has no field c of type %s", object, typeName)
	}
	return c.UnsafePointer(), nil
}

var codecs = map[store.Compression]grocksdb.CompressionType{
	store.NoCompression: grocksdb.NoCompression,
	store.Snappy:        grocksdb.SnappyCompression,
	store.LZ4:           grocksdb.LZ4Compression,
	store.Zstd:          grocksdb.ZSTDCompression,
	store.Zlib:          grocksdb.ZLibCompression,
}

// makeOptions makes grocksdb's options of ours, which are effective ones: no
// field is left to a default.
func (e *engine) makeOptions(o *Options) {
	e.opts = grocksdb.NewDefaultOptions()
	e.opts.SetCreateIfMissing(o.CreateIfMissing)
	e.opts.SetErrorIfExists(o.ErrorIfExists)
	e.opts.SetParanoidChecks(o.ParanoidChecks.Enabled(true))
	// RocksDB's own default drops, without an error, all that lies behind damage.
	e.opts.SetWALRecoveryMode(grocksdb.TolerateCorruptedTailRecordsRecovery)
	if o.Recovery == store.Strict {
		e.opts.SetWALRecoveryMode(grocksdb.AbsoluteConsistencyRecovery)
	}
	e.opts.SetWriteBufferSize(uint64(o.WriteBufferSize))
	e.opts.SetMaxOpenFiles(o.MaxOpenFiles)
	e.opts.SetManualWALFlush(o.ManualWALFlush)
	e.opts.SetTargetFileSizeBase(uint64(o.MaxFileSize))
	e.opts.SetCompression(codecs[o.Compression])
	e.table = grocksdb.NewDefaultBlockBasedTableOptions()
	e.table.SetBlockSize(int(o.BlockSize))
	e.table.SetBlockRestartInterval(o.BlockRestartInterval)
	e.cache = grocksdb.NewLRUCache(uint64(o.BlockCacheSize))
	e.table.SetBlockCache(e.cache)
	if o.BloomBits > 0 {
		// The table options own the filter from here on.
		e.table.SetFilterPolicy(grocksdb.NewBloomFilter(float64(o.BloomBits)))
	}
	e.opts.SetBlockBasedTableFactory(e.table)
	if o.Statistics {
		e.opts.EnableStatistics()
		e.opts.SetStatisticsLevel(grocksdb.StatisticsLevelExceptHistogramOrTimers)
	}
}

// freeOptions frees options, cache and log, which must outlive the store.
func (e *engine) freeOptions() {
	e.opts.Destroy()
	e.table.Destroy()
	e.cache.Destroy()
	if e.log != nil {
		e.log.stop()
	}
}

// repair makes a damaged store readable. The error is the engine's text.
func repair(path string, o *Options) string {
	var e engine
	e.makeOptions(o)
	defer e.freeOptions()
	if err := e.startLog(path, o); err != nil {
		return err.Error()
	}
	if err := grocksdb.RepairDb(path, e.opts); err != nil {
		return err.Error()
	}
	return ""
}

// Build tells how the RocksDB library that the program is linked with was
// compiled: "stock" or "tuned", then the compiler and its flags. It is empty
// for a library that scripts/build-deps.sh has not built, such as the system's.
//
// It stands on lsmkit_rocksdb_build, a constant that the script adds to the library.
func Build() string { return C.GoString(C.rdb_build()) }

// Unwrap returns grocksdb's handle of the store, for what this package doesn't
// offer. Nothing guards it: it must not be used after, or at the same time as,
// Close, must not be closed, and what it makes must be freed before Close. A
// perf level that was set on a thread is off after the next call of this package
// there.
func (db *DB) Unwrap() *grocksdb.DB { return db.engine.gro }
