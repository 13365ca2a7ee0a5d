package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// The helpers over any Reader and DB, run on memstore: what they show, that
// they close what they open, and that errors are never taken for the end.

// open returns a store with these keys, each with itself in capitals as value,
// that must have nothing open at the end.
func open(t testing.TB, keys ...string) *memstore.DB {
	t.Helper()
	db := memstore.New()
	for _, k := range keys {
		must(t, db.Put([]byte(k), bytes.ToUpper([]byte(k)), nil))
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// collect returns the keys of a sequence and checks the values.
func collect(t testing.TB, rows iter.Seq2[[]byte, []byte]) []string {
	t.Helper()
	var keys []string
	for k, v := range rows {
		if !bytes.Equal(v, bytes.ToUpper(k)) {
			t.Errorf("%q has the value %q", k, v)
		}
		keys = append(keys, string(k))
	}
	return keys
}

func wantKeys(t testing.TB, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAllAndBackward(t *testing.T) {
	db := open(t, "a", "b", "c")
	it, err := db.NewIterator(nil)
	must(t, err)
	it.Last()
	wantKeys(t, collect(t, store.All(it)), "a", "b", "c")
	wantKeys(t, collect(t, store.Backward(it)), "c", "b", "a")
	for k := range store.All(it) {
		if string(k) == "b" {
			break
		}
	}
	if string(it.Key()) != "b" { // a loop that was left leaves the iterator there
		t.Errorf("after leaving the loop at %q", it.Key())
	}
	must(t, it.Err())
	must(t, it.Close())
	wantKeys(t, collect(t, store.All(it)))
	if !errors.Is(it.Err(), store.ErrClosed) {
		t.Errorf("closed iterator: %v", it.Err())
	}
}

func TestScan(t *testing.T) {
	db := open(t, "", "a", "b", "c", "d", "\xff")
	for _, c := range []struct {
		r    store.KeyRange
		want []string
	}{
		{store.KeyRange{}, []string{"", "a", "b", "c", "d", "\xff"}},
		{store.KeyRange{Start: []byte("b"), End: []byte("d")}, []string{"b", "c"}},
		{store.KeyRange{End: []byte{}}, nil},
		{store.KeyRange{Start: []byte("d"), End: []byte("b")}, nil},
		{store.PrefixRange([]byte("\xff")), []string{"\xff"}},
	} {
		rows, errf := store.Scan(db, c.r)
		for range 2 { // each loop is a scan of its own
			wantKeys(t, collect(t, rows), c.want...)
			must(t, errf())
		}
		back, errf := store.ScanBackward(db, c.r)
		got := collect(t, back)
		must(t, errf())
		for i := range len(got) / 2 {
			got[i], got[len(got)-1-i] = got[len(got)-1-i], got[i]
		}
		wantKeys(t, got, c.want...)
		keys, errf := store.Keys(db, c.r)
		got = nil
		for k := range keys {
			got = append(got, string(k))
		}
		must(t, errf())
		wantKeys(t, got, c.want...)
	}
}

// Two loops over one sequence at the same time have an iterator each.
func TestScanNested(t *testing.T) {
	db := open(t, "a", "b")
	rows, errf := store.Scan(db, store.KeyRange{})
	var got []string
	for k := range rows {
		for l := range rows {
			got = append(got, string(k)+string(l))
		}
	}
	must(t, errf())
	wantKeys(t, got, "aa", "ab", "ba", "bb")
}

// However a loop ends, nothing stays open: open checks it at the end.
func TestScanCloses(t *testing.T) {
	db := open(t, "a", "b", "c")
	rows, errf := store.Scan(db, store.KeyRange{})
	for range rows {
		break
	}
	must(t, errf())
	keys, errf := store.Keys(db, store.KeyRange{})
	for range keys {
		break
	}
	must(t, errf())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		for range rows {
			panic("in the loop")
		}
	}()
	m, err := db.Metrics()
	if err != nil || m.OpenIterators != store.Known(0) {
		t.Errorf("open iterators %v, %v", m.OpenIterators, err)
	}
}

func TestScanErrors(t *testing.T) {
	db := open(t, "a", "b", "c")
	rows, errf := store.Scan(db, store.KeyRange{})
	must(t, errf()) // before any loop
	s, err := db.NewSnapshot()
	must(t, err)
	must(t, s.Release())
	ofSnapshot, snapErr := store.Scan(s, store.KeyRange{})
	wantKeys(t, collect(t, ofSnapshot))
	if !errors.Is(snapErr(), store.ErrClosed) {
		t.Errorf("released snapshot: %v", snapErr())
	}
	n := 0
	for range rows { // closed in the middle: the loop ends, with an error
		if n++; n == 2 {
			if err := db.Close(); !errors.Is(err, store.ErrLeaked) {
				t.Errorf("close in the loop: %v", err)
			}
		}
	}
	if n != 2 || !errors.Is(errf(), store.ErrClosed) {
		t.Errorf("%d rows, then %v", n, errf())
	}
	wantKeys(t, collect(t, rows))
	if !errors.Is(errf(), store.ErrClosed) {
		t.Errorf("closed store: %v", errf())
	}
}

// failing is a Reader whose iterators fail after some entries, or at Close.
type failing struct {
	store.Reader
	after   int
	atClose error
}

type failingIterator struct {
	store.Iterator
	left    int
	atClose error
}

var errDamaged = errors.New("damaged")

func (f failing) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	it, err := f.Reader.NewIterator(o)
	return &failingIterator{it, f.after, f.atClose}, err
}

func (it *failingIterator) Next() bool {
	it.left--
	return it.left >= 0 && it.Iterator.Next()
}

func (it *failingIterator) Err() error {
	if it.left < 0 {
		return errDamaged
	}
	return it.Iterator.Err()
}

func (it *failingIterator) Close() error {
	return errors.Join(it.Iterator.Close(), it.atClose)
}

func TestScanInterrupted(t *testing.T) {
	db := open(t, "a", "b", "c", "d")
	rows, errf := store.Scan(failing{Reader: db, after: 1}, store.KeyRange{})
	wantKeys(t, collect(t, rows), "a", "b")
	if !errors.Is(errf(), errDamaged) {
		t.Errorf("interrupted walk: %v", errf())
	}
	keys, errf := store.Keys(failing{Reader: db, after: 1}, store.KeyRange{})
	for range keys {
	}
	if !errors.Is(errf(), errDamaged) {
		t.Errorf("interrupted walk over keys: %v", errf())
	}
	atClose := errors.New("at close")
	rows, errf = store.Scan(failing{Reader: db, after: 100, atClose: atClose}, store.KeyRange{})
	wantKeys(t, collect(t, rows), "a", "b", "c", "d")
	if !errors.Is(errf(), atClose) {
		t.Errorf("failing close: %v", errf())
	}
	rows, errf = store.Scan(failing{Reader: db, after: 1, atClose: atClose}, store.KeyRange{})
	collect(t, rows)
	if !errors.Is(errf(), errDamaged) {
		t.Errorf("the first error was lost: %v", errf())
	}
}

func TestMatch(t *testing.T) {
	db := open(t, "", "user/1/age", "user/1/name", "user/2/name", "user\xff", "zoo")
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"user/*/name", []string{"user/1/name", "user/2/name"}},
		{"user/[^1]*", []string{"user/2/name"}},
		{"*", []string{"", "user/1/age", "user/1/name", "user/2/name", "user\xff", "zoo"}},
		{"", []string{""}},
		{"zoo", []string{"zoo"}},
		{"zo", nil},
		{"user\xff*", []string{"user\xff"}},
		{"user?", []string{"user\xff"}},
	} {
		rows, errf := store.Match(db, []byte(c.pattern))
		wantKeys(t, collect(t, rows), c.want...)
		must(t, errf())
	}
	rows, errf := store.Match(db, []byte("[z-a]"))
	wantKeys(t, collect(t, rows))
	if !errors.Is(errf(), store.ErrInvalidArgument) {
		t.Errorf("malformed pattern: %v", errf())
	}
}

