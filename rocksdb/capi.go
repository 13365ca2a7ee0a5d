package rocksdb

// The boundary: this file and its like (capi*.go) alone import "C", unsafe and
// grocksdb. The conventions are in capi.h. What Go adds to them:
//
//  1. Methods of engine are not guarded: the caller holds the store open.
//  2. Errors are the engine's text, empty for success; errors.go makes errors
//     of it.
//  3. Pointers to Go memory are passed as *C.char, whose check costs nothing,
//     and only for the time of the call: the functions are declared noescape
//     and nocallback, so that a call allocates nothing.

/*
#include <stdlib.h>
#include "capi.h"

#cgo noescape rdb_get
#cgo nocallback rdb_get
#cgo noescape rdb_has
#cgo nocallback rdb_has
#cgo noescape rdb_take
#cgo nocallback rdb_take
#cgo noescape rdb_put
#cgo nocallback rdb_put
#cgo noescape rdb_delete
#cgo nocallback rdb_delete
#cgo noescape rdb_write
#cgo nocallback rdb_write
#cgo nocallback rdb_flush_wal
#cgo noescape rdb_multi_get
#cgo nocallback rdb_multi_get
#cgo noescape rdb_multi_take
#cgo nocallback rdb_multi_take
*/
import "C"

import (
	"unsafe"

	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// engine is an open store's handles.
type engine struct {
	db     *C.rocksdb_t
	ro     *C.rocksdb_readoptions_t
	async  *C.rocksdb_writeoptions_t
	sync   *C.rocksdb_writeoptions_t
	verify bool
	spare  *C.rdb_spare
	counts bool // RocksDB keeps statistics

	gro   *grocksdb.DB
	opts  *grocksdb.Options
	table *grocksdb.BlockBasedTableOptions
	cache *grocksdb.Cache
	log   *infoLog // may be nil
}

// reader is read options, those of the store or those of a snapshot.
type reader struct {
	ro       *C.rocksdb_readoptions_t
	snapshot *C.rocksdb_snapshot_t
}

func (e *engine) reader() reader { return reader{ro: e.ro} }

// close frees everything in the reverse order of creation.
func (e *engine) close() {
	C.rocksdb_readoptions_destroy(e.ro)
	C.rocksdb_writeoptions_destroy(e.async)
	C.rocksdb_writeoptions_destroy(e.sync)
	C.rdb_spare_free(e.spare)
	e.gro.Close()
	e.freeOptions()
}

// chars passes a slice as C wants it.
func chars(b []byte) (*C.char, C.size_t) {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(b))), C.size_t(len(b))
}

// place passes a call's place in the guard, for C to leave. It may be nil.
func place(s *handle.Stripe) *C.int64_t { return (*C.int64_t)(unsafe.Pointer(s.Counter())) }

