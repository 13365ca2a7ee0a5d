package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// What is special about namespaces, run on memstore. That they keep the whole
// contract, on each engine, is tested with package storetest.

func namespace(t testing.TB, db store.DB, prefix string) store.DB {
	t.Helper()
	n, err := store.Namespace(db, []byte(prefix))
	must(t, err)
	t.Cleanup(func() {
		if err := n.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Errorf("close: %v", err)
		}
	})
	return n
}

func wantErr(t testing.TB, err, kind error, what string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: got %v, want %v", what, err, kind)
	}
}

func TestNamespaceRefuses(t *testing.T) {
	db := open(t, "a")
	refuse := func(db store.DB, prefix []byte, kind error, what string) {
		t.Helper()
		n, err := store.Namespace(db, prefix)
		var e *store.Error
		if n != nil || !errors.Is(err, kind) || !errors.As(err, &e) {
			t.Errorf("%s: got %v, %v, want %v", what, n, err, kind)
		}
	}
	refuse(db, nil, store.ErrInvalidArgument, "nil prefix")
	refuse(db, []byte{}, store.ErrInvalidArgument, "empty prefix")
	refuse(nil, []byte("p"), store.ErrInvalidArgument, "nil store")
	refuse(db, make([]byte, store.MaxKeySize+1), store.ErrTooLarge, "prefix longer than a key")
	n := namespace(t, db, string(make([]byte, store.MaxKeySize-2)))
	refuse(n, []byte("abc"), store.ErrTooLarge, "nested prefix that leaves no key")
	must(t, namespace(t, n, "ab").Put(nil, []byte("v"), nil))
	must(t, n.Close())
	refuse(n, []byte("p"), store.ErrClosed, "closed namespace")
	must(t, db.Close())
	refuse(db, []byte("p"), store.ErrClosed, "closed store")
}

// An iterator stops at both ends of its namespace, wherever it is sent, and turns
// round there; also where the prefix has no end of its own.
func TestNamespaceIteratorsStayInside(t *testing.T) {
	for _, prefix := range []string{"b", "\xff", "\xff\xff", "b\xff", "\x00"} {
		db := memstore.New()
		for _, k := range []string{"", "\x00", "a", "a\xff", "b", "c", "b\xfe\xff", "\xfe\xff\xff", "\xff"} {
			must(t, db.Put([]byte(k), []byte("outside"), nil))
		}
		end := store.PrefixEnd([]byte(prefix))
		if end != nil {
			must(t, db.Put(end, []byte("outside"), nil))
		}
		must(t, db.DeleteRange([]byte(prefix), end, nil))
		n := namespace(t, db, prefix)
		want := []string{"", "\x00", "k", "\xff", "\xff\xff"}
		for _, k := range want {
			must(t, n.Put([]byte(k), []byte("inside"), nil))
		}
		it, err := n.NewIterator(nil)
		must(t, err)
		walk := func(start bool, step func() bool) (keys []string) {
			for ok := start; ok; ok = step() {
				if string(it.Value()) != "inside" {
					t.Errorf("prefix %q: walked out to %q", prefix, it.Key())
				}
				keys = append(keys, string(it.Key()))
			}
			return keys
		}
		wantKeys(t, walk(it.First(), it.Next), want...)
		wantKeys(t, walk(it.SeekGE([]byte("\xff")), it.Next), want[3:]...)
		wantKeys(t, walk(it.Last(), it.Prev), "\xff\xff", "\xff", "k", "\x00", "")
		wantKeys(t, walk(it.SeekLT([]byte("k")), it.Prev), "\x00", "")
		wantKeys(t, walk(it.SeekGE([]byte("\xff\xff\x00")), it.Next))
		wantKeys(t, walk(it.SeekLT(nil), it.Prev))
		if it.Valid() || it.Err() != nil {
			t.Errorf("prefix %q: valid %v, error %v", prefix, it.Valid(), it.Err())
		}
		must(t, it.Close())
		must(t, n.DeleteRange(nil, nil, nil))
		must(t, n.Close())
		rows, errf := store.Scan(db, store.KeyRange{})
		for k, v := range rows {
			if string(v) != "outside" {
				t.Errorf("prefix %q: %q was not deleted", prefix, k)
			}
		}
		must(t, errf())
		must(t, db.Close())
	}
}

