package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// Copies between stores in memory: what is copied in batches of any size, what a
// destination may hold, and what is left and gone on with after any end.

// numbers returns a store with n entries, the first of them under the empty key.
func numbers(t testing.TB, n int) *memstore.DB {
	t.Helper()
	db := open(t)
	for i := range n {
		key := fmt.Appendf(nil, "k%03d", i)
		must(t, db.Put(key[:4*min(i, 1)], fmt.Appendf(nil, "value %d", i), nil))
	}
	return db
}

// wantCopy checks that dst has the first n entries of src, and no others.
func wantCopy(t testing.TB, dst, src store.Reader, n int, what string) {
	t.Helper()
	differences, errf := store.Diff(nil, src, dst, store.KeyRange{})
	for d := range differences {
		if d.B != nil {
			t.Errorf("%s: %q is %q in the source, %q in the copy", what, d.Key, d.A, d.B)
		}
	}
	must(t, errf())
	sum, err := store.Checksum(nil, dst, store.KeyRange{})
	must(t, err)
	if int(sum.Entries) != n {
		t.Errorf("%s: %d entries, want %d", what, sum.Entries, n)
	}
	keys, errf := store.Keys(src, store.KeyRange{})
	i := 0
	for k := range keys {
		if found, err := dst.Has(k); err != nil || found != (i < n) {
			t.Errorf("%s: entry %d is there: %v, %v", what, i, found, err)
		}
		i++
	}
	must(t, errf())
}

func TestCopy(t *testing.T) {
	for _, n := range []int{0, 1, 2, 99} {
		src := numbers(t, n)
		for _, size := range []int{0, 1, 40, 1000, store.MaxCopyBatch} {
			dst := &counting{DB: open(t)}
			p, err := store.Copy(t.Context(), dst, src, &store.CopyOptions{BatchSize: size})
			what := fmt.Sprintf("%d entries in batches of %d", n, size)
			if err != nil || p.Entries != uint64(n) || p.Found != 0 {
				t.Errorf("%s: %+v, %v", what, p, err)
			}
			if size == 1 && dst.writes != n || size == 0 && dst.writes > 1 {
				t.Errorf("%s: %d writes", what, dst.writes)
			}
			wantCopy(t, dst, src, n, what)
			sum, err := store.Checksum(nil, src, store.KeyRange{})
			if err != nil || sum.Bytes != p.Bytes {
				t.Errorf("%s: %d bytes, want %d, %v", what, p.Bytes, sum.Bytes, err)
			}
			again, err := dst.ApproximateSizes([]store.KeyRange{{}})
			if err != nil || again[0] != p.Bytes {
				t.Errorf("%s: it was not flushed: %v, %v", what, again, err)
			}
		}
	}
}

// Entries much larger than a batch, between small ones.
func TestCopyLargeEntries(t *testing.T) {
	src, dst := open(t), open(t)
	for i := range 20 {
		value := bytes.Repeat([]byte{byte(i)}, 1)
		if i%3 == 1 {
			value = bytes.Repeat(value, 1<<20)
		}
		must(t, src.Put(fmt.Appendf(nil, "k%02d", i), value, nil))
	}
	_, err := store.Copy(nil, dst, src, &store.CopyOptions{BatchSize: 100})
	must(t, err)
	wantCopy(t, dst, src, 20, "large entries")
}

func TestCopyRefuses(t *testing.T) {
	src, dst := numbers(t, 3), open(t)
	for what, o := range map[string]*store.CopyOptions{
		"negative size":        {BatchSize: -1},
		"size of too much":     {BatchSize: store.MaxCopyBatch + 1},
		"resume and overwrite": {Resume: true, Overwrite: true},
	} {
		_, err := store.Copy(nil, dst, src, o)
		wantErr(t, err, store.ErrInvalidArgument, what)
	}
	_, err := store.Copy(nil, nil, src, nil)
	wantErr(t, err, store.ErrInvalidArgument, "no destination")
	_, err = store.Copy(nil, dst, nil, nil)
	wantErr(t, err, store.ErrInvalidArgument, "no source")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = store.Copy(canceled, dst, src, nil)
	wantErr(t, err, context.Canceled, "canceled before")
	wantCopy(t, dst, src, 0, "after refusals")
	closed := open(t)
	must(t, closed.Close())
	_, err = store.Copy(nil, dst, closed, nil)
	wantErr(t, err, store.ErrClosed, "closed source")
	for _, o := range []*store.CopyOptions{nil, {Resume: true}, {Overwrite: true}} {
		_, err = store.Copy(nil, closed, src, o)
		wantErr(t, err, store.ErrClosed, "closed destination")
	}
}

