package rocksdb

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

func openStatistics(t *testing.T, on bool) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{
		Options:    store.Options{CreateIfMissing: true, BlockCacheSize: 16 << 10},
		Statistics: on,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func told(t *testing.T, db *DB) store.Metrics {
	t.Helper()
	m, err := db.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What RocksDB counts only with Statistics is told with them and not without: a
// block that was read once is a miss, and a hit the next time.
func TestStatistics(t *testing.T) {
	for _, on := range []bool{true, false} {
		db := openStatistics(t, on)
		for i := range 1000 {
			if err := db.Put(fmt.Appendf(nil, "key%03d", i), make([]byte, 100), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Compact(context.Background(), store.KeyRange{}); err != nil {
			t.Fatal(err)
		}
		before := told(t, db)
		for range 10 {
			if _, err := db.Get([]byte("key500")); err != nil {
				t.Fatal(err)
			}
		}
		m := told(t, db)
		cache := m.Cache.Since(before.Cache)
		rate, known := cache.HitRate()
		if !on {
			if known || m.Cache != (store.Cache{}) || m.CompactionReadBytes.Known() || m.CompactionWriteBytes.Known() {
				t.Errorf("told without statistics: %+v", m)
			}
			continue
		}
		hits, _ := cache.Hits.Value()
		misses, _ := cache.Misses.Value()
		if hits < 9 || misses < 1 || !known || rate != float64(hits)/float64(hits+misses) {
			t.Errorf("%d hits, %d misses, rate %v, %v", hits, misses, rate, known)
		}
		for what, f := range map[string]store.Figure{"read": m.CompactionReadBytes, "written": m.CompactionWriteBytes} {
			if n, known := f.Value(); !known || n < 1000 || n > 1<<20 {
				t.Errorf("%v bytes %s by flushes and compactions", f, what)
			}
		}
	}
}

// Our own figures of the log are RocksDB's.
func TestStatisticsAgree(t *testing.T) {
	db := openStatistics(t, true)
	for i := range 300 {
		var o *store.WriteOptions
		if i%3 == 0 {
			o = store.Sync
		}
		b := store.NewBatch(0)
		for k := range i % 5 {
			if err := b.Put(fmt.Appendf(nil, "%d", k), make([]byte, 1<<(i%16))); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range []error{
			db.Put(make([]byte, i), make([]byte, i*i), o),
			db.Delete(make([]byte, i), o),
			db.Write(b, o),
			db.DeleteRange([]byte("a"), []byte("b"), nil),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	m, all := told(t, db), tickers(db.engine.statistics())
	for name, f := range map[string]store.Figure{"rocksdb.wal.bytes": m.WAL.Bytes, "rocksdb.wal.synced": m.WAL.Syncs} {
		if n, ok := all[name]; !ok || f != store.Known(n) {
			t.Errorf("%s: RocksDB has %d, %v, we %v", name, n, ok, f)
		}
	}
}
