package nullstore

import (
	"errors"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

func TestWalk(t *testing.T) {
	for _, entries := range []int64{0, 1, 5} {
		db := New(Shape{Entries: entries, KeySize: 3, ValueSize: 7})
		it, err := db.NewIterator(nil)
		if err != nil {
			t.Fatal(err)
		}
		walks := map[string]struct{ begin, move func() bool }{
			"forward": {it.First, it.Next}, "backward": {it.Last, it.Prev},
		}
		for name, w := range walks {
			n := int64(0)
			for ok := w.begin(); ok; ok = w.move() {
				if n++; !it.Valid() || len(it.Key()) != 3 || len(it.Value()) != 7 {
					t.Fatalf("%s: entry %d is %q, %q", name, n, it.Key(), it.Value())
				}
			}
			if n != entries || it.Valid() || it.Key() != nil || it.Value() != nil || w.move() || it.Err() != nil {
				t.Errorf("%s: %d of %d entries, and then %q", name, n, entries, it.Key())
			}
		}
		if err := errors.Join(it.Close(), it.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestForgets(t *testing.T) {
	db := New(Shape{Entries: 1, KeySize: 1, ValueSize: 2})
	var b store.Batch
	if err := errors.Join(db.Put(nil, nil, nil), db.Delete(nil, nil), db.DeleteRange(nil, nil, nil), db.Write(&b, nil), db.Flush()); err != nil {
		t.Error(err)
	}
	v, err := db.AppendGet([]byte("x"), []byte("any"))
	if err != nil || len(v) != 3 {
		t.Errorf("%q, %v", v, err)
	}
	var vs store.Values
	if err := db.MultiGet([][]byte{nil, nil}, &vs); err != nil || vs.Len() != 2 {
		t.Errorf("%d values, %v", vs.Len(), err)
	}
	if err := db.MultiGet(nil, nil); !errors.Is(err, store.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := db.Property("x"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
}