// A destination with entries is left as it is, unless the caller knows about
// them.
func TestCopyIntoNonEmpty(t *testing.T) {
	src := numbers(t, 5)
	dst := open(t, "a", "k001", "z")
	for _, c := range []*store.CopyOptions{nil, {Resume: true}} {
		p, err := store.Copy(nil, dst, src, c)
		wantErr(t, err, store.ErrExists, "not empty")
		var e *store.Error
		if !errors.As(err, &e) || e.Engine != memstore.Engine || e.Op != "copy" || p.Entries != 0 {
			t.Errorf("%#v, %+v", err, p)
		}
		wantKeys(t, collect(t, mustScan(t, dst)), "a", "k001", "z")
	}
	p, err := store.Copy(nil, dst, src, &store.CopyOptions{Overwrite: true})
	if err != nil || p.Entries != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	for k, want := range map[string]string{"": "value 0", "k001": "value 1", "k004": "value 4", "a": "A", "z": "Z"} {
		if v, err := dst.Get([]byte(k)); string(v) != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", k, v, err, want)
		}
	}
}

// From any number of first entries on, a copy can be gone on with.
func TestCopyResume(t *testing.T) {
	const n = 12
	src := numbers(t, n)
	for there := range n + 1 {
		dst := open(t)
		rows, errf := store.Scan(src, store.KeyRange{})
		i := 0
		for k, v := range rows {
			if i == there {
				break
			}
			must(t, dst.Put(k, v, nil))
			i++
		}
		must(t, errf())
		p, err := store.Copy(t.Context(), dst, src, &store.CopyOptions{Resume: true, BatchSize: 30})
		if err != nil || p.Found != uint64(there) || p.Entries != uint64(n-there) {
			t.Errorf("%d entries were there: %+v, %v", there, p, err)
		}
		wantCopy(t, dst, src, n, "resumed")
	}
}

// What is no beginning of the source is refused, and left as it is.
func TestCopyResumeRefuses(t *testing.T) {
	src := numbers(t, 5)
	for what, spoil := range map[string]func(db store.DB) error{
		"another key":         func(db store.DB) error { return db.Put([]byte("k0015"), nil, nil) },
		"a key missing":       func(db store.DB) error { return db.Delete([]byte("k001"), nil) },
		"another value":       func(db store.DB) error { return db.Put([]byte("k001"), []byte("other"), nil) },
		"an empty value":      func(db store.DB) error { return db.Put([]byte("k002"), nil, nil) },
		"a key after the end": func(db store.DB) error { return db.Put([]byte("k005"), nil, nil) },
		"a key before": func(db store.DB) error {
			return errors.Join(db.DeleteRange(nil, nil, nil), db.Put([]byte("a"), nil, nil))
		},
	} {
		dst := open(t)
		_, err := store.Copy(nil, dst, src, nil)
		must(t, err)
		if what != "a key after the end" {
			must(t, dst.Delete([]byte("k004"), nil)) // it could be an interrupted copy
		}
		must(t, spoil(dst))
		before, err := store.Checksum(nil, dst, store.KeyRange{})
		must(t, err)
		p, err := store.Copy(nil, dst, src, &store.CopyOptions{Resume: true})
		wantErr(t, err, store.ErrExists, what)
		after, err := store.Checksum(nil, dst, store.KeyRange{})
		if err != nil || before != after || p.Entries != 0 {
			t.Errorf("%s: the destination was changed: %+v, %v", what, p, err)
		}
	}
}

