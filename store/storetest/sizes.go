package storetest

import (
	"bytes"
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// Sizes over the maximum are refused without reading the memory: the slices
// given here fault when they are touched.
func sizeCases() []testCase {
	return []testCase{
		{name: "A07_TooLarge", run: tooLarge, crash: true},
		{name: "A07_TooLargeToRead", run: tooLargeToRead, crash: true},
		{name: "A07_LargestKey", run: largestKey, crash: true},
	}
}

// oversized are slices over the maxima: just over, and past what 32 bits hold.
func oversized(t *env) (keys, values [][]byte) {
	mem := untouchable(t.T)
	keys = [][]byte{mem[:t.maxKeySize()+1], mem[:1<<31], mem[:1<<32], mem}
	if len(t.prefix()) > 0 { // a batch does not know that it will be written to a namespace
		keys = append(keys, mem[:store.MaxKeySize+1])
	}
	return keys, [][]byte{mem[:store.MaxValueSize+1], mem[:1<<32], mem[:1<<32+10], mem}
}

func tooLarge(t *env) {
	keys, values := oversized(t)
	path := t.path()
	db := t.open(path)
	t.put(db, "k", "v")
	small := []byte("small")
	var b store.Batch
	t.must(b.Put([]byte("b"), []byte("1")), "batch put")
	refused := func(err error, what string) {
		t.Helper()
		if !errors.Is(err, store.ErrTooLarge) {
			t.Errorf("%s: got %v, want too large", what, err)
		}
	}
	for _, key := range keys {
		t.wantKind(db.Put(key, small, nil), store.ErrTooLarge, "put of a large key")
		t.wantKind(db.Delete(key, store.Sync), store.ErrTooLarge, "delete of a large key")
		if len(key) > t.maxKeySize()+1 { // an end may be the successor of a key
			t.wantKind(db.DeleteRange(small, key, nil), store.ErrTooLarge, "delete range to a large key")
		}
		t.wantKind(db.DeleteRange(key, nil, nil), store.ErrTooLarge, "delete range from a large key")
		if len(key) <= store.MaxKeySize {
			continue
		}
		refused(b.Put(key, small), "batch put of a large key")
		refused(b.Delete(key), "batch delete of a large key")
		if len(key) > store.MaxKeySize+1 {
			refused(b.DeleteRange(small, key), "batch delete range to a large key")
		}
		refused(b.DeleteRange(key, nil), "batch delete range from a large key")
	}
	for _, value := range values {
		t.wantKind(db.Put(small, value, nil), store.ErrTooLarge, "put of a large value")
		t.wantKind(db.Put(small, value, store.Sync), store.ErrTooLarge, "synced put of a large value")
		refused(b.Put(small, value), "batch put of a large value")
		if len(value) > store.MaxBatchSize {
			refused(new(store.Batch).Load(value), "load of a large batch")
		}
	}
	if b.Len() != 1 {
		t.Errorf("the batch has %d changes after refusals, want 1", b.Len())
	}
	t.must(db.Write(&b, nil), "write")
	want := rows("b", "1", "k", "v")
	t.wantContents(db, want, "after refusals")
	t.close(db)
	db = t.open(path)
	t.wantContents(db, want, "reopened")
	t.put(db, "after", "all")
	t.wantGet(db, "after", "all")
	t.close(db)
}

func tooLargeToRead(t *env) {
	keys, _ := oversized(t)
	db := t.fresh()
	all := rows("a", "1", "b", "2")
	t.fill(db, all)
	s := t.snapshot(db)
	for _, key := range keys {
		for _, r := range []store.Reader{db, s} {
			v, err := r.Get(key)
			t.wantKind(with(err, v == nil), store.ErrTooLarge, "get")
			v, err = r.AppendGet([]byte("dst"), key)
			t.wantKind(with(err, string(v) == "dst"), store.ErrTooLarge, "append get")
			ok, err := r.Has(key)
			t.wantKind(with(err, !ok), store.ErrTooLarge, "has")
			var vs store.Values
			err = r.MultiGet([][]byte{[]byte("a"), key}, &vs)
			t.wantKind(with(err, vs.Len() == 0), store.ErrTooLarge, "multiget")
		}
		if len(key) == t.maxKeySize()+1 {
			continue // a bound, and a key to seek, may be the successor of a key
		}
		for what, o := range map[string]*store.IterOptions{"lower": {Lower: key}, "upper": {Upper: key}, "prefix": {Prefix: key}} {
			it, err := db.NewIterator(o)
			t.wantKind(with(err, it == nil), store.ErrTooLarge, "iterator with a large bound: "+what)
		}
		t.wantKind(db.Compact(nil, store.KeyRange{Start: key}), store.ErrTooLarge, "compact from")
		t.wantKind(db.Compact(nil, store.KeyRange{End: key}), store.ErrTooLarge, "compact to")
		_, err := db.ApproximateSizes([]store.KeyRange{{}, {Start: []byte("a"), End: key}})
		t.wantKind(err, store.ErrTooLarge, "sizes")
		it := t.iterator(db, nil)
		for what, found := range map[string]bool{"SeekGE": it.SeekGE(key), "SeekLT": it.SeekLT(key)} {
			if found || it.Valid() || it.Key() != nil {
				t.Errorf("%s of a large key found %s", what, show(it.Key()))
			}
		}
		t.wantKind(it.Err(), store.ErrTooLarge, "err after a seek with a large key")
		if !it.First() || it.Err() != nil || !it.Next() {
			t.Errorf("positioning anew after a refused seek: %v", it.Err())
		}
		t.closeIter(it)
	}
	t.release(s)
	t.wantContents(db, all, "after refusals")
}

// A key of exactly the maximum works, and so does what takes its successor.
func largestKey(t *env) {
	path := t.path()
	db := t.open(path)
	key := bytes.Repeat([]byte{0xff}, t.maxKeySize())
	next := store.Successor(key)
	all := []row{{[]byte("a"), []byte("1")}, {key, []byte("under the largest key")}}
	t.fill(db, all)
	t.wantContents(db, all, "largest key")
	it := t.iterator(db, &store.IterOptions{Upper: next})
	ref := &reference{rows: all}
	for _, m := range []move{{opSeekLT, next}, {op: opPrev}, {opSeekGE, key}, {op: opNext}, {opSeekGE, next}, {opSeekLT, key}} {
		t.step(it, ref, m, "largest key")
	}
	t.closeIter(it)
	t.close(db)
	db = t.open(path)
	t.wantContents(db, all, "reopened")
	t.must(db.DeleteRange(key, next, nil), "delete range")
	t.wantContents(db, all[:1], "deleted")
	t.must(db.Put(key, nil, nil), "put")
	t.must(db.DeleteRange([]byte("b"), nil, nil), "delete range without an end")
	t.wantContents(db, all[:1], "deleted to the end")
	t.close(db)
}
