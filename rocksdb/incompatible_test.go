package rocksdb_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// Stores made by others, with grocksdb, which this package can't open: it says
// why, and they stay whole.

// A20: with more column families, the error names them.
func TestA20_ColumnFamilies(t *testing.T) {
	storetest.Child(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "db")
		names := []string{"default", "extra", "第二"}
		withFamilies(t, path, names, func(db *grocksdb.DB, families []*grocksdb.ColumnFamilyHandle) {
			wo := grocksdb.NewDefaultWriteOptions()
			defer wo.Destroy()
			for i, cf := range families {
				for k := range 100 {
					must(t, db.PutCF(wo, cf, fmt.Appendf(nil, "%d.%d", i, k), []byte(names[i])))
				}
			}
		})
		disk.Incompatible(t, path, "extra", "第二")
		withFamilies(t, path, names, func(db *grocksdb.DB, families []*grocksdb.ColumnFamilyHandle) {
			ro := grocksdb.NewDefaultReadOptions()
			defer ro.Destroy()
			for i, cf := range families {
				for k := range 100 {
					v, err := db.GetCF(ro, cf, fmt.Appendf(nil, "%d.%d", i, k))
					must(t, err)
					if string(v.Data()) != names[i] {
						t.Errorf("key %d of family %s is %q", k, names[i], v.Data())
					}
					v.Free()
				}
			}
		})
	})
}

// withFamilies opens a store with the families, which are made if missing.
func withFamilies(t *testing.T, path string, names []string, use func(*grocksdb.DB, []*grocksdb.ColumnFamilyHandle)) {
	t.Helper()
	o := grocksdb.NewDefaultOptions()
	defer o.Destroy()
	o.SetCreateIfMissing(true)
	o.SetCreateIfMissingColumnFamilies(true)
	options := make([]*grocksdb.Options, len(names))
	for i := range names {
		options[i] = o
	}
	db, families, err := grocksdb.OpenDbColumnFamilies(o, path, names, options)
	must(t, err)
	use(db, families)
	for _, cf := range families {
		cf.Destroy()
	}
	db.Close()
}

// A20: with another order, the error names its comparator.
func TestA20_Comparator(t *testing.T) {
	storetest.Child(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "db")
		const name = "lsmkit.test.Backward"
		o := grocksdb.NewDefaultOptions()
		o.SetCreateIfMissing(true)
		o.SetComparator(grocksdb.NewComparator(name, func(a, b []byte) int { return bytes.Compare(b, a) }))
		ro, wo := grocksdb.NewDefaultReadOptions(), grocksdb.NewDefaultWriteOptions()
		defer ro.Destroy()
		defer wo.Destroy()
		db, err := grocksdb.OpenDb(o, path)
		must(t, err)
		for k := range 100 {
			must(t, db.Put(wo, fmt.Appendf(nil, "%d", k), []byte("v")))
		}
		db.Close()
		disk.Incompatible(t, path, name)
		db, err = grocksdb.OpenDb(o, path)
		must(t, err)
		for k := range 100 {
			v, err := db.Get(ro, fmt.Appendf(nil, "%d", k))
			must(t, err)
			if string(v.Data()) != "v" {
				t.Errorf("key %d is %q", k, v.Data())
			}
			v.Free()
		}
		db.Close()
		o.Destroy() // destroys the comparator as well
	})
}

// Without families of its own a store of grocksdb's is like any other.
func TestStoreOfGrocksdb(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	withFamilies(t, path, []string{"default"}, func(db *grocksdb.DB, _ []*grocksdb.ColumnFamilyHandle) {
		wo := grocksdb.NewDefaultWriteOptions()
		defer wo.Destroy()
		must(t, db.Put(wo, []byte("k"), []byte("v")))
	})
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