// A copy that its context ends leaves the first entries, and is gone on with.
func TestCopyInterrupted(t *testing.T) {
	const n = 50
	src, dst := numbers(t, n), open(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := store.Copy(ctx, dst, src, &store.CopyOptions{BatchSize: 100, Progress: func(p store.CopyProgress) {
		if p.Entries > 10 {
			cancel()
		}
	}})
	wantErr(t, err, context.Canceled, "interrupted")
	var e *store.Error
	if !errors.As(err, &e) || p.Entries <= 10 || p.Entries >= n {
		t.Fatalf("%+v, %#v", p, err)
	}
	wantCopy(t, dst, src, int(p.Entries), "interrupted")
	rest, err := store.Copy(t.Context(), dst, src, &store.CopyOptions{Resume: true})
	if err != nil || rest.Found != p.Entries || rest.Found+rest.Entries != n {
		t.Errorf("%+v, %v", rest, err)
	}
	wantCopy(t, dst, src, n, "resumed")
}

// What was read before an error is copied, and the error is told; so is one of
// writing, of a walk over the destination, and of closing.
func TestCopyErrors(t *testing.T) {
	const n = 30
	src := numbers(t, n)
	for after := range n {
		dst := open(t)
		p, err := store.Copy(nil, dst, failing{Reader: src, after: after}, &store.CopyOptions{BatchSize: 60})
		wantErr(t, err, errDamaged, "reading")
		if p.Entries != uint64(after+1) {
			t.Errorf("%d entries copied before an error behind %d", p.Entries, after+1)
		}
		wantCopy(t, dst, src, after+1, "after an error")
	}
	for write := 1; write < 10; write++ {
		dst := &counting{DB: open(t), fail: write}
		p, err := store.Copy(nil, dst, src, &store.CopyOptions{BatchSize: 40})
		wantErr(t, err, errDamaged, "writing")
		wantCopy(t, dst, src, int(p.Entries), "after a failed write")
		rest, err := store.Copy(nil, dst, src, &store.CopyOptions{Resume: true})
		if err != nil || rest.Found != p.Entries {
			t.Errorf("%+v, %v", rest, err)
		}
		wantCopy(t, dst, src, n, "resumed")
	}
	_, err := store.Copy(nil, open(t), failing{Reader: src, after: n, atClose: errDamaged}, nil)
	wantErr(t, err, errDamaged, "closing the source's iterator")
	dst := open(t)
	_, err = store.Copy(nil, dst, src, nil)
	must(t, err)
	_, err = store.Copy(nil, damagedDB{dst}, src, &store.CopyOptions{Resume: true})
	wantErr(t, err, errDamaged, "walk over the destination")
	_, err = store.Copy(nil, dst, failing{Reader: src, after: 3}, &store.CopyOptions{Resume: true})
	wantErr(t, err, errDamaged, "walk over the source, beside the destination")
	_, err = store.Copy(nil, fullDB{open(t)}, src, nil)
	wantErr(t, err, store.ErrNoSpace, "flush")
}

// damagedDB can't be read to its end.
type damagedDB struct{ store.DB }

func (d damagedDB) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	return failing{Reader: d.DB, after: 2}.NewIterator(o)
}

// fullDB has no room for tables.
type fullDB struct{ store.DB }

func (f fullDB) Flush() error { return store.ErrNoSpace }

// The source is read as it is at the call, or as a snapshot has it, whatever is
// written to it meanwhile.
func TestCopyReadsOneState(t *testing.T) {
	const n = 40
	src := numbers(t, n)
	want := open(t)
	_, err := store.Copy(nil, want, src, nil)
	must(t, err)
	s, err := src.NewSnapshot()
	must(t, err)
	dst := open(t)
	_, err = store.Copy(nil, dst, src, &store.CopyOptions{BatchSize: 50, Progress: func(p store.CopyProgress) {
		must(t, src.Put(fmt.Appendf(nil, "k%03d.new", p.Entries+5), nil, nil))
		must(t, src.Delete([]byte("k039"), nil))
	}})
	must(t, err)
	wantCopy(t, dst, want, n, "copy of a store that changes")
	dst = open(t)
	p, err := store.Copy(nil, dst, s, &store.CopyOptions{BatchSize: 50, Progress: func(p store.CopyProgress) {
		if p.Total.Known() != (p.Entries == n) {
			t.Errorf("of a snapshot, the total is %v after %d entries", p.Total, p.Entries)
		}
	}})
	if err != nil || p.Entries != n {
		t.Errorf("%+v, %v", p, err)
	}
	wantCopy(t, dst, want, n, "copy of a snapshot")
	must(t, s.Release())
}

// Progress is told after each batch, grows, and ends at what was copied; the
// total is known from the tables, or from the metrics where there are none.
func TestCopyProgress(t *testing.T) {
	const n = 100
	for _, flushed := range []bool{false, true} {
		src, dst := numbers(t, n), &counting{DB: open(t)}
		if flushed {
			must(t, src.Flush())
		}
		var last store.CopyProgress
		calls := 0
		p, err := store.Copy(nil, dst, src, &store.CopyOptions{BatchSize: 200, Progress: func(p store.CopyProgress) {
			total, known := p.Total.Value()
			if p.Entries <= last.Entries || p.Bytes <= last.Bytes || !known || total < p.Entries || total < 80 || total > 120 {
				t.Errorf("flushed %v: after %+v comes %+v", flushed, last, p)
			}
			last = p
			calls++
		}})
		if err != nil || p.Entries != n || last.Entries != n || calls != dst.writes {
			t.Errorf("flushed %v: %+v after %+v, %d calls for %d writes: %v", flushed, p, last, calls, dst.writes, err)
		}
	}
}

// A callback that panics leaves nothing behind: the stores close without a leak.
func TestCopyProgressPanics(t *testing.T) {
	src, dst := numbers(t, 50), open(t)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		store.Copy(nil, dst, src, &store.CopyOptions{BatchSize: 10, Progress: func(store.CopyProgress) { panic("of the callback") }})
	}()
	must(t, src.Close())
	must(t, dst.Close())
}

