package storetest

import (
	"fmt"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// What snapshots show, and for how long.
func snapshotCases() []testCase {
	return []testCase{
		{name: "SnapshotIsolation", run: snapshotIsolation},
		{name: "SnapshotOfEmptyStore", run: snapshotOfEmptyStore},
		{name: "ManySnapshots", run: manySnapshots},
		{name: "SnapshotRelease", run: snapshotRelease, crash: true},
		{name: "IteratorOutlivesSnapshot", run: iteratorOutlivesSnapshot, crash: true},
		{name: "SnapshotOption", run: snapshotOption, crash: true},
		{name: "SnapshotShared", run: snapshotShared},
	}
}

func snapshotIsolation(t *env) {
	db := t.fresh()
	old := append(rows("", "empty", "a", "1"), numbered(200)...)
	t.fill(db, old)
	s := t.snapshot(db)
	changes := []struct {
		name string
		do   func() error
	}{
		{"put", func() error { return db.Put([]byte("a"), []byte("new"), nil) }},
		{"delete", func() error { return db.Delete([]byte{}, nil) }},
		{"write", func() error { return db.Write(t.batchOf("+b=2", "-key000001..key000100"), nil) }},
		{"flush", db.Flush},
		{"delete range", func() error { return db.DeleteRange(nil, nil, nil) }},
		{"compact", func() error { return db.Compact(nil, store.KeyRange{}) }},
		{"put after all", func() error { return db.Put([]byte("key000005"), []byte("again"), store.Sync) }},
	}
	for _, c := range changes {
		t.must(c.do(), c.name)
		t.wantContents(s, old, "snapshot after "+c.name)
		t.wantMissing(s, "b")
	}
	t.release(s)
	t.wantContents(db, rows("key000005", "again"), "store in the end")
}

func snapshotOfEmptyStore(t *env) {
	db := t.fresh()
	s := t.snapshot(db)
	t.put(db, "k", "v")
	t.wantContents(s, nil, "snapshot of the empty store")
	t.wantMissing(s, "k")
	t.release(s)
}

// Snapshots of many moments, released in another order.
func manySnapshots(t *env) {
	db := t.fresh()
	const n = 30
	snaps := make([]store.Snapshot, n)
	for i := range snaps {
		t.put(db, "k", fmt.Sprint(i))
		t.put(db, fmt.Sprintf("only%02d", i), "x")
		snaps[i] = t.snapshot(db)
		if i%10 == 5 {
			t.must(db.Compact(nil, store.KeyRange{}), "compact")
		}
	}
	for i := range snaps {
		j := (i*7 + 3) % n
		t.wantGet(snaps[j], "k", fmt.Sprint(j))
		t.wantGet(snaps[j], fmt.Sprintf("only%02d", j), "x")
		if j+1 < n {
			t.wantMissing(snaps[j], fmt.Sprintf("only%02d", j+1))
		}
		t.release(snaps[j])
	}
}

func snapshotRelease(t *env) {
	db := t.fresh()
	t.put(db, "k", "v")
	s, other := t.snapshot(db), t.snapshot(db)
	for range 3 {
		t.release(s)
		t.allClosed(readerCalls(s), "released snapshot")
	}
	t.wantContents(other, rows("k", "v"), "another snapshot")
	t.wantContents(db, rows("k", "v"), "store")
	t.release(other)
	t.close(db)
	t.wantKind(s.Release(), store.ErrClosed, "release after close")
	t.allClosed(readerCalls(s), "snapshot of a closed store")
}

// Iterators of a snapshot go on after its release, and an unread one keeps its
// state even through a compaction.
func iteratorOutlivesSnapshot(t *env) {
	db := t.fresh()
	old := numbered(2000)
	t.fill(db, old)
	s := t.snapshot(db)
	its := []store.Iterator{t.iterator(s, nil), t.iterator(db, &store.IterOptions{Snapshot: s}), t.iterator(s, &store.IterOptions{Snapshot: s})}
	its[0].First()
	t.must(db.DeleteRange(nil, nil, nil), "delete range")
	t.release(s)
	t.put(db, "key0000005", "new")
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	for i, it := range its {
		ref := &reference{rows: old}
		for _, m := range []move{{op: opFirst}, {op: opNext}, {op: opLast}, {op: opPrev}, {opSeekGE, old[1000].k}, {opSeekLT, old[900].k}} {
			t.step(it, ref, m, fmt.Sprintf("iterator %d after the release", i))
		}
		n := 0
		for range store.All(it) {
			n++
		}
		if n != len(old) || it.Err() != nil {
			t.Errorf("iterator %d shows %d rows, %v, want %d", i, n, it.Err(), len(old))
		}
		t.closeIter(it)
	}
	t.wantContents(db, rows("key0000005", "new"), "store")
}

// The option must name a live snapshot of the same store.
func snapshotOption(t *env) {
	db, other := t.fresh(), t.fresh()
	t.put(db, "k", "old")
	t.put(other, "k", "other")
	s, s2, foreign := t.snapshot(db), t.snapshot(db), t.snapshot(other)
	t.put(db, "k", "new")
	t.wantRows(db, &store.IterOptions{Snapshot: s}, rows("k", "old"), "snapshot option")
	t.wantRows(s, &store.IterOptions{Snapshot: s}, rows("k", "old"), "a snapshot's iterator that names it")
	refuse := func(r store.Reader, snap store.Snapshot, kind error, what string) {
		t.Helper()
		it, err := r.NewIterator(&store.IterOptions{Snapshot: snap})
		t.wantKind(err, kind, what)
		if it != nil {
			t.Errorf("%s: an iterator came with the error", what)
		}
	}
	refuse(db, foreign, store.ErrInvalidArgument, "snapshot of another store")
	refuse(s, foreign, store.ErrInvalidArgument, "a snapshot's iterator with a snapshot of another store")
	refuse(s, s2, store.ErrInvalidArgument, "a snapshot's iterator with another snapshot")
	refuse(db, struct{ store.Snapshot }{s}, store.ErrInvalidArgument, "snapshot of a type that is not the engine's")
	t.release(s)
	refuse(db, s, store.ErrClosed, "released snapshot")
	t.release(s2)
	t.release(foreign)
}

// Many goroutines read one snapshot while the store changes.
func snapshotShared(t *env) {
	db := t.fresh()
	old := numbered(300)
	t.fill(db, old)
	s := t.snapshot(db)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, e := range old {
				if v, err := s.Get(e.k); err != nil || !same(v, e.v) {
					t.Errorf("get %s: %s, %v", show(e.k), show(v), err)
					return
				}
				if i%100 != 0 {
					continue
				}
				n := 0
				seq, errf := store.Scan(s, store.KeyRange{})
				for range seq {
					n++
				}
				if n != len(old) || errf() != nil {
					t.Errorf("scan: %d rows, %v", n, errf())
					return
				}
			}
		})
	}
	for _, e := range old {
		t.must(db.Delete(e.k, nil), "delete")
	}
	wg.Wait()
	t.release(s)
	t.wantContents(db, nil, "store")
}
