package leveldb_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/jmhodges/levigo"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// Stores made by others which this package can't open: it says why, and they
// stay whole.

// A20: with another order, the error names its comparator. levigo takes a
// comparator made in C only, so the name is exchanged in the MANIFEST of a store
// in the usual order.
func TestA20_Comparator(t *testing.T) {
	storetest.Child(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "db")
		db, err := open(t, path, store.Options{CreateIfMissing: true})
		must(t, err)
		for k := range 100 {
			must(t, db.Put(fmt.Appendf(nil, "%d", k), []byte("v"), nil))
		}
		must(t, db.Close())
		const usual, other = "leveldb.BytewiseComparator", "lsmkit.test.BackwardOrders"
		storetest.RenameComparator(t, path, usual, other)
		disk.Incompatible(t, path, other)
		storetest.RenameComparator(t, path, other, usual)
		db, err = open(t, path, store.Options{})
		must(t, err)
		for k := range 100 {
			v, err := db.Get(fmt.Appendf(nil, "%d", k))
			must(t, err)
			if string(v) != "v" {
				t.Errorf("key %d is %q", k, v)
			}
		}
		must(t, db.Close())
	})
}

// A store of levigo's is like any other.
func TestStoreOfLevigo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	o, wo := levigo.NewOptions(), levigo.NewWriteOptions()
	defer o.Close()
	defer wo.Close()
	o.SetCreateIfMissing(true)
	levi, err := levigo.Open(path, o)
	must(t, err)
	must(t, levi.Put(wo, []byte("k"), []byte("v")))
	levi.Close()
	db, err := open(t, path, store.Options{})
	must(t, err)
	v, err := db.Get([]byte("k"))
	must(t, err)
	if string(v) != "v" {
		t.Errorf("got %q", v)
	}
	must(t, db.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
