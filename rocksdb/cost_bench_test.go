package rocksdb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/internal/ratio"
	"github.com/lsmkit/lsmkit/store"
)

const (
	costEntries = 300_000
	costSlice   = 500
)

func costStore(b *testing.B, o *Options) *DB {
	b.Helper()
	o.Options = store.Options{CreateIfMissing: true, WriteBufferSize: 64 << 20, BlockCacheSize: 256 << 20}
	db, err := Open(filepath.Join(b.TempDir(), "db"), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

func costKey(key []byte, r *rand.Rand) []byte {
	return fmt.Appendf(key[:0], "%016d", r.IntN(costEntries))
}

// put is a slice of fillrandom, get one of readrandom with all in the cache, where
// what is added to a call weighs most.
func putSlice(b *testing.B, db *DB, seed uint64) {
	r, key, value := rand.New(rand.NewPCG(seed, 1)), make([]byte, 0, 16), make([]byte, 100)
	for range costSlice {
		key = costKey(key, r)
		if err := db.Put(key, value, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func getSlice(b *testing.B, db *DB, seed uint64) {
	r, key, value := rand.New(rand.NewPCG(seed, 2)), make([]byte, 0, 16), make([]byte, 0, 100)
	for range costSlice {
		key = costKey(key, r)
		if _, err := db.AppendGet(value[:0], key); err != nil && err != store.ErrNotFound {
			b.Fatal(err)
		}
	}
}

func fillCost(b *testing.B, db *DB) {
	b.Helper()
	for i := range uint64(costEntries / costSlice) {
		putSlice(b, db, i)
	}
	if err := db.Compact(context.Background(), store.KeyRange{}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCounters is what our own counters cost: on against off, in one store.
func BenchmarkCounters(b *testing.B) {
	for _, workload := range []struct {
		name  string
		slice func(b *testing.B, db *DB, seed uint64)
	}{{"fillrandom", putSlice}, {"readrandom", getSlice}} {
		b.Run(workload.name, func(b *testing.B) {
			db := costStore(b, &Options{})
			fillCost(b, db)
			seeds := [2]uint64{}
			slice := func(off int) func() {
				return func() {
					seeds[off]++
					db.counts.Off(off == 1)
					workload.slice(b, db, seeds[off])
				}
			}
			ratio.Compare(b, slice(1), slice(0))
		})
	}
}

// BenchmarkStatistics is what RocksDB's own cost: two stores, one with them.
func BenchmarkStatistics(b *testing.B) {
	for _, workload := range []struct {
		name  string
		slice func(b *testing.B, db *DB, seed uint64)
	}{{"fillrandom", putSlice}, {"readrandom", getSlice}} {
		b.Run(workload.name, func(b *testing.B) {
			slice := func(o *Options) func() {
				db, seed := costStore(b, o), uint64(0)
				fillCost(b, db)
				return func() {
					seed++
					workload.slice(b, db, seed)
				}
			}
			ratio.Compare(b, slice(&Options{}), slice(&Options{Statistics: true}))
		})
	}
}
