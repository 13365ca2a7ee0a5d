//go:build !asan

package rocksdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// Faults of grocksdb and RocksDB that this package works around, each pinned as
// it is, with grocksdb alone. A pin that fails after an upgrade is good news: the
// note says what may go. The sanitizer would stop at some of them.

// plain opens a store with grocksdb. The options stay alive: grocksdb and RocksDB
// want that.
func plain(t *testing.T, path string) *grocksdb.DB {
	t.Helper()
	o := grocksdb.NewDefaultOptions()
	o.SetCreateIfMissing(true)
	db, err := grocksdb.OpenDb(o, path)
	must(t, err)
	return db
}

// grocksdb keeps its C pointers to itself, in a field c. This one is bad news:
// pointer in capi_options.go reads the field of DB, and others may be needed.
func TestQuirkHandleLayout(t *testing.T) {
	for _, c := range []struct {
		object any
		c      string
	}{
		{&grocksdb.DB{}, "rocksdb_t"},
		{&grocksdb.Options{}, "rocksdb_options_t"},
		{&grocksdb.BlockBasedTableOptions{}, "rocksdb_block_based_table_options_t"},
		{&grocksdb.Cache{}, "rocksdb_cache_t"},
		{&grocksdb.ReadOptions{}, "rocksdb_readoptions_t"},
		{&grocksdb.WriteOptions{}, "rocksdb_writeoptions_t"},
		{&grocksdb.FlushOptions{}, "rocksdb_flushoptions_t"},
		{&grocksdb.CompactRangeOptions{}, "rocksdb_compactoptions_t"},
		{&grocksdb.ColumnFamilyHandle{}, "rocksdb_column_family_handle_t"},
		{&grocksdb.Snapshot{}, "rocksdb_snapshot_t"},
		{&grocksdb.Iterator{}, "rocksdb_iterator_t"},
		{&grocksdb.WriteBatch{}, "rocksdb_writebatch_t"},
		{&grocksdb.WriteBatchWI{}, "rocksdb_writebatch_wi_t"},
		{&grocksdb.WalIterator{}, "rocksdb_wal_iterator_t"},
		{&grocksdb.Checkpoint{}, "rocksdb_checkpoint_t"},
		{&grocksdb.BackupEngine{}, "rocksdb_backup_engine_t"},
		{&grocksdb.TransactionDB{}, "rocksdb_transactiondb_t"},
		{&grocksdb.OptimisticTransactionDB{}, "rocksdb_optimistictransactiondb_t"},
		{&grocksdb.Transaction{}, "rocksdb_transaction_t"},
		{&grocksdb.SSTFileWriter{}, "rocksdb_sstfilewriter_t"},
		{&grocksdb.IngestExternalFileOptions{}, "rocksdb_ingestexternalfileoptions_t"},
		{&grocksdb.RateLimiter{}, "rocksdb_ratelimiter_t"},
		{&grocksdb.PerfContext{}, "rocksdb_perfcontext_t"},
		{&grocksdb.Env{}, "rocksdb_env_t"},
	} {
		wantPointerField(t, c.object, "c", c.c)
	}
	wantPointerField(t, &grocksdb.WaitForCompactOptions{}, "p", "rocksdb_wait_for_compact_options_t")
	wantPointerField(t, &grocksdb.WriteBufferManager{}, "p", "rocksdb_write_buffer_manager_t")
}

// wantPointerField checks that a field is the first, and a pointer to a C type.
func wantPointerField(t *testing.T, object any, name, c string) {
	t.Helper()
	f, ok := reflect.TypeOf(object).Elem().FieldByName(name)
	if want := "*grocksdb._Ctype_struct_" + c; !ok || f.Offset != 0 || f.Type.Kind() != reflect.Pointer || f.Type.String() != want {
		t.Errorf("%T has field %s %v at offset %d, want %s at 0", object, name, f.Type, f.Offset, want)
	}
}

// Destroy frees a snapshot's wrapper and leaves RocksDB's snapshot: data is held
// back from compaction for ever. rdb_snapshot_free releases it.
func TestQuirkSnapshotDestroy(t *testing.T) {
	storetest.Child(t, func(t *testing.T) {
		db := plain(t, filepath.Join(t.TempDir(), "db"))
		db.NewSnapshot().Destroy()
		if n := db.GetProperty("rocksdb.num-snapshots"); n != "1" {
			t.Errorf("%s snapshots are left: grocksdb's snapshots may be used", n)
		}
	})
}

func TestQuirkCloseTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	storetest.Crashes(t, "grocksdb guards a second Close", func() {
		db := plain(t, path)
		db.Close()
		db.Close()
	})
}

// What SetPrefixExtractor has handed over to RocksDB, Destroy frees once more.
func TestQuirkOptionsDestroy(t *testing.T) {
	storetest.Crashes(t, "grocksdb's Options.Destroy leaves to RocksDB what RocksDB owns", func() {
		for range 100 {
			o := grocksdb.NewDefaultOptions()
			o.SetPrefixExtractor(grocksdb.NewFixedPrefixTransform(3))
			o.Destroy()
		}
	})
}

// The result is dropped: a key that is there, in a block that is not cached,
// gives nothing, and one that is not there an empty value. This package does not
// use KeyMayExists.
func TestQuirkKeyMayExists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	tables(t, path)
	db := plain(t, path)
	defer db.Close()
	ro := grocksdb.NewDefaultReadOptions()
	defer ro.Destroy()
	there, missing := db.KeyMayExists(ro, []byte("50"), ""), db.KeyMayExists(ro, []byte("none"), "")
	if there != nil || missing == nil {
		t.Errorf("KeyMayExists has changed: %v and %v", there, missing)
	}
}

