package memstore_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// What is special about memstore: disks, stores without one, and what it tells
// of itself. The contract is tested by TestConformance.

func create(t *testing.T, d *memstore.Disk, path string) *memstore.DB {
	t.Helper()
	db, err := d.Open(path, &store.Options{CreateIfMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestDisksAreApart(t *testing.T) {
	a, b := memstore.NewDisk(), memstore.NewDisk()
	if err := create(t, a, "x").Put([]byte("k"), []byte("v"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open("x", nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("another disk: %v", err)
	}
	if _, err := a.Open("./x/", nil); !errors.Is(err, store.ErrLocked) {
		t.Errorf("held store by another spelling: %v", err)
	}
	if _, err := a.Open("y", nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("another path: %v", err)
	}
}

// A read-only store shows the moment it was opened at, and takes no lock.
func TestReadOnlyBesideWriter(t *testing.T) {
	d := memstore.NewDisk()
	w := create(t, d, "x")
	if err := w.Put([]byte("k"), []byte("old"), nil); err != nil {
		t.Fatal(err)
	}
	r, err := d.Open("x", &store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put([]byte("k"), []byte("new"), nil); err != nil {
		t.Fatal(err)
	}
	if v, err := r.Get([]byte("k")); string(v) != "old" || err != nil {
		t.Errorf("read-only: %q, %v", v, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Open("x", nil); !errors.Is(err, store.ErrLocked) {
		t.Errorf("the reader's close let go of the writer's lock: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	a, b := memstore.New(), memstore.New()
	if err := a.Put([]byte("k"), nil, nil); err != nil {
		t.Fatal(err)
	}
	if ok, err := b.Has([]byte("k")); ok || err != nil {
		t.Errorf("another store: %v, %v", ok, err)
	}
	for _, db := range []*memstore.DB{a, b} {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	err := a.Put([]byte("k"), nil, nil)
	if want := "memstore: put: closed"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestFigures(t *testing.T) {
	db := memstore.New()
	for i := range 10 {
		if err := db.Put(fmt.Appendf(nil, "k%d", i), []byte("12345678"), nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"memstore.keys": "10", "memstore.bytes": "100"} {
		if got, err := db.Property(name); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	m, err := db.Metrics()
	if err != nil || m.EstimatedKeys != store.Known(10) || m.MemoryBytes != store.Known(100) || m.DiskBytes.Known() {
		t.Errorf("metrics: %+v, %v", m, err)
	}
}

// Opening, reading and closing one disk's stores from many goroutines.
func TestDiskShared(t *testing.T) {
	d := memstore.NewDisk()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				path := fmt.Sprintf("db%d", (g+i)%3)
				db, err := d.Open(path, &store.Options{CreateIfMissing: true, ReadOnly: i%5 == 4})
				if errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrNotExist) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := db.Has([]byte("k")); err != nil {
					t.Error(err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// A lookup with room, and a step of an iterator, allocate nothing.
func TestReadsAllocateNothing(t *testing.T) {
	db := memstore.New()
	for i := range 5000 {
		if err := db.Put(fmt.Appendf(nil, "k%05d", i), []byte("value"), nil); err != nil {
			t.Fatal(err)
		}
	}
	key, dst := []byte("k02500"), make([]byte, 0, 10)
	storetest.ZeroAllocs(t, "AppendGet", func() {
		if _, err := db.AppendGet(dst, key); err != nil {
			t.Fatal(err)
		}
	})
	it, err := db.NewIterator(nil)
	if err != nil {
		t.Fatal(err)
	}
	it.First()
	storetest.ZeroAllocs(t, "Next", func() { it.Next() })
	if err := it.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkPut(b *testing.B) {
	db := memstore.New()
	value := make([]byte, 100)
	var key []byte
	for i := 0; b.Loop(); i++ {
		key = fmt.Appendf(key[:0], "%016d", i*7919%1_000_003)
		if err := db.Put(key, value, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	db := memstore.New()
	for i := range 100_000 {
		if err := db.Put(fmt.Appendf(nil, "%016d", i), make([]byte, 100), nil); err != nil {
			b.Fatal(err)
		}
	}
	it, err := db.NewIterator(nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if !it.Next() {
			it.First()
		}
	}
	if err := it.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkAppendGet(b *testing.B) {
	db := memstore.New()
	const n = 100_000
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "%016d", i*7919%n)
		if err := db.Put(keys[i], make([]byte, 100), nil); err != nil {
			b.Fatal(err)
		}
	}
	var dst []byte
	for i := 0; b.Loop(); i++ {
		var err error
		if dst, err = db.AppendGet(dst[:0], keys[i%n]); err != nil {
			b.Fatal(err)
		}
	}
}