// Namespaces are stores to copy from and to.
func TestCopyNamespace(t *testing.T) {
	src := numbers(t, 20)
	db := open(t, "a", "z")
	n := namespace(t, db, "k")
	_, err := store.Copy(nil, n, src, &store.CopyOptions{BatchSize: 100})
	must(t, err)
	wantCopy(t, n, src, 20, "into a namespace")
	dst := open(t)
	p, err := store.Copy(nil, dst, n, &store.CopyOptions{Progress: func(p store.CopyProgress) {
		if total, _ := p.Total.Value(); total != 20 {
			t.Errorf("total %v", p.Total)
		}
	}})
	if err != nil || p.Entries != 20 {
		t.Errorf("%+v, %v", p, err)
	}
	wantCopy(t, dst, src, 20, "out of a namespace")
}

func ExampleCopy() {
	src, dst := memstore.New(), memstore.New() // or one of each engine
	defer src.Close()
	defer dst.Close()
	for i := range 1000 {
		check(src.Put(fmt.Appendf(nil, "key%04d", i), []byte("value"), nil))
	}

	p, err := store.Copy(context.Background(), dst, src, nil)
	check(err)
	fmt.Println(p.Entries, "entries,", p.Bytes, "bytes")

	a, err := store.Checksum(context.Background(), src, store.KeyRange{})
	check(err)
	b, err := store.Checksum(context.Background(), dst, store.KeyRange{})
	check(err)
	fmt.Println("equal:", a == b)
	// Output:
	// 1000 entries, 12000 bytes
	// equal: true
}

// A copy that was interrupted goes on where it has stopped.
func ExampleCopy_resume() {
	src, dst := memstore.New(), memstore.New()
	defer src.Close()
	defer dst.Close()
	for i := range 1000 {
		check(src.Put(fmt.Appendf(nil, "key%04d", i), []byte("value"), nil))
	}

	ctx, cancel := context.WithCancel(context.Background())
	_, err := store.Copy(ctx, dst, src, &store.CopyOptions{
		BatchSize: 4 << 10,
		Progress:  func(store.CopyProgress) { cancel() }, // somebody stops it
	})
	fmt.Println(errors.Is(err, context.Canceled))

	_, err = store.Copy(context.Background(), dst, src, nil)
	fmt.Println(errors.Is(err, store.ErrExists))

	p, err := store.Copy(context.Background(), dst, src, &store.CopyOptions{Resume: true})
	check(err)
	fmt.Println(p.Found > 0, p.Found+p.Entries)
	// Output:
	// true
	// true
	// true 1000
}

// vanishing is a Reader that is closed right after an iterator's nth move, which
// has said that there is an entry.
type vanishing struct {
	store.Reader
	n int
}

type vanishingIterator struct {
	store.Iterator
	left int
}

func (v vanishing) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	it, err := v.Reader.NewIterator(o)
	return &vanishingIterator{it, v.n}, err
}

func (it *vanishingIterator) Next() bool {
	ok := it.Iterator.Next()
	if it.left--; it.left == 0 {
		it.Iterator.Close()
	}
	return ok
}

// What can't be read any more is never taken for an empty entry.
func TestCopyAndDiffVanishing(t *testing.T) {
	const n = 10
	src := numbers(t, n)
	for _, size := range []int{1, 0} {
		dst := open(t)
		_, err := store.Copy(nil, dst, vanishing{src, 4}, &store.CopyOptions{BatchSize: size})
		wantErr(t, err, store.ErrClosed, "copy")
		wantCopy(t, dst, src, 4, "copy of a store that was closed")
		_, err = store.Copy(nil, dst, vanishing{src, 2}, &store.CopyOptions{Resume: true})
		wantErr(t, err, store.ErrClosed, "resume with its source closed")
		_, err = store.Copy(nil, vanishingDB{dst}, src, &store.CopyOptions{Resume: true})
		wantErr(t, err, store.ErrClosed, "resume with its destination closed")
		wantCopy(t, dst, src, 4, "not resumed")
	}
	for _, sides := range [][2]store.Reader{{src, vanishing{src, 4}}, {vanishing{src, 4}, src}} {
		differences, errf := store.Diff(nil, sides[0], sides[1], store.KeyRange{})
		for d := range differences {
			t.Errorf("a difference at %q", d.Key)
		}
		wantErr(t, errf(), store.ErrClosed, "diff")
	}
}

// vanishingDB is a destination that vanishes.
type vanishingDB struct{ store.DB }

func (v vanishingDB) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	return vanishing{v.DB, 2}.NewIterator(o)
}