// tables makes a store with 100 keys in tables.
func tables(t *testing.T, path string) {
	t.Helper()
	db, err := open(t, path, store.Options{CreateIfMissing: true})
	must(t, err)
	for k := range 100 {
		must(t, db.Put(fmt.Append(nil, k), []byte("v"), nil))
	}
	must(t, db.Compact(nil, store.KeyRange{}))
	must(t, db.Close())
}

// grocksdb's numbers of tickers are those of another version: statistics are to
// be read by name.
func TestQuirkTickerNumbers(t *testing.T) {
	o := grocksdb.NewDefaultOptions()
	defer o.Destroy()
	o.SetCreateIfMissing(true)
	o.EnableStatistics()
	db, err := grocksdb.OpenDb(o, filepath.Join(t.TempDir(), "db"))
	must(t, err)
	defer db.Close()
	wo := grocksdb.NewDefaultWriteOptions()
	defer wo.Destroy()
	for range 123 {
		must(t, db.Put(wo, []byte("k"), []byte("v")))
	}
	if text := o.GetStatisticsString(); !strings.Contains(text, "rocksdb.number.keys.written COUNT : 123\n") {
		t.Errorf("by name, 123 written keys are not counted in %s", text)
	}
	if n := o.GetTickerCount(grocksdb.TickerType_NUMBER_KEYS_WRITTEN); n == 123 {
		t.Error("grocksdb's number for written keys is right: tickers may be read by number")
	}
}

// An empty end becomes no end, and all is compacted; and a plain compaction does
// not rewrite the bottommost level. rdb_compact mends both.
func TestQuirkCompactRange(t *testing.T) {
	db, err := rocksdb.Open(filepath.Join(t.TempDir(), "db"), &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	for range 2 {
		for k := range 100 {
			must(t, db.Put(fmt.Append(nil, k), []byte("v"), nil))
		}
		must(t, db.Flush())
	}
	list := func() []store.Table {
		tables, err := db.Tables()
		must(t, err)
		return tables
	}
	before := list()
	must(t, db.Compact(nil, store.KeyRange{End: []byte{}}))
	if now := list(); !slices.Equal(before, now) {
		t.Errorf("this package's Compact of nothing has changed %v to %v", before, now)
	}
	db.Unwrap().CompactRange(grocksdb.Range{Limit: []byte{}})
	if slices.Equal(before, list()) {
		t.Error("grocksdb keeps an empty end")
	}
	must(t, db.Compact(nil, store.KeyRange{}))
	bottom := list()
	db.Unwrap().CompactRange(grocksdb.Range{})
	if !slices.Equal(bottom, list()) {
		t.Error("a plain compaction rewrites the bottommost level")
	}
	must(t, db.Compact(nil, store.KeyRange{}))
	if slices.Equal(bottom, list()) {
		t.Error("this package's compaction did not rewrite the bottommost level")
	}
}

// One folder can be opened twice by two spellings of its path; a LevelDB store is
// converted; without CURRENT the second attempt makes a new store. Package dir
// looks first.
func TestQuirkUnguardedOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	storetest.Child(t, func(t *testing.T) {
		db := plain(t, path)
		second, err := grocksdb.OpenDb(grocksdb.NewDefaultOptions(), path+"/.")
		if err != nil {
			t.Errorf("RocksDB sees that it is the same folder: %v", err)
		} else {
			second.Close()
		}
		db.Close()
	})
	ldb, err := openOther(t, path+"ldb", store.Options{CreateIfMissing: true})
	must(t, err)
	must(t, ldb.Close())
	db, err := grocksdb.OpenDb(grocksdb.NewDefaultOptions(), path+"ldb")
	if err != nil {
		t.Errorf("RocksDB refuses a LevelDB store: %v", err)
	} else {
		db.Close()
	}
	tables(t, path+"sst")
	must(t, os.Remove(filepath.Join(path+"sst", "CURRENT")))
	o := grocksdb.NewDefaultOptions()
	defer o.Destroy()
	o.SetCreateIfMissing(true)
	for range 2 {
		if db, err = grocksdb.OpenDb(o, path+"sst"); err == nil {
			db.Close()
		}
	}
	left, err2 := filepath.Glob(filepath.Join(path+"sst", "*.sst"))
	must(t, err2)
	if err != nil || len(left) > 0 {
		t.Errorf("RocksDB keeps tables without CURRENT: %q, %v", left, err)
	}
}

// One invalid batch stops the store, three of the four make it unreadable for
// good. Batch.Load refuses them (see TestDisk/InvalidBatches), and so nothing of that
// kind gets to rdb_write.
func TestQuirkInvalidBatches(t *testing.T) {
	for name, rep := range storetest.InvalidBatches() {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			storetest.Child(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "db")
				db := plain(t, path)
				wo := grocksdb.NewDefaultWriteOptions()
				must(t, db.Put(wo, []byte("before"), []byte("v")))
				b := grocksdb.WriteBatchFrom(rep)
				err := db.Write(wo, b)
				b.Destroy()
				after := db.Put(wo, []byte("after"), []byte("v"))
				db.Close()
				if err == nil || after == nil {
					t.Errorf("RocksDB goes on after an invalid batch: %v, then %v", err, after)
				}
				db, err = grocksdb.OpenDb(grocksdb.NewDefaultOptions(), path)
				if err == nil {
					db.Close()
				}
				if (err == nil) != (name == "reversed range") {
					t.Errorf("reopening gave %v", err)
				}
			})
		})
	}
}
