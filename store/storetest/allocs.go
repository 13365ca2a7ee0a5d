package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// The hot calls allocate nothing on the Go heap.
func allocCases() []testCase {
	return []testCase{{name: "ZeroAllocs", run: zeroAllocs}}
}

const allocRuns = 2000

// ZeroAllocs fails the test if fn allocates on the Go heap, after a few calls
// that may. The number is an average over many calls, rounded down: what is
// allocated once for many of them, like a buffer that grows, does not count. It
// does nothing in builds that allocate for their own ends, with the race
// detector, the address sanitizer or the tag lsmkitdebug.
func ZeroAllocs(t testing.TB, name string, fn func()) {
	t.Helper()
	if raceEnabled || asanEnabled || debugBuild {
		return
	}
	for range 10 {
		fn()
	}
	if n := testing.AllocsPerRun(allocRuns, fn); n != 0 {
		t.Errorf("%s: %v allocations for each call, want 0", name, n)
	}
}

func zeroAllocs(t *env) {
	if !t.cfg.ZeroAllocs {
		t.Skip("the engine does not promise it")
	}
	db := t.fresh()
	all := numbered(3 * allocRuns)
	b := store.NewBatch(1 << 20)
	for _, e := range all {
		t.must(b.Put(e.k, e.v), "batch put")
	}
	t.must(db.Write(b, nil), "write")
	t.allocsOfLookups(db, all, "memtable")
	t.allocsOfWalks(db, "memtable")
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.allocsOfLookups(db, all, "tables")
	t.allocsOfWalks(db, "tables")
	t.allocsOfWrites(db, all)
}

// keep ends the measuring closure's check without allocating when all is well.
func (t *env) keep(ok bool, err error, what string) {
	if !ok || err != nil {
		t.Fatalf("%s: %v, %v", what, ok, err)
	}
}

func (t *env) allocsOfLookups(db store.DB, all []row, where string) {
	t.Helper()
	i := 0
	next := func() []byte {
		i = (i + 1) % len(all)
		return all[i].k
	}
	dst := make([]byte, 0, 100)
	missing := []byte("key000001 is followed by this")
	ZeroAllocs(t, "AppendGet, "+where, func() {
		v, err := db.AppendGet(dst[:0], next())
		t.keep(len(v) > 0, err, "append get")
	})
	ZeroAllocs(t, "AppendGet of a missing key, "+where, func() {
		_, err := db.AppendGet(dst[:0], missing)
		t.keep(err == store.ErrNotFound, nil, "append get of a missing key")
	})
	ZeroAllocs(t, "Has, "+where, func() {
		ok, err := db.Has(next())
		t.keep(ok, err, "has")
	})
	ZeroAllocs(t, "Has of a missing key, "+where, func() {
		ok, err := db.Has(missing)
		t.keep(!ok, err, "has of a missing key")
	})
}

func (t *env) allocsOfWalks(db store.DB, where string) {
	t.Helper()
	it := t.iterator(db, nil)
	for _, dir := range []struct {
		name        string
		start, next func() bool
	}{{"Next", it.First, it.Next}, {"Prev", it.Last, it.Prev}} {
		t.keep(dir.start(), it.Err(), "start")
		ZeroAllocs(t, fmt.Sprintf("%s, %s", dir.name, where), func() {
			t.keep(dir.next() && len(it.Key()) > 0 && len(it.Value()) > 0, it.Err(), "step")
		})
	}
	t.closeIter(it)
}

func (t *env) allocsOfWrites(db store.DB, all []row) {
	t.Helper()
	i := 0
	next := func() row {
		i = (i + 1) % len(all)
		return all[i]
	}
	ZeroAllocs(t, "Put", func() {
		e := next()
		t.keep(true, db.Put(e.k, e.v, nil), "put")
	})
	ZeroAllocs(t, "Delete", func() {
		t.keep(true, db.Delete(next().k, store.NoSync), "delete")
	})
	b := store.NewBatch(64 << 10)
	ZeroAllocs(t, "batch Put", func() {
		if b.Size() > 60<<10 {
			b.Reset()
		}
		e := next()
		t.keep(true, b.Put(e.k, e.v), "batch put")
	})
	buf := t.buffered(db, &store.BufferedOptions{BatchSize: 4 << 10})
	ZeroAllocs(t, "buffered Put", func() {
		e := next()
		t.keep(true, buf.Put(context.Background(), e.k, e.v), "buffered put")
	})
	t.must(buf.Close(), "close of a buffered")
	ZeroAllocs(t, "batch commit", func() {
		b.Reset()
		for range 10 {
			e := next()
			t.keep(true, b.Put(e.k, e.v), "batch put")
		}
		t.keep(true, db.Write(b, nil), "write")
	})
}