// Namespaces of one store don't see each other; the store sees them all, under
// full keys.
func TestNamespacesAreApart(t *testing.T) {
	db := open(t)
	a, b := namespace(t, db, "a/"), namespace(t, db, "b/")
	inner := namespace(t, a, "in/")
	must(t, a.Put([]byte("k"), []byte("K"), nil))
	must(t, b.Put([]byte("k"), []byte("K"), nil))
	var batch store.Batch
	must(t, batch.Put([]byte("x"), []byte("X")))
	must(t, batch.Put([]byte("y"), []byte("Y")))
	must(t, batch.DeleteRange([]byte("y"), nil))
	must(t, inner.Write(&batch, store.Sync))
	must(t, b.Write(&batch, nil))
	for _, c := range []struct {
		db   store.DB
		want []string
	}{{a, []string{"in/x", "k"}}, {b, []string{"k", "x"}}, {inner, []string{"x"}}, {db, []string{"a/in/x", "a/k", "b/k", "b/x"}}} {
		keys, errf := store.Keys(c.db, store.KeyRange{})
		var got []string
		for k := range keys {
			got = append(got, string(k))
		}
		must(t, errf())
		wantKeys(t, got, c.want...)
	}
	s, err := b.NewSnapshot()
	must(t, err)
	_, err = a.NewIterator(&store.IterOptions{Snapshot: s})
	wantErr(t, err, store.ErrInvalidArgument, "snapshot of another namespace")
	_, err = db.NewIterator(&store.IterOptions{Snapshot: s})
	wantErr(t, err, store.ErrInvalidArgument, "snapshot of a namespace, for its store")
	must(t, s.Release())
}

// A batch that becomes too large by the prefix is refused as a whole.
func TestNamespaceBatchTooLarge(t *testing.T) {
	db := open(t)
	n := namespace(t, db, "prefix/")
	var b store.Batch
	must(t, b.Put([]byte("small"), nil))
	must(t, b.Put(make([]byte, store.MaxKeySize-6), nil))
	wantErr(t, n.Write(&b, nil), store.ErrTooLarge, "put")
	b.Reset()
	must(t, b.Put([]byte("small"), nil))
	must(t, b.DeleteRange([]byte("a"), append([]byte("a"), make([]byte, store.MaxKeySize-6)...)))
	wantErr(t, n.Write(&b, nil), store.ErrTooLarge, "end of a range")
	if found, err := n.Has([]byte("small")); found || err != nil {
		t.Errorf("part of a refused batch was written: %v, %v", found, err)
	}
	b.Reset()
	must(t, b.Put(make([]byte, store.MaxKeySize-7), nil))
	must(t, n.Write(&b, nil))
}

// Close ends the namespace alone, tells what was left open in it, and holds
// nothing of the store but iterators that their owners have not closed.
func TestNamespaceClose(t *testing.T) {
	db := open(t, "n/a", "n/b", "other")
	n := namespace(t, db, "n/")
	it, err := n.NewIterator(nil)
	must(t, err)
	s, err := n.NewSnapshot()
	must(t, err)
	its, err := s.NewIterator(nil)
	must(t, err)
	if !it.First() || string(it.Key()) != "a" || !its.Last() || string(its.Key()) != "b" {
		t.Fatalf("at %q and %q", it.Key(), its.Key())
	}
	err = n.Close()
	wantErr(t, err, store.ErrLeaked, "close")
	if want := "memstore: close: left open: 2 iterators, 1 snapshot"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	for _, it := range []store.Iterator{it, its} {
		if it.Valid() || it.Key() != nil || it.Value() != nil || it.First() || it.Next() || it.Prev() || it.SeekGE(nil) || it.SeekLT([]byte("z")) {
			t.Error("the iterator of a closed namespace goes on")
		}
		wantErr(t, it.Err(), store.ErrClosed, "iterator")
	}
	m, err := db.Metrics()
	if err != nil || m.OpenSnapshots != store.Known(0) || m.OpenIterators != store.Known(2) {
		t.Errorf("in the store there are %v snapshots and %v iterators: %v", m.OpenSnapshots, m.OpenIterators, err)
	}
	for range 2 {
		wantErr(t, it.Close(), store.ErrClosed, "iterator's close")
		wantErr(t, its.Close(), store.ErrClosed, "iterator's close")
		wantErr(t, s.Release(), store.ErrClosed, "release")
		wantErr(t, n.Close(), store.ErrClosed, "close again")
	}
	_, err = n.Get([]byte("a"))
	wantErr(t, err, store.ErrClosed, "get")
	// The store knows nothing of it, and has nothing left.
	wantKeys(t, collect(t, mustScan(t, db)), "n/a", "n/b", "other")
	again := namespace(t, db, "n/")
	wantKeys(t, collect(t, mustScan(t, again)), "a", "b")
	must(t, db.Close())
	_, err = again.Get([]byte("a"))
	wantErr(t, err, store.ErrClosed, "get from a namespace of a closed store")
	must(t, again.Close())
}

