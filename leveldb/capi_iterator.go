package leveldb

/*
#include <stdlib.h>
#include "capi.h"

#cgo noescape ldb_iter_new
#cgo nocallback ldb_iter_new
#cgo noescape ldb_iter_fill
#cgo nocallback ldb_iter_fill
#cgo nocallback ldb_iter_free
*/
import "C"

import (
	"github.com/lsmkit/lsmkit/internal/chunk"
	"github.com/lsmkit/lsmkit/internal/handle"
)

// cIter is an iterator's handle.
type cIter struct{ x *C.ldb_iter }

// iterSettings is what an iterator is made with. Nil bounds are none.
type iterSettings struct {
	lower, upper                []byte
	keysOnly, fillCache, verify bool
}

// newIter makes an iterator, to be freed with free. ok is false when C has no
// memory.
func (e *engine) newIter(r reader, s iterSettings) (it cIter, ok bool) {
	var flags C.int
	set := func(on bool, f C.int) {
		if on {
			flags |= f
		}
	}
	set(s.lower != nil, C.LDB_LOWER)
	set(s.upper != nil, C.LDB_UPPER)
	set(s.keysOnly, C.LDB_KEYS_ONLY)
	set(s.fillCache, C.LDB_FILL_CACHE)
	set(s.verify, C.LDB_VERIFY)
	// Making read options takes as long as a step or two: most iterators do
	// with the store's.
	set(!s.fillCache || s.verify != e.verify, C.LDB_OWN)
	lower, nlower := chars(s.lower)
	upper, nupper := chars(s.upper)
	x := C.ldb_iter_new(e.db, r.ro, r.snapshot, flags, lower, nlower, upper, nupper)
	return cIter{x}, x != nil
}

func (it cIter) free() { C.ldb_iter_free(it.x) }

// fill fetches a chunk. The error is the engine's text.
func (it cIter) fill(s *handle.Stripe, op chunk.Op, key, buf []byte, limit int) (chunk.Result, handle.Left, string) {
	k, nk := chars(key)
	p, n := chars(buf)
	r := C.ldb_iter_fill(it.x, C.int(op), k, nk, p, n, C.uint32_t(limit), place(s))
	return chunk.Result{
		Used:  int(r.used),
		Count: int(r.count),
		Need:  int(r.need),
		End:   r.end != 0,
	}, handle.Left(r.left), text(r.err)
}
