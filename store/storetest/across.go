package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// What works on any two stores, with the engine's on either side: copies, which
// are gone on with after any end, differences and digests, which are memstore's.
func acrossCases() []testCase {
	return []testCase{
		{name: "Copy", run: copyStores},
		{name: "CopyInterrupted", run: copyInterrupted},
		{name: "CopyRefuses", run: copyRefuses},
		{name: "CopyStoreClosed", run: copyStoreClosed, crash: true},
		{name: "Diff", run: diffStores},
		{name: "DiffStoreClosed", run: diffStoreClosed, crash: true},
		{name: "Checksum", run: checksums},
	}
}

// reference returns a memstore with the rows.
func (t *env) reference(rs []row) store.DB {
	t.Helper()
	db := memstore.New()
	t.Cleanup(func() { db.Close() })
	t.fill(db, rs)
	return db
}

func (t *env) digest(r store.Reader) store.Digest {
	t.Helper()
	d, err := store.Checksum(t.Context(), r, store.KeyRange{})
	t.must(err, "checksum")
	return d
}

// Of a store whose entries lie in tables, in the memtable, and twice or deleted in
// both, exactly what can be read is copied, and is there after reopening.
func copyStores(t *env) {
	src, want := t.fresh(), t.reference(nil)
	r := t.random()
	for i := range 3000 {
		k, v := r.key(), r.value()
		for _, db := range []store.DB{src, want} {
			if i%5 == 4 {
				t.must(db.Delete(k, nil), "delete")
			} else {
				t.must(db.Put(k, v, nil), "put")
			}
		}
		if i == 1500 {
			t.must(src.Flush(), "flush")
		}
	}
	path := t.path()
	dst := t.open(path)
	p, err := store.Copy(t.Context(), dst, src, &store.CopyOptions{BatchSize: 4 << 10})
	t.must(err, "copy")
	sum := t.digest(want)
	if p.Entries != sum.Entries || p.Bytes != sum.Bytes || p.Found != 0 {
		t.Errorf("copied %+v, want %d entries of %d bytes", p, sum.Entries, sum.Bytes)
	}
	if got := t.digest(dst); got != sum {
		t.Errorf("the copy has %d entries with digest %v, want %d with %v", got.Entries, got, sum.Entries, sum)
	}
	t.close(dst)
	dst = t.open(path)
	back := t.reference(nil)
	_, err = store.Copy(t.Context(), back, dst, nil)
	t.must(err, "copy into memory")
	if got := t.digest(back); got != sum {
		t.Errorf("reopened, and copied again: digest %v, want %v", got, sum)
	}
	t.close(dst)
}

// A copy that its context ends leaves the first entries, which are all there after
// reopening; it goes on from them.
func copyInterrupted(t *env) {
	all := numbered(2000)
	src := t.reference(all)
	path := t.path()
	dst := t.open(path)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := store.Copy(ctx, dst, src, &store.CopyOptions{BatchSize: 1 << 10, Progress: func(p store.CopyProgress) {
		if p.Entries > 300 {
			cancel()
		}
	}})
	if t.wantKind(err, store.ErrTimeout, "copy"); !errors.Is(err, context.Canceled) || p.Entries <= 300 || p.Entries >= 2000 {
		t.Fatalf("%+v, %v", p, err)
	}
	t.wantRows(dst, nil, all[:p.Entries], "interrupted")
	t.close(dst)
	dst = t.open(path)
	_, err = store.Copy(t.Context(), dst, src, nil)
	t.wantKind(err, store.ErrExists, "copy anew")
	rest, err := store.Copy(t.Context(), dst, src, &store.CopyOptions{Resume: true})
	if err != nil || rest.Found != p.Entries || rest.Found+rest.Entries != 2000 {
		t.Errorf("%+v after %+v, %v", rest, p, err)
	}
	t.wantRows(dst, nil, all, "resumed")
	t.close(dst)
}

// A destination that has something else, can't be written to or is closed is an
// error that tells of it, and nothing is changed.
func copyRefuses(t *env) {
	src := t.reference(numbered(10))
	path := t.path()
	dst := t.open(path)
	theirs := rows("a", "theirs", "key000001", "theirs")
	t.fill(dst, theirs)
	for _, o := range []*store.CopyOptions{nil, {Resume: true}} {
		_, err := store.Copy(t.Context(), dst, src, o)
		t.wantKind(err, store.ErrExists, "copy into a store with entries")
		t.wantContents(dst, theirs, "refused")
	}
	t.close(dst)
	for _, o := range []*store.CopyOptions{nil, {Resume: true}, {Overwrite: true}} {
		_, err := store.Copy(t.Context(), dst, src, o)
		t.wantKind(err, store.ErrClosed, "copy into a closed store")
	}
	_, err := store.Copy(t.Context(), t.reference(nil), dst, nil)
	t.wantKind(err, store.ErrClosed, "copy of a closed store")
	if t.cfg.ReadOnly {
		o := t.options()
		o.ReadOnly = true
		dst, err = t.openWith(path, o)
		t.must(err, "open read-only")
		_, err = store.Copy(t.Context(), dst, src, &store.CopyOptions{Overwrite: true})
		t.wantKind(err, store.ErrReadOnly, "copy into a read-only store")
		t.wantContents(dst, theirs, "read-only")
		t.close(dst)
	}
}

