package storetest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// What a store and its children do at Close and after it, in one goroutine, in
// every order.
func lifecycleCases() []testCase {
	return []testCase{
		{name: "A01_UseAfterClose", run: useAfterClose, crash: true},
		{name: "A02_CloseWithOpenIterator", run: closeWithOpenIterator, crash: true},
		{name: "CloseOrders", run: closeOrders, crash: true},
		{name: "LeakReport", run: leakReport, crash: true},
		{name: "CloseUnused", run: closeUnused, crash: true},
		{name: "ChildrenAfterReopen", run: childrenAfterReopen, crash: true},
	}
}

func useAfterClose(t *env) {
	for _, contents := range [][]row{nil, numbered(1)} {
		db := t.fresh()
		t.fill(db, contents)
		t.close(db)
		for range 2 {
			t.allClosed(dbCalls(db), "after close")
			t.wantKind(db.Close(), store.ErrClosed, "another close")
		}
	}
}

func closeWithOpenIterator(t *env) {
	path := t.path()
	db := t.open(path)
	all := numbered(100)
	t.fill(db, all)
	it := t.iterator(db, nil)
	if !it.First() {
		t.Fatalf("first: %v", it.Err())
	}
	t.wantKind(db.Close(), store.ErrLeaked, "close with an open iterator")
	t.closedIterator(it)
	for range 2 {
		t.wantKind(it.Close(), store.ErrClosed, "iterator's close after the store's")
		t.closedIterator(it)
	}
	db = t.open(path)
	t.wantContents(db, all, "reopened")
	t.close(db)
}

// family is a store with one of each that it can make.
type family struct {
	db   store.DB
	it   store.Iterator
	snap store.Snapshot
	sit  store.Iterator // of the snapshot
}

func (t *env) family(db store.DB) *family {
	t.Helper()
	f := &family{db: db, it: t.iterator(db, nil), snap: t.snapshot(db)}
	f.sit = t.iterator(f.snap, nil)
	return f
}

// closeOrders closes store, iterator, snapshot and the snapshot's iterator in
// each of the 24 orders.
func closeOrders(t *env) {
	path := t.path()
	db := t.open(path)
	all := numbered(50)
	t.fill(db, all)
	t.close(db)
	for _, order := range permutations("DISs") {
		f := t.family(t.open(path))
		f.it.First()
		f.sit.Last()
		open, closed := 3, false
		for _, who := range order {
			what := fmt.Sprintf("order %s, closing %c", order, who)
			var err error
			switch who {
			case 'D':
				err = f.db.Close()
				if open > 0 {
					t.wantKind(err, store.ErrLeaked, what)
				} else {
					t.must(err, what)
				}
				closed = true
				continue
			case 'I':
				err = f.it.Close()
			case 'S':
				err = f.snap.Release()
			case 's':
				err = f.sit.Close()
			}
			open--
			if closed {
				t.wantKind(err, store.ErrClosed, what)
			} else {
				t.must(err, what)
			}
		}
		t.allClosed(dbCalls(f.db), "store, order "+order)
		t.allClosed(readerCalls(f.snap), "snapshot, order "+order)
		t.allClosed([]call{{"Close", f.it.Close}, {"Close", f.sit.Close}, {"Release", f.snap.Release}, {"Close", f.db.Close}}, "order "+order)
		t.closedIterator(f.it)
		t.closedIterator(f.sit)
	}
	db = t.open(path)
	t.wantContents(db, all, "reopened")
	t.close(db)
}

// permutations returns all orders of the bytes of s.
func permutations(s string) []string {
	if len(s) <= 1 {
		return []string{s}
	}
	var all []string
	for i := range s {
		for _, rest := range permutations(s[:i] + s[i+1:]) {
			all = append(all, s[i:i+1]+rest)
		}
	}
	return all
}

// Close names how many of which kind were left open.
func leakReport(t *env) {
	for _, c := range []struct{ iterators, snapshots, ofSnapshot int }{
		{1, 0, 0}, {0, 1, 0}, {2, 1, 0}, {3, 2, 1}, {0, 1, 2}, {0, 12, 0},
	} {
		db, err := t.openWith(t.path(), t.options())
		t.must(err, "open")
		t.fill(db, numbered(10))
		t.closeIter(t.iterator(db, nil)) // closed ones don't count
		t.release(t.snapshot(db))
		for range c.iterators {
			t.iterator(db, nil).First()
		}
		var s store.Snapshot
		for range c.snapshots {
			s = t.snapshot(db)
		}
		for range c.ofSnapshot {
			t.iterator(s, nil)
		}
		err = db.Close()
		t.wantKind(err, store.ErrLeaked, "close")
		t.reports(err, c.iterators+c.ofSnapshot, "iterator")
		t.reports(err, c.snapshots, "snapshot")
		t.wantKind(db.Close(), store.ErrClosed, "second close")
	}
}

// reports checks that err's text has the number before the noun, or, for none,
// that it claims no other number.
func (t *env) reports(err error, n int, noun string) {
	t.Helper()
	if err == nil {
		return
	}
	found := regexp.MustCompile(`(\d+) `+noun+`s?\b`).FindAllStringSubmatch(err.Error(), -1)
	claimed := make([]string, 0, 1)
	for _, f := range found {
		claimed = append(claimed, f[1])
	}
	if got := strings.Join(claimed, ","); got != fmt.Sprint(n) && (n != 0 || got != "") {
		t.Errorf("error %q says %q %ss were left open, want %d", err, got, noun, n)
	}
}

// A store that was never used, and one that was only read.
func closeUnused(t *env) {
	path := t.path()
	for range 3 {
		t.close(t.open(path))
	}
	db := t.open(path)
	t.wantContents(db, nil, "unused")
	t.close(db)
}

// What belonged to a closed store stays closed when the same path is open
// again, and does not disturb the new one.
func childrenAfterReopen(t *env) {
	path := t.path()
	old := t.family(t.open(path))
	t.fill(old.db, numbered(20))
	t.wantKind(old.db.Close(), store.ErrLeaked, "close")
	db := t.open(path)
	now := t.family(db)
	t.allClosed(dbCalls(old.db), "old store")
	t.allClosed(readerCalls(old.snap), "old snapshot")
	t.closedIterator(old.it)
	t.wantKind(old.it.Close(), store.ErrClosed, "old iterator's close")
	t.wantKind(old.sit.Close(), store.ErrClosed, "old iterator's close")
	t.wantKind(old.snap.Release(), store.ErrClosed, "old release")
	// Neither a foreign snapshot nor one of the past is taken.
	_, err := db.NewIterator(&store.IterOptions{Snapshot: old.snap})
	if err == nil {
		t.Error("an iterator was made on a snapshot of the closed store")
	}
	t.wantContents(db, numbered(20), "reopened")
	t.closeIter(now.it)
	t.release(now.snap)
	t.closeIter(now.sit)
	t.close(db)
}