// counting counts the writes that reach it.
type counting struct {
	store.DB
	writes int
	sync   bool
	fail   int // the write that fails
}

func (c *counting) Write(b *store.Batch, o *store.WriteOptions) error {
	if c.writes++; c.writes == c.fail {
		return errDamaged
	}
	c.sync = c.sync || o.Synced()
	return c.DB.Write(b, o)
}

func fillNumbered(t testing.TB, db store.DB, n int) {
	t.Helper()
	for i := range n {
		must(t, db.Put(fmt.Appendf(nil, "k%03d", i), nil, nil))
	}
}

func TestDeleteRangePieces(t *testing.T) {
	for _, c := range []struct {
		r             store.KeyRange
		size, removed int
		pieces        int // at least
	}{
		{store.KeyRange{}, 0, 100, 1},
		{store.KeyRange{}, 1, 100, 100},
		{store.KeyRange{}, 60, 100, 10},
		{store.KeyRange{Start: []byte("k010"), End: []byte("k020")}, 30, 10, 4},
		{store.KeyRange{Start: []byte("k090")}, 1 << 30, 10, 1},
		{store.KeyRange{End: []byte{}}, 0, 0, 0},
		{store.KeyRange{Start: []byte("x"), End: []byte("x")}, 0, 0, 0},
	} {
		db := &counting{DB: open(t)}
		fillNumbered(t, db, 100)
		n, err := store.DeleteRangePieces(nil, db, c.r, c.size, store.Sync)
		if n != c.removed || err != nil || db.writes < c.pieces {
			t.Errorf("%v in pieces of %d: %d removed, %v, in %d writes, want %d in at least %d", c.r, c.size, n, err, db.writes, c.removed, c.pieces)
		}
		left, errf := store.Keys(db, store.KeyRange{})
		count := 0
		for k := range left {
			if count++; c.r.Contains(k) {
				t.Errorf("%v: %q is left", c.r, k)
			}
		}
		if must(t, errf()); count != 100-c.removed {
			t.Errorf("%v: %d keys left", c.r, count)
		}
		if c.removed > 0 && !db.sync {
			t.Error("the write options were lost")
		}
	}
}