// Either store may be closed in the middle: the copy ends with an error, and what
// was copied are the first entries.
func copyStoreClosed(t *env) {
	all := numbered(5000)
	for _, what := range []string{"source", "destination"} {
		src, dst := t.fresh(), t.fresh()
		t.fill(src, all)
		closing, kind := src, error(store.ErrLeaked) // the copy's iterator is open
		if what == "destination" {
			closing, kind = dst, nil
		}
		var p store.CopyProgress
		var err error
		t.bounded("copy with its "+what+" closed", func() {
			first := true
			p, err = store.Copy(t.Context(), dst, src, &store.CopyOptions{BatchSize: 1 << 10, Progress: func(store.CopyProgress) {
				if first {
					if cerr := closing.Close(); !errors.Is(cerr, kind) {
						t.Errorf("%s: close: %v, want %v", what, cerr, kind)
					}
				}
				first = false
			}})
		})
		t.wantKind(err, store.ErrClosed, what)
		if p.Entries == 0 || p.Entries >= 5000 {
			t.Errorf("%s: %+v", what, p)
		}
		if what == "source" {
			t.wantRows(dst, nil, all[:p.Entries], what)
		}
	}
}

// What was changed since a snapshot, by Diff.
func diffStores(t *env) {
	db := t.fresh()
	t.fill(db, numbered(500))
	before, err := db.NewSnapshot()
	t.must(err, "snapshot")
	t.must(db.Delete([]byte("key000007"), nil), "delete")
	t.must(db.Put([]byte("key000010"), nil, nil), "put of an empty value")
	t.must(db.Put([]byte("key000010+"), []byte("new"), nil), "put")
	t.must(db.Put([]byte("key000499"), []byte("value 499"), nil), "put of the same")
	var got []string
	differences, errf := store.Diff(t.Context(), before, db, store.KeyRange{})
	for d := range differences {
		got = append(got, fmt.Sprint(show(d.Key), show(d.A), show(d.B)))
	}
	t.must(errf(), "diff")
	want := []string{
		fmt.Sprint(`"key000007"`, `"value 7"`, "nil"),
		fmt.Sprint(`"key000010"`, `"value 10"`, `""`),
		fmt.Sprint(`"key000010+"`, "nil", `"new"`),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	differences, errf = store.Diff(t.Context(), before, t.reference(numbered(500)), store.KeyRange{})
	for d := range differences {
		t.Errorf("the snapshot differs from memstore at %s", show(d.Key))
	}
	t.must(errf(), "diff of a snapshot and memstore")
	t.must(before.Release(), "release")
}

// A store that is closed in the middle ends the loop with an error, not with
// entries that seem to be missing there.
func diffStoreClosed(t *env) {
	for _, swapped := range []bool{false, true} {
		db := t.fresh()
		t.fill(db, numbered(2000))
		var a, b store.Reader = db, t.reference(rows("a", "first"))
		if swapped {
			a, b = b, a
		}
		n := 0
		differences, errf := store.Diff(t.Context(), a, b, store.KeyRange{})
		for d := range differences {
			if n == 0 && string(d.Key) != "a" {
				t.Errorf("the first difference is at %s", show(d.Key))
			}
			t.wantKind(db.Close(), []error{store.ErrLeaked, store.ErrClosed}[min(n, 1)], "close")
			n++
		}
		if t.wantKind(errf(), store.ErrClosed, "diff"); n > 2 { // one may have been read already
			t.Errorf("%d differences", n)
		}
	}
}

// Digests are memstore's, of any range, and of a closed store there is none.
func checksums(t *env) {
	all := numbered(1000)
	db, want := t.fresh(), t.reference(all)
	t.fill(db, all)
	for _, kr := range []store.KeyRange{{}, {Start: []byte("key0003")}, {End: []byte("key0003")}, {Start: []byte("key0003"), End: []byte("key0004")}, {Start: []byte("x")}} {
		a, err := store.Checksum(nil, db, kr)
		t.must(err, "checksum")
		b, err := store.Checksum(nil, want, kr)
		t.must(err, "memstore's checksum")
		if a != b || int(a.Entries) != len(within(all, kr)) {
			t.Errorf("range %v: %+v, memstore's %+v", kr, a, b)
		}
	}
	t.close(db)
	_, err := store.Checksum(t.Context(), db, store.KeyRange{})
	t.wantKind(err, store.ErrClosed, "checksum of a closed store")
}