// text takes over an error of C's.
func text(err *C.char) string {
	if err == nil {
		return ""
	}
	s := C.GoString(err)
	C.rocksdb_free(unsafe.Pointer(err))
	return s
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (e *engine) put(key, value []byte, sync bool) string {
	k, nk := chars(key)
	v, nv := chars(value)
	return text(C.rdb_put(e.db, e.writeOptions(sync), e.spare, k, nk, v, nv))
}

func (e *engine) delete(key []byte, sync bool) string {
	k, nk := chars(key)
	return text(C.rdb_delete(e.db, e.writeOptions(sync), e.spare, k, nk))
}

func (e *engine) write(rep []byte, sync bool) string {
	p, n := chars(rep)
	return text(C.rdb_write(e.db, e.writeOptions(sync), p, n))
}

func (e *engine) writeOptions(sync bool) *C.rocksdb_writeoptions_t {
	if sync {
		return e.sync
	}
	return e.async
}

// value is what a lookup found: n bytes in the buffer that was passed or, if
// held is not nil, in C memory that take has to be called for.
type value struct {
	n     int
	found bool
	left  handle.Left
	held  *C.rocksdb_pinnableslice_t
}

func (e *engine) get(r reader, s *handle.Stripe, key, buf []byte) (value, string) {
	k, nk := chars(key)
	p, capacity := chars(buf)
	v := C.rdb_get(e.db, r.ro, k, nk, p, capacity, place(s))
	return value{n: int(v.len), found: v.found != 0, left: handle.Left(v.left), held: v.held}, text(v.err)
}

func (e *engine) has(r reader, s *handle.Stripe, key []byte) (bool, handle.Left, string) {
	k, nk := chars(key)
	v := C.rdb_has(e.db, r.ro, k, nk, place(s))
	return v.found != 0, handle.Left(v.left), text(v.err)
}

// take copies a held value to buf, of v.n bytes, and frees it. A nil buf only
// frees it.
func (v value) take(buf []byte) {
	p, n := chars(buf)
	if n < C.size_t(v.n) {
		p = nil
	}
	C.rdb_take(v.held, C.size_t(v.n), p)
}

// multiGet looks up keys that lie one after the other in arena. The values are
// appended to buf, and sizes gets their lengths, -1 for a key that is not there.
func (e *engine) multiGet(r reader, s *handle.Stripe, arena []byte, lens []uintptr, sizes []int64, buf []byte) ([]byte, handle.Left, string) {
	k, _ := chars(arena)
	free := buf[len(buf):cap(buf)]
	p, capacity := chars(free)
	v := C.rdb_multi_get(e.db, r.ro, k,
		(*C.size_t)(unsafe.Pointer(unsafe.SliceData(lens))), C.size_t(len(lens)),
		(*C.int64_t)(unsafe.Pointer(unsafe.SliceData(sizes))), p, capacity, place(s))
	n, left := int(v.len), handle.Left(v.left)
	switch {
	case v.err != nil:
		return buf, left, text(v.err)
	case v.held == nil:
		return buf[:len(buf)+n], left, ""
	}
	grown := make([]byte, len(buf)+n)
	copy(grown, buf)
	p, _ = chars(grown[len(buf):])
	C.rdb_multi_take(v.held, p)
	return grown, left, ""
}

// snapshot makes a snapshot, to be freed with freeSnapshot.
func (e *engine) snapshot() reader {
	var ro *C.rocksdb_readoptions_t
	s := C.rdb_snapshot_new(e.db, flag(e.verify), &ro)
	return reader{ro: ro, snapshot: s}
}

func (e *engine) freeSnapshot(r reader) { C.rdb_snapshot_free(e.db, r.snapshot, r.ro) }

func (e *engine) property(name string) (string, bool) {
	p := C.CString(name)
	defer C.free(unsafe.Pointer(p))
	v := C.rocksdb_property_value(e.db, p)
	if v == nil {
		return "", false
	}
	return text(v), true
}

// statistics returns RocksDB's statistics as text, empty if it keeps none.
func (e *engine) statistics() string {
	if !e.counts {
		return ""
	}
	return e.opts.GetStatisticsString()
}

// logDropped is the number of lines of the log that were dropped; not known if it
// isn't read here.
func (e *engine) logDropped() store.Figure {
	if e.log == nil {
		return store.Figure{}
	}
	return store.Known(e.log.dropped())
}

func (e *engine) flush() string { return text(C.rdb_flush(e.db)) }

func (e *engine) flushWAL(sync bool) string { return text(C.rdb_flush_wal(e.db, flag(sync))) }

// check returns the engine's background error.
func (e *engine) check() string {
	if s := text(C.rdb_check(e.db, e.async)); s != stalled {
		return s
	}
	return ""
}

func (e *engine) compact(start, end []byte) {
	flags := C.int(0)
	if start != nil {
		flags |= C.RDB_LOWER
	}
	if end != nil {
		flags |= C.RDB_UPPER
	}
	s, ns := chars(start)
	p, np := chars(end)
	C.rdb_compact(e.db, flags, s, ns, p, np)
}

// sizes measures ranges whose bounds lie one after the other in arena.
func (e *engine) sizes(arena []byte, lens []uintptr, sizes []uint64) string {
	k, _ := chars(arena)
	return text(C.rdb_sizes(e.db, k, (*C.size_t)(unsafe.Pointer(unsafe.SliceData(lens))), C.size_t(len(sizes)),
		(*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(sizes)))))
}

// tables lists the live table files.
func (e *engine) tables() []store.Table {
	var n C.size_t
	p := C.rdb_tables(e.db, &n)
	if p == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(p))
	tables := make([]store.Table, 0, int(n))
	for _, t := range unsafe.Slice(p, int(n)) {
		tables = append(tables, store.Table{Number: uint64(t.number), Level: int(t.level), Bytes: uint64(t.bytes)})
	}
	return tables
}

// cancelCompactions makes manual compactions stop, and refuse to begin, until
// allowCompactions.
func (e *engine) cancelCompactions() { e.gro.DisableManualCompaction() }
func (e *engine) allowCompactions()  { e.gro.EnableManualCompaction() }
