package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/lsmkit/lsmkit/store"
)

// Methods that take ranges, with every combination of nil, empty and other
// bounds.
func rangeCases() []testCase {
	return []testCase{
		{name: "DeleteRange", run: deleteRange},
		{name: "DeleteRangeReversed", run: deleteRangeReversed, crash: true},
		{name: "DeleteRangeLarge", run: deleteRangeLarge},
		{name: "Compact", run: compact, crash: true},
		{name: "ApproximateSizes", run: approximateSizes, crash: true},
		{name: "ApproximateSizesOfData", run: approximateSizesOfData},
	}
}

var rangeRows = rows("", "0", "\x00", "1", "a", "2", "a\x00", "3", "b", "4", "\xff", "5", "\xff\xff\xff", "6")

// ranges are all pairs of these bounds.
func ranges() []store.KeyRange {
	bounds := [][]byte{nil, {}, []byte("\x00"), []byte("a"), []byte("aa"), []byte("b"), []byte("zz"), []byte("\xff"), []byte("\xff\xff\xff"), []byte("\xff\xff\xff\xff")}
	var rs []store.KeyRange
	for _, start := range bounds {
		for _, end := range bounds {
			rs = append(rs, store.KeyRange{Start: start, End: end})
		}
	}
	return rs
}

func describe(r store.KeyRange) string { return fmt.Sprintf("%s to %s", show(r.Start), show(r.End)) }

// refill brings the contents back to rangeRows.
func (t *env) refill(db store.DB) {
	t.Helper()
	b := store.NewBatch(0)
	for _, e := range rangeRows {
		t.must(b.Put(e.k, e.v), "batch put")
	}
	t.must(db.Write(b, nil), "write")
}

func deleteRange(t *env) {
	db := t.fresh()
	for i, r := range ranges() {
		if r.Reversed() {
			continue
		}
		t.refill(db)
		if i%3 == 0 {
			t.must(db.Flush(), "flush")
		}
		t.must(db.DeleteRange(r.Start, r.End, nil), "delete range")
		t.wantContents(db, without(rangeRows, r), "without "+describe(r))
		t.refill(db)
		b := store.NewBatch(0)
		t.must(b.DeleteRange(r.Start, r.End), "batch delete range")
		t.must(db.Write(b, nil), "write")
		t.wantContents(db, without(rangeRows, r), "in a batch without "+describe(r))
	}
	t.must(db.DeleteRange(nil, nil, nil), "delete range")
	t.wantContents(db, nil, "without anything")
	t.put(db, "later", "1") // a range without an end is over when it returns
	t.wantContents(db, rows("later", "1"), "a later put")
}

// A reversed range is refused, changes nothing, and does not stop the store.
func deleteRangeReversed(t *env) {
	path := t.path()
	db := t.open(path)
	t.refill(db)
	for _, r := range ranges() {
		if !r.Reversed() {
			continue
		}
		t.wantKind(db.DeleteRange(r.Start, r.End, nil), store.ErrInvalidArgument, "delete range "+describe(r))
		var b store.Batch
		if err := b.DeleteRange(r.Start, r.End); !errors.Is(err, store.ErrInvalidArgument) || b.Len() != 0 {
			t.Errorf("batch delete range %s: %v, %d changes", describe(r), err, b.Len())
		}
	}
	t.wantContents(db, rangeRows, "after reversed ranges")
	t.put(db, "a", "2")
	t.close(db)
	db = t.open(path)
	t.wantContents(db, rangeRows, "reopened")
	t.close(db)
}

func deleteRangeLarge(t *env) {
	db := t.fresh()
	all := numbered(5000)
	b := store.NewBatch(0)
	for _, e := range all {
		t.must(b.Put(e.k, e.v), "batch put")
	}
	t.must(db.Write(b, nil), "write")
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	r := store.KeyRange{Start: all[10].k, End: all[4990].k}
	t.must(db.DeleteRange(r.Start, r.End, store.Sync), "delete range")
	t.wantContents(db, without(all, r), "after the delete")
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.wantContents(db, without(all, r), "compacted")
}

func compact(t *env) {
	db := t.fresh()
	t.must(db.Compact(nil, store.KeyRange{}), "compact of an empty store")
	t.refill(db)
	for _, r := range ranges() {
		err := db.Compact(t.Context(), r)
		if r.Reversed() {
			t.wantKind(err, store.ErrInvalidArgument, "compact "+describe(r))
		} else {
			t.must(err, "compact "+describe(r))
		}
	}
	t.wantContents(db, rangeRows, "after compactions")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	t.wantKind(db.Compact(canceled, store.KeyRange{}), context.Canceled, "compact with a done context")
	t.wantContents(db, rangeRows, "after a compaction that was given up")
	t.must(db.Compact(t.Context(), store.KeyRange{}), "compact afterwards")
}

func approximateSizes(t *env) {
	db := t.fresh()
	t.refill(db)
	for _, none := range [][]store.KeyRange{nil, {}} {
		sizes, err := db.ApproximateSizes(none)
		if len(sizes) != 0 || err != nil {
			t.Errorf("sizes of no ranges: %v, %v", sizes, err)
		}
	}
	var valid []store.KeyRange
	for _, r := range ranges() {
		if !r.Reversed() {
			valid = append(valid, r)
			continue
		}
		sizes, err := db.ApproximateSizes([]store.KeyRange{{}, r})
		t.wantKind(err, store.ErrInvalidArgument, "sizes of "+describe(r))
		if sizes != nil {
			t.Errorf("sizes of %s: %v with an error", describe(r), sizes)
		}
	}
	for _, what := range []string{"in the memtable", "in a table"} {
		sizes, err := db.ApproximateSizes(valid)
		t.must(err, "sizes")
		if len(sizes) != len(valid) {
			t.Fatalf("%d sizes for %d ranges", len(sizes), len(valid))
		}
		for i, r := range valid {
			if r.Empty() && sizes[i] != 0 {
				t.Errorf("%s: size of the empty range %s is %d", what, describe(r), sizes[i])
			}
			if what == "in the memtable" && sizes[i] != 0 {
				t.Errorf("size of %s is %d with nothing in table files", describe(r), sizes[i])
			}
		}
		t.must(db.Flush(), "flush")
	}
}

// approximateSizesOfData checks against what was written, within wide limits:
// the numbers are estimates to about a block, or a small file.
func approximateSizesOfData(t *env) {
	db := t.fresh()
	rng := newRandom(6)
	const n, size = 4000, 1000
	for i := range n {
		t.must(db.Put(fmt.Appendf(nil, "key%06d", i), rng.fill(size), nil), "put")
	}
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	half := []byte("key002000")
	sizes, err := db.ApproximateSizes([]store.KeyRange{
		{}, {End: half}, {Start: half}, {Start: []byte("key000000"), End: []byte("key999999")},
		{Start: []byte("a"), End: []byte("b")}, {Start: []byte("z")}, {Start: []byte{}}, {End: []byte{}},
	})
	t.must(err, "sizes")
	const all = n * size
	for i, want := range []struct{ min, max uint64 }{
		{all * 9 / 10, all * 12 / 10}, {all * 4 / 10, all * 6 / 10}, {all * 4 / 10, all * 7 / 10}, {all * 9 / 10, all * 12 / 10},
		{0, 0}, {0, all / 10}, {all * 9 / 10, all * 12 / 10}, {0, 0},
	} {
		if sizes[i] < want.min || sizes[i] > want.max {
			t.Errorf("size %d is %d, want between %d and %d", i, sizes[i], want.min, want.max)
		}
	}
}
