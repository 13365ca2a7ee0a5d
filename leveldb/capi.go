package leveldb

// The boundary: this file and its like (capi*.go) alone import "C", unsafe and
// levigo. The conventions are in capi.h. What Go adds to them:
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

#cgo noescape ldb_get
#cgo nocallback ldb_get
#cgo noescape ldb_take
#cgo nocallback ldb_take
#cgo noescape ldb_put
#cgo nocallback ldb_put
#cgo noescape ldb_delete
#cgo nocallback ldb_delete
#cgo noescape ldb_write
#cgo nocallback ldb_write
#cgo nocallback ldb_level0
#cgo noescape ldb_multi_get
#cgo nocallback ldb_multi_get
#cgo noescape ldb_multi_take
#cgo nocallback ldb_multi_take
*/
import "C"

import (
	"unsafe"

	"github.com/jmhodges/levigo"

	"github.com/lsmkit/lsmkit/internal/handle"
)

// engine is an open store's handles.
type engine struct {
	db     *C.leveldb_t
	ro     *C.leveldb_readoptions_t
	async  *C.leveldb_writeoptions_t
	sync   *C.leveldb_writeoptions_t
	verify bool
	batch  *C.leveldb_writebatch_t // the leader's, between writes empty

	levi   *levigo.DB
	opts   *levigo.Options
	cache  *levigo.Cache
	filter *levigo.FilterPolicy
}

// reader is read options, those of the store or those of a snapshot.
type reader struct {
	ro       *C.leveldb_readoptions_t
	snapshot *C.leveldb_snapshot_t
}

func (e *engine) reader() reader { return reader{ro: e.ro} }

// close frees everything in the reverse order of creation.
func (e *engine) close() {
	C.leveldb_readoptions_destroy(e.ro)
	C.leveldb_writeoptions_destroy(e.async)
	C.leveldb_writeoptions_destroy(e.sync)
	C.leveldb_writebatch_destroy(e.batch)
	e.levi.Close()
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
	C.leveldb_free(unsafe.Pointer(err))
	return s
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// put, delete and write have the leader's batch: one goroutine at a time may call
// them.
func (e *engine) put(key, value []byte, sync bool) string {
	k, nk := chars(key)
	v, nv := chars(value)
	err := text(C.ldb_put(e.db, e.writeOptions(sync), e.batch, k, nk, v, nv))
	e.shrink(len(key) + len(value))
	return err
}

func (e *engine) delete(key []byte, sync bool) string {
	k, nk := chars(key)
	err := text(C.ldb_delete(e.db, e.writeOptions(sync), e.batch, k, nk))
	e.shrink(len(key))
	return err
}

// write commits an encoded batch.
func (e *engine) write(rep []byte, sync bool) string {
	p, n := chars(rep)
	err := text(C.ldb_write(e.db, e.writeOptions(sync), e.batch, p, n))
	e.shrink(len(rep))
	return err
}

// keptBatch is the size up to which a batch's memory is kept for the next one.
const keptBatch = 1 << 20

// shrink makes the batch anew if it had n bytes too many.
func (e *engine) shrink(n int) {
	if n > keptBatch {
		C.leveldb_writebatch_destroy(e.batch)
		e.batch = C.leveldb_writebatch_create()
	}
}

func (e *engine) writeOptions(sync bool) *C.leveldb_writeoptions_t {
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
	held  *C.char
}

func (e *engine) get(r reader, s *handle.Stripe, key, buf []byte) (value, string) {
	k, nk := chars(key)
	p, capacity := chars(buf)
	v := C.ldb_get(e.db, r.ro, k, nk, p, capacity, place(s))
	return value{n: int(v.len), found: v.found != 0, left: handle.Left(v.left), held: v.held}, text(v.err)
}

// take copies a held value to buf, of v.n bytes, and frees it. A nil buf only
// frees it.
func (v value) take(buf []byte) {
	p, n := chars(buf)
	if n < C.size_t(v.n) {
		p = nil
	}
	C.ldb_take(v.held, C.size_t(v.n), p)
}

// multiGet looks up keys that lie one after the other in arena. The values are
// appended to buf, and sizes gets their lengths, -1 for a key that is not there.
func (e *engine) multiGet(r reader, s *handle.Stripe, arena []byte, lens []uintptr, sizes []int64, buf []byte) ([]byte, handle.Left, string) {
	k, _ := chars(arena)
	free := buf[len(buf):cap(buf)]
	p, capacity := chars(free)
	v := C.ldb_multi_get(e.db, r.ro, flag(r.snapshot == nil), flag(e.verify), k,
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
	C.ldb_multi_take(v.held, p)
	return grown, left, ""
}

// snapshot makes a snapshot, to be freed with freeSnapshot.
func (e *engine) snapshot() reader {
	var ro *C.leveldb_readoptions_t
	s := C.ldb_snapshot_new(e.db, flag(e.verify), &ro)
	return reader{ro: ro, snapshot: s}
}

func (e *engine) freeSnapshot(r reader) { C.ldb_snapshot_free(e.db, r.snapshot, r.ro) }

func (e *engine) property(name string) (string, bool) {
	p := C.CString(name)
	defer C.free(unsafe.Pointer(p))
	v := C.leveldb_property_value(e.db, p)
	if v == nil {
		return "", false
	}
	return text(v), true
}

func (e *engine) flush() { C.ldb_flush(e.db) }

// level0 returns the number of files in level 0.
func (e *engine) level0() int { return int(C.ldb_level0(e.db)) }

// check returns the engine's background error.
func (e *engine) check() string { return text(C.ldb_check(e.db, e.async)) }

func (e *engine) compact(start, end []byte) {
	flags := C.int(0)
	if start != nil {
		flags |= C.LDB_LOWER
	}
	if end != nil {
		flags |= C.LDB_UPPER
	}
	s, ns := chars(start)
	p, np := chars(end)
	C.ldb_compact(e.db, flags, s, ns, p, np)
}

// sizes measures ranges whose bounds lie one after the other in arena.
// LevelDB reports no error.
func (e *engine) sizes(arena []byte, lens []uintptr, sizes []uint64) string {
	k, _ := chars(arena)
	C.ldb_sizes(e.db, k, (*C.size_t)(unsafe.Pointer(unsafe.SliceData(lens))), C.size_t(len(sizes)),
		(*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(sizes))))
	return ""
}
