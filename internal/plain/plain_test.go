package plain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// What the comparison uses of the plain side does what store.DB says.
func TestPlain(t *testing.T) {
	for _, name := range []string{"leveldb/plain", "rocksdb/plain"} {
		t.Run(name, func(t *testing.T) {
			db, err := openers[name](filepath.Join(t.TempDir(), "a", "db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			testPoints(t, db)
			testBatches(t, db)
			testWalks(t, db)
			if err := db.Flush(); !errors.Is(err, store.ErrNotSupported) {
				t.Errorf("flush: %v", err)
			}
		})
	}
}

func testPoints(t *testing.T, db store.DB) {
	for i := range 10 {
		if err := db.Put(fmt.Appendf(nil, "k%d", i), fmt.Appendf(nil, "v%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Delete([]byte("k9"), store.Sync); err != nil {
		t.Fatal(err)
	}
	if v, err := db.Get([]byte("k3")); err != nil || string(v) != "v3" {
		t.Errorf("get: %q, %v", v, err)
	}
	for _, dst := range [][]byte{nil, []byte("x")} {
		want := string(dst) + "v4"
		if v, err := db.AppendGet(dst, []byte("k4")); err != nil || string(v) != want {
			t.Errorf("append get: %q, %v", v, err)
		}
		if v, err := db.AppendGet(dst, []byte("k9")); err != store.ErrNotFound || !bytes.Equal(v, dst) {
			t.Errorf("append get of nothing: %q, %v", v, err)
		}
	}
	if _, err := db.Get([]byte("k9")); err != store.ErrNotFound {
		t.Errorf("get of nothing: %v", err)
	}
	var values store.Values
	if err := db.MultiGet([][]byte{[]byte("k9"), []byte("k1")}, &values); err != nil {
		t.Fatal(err)
	}
	if _, ok := values.At(0); ok {
		t.Error("multi-get found what is not there")
	}
	if v, ok := values.At(1); !ok || string(v) != "v1" {
		t.Errorf("multi-get: %q, %v", v, ok)
	}
}

func testBatches(t *testing.T, db store.DB) {
	var b store.Batch
	b.Put([]byte("k8"), []byte("new"))
	b.Delete([]byte("k7"))
	if err := db.Write(&b, nil); err != nil {
		t.Fatal(err)
	}
	own := NewBatch(db)
	defer own.Close()
	own.Put([]byte("lost"), nil)
	own.Clear()
	own.Put([]byte("k90"), []byte("own"))
	if err := own.Write(nil); err != nil {
		t.Fatal(err)
	}
}

func testWalks(t *testing.T, db store.DB) {
	if err := db.Compact(context.Background(), store.KeyRange{}); err != nil {
		t.Fatal(err)
	}
	it, err := db.NewIterator(&store.IterOptions{FillCache: store.Off})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	walk := func(ok bool, step func() bool) (rows []string) {
		for ; ok; ok = step() {
			rows = append(rows, string(it.Key())+"="+string(it.Value()))
		}
		if err := it.Err(); err != nil {
			t.Error(err)
		}
		return rows
	}
	want := []string{"k0=v0", "k1=v1", "k2=v2", "k3=v3", "k4=v4", "k5=v5", "k6=v6", "k8=new", "k90=own"}
	if got := walk(it.First(), it.Next); !slices.Equal(got, want) {
		t.Errorf("forward %q", got)
	}
	if got := walk(it.SeekGE([]byte("k5x")), it.Next); !slices.Equal(got, want[6:]) {
		t.Errorf("from k5x %q", got)
	}
	if got := walk(it.SeekLT([]byte("k1")), it.Prev); !slices.Equal(got, want[:1]) {
		t.Errorf("back from k1 %q", got)
	}
	if got := walk(it.SeekLT([]byte("l")), it.Prev); len(got) != len(want) {
		t.Errorf("back from the end %q", got)
	}
	slices.Reverse(want)
	if got := walk(it.Last(), it.Prev); !slices.Equal(got, want) {
		t.Errorf("backward %q", got)
	}
}
