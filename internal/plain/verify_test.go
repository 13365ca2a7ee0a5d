package plain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// The plain side verifies what ours does where verification is on, or it would
// be compared at less work: a damaged index or filter hides no key.
func TestPlainVerifies(t *testing.T) {
	o := store.Options{CreateIfMissing: true, BloomBits: 10}
	for engine, open := range map[string][2]func(string) (store.DB, error){
		leveldb.Engine: {
			func(p string) (store.DB, error) { return leveldb.Open(p, &leveldb.Options{Options: o}) },
			func(p string) (store.DB, error) { return OpenLevelDB(p, o) },
		},
		rocksdb.Engine: {
			func(p string) (store.DB, error) { return rocksdb.Open(p, &rocksdb.Options{Options: o}) },
			func(p string) (store.DB, error) { return OpenRocksDB(p, o) },
		},
	} {
		t.Run(engine, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "db")
			const keys = 2000
			db, err := open[0](path)
			if err != nil {
				t.Fatal(err)
			}
			for k := range keys {
				if err := db.Put(fmt.Append(nil, k), fmt.Append(nil, k), nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(db.Compact(nil, store.KeyRange{}), db.Close()); err != nil {
				t.Fatal(err)
			}
			tables, _ := filepath.Glob(filepath.Join(path, "*.[ls][ds][bt]"))
			whole, err := os.ReadFile(tables[0])
			if err != nil {
				t.Fatal(err)
			}
			for back := 100; back < 4000; back += 100 { // from the footer on
				damaged := slices.Clone(whole)
				for i := range 64 {
					damaged[len(damaged)-back+i] ^= 0xff
				}
				if err := os.WriteFile(tables[0], damaged, 0o644); err != nil {
					t.Fatal(err)
				}
				db, err := open[1](path)
				if err != nil {
					continue // told
				}
				for k := range keys {
					if _, err := db.Get(fmt.Append(nil, k)); errors.Is(err, store.ErrNotFound) {
						t.Fatalf("damage %d bytes before the end hides key %d", back, k)
					}
				}
				db.Close()
			}
		})
	}
}
