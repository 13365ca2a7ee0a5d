package storetest

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// What a store tells about itself.
func metricCases() []testCase {
	return []testCase{
		{name: "Metrics", run: metrics},
		{name: "Operations", run: operations, whole: true},
		{name: "OperationsOfMany", run: operationsOfMany, whole: true},
	}
}

func metrics(t *env) {
	db := t.fresh()
	check := func(iterators, snapshots uint64) {
		t.Helper()
		m := t.metrics(db)
		if m.Engine != t.cfg.Name {
			t.Errorf("engine %q, want %q", m.Engine, t.cfg.Name)
		}
		if m.OpenIterators != store.Known(iterators) || m.OpenSnapshots != store.Known(snapshots) {
			t.Errorf("open iterators %v, snapshots %v, want %d and %d", m.OpenIterators, m.OpenSnapshots, iterators, snapshots)
		}
	}
	check(0, 0)
	s := t.snapshot(db)
	it := t.iterator(db, nil)
	it2 := t.iterator(s, nil)
	check(2, 1)
	t.closeIter(it)
	t.closeIter(it)
	t.release(s)
	t.release(s)
	check(1, 0)
	t.closeIter(it2)
	check(0, 0)
}

func (t *env) metrics(db store.DB) store.Metrics {
	t.Helper()
	m, err := db.Metrics()
	t.must(err, "metrics")
	return m
}

func op(calls, items, bytes uint64) store.Operation {
	return store.Operation{Calls: store.Known(calls), Items: store.Known(items), Bytes: store.Known(bytes)}
}

// countedKeys is how many keys the test of operations puts.
const countedKeys = 1000

