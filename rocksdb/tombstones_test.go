package rocksdb_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// A scan with an upper bound does not step over the tombstones behind it, since
// the bound is RocksDB's own. What it steps over is counted by Perf. LevelDB has no such bound.
func TestBoundedScanSkipsNoTombstones(t *testing.T) {
	db, err := rocksdb.Open(filepath.Join(t.TempDir(), "db"), &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	const before, deleted = 10, 20_000
	var b store.Batch
	for k := range before {
		must(t, b.Put(fmt.Appendf(nil, "a%d", k), []byte("v")))
	}
	for k := range deleted {
		must(t, b.Put(fmt.Appendf(nil, "b%06d", k), []byte("v")))
	}
	must(t, db.Write(&b, nil))
	must(t, db.Flush())
	b.Reset()
	for k := range deleted {
		must(t, b.Delete(fmt.Appendf(nil, "b%06d", k)))
	}
	must(t, db.Write(&b, nil))

	stepped := func(o *store.IterOptions) (rows int, tombstones uint64) {
		t.Helper()
		counts, err := rocksdb.Perf(rocksdb.PerfCounts, func() {
			it, err := db.NewIterator(o)
			must(t, err)
			for range store.All(it) {
				rows++
			}
			must(t, it.Err())
			must(t, it.Close())
		})
		must(t, err)
		return rows, counts["internal_delete_skipped_count"]
	}
	for what, o := range map[string]*store.IterOptions{
		"upper bound": {Upper: []byte("b")},
		"prefix":      {Prefix: []byte("a")},
		"both bounds": {Lower: []byte("a"), Upper: []byte("a~")},
	} {
		if rows, n := stepped(o); rows != before || n > 0 {
			t.Errorf("%s: %d rows and %d tombstones, want %d and none", what, rows, n, before)
		}
	}
	if rows, n := stepped(nil); rows != before || n < deleted {
		t.Errorf("no bound: %d rows and %d tombstones, want %d and %d", rows, n, before, deleted)
	}
}

// A snapshot is let go of when both it and the last iterator made from it are
// closed, by RocksDB's own count. LevelDB doesn't tell.
func TestSnapshotsAreReleased(t *testing.T) {
	db, err := rocksdb.Open(filepath.Join(t.TempDir(), "db"), &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	want := func(n, when string) {
		t.Helper()
		if got, err := db.Property("rocksdb.num-snapshots"); err != nil || got != n {
			t.Errorf("%s: %s snapshots, %v; want %s", when, got, err, n)
		}
	}
	s, err := db.NewSnapshot()
	must(t, err)
	var its [2]store.Iterator
	for i := range its {
		its[i], err = s.NewIterator(nil)
		must(t, err)
	}
	want("1", "made")
	must(t, its[0].Close())
	must(t, s.Release())
	want("1", "released, with an iterator left")
	must(t, its[1].Close())
	want("0", "all closed")
}
