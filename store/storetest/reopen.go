package storetest

import (
	"bytes"
	"fmt"

	"github.com/lsmkit/lsmkit/store"
)

// Everything that was written is there when the store is opened again.
func reopenCases() []testCase {
	return []testCase{
		{name: "ReopenEach", run: reopenEach},
		{name: "ReopenGenerations", run: reopenGenerations},
		{name: "ReopenAfterLeak", run: reopenAfterLeak, crash: true},
		{name: "ReopenLarge", run: reopenLarge},
	}
}

// Each kind of change, synced and not, in the log and in tables.
func reopenEach(t *env) {
	for _, o := range []*store.WriteOptions{nil, store.NoSync, store.Sync} {
		for _, finish := range []struct {
			name string
			do   func(db store.DB) error
		}{
			{"nothing", func(store.DB) error { return nil }},
			{"flush", store.DB.Flush},
			{"compact", func(db store.DB) error { return db.Compact(nil, store.KeyRange{}) }},
		} {
			path := t.path()
			db := t.open(path)
			t.fill(db, rows("", "old", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5"))
			t.must(db.Put([]byte{}, nil, o), "put")
			t.must(db.Put([]byte("a"), []byte("new"), o), "put")
			t.must(db.Delete([]byte("b"), o), "delete")
			t.must(db.DeleteRange([]byte("c"), []byte("e"), o), "delete range")
			t.must(db.Write(t.batchOf("+x=1", "+y=2", "-x", "+\xff=", "+p1=1", "-p..q"), o), "write")
			t.must(finish.do(db), finish.name)
			want := rows("", "", "a", "new", "e", "5", "y", "2", "\xff", "")
			t.wantContents(db, want, "before closing")
			t.close(db)
			for i := range 2 {
				db = t.open(path)
				what := fmt.Sprintf("sync %v, then %s, opened %d times", o.Synced(), finish.name, i+1)
				t.wantContents(db, want, what)
				t.wantMissing(db, "b")
				t.wantMissing(db, "c")
				t.close(db)
			}
		}
	}
}

// Generations of changes on the same keys, each seen by the next.
func reopenGenerations(t *env) {
	path := t.path()
	want := numbered(100)
	for gen := range 6 {
		db := t.open(path)
		if gen > 0 {
			t.wantContents(db, want, fmt.Sprintf("generation %d", gen))
		}
		for i := range want {
			if gen == 0 || i%(gen+1) == 0 {
				want[i].v = fmt.Appendf(nil, "generation %d", gen)
				t.must(db.Put(want[i].k, want[i].v, nil), "put")
			}
		}
		t.close(db)
	}
}

// A store that was closed with open children has lost nothing.
func reopenAfterLeak(t *env) {
	path := t.path()
	db := t.open(path)
	t.fill(db, numbered(500))
	f := t.family(db)
	f.it.First()
	t.must(db.Put(numbered(1)[0].k, []byte("value 0"), nil), "put")
	t.wantKind(db.Close(), store.ErrLeaked, "close")
	db = t.open(path)
	t.wantContents(db, numbered(500), "reopened")
	t.close(db)
}

// More data than a memtable of the usual variants holds.
func reopenLarge(t *env) {
	rng := newRandom(7)
	path := t.path()
	db := t.open(path)
	want := numbered(600)
	for i := range want {
		want[i].v = rng.fill(10_000)
	}
	want[300].v = bytes.Repeat([]byte("large"), 1<<20)
	for i := range want {
		e := want[(i*131)%len(want)]
		t.must(db.Put(e.k, e.v, nil), "put")
	}
	t.close(db)
	db = t.open(path)
	t.wantContents(db, want, "reopened")
	t.close(db)
}