// Each kind of call is counted once, with what it has moved; calls that failed
// are not.
func operations(t *env) {
	db := t.fresh()
	if got, want := t.metrics(db).Operations, t.scanned(none(), 0, 0, 0); got != want {
		t.Fatalf("at first: %+v", got)
	}
	want := none()
	t.countWrites(db, &want)
	log := t.metrics(db)
	if !t.cfg.InMemory {
		t.wantFigure(log.Commits.Writes, countedKeys+3, "writes of the engine")
		t.wantFigure(log.WAL.Syncs, 1, "syncs")
	}
	want = t.countReads(db, want)
	m := t.metrics(db)
	got := m.Operations
	if calls, ok := got.Scan.Calls.Value(); ok {
		if calls < 2 || calls > 200 {
			t.Errorf("%d chunks", calls)
		}
		want.Scan.Calls = got.Scan.Calls
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if m.WAL != log.WAL || m.Commits != log.Commits {
		t.Errorf("reading has changed %v, %v to %v, %v", log.WAL, log.Commits, m.WAL, m.Commits)
	}
	if t.cfg.InMemory {
		return
	}
	t.wantFigure(m.Failures, 0, "failures")
	t.wantFigure(m.CallsInFlight, 0, "calls in flight")
}

// countWrites writes in each way, and says what is to be counted for it.
func (t *env) countWrites(db store.DB, want *store.Operations) {
	const n = countedKeys
	for i := range n {
		t.must(db.Put(fmt.Appendf(nil, "key%03d", i), make([]byte, 100), nil), "put")
	}
	if bytes, ok := t.metrics(db).WAL.Bytes.Value(); ok && bytes < n*121 || ok == t.cfg.InMemory || bytes > n*122 {
		// A record has 15 bytes around key and value: 12 before the first of a
		// write, its kind, and a length for each.
		t.Errorf("%d bytes of log", bytes)
	}
	t.must(db.Delete([]byte("key000"), store.Sync), "delete")
	t.must(db.DeleteRange([]byte("key001"), []byte("key003"), nil), "delete range")
	b := store.NewBatch(0)
	t.must(b.Put([]byte("a"), []byte("1234")), "batch put")
	t.must(b.Delete([]byte("b")), "batch delete")
	t.must(db.Write(b, nil), "write")
	t.must(db.Write(nil, nil), "write of nothing")
	t.wantKind(db.Put(make([]byte, store.MaxKeySize+1), nil, nil), store.ErrTooLarge, "put of too much")
	want.Put = op(n, n, n*106)
	want.Delete = op(1, 1, 6)
	want.DeleteRange = op(1, 1, 12)
	want.Write = op(1, 2, uint64(b.Size()))
}

// countReads reads in each way, from the store and from a snapshot, and returns
// what is to be counted for it and for what was before.
func (t *env) countReads(db store.DB, want store.Operations) store.Operations {
	const n = countedKeys - 2 // three keys are gone, one has come
	s := t.snapshot(db)
	defer t.release(s)
	for _, r := range []store.Reader{db, s} {
		t.wantGet(r, "a", "1234")
		t.wantMissing(r, "b") // a get, an append get, a has and a multi-get
		found, err := r.Has([]byte("a"))
		t.keep(found, err, "has")
		var vs store.Values
		t.must(r.MultiGet([][]byte{[]byte("a"), []byte("b"), []byte("a")}, &vs), "multi-get")
		it := t.iterator(r, nil)
		entries := 0
		for ok := it.First(); ok; ok = it.Next() {
			entries++
		}
		if t.closeIter(it); entries != n {
			t.Fatalf("%d entries, want %d", entries, n)
		}
	}
	want.Get = op(6, 2, 8)
	want.Has = op(4, 2, 0)
	want.MultiGet = op(4, 4, 16)
	want.MultiGetKeys = store.Known(8)
	want.Iterators, want.Snapshots, want.Seeks = store.Known(2), store.Known(1), store.Known(2)
	return t.scanned(want, 2, 2*n, 2*(5+(n-1)*106))
}

// none is no operations, all of them told.
func none() store.Operations {
	zero := op(0, 0, 0)
	return store.Operations{
		Get: zero, Has: zero, MultiGet: zero, Put: zero, Delete: zero, DeleteRange: zero, Write: zero, Scan: zero,
		MultiGetKeys: store.Known(0), Iterators: store.Known(0), Snapshots: store.Known(0), Seeks: store.Known(0),
	}
}

// scanned sets what iterators have read. An engine in memory has no chunks.
func (t *env) scanned(o store.Operations, chunks, entries, bytes uint64) store.Operations {
	o.Scan = op(chunks, entries, bytes)
	if t.cfg.InMemory {
		o.Scan.Calls = store.Figure{}
	}
	return o
}

func (t *env) wantFigure(f store.Figure, want uint64, what string) {
	t.Helper()
	if f != store.Known(want) {
		t.Errorf("%s: %v, want %d", what, f, want)
	}
}

// Calls of many goroutines are all counted, and their groups add up to them.
func operationsOfMany(t *env) {
	db := t.fresh()
	const goroutines, each = 32, 50
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				key := fmt.Appendf(nil, "%02d.%02d", g, i)
				if err := db.Put(key, key, store.Sync); err != nil {
					t.Errorf("put: %v", err)
				}
				if found, err := db.Has(key); !found || err != nil {
					t.Errorf("has: %v, %v", found, err)
				}
				if i%16 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	m := t.metrics(db)
	const n = goroutines * each
	if want := op(n, n, n*10); m.Operations.Put != want {
		t.Errorf("puts: %v, want %v", m.Operations.Put, want)
	}
	if want := op(n, n, 0); m.Operations.Has != want {
		t.Errorf("has: %v, want %v", m.Operations.Has, want)
	}
	if t.cfg.InMemory {
		return
	}
	c := m.Commits
	writes, _ := c.Writes.Value()
	groups, _ := c.Groups.Value()
	grouped, _ := c.Grouped.Value()
	largest, _ := c.Largest.Value()
	t.Logf("%d puts in %d writes, %d of them groups with up to %d", n, writes, groups, largest)
	if writes-groups+grouped != n {
		t.Errorf("%v don't add up to %d", c, n)
	}
	if grouped < 2*groups || groups > 0 && (largest < 2 || largest > goroutines) {
		t.Errorf("impossible groups: %v", c)
	}
	t.wantFigure(c.Waiting, 0, "waiting")
	t.wantFigure(m.WAL.Syncs, writes, "syncs")
}