// Too small a size makes pieces of one key each, and an error tells how many
// keys are gone.
func TestDeleteRangePiecesStops(t *testing.T) {
	db := &counting{DB: open(t), fail: 4}
	fillNumbered(t, db, 10)
	n, err := store.DeleteRangePieces(t.Context(), db, store.KeyRange{}, 1, nil)
	if n != 3 || !errors.Is(err, errDamaged) {
		t.Errorf("failing write: %d removed, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n, err = store.DeleteRangePieces(ctx, db, store.KeyRange{}, 1, nil)
	if n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("done context: %d removed, %v", n, err)
	}
	for what, c := range map[string]struct {
		r    store.KeyRange
		size int
		want error
	}{
		"reversed range": {store.KeyRange{Start: []byte("b"), End: []byte("a")}, 0, store.ErrInvalidArgument},
		"negative size":  {store.KeyRange{}, -1, store.ErrInvalidArgument},
	} {
		if n, err := store.DeleteRangePieces(t.Context(), db, c.r, c.size, nil); n != 0 || !errors.Is(err, c.want) {
			t.Errorf("%s: %d removed, %v", what, n, err)
		}
	}
	must(t, db.DB.Close())
	if n, err := store.DeleteRangePieces(t.Context(), db, store.KeyRange{}, 0, nil); n != 0 || !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed store: %d removed, %v", n, err)
	}
}