func mustScan(t testing.TB, r store.Reader) func(func(k, v []byte) bool) {
	return func(yield func(k, v []byte) bool) {
		rows, errf := store.Scan(r, store.KeyRange{})
		for k, v := range rows {
			if string(v) != "N/"+string(bytes.ToUpper(k)) && !bytes.Equal(v, bytes.ToUpper(k)) {
				t.Errorf("%q has the value %q", k, v)
			}
			if !yield(k, bytes.ToUpper(k)) { // which collect wants

				return
			}
		}
		must(t, errf())
	}
}

// slowFlush is a store whose Flush waits until it may return.
type slowFlush struct {
	store.DB
	begun, let chan struct{}
	ended      atomic.Bool
}

func (s *slowFlush) Flush() error {
	close(s.begun)
	<-s.let
	s.ended.Store(true)
	return nil
}

// Close waits for calls in flight, while later ones are refused at once.
func TestNamespaceCloseWaits(t *testing.T) {
	db := &slowFlush{DB: open(t), begun: make(chan struct{}), let: make(chan struct{})}
	n := namespace(t, db, "n/")
	flushed := make(chan error)
	go func() { flushed <- n.Flush() }()
	<-db.begun
	closed := make(chan error)
	go func() {
		err := n.Close()
		if !db.ended.Load() {
			err = errors.New("close did not wait for a call in flight")
		}
		closed <- err
	}()
	for n.Put([]byte("k"), nil, nil) == nil {
		runtime.Gosched()
	}
	select {
	case err := <-closed:
		t.Errorf("closed with a call in flight: %v", err)
	default:
	}
	close(db.let)
	must(t, <-flushed)
	must(t, <-closed)
}

// Figures of the namespace are its own; those of the whole are not taken for its.
func TestNamespaceMetrics(t *testing.T) {
	db := open(t, "n/a", "other")
	n := namespace(t, db, "n/")
	outer, err := db.NewIterator(nil)
	must(t, err)
	it, err := n.NewIterator(nil)
	must(t, err)
	m, err := n.Metrics()
	must(t, err)
	if m.Engine != memstore.Engine || m.OpenIterators != store.Known(1) || m.OpenSnapshots != store.Known(0) || m.EstimatedKeys.Known() {
		t.Errorf("%+v", m)
	}
	must(t, it.Close())
	must(t, outer.Close())
	must(t, n.Flush())
	sizes, err := n.ApproximateSizes([]store.KeyRange{{}, {Start: []byte("a")}, {End: []byte("a")}})
	if err != nil || fmt.Sprint(sizes) != "[6 6 0]" { // keys have the prefix there
		t.Errorf("sizes %v, %v", sizes, err)
	}
	if v, err := n.Property("memstore.keys"); v != "2" || err != nil {
		t.Errorf("property: %q, %v", v, err)
	}
}

func ExampleNamespace() {
	db := memstore.New()
	defer db.Close()

	users, err := store.Namespace(db, []byte("user/"))
	check(err)
	groups, err := store.Namespace(db, []byte("group/"))
	check(err)
	check(users.Put([]byte("ada"), []byte("admin"), nil))
	check(users.Put([]byte("alan"), []byte("guest"), nil))
	check(groups.Put([]byte("admin"), []byte("all rights"), nil))

	rows, errf := store.Scan(users, store.KeyRange{}) // all users, and nothing else
	for k, v := range rows {
		fmt.Printf("%s is %s\n", k, v)
	}
	check(errf())
	check(groups.DeleteRange(nil, nil, nil)) // all groups, and nothing else
	check(users.Close())
	check(groups.Close())

	keys, errf := store.Keys(db, store.KeyRange{})
	for k := range keys {
		fmt.Printf("%s\n", k)
	}
	check(errf())
	// Output:
	// ada is admin
	// alan is guest
	// user/ada
	// user/alan
}

// What one tenant writes, another one can't reach, whatever its keys are.
func ExampleNamespace_nested() {
	db := memstore.New()
	defer db.Close()

	tenant, err := store.Namespace(db, []byte("tenant7/"))
	check(err)
	orders, err := store.Namespace(tenant, []byte("order/"))
	check(err)
	check(orders.Put([]byte("2026-12-01"), []byte("3 apples"), nil))
	v, err := db.Get([]byte("tenant7/order/2026-12-01"))
	fmt.Printf("%s %v\n", v, err)
	check(orders.Close())
	check(tenant.Close())
	// Output: 3 apples <nil>
}
