//go:build !asan

package leveldb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jmhodges/levigo"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// Faults of levigo and LevelDB that this package works around, each pinned as it
// is, with levigo alone. A pin that fails after an upgrade is good news: the note
// says what may go. The sanitizer would stop at some of them.

// plain opens a store with levigo.
func plain(t *testing.T, path string) *levigo.DB {
	t.Helper()
	o := levigo.NewOptions()
	defer o.Close()
	o.SetCreateIfMissing(true)
	db, err := levigo.Open(path, o)
	must(t, err)
	return db
}

// panics checks that fn still panics.
func panics(t *testing.T, note string, fn func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("this panics no more: %s", note)
		}
	}()
	fn()
}

func TestQuirkEmptySlices(t *testing.T) {
	db := plain(t, filepath.Join(t.TempDir(), "db"))
	defer db.Close()
	ro := levigo.NewReadOptions()
	defer ro.Close()
	it := db.NewIterator(ro)
	defer it.Close()
	panics(t, "levigo's iterator takes an empty key", func() { it.Seek([]byte{}) })
	b := levigo.NewWriteBatch()
	defer b.Close()
	panics(t, "levigo's batch takes the delete of an empty key", func() { b.Delete(nil) })
	panics(t, "levigo measures no ranges: ldb_sizes may go", func() { db.GetApproximateSizes(nil) })
}

func TestQuirkUnpositioned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	storetest.Crashes(t, "LevelDB checks that an iterator is valid: cursor need not", func() {
		db := plain(t, path)
		db.NewIterator(levigo.NewReadOptions()).Next()
	})
}

func TestQuirkClosed(t *testing.T) {
	db := plain(t, filepath.Join(t.TempDir(), "db"))
	db.Close()
	panics(t, "levigo has an error for a closed store", func() { db.PropertyValue("leveldb.stats") })
}

// A property's text is malloc'd and not freed: engine.property does.
func TestQuirkPropertyLeak(t *testing.T) {
	storetest.Child(t, func(t *testing.T) {
		db := plain(t, filepath.Join(t.TempDir(), "db"))
		defer db.Close()
		ask := func(n int) {
			for range n {
				db.PropertyValue("leveldb.stats")
			}
		}
		ask(10_000)
		before := storetest.ResidentBytes(t)
		ask(200_000)
		if grown := storetest.ResidentBytes(t) - before; grown < 10<<20 {
			t.Errorf("200,000 properties took only %d KiB: levigo frees them, engine.property may use it", grown>>10)
		}
	})
}

// An empty end becomes no end, and all is compacted: ldb_compact keeps them
// apart.
func TestQuirkEmptyBound(t *testing.T) {
	db, err := leveldb.Open(filepath.Join(t.TempDir(), "db"), &leveldb.Options{Options: store.Options{CreateIfMissing: true}})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	for i := range 2 {
		for k := range 100 {
			must(t, db.Put(fmt.Appendf(nil, "%d", k), fmt.Append(nil, i), nil))
		}
		must(t, db.Flush())
	}
	before, err := db.Tables()
	must(t, err)
	must(t, db.Compact(nil, store.KeyRange{End: []byte{}}))
	same, err := db.Tables()
	must(t, err)
	if !slices.Equal(before, same) {
		t.Errorf("this package's Compact of nothing has changed %v to %v", before, same)
	}
	db.Unwrap().CompactRange(levigo.Range{Limit: []byte{}})
	after, err := db.Tables()
	must(t, err)
	if slices.Equal(before, after) {
		t.Error("levigo keeps an empty end: ldb_compact may go")
	}
}

// One folder can be opened twice by two spellings of its path, and without
// CURRENT it is made anew and loses its tables: package dir looks first.
func TestQuirkUnguardedOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	storetest.Child(t, func(t *testing.T) {
		db := plain(t, path)
		o := levigo.NewOptions()
		second, err := levigo.Open(path+"/.", o)
		if err != nil {
			t.Errorf("LevelDB sees that it is the same folder: %v", err)
		} else {
			second.Close()
		}
		db.Close()
	})
	path = filepath.Join(t.TempDir(), "db")
	db, err := open(t, path, store.Options{CreateIfMissing: true})
	must(t, err)
	must(t, db.Put([]byte("k"), []byte("v"), nil))
	must(t, db.Compact(nil, store.KeyRange{}))
	must(t, db.Close())
	must(t, os.Remove(filepath.Join(path, "CURRENT")))
	plain(t, path).Close()
	tables, err := filepath.Glob(filepath.Join(path, "*.ldb"))
	must(t, err)
	if len(tables) > 0 {
		t.Errorf("LevelDB keeps tables without CURRENT: %q", tables)
	}
}

// A damaged index or filter hides keys without an error, although reads verify
// checksums: Options.paranoid switches paranoid_checks on.
func TestQuirkUnverifiedIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := leveldb.Open(path, &leveldb.Options{Options: store.Options{CreateIfMissing: true, BloomBits: 10}})
	must(t, err)
	for k := range 2000 {
		must(t, db.Put(fmt.Append(nil, k), fmt.Append(nil, k), nil))
	}
	must(t, db.Compact(nil, store.KeyRange{}))
	must(t, db.Close())
	tables, err := filepath.Glob(filepath.Join(path, "*.ldb"))
	must(t, err)
	whole, err := os.ReadFile(tables[0])
	must(t, err)
	for back := 100; back < 4000; back += 100 { // from the footer on
		damaged := slices.Clone(whole)
		for i := range 64 {
			damaged[len(damaged)-back+i] ^= 0xff
		}
		must(t, os.WriteFile(tables[0], damaged, 0o644))
		if hidden := hiddenKeys(t, path, 2000); hidden > 0 {
			t.Logf("damage %d bytes before the end hides %d of 2000 keys", back, hidden)
			return
		}
	}
	t.Error("LevelDB hides no keys: Options.paranoid need not switch paranoid_checks on")
}

// hiddenKeys counts the keys that levigo gives neither a value nor an error for.
func hiddenKeys(t *testing.T, path string, keys int) (hidden int) {
	t.Helper()
	o, ro, filter := levigo.NewOptions(), levigo.NewReadOptions(), levigo.NewBloomFilter(10)
	defer filter.Close()
	defer o.Close()
	defer ro.Close()
	o.SetFilterPolicy(filter)
	ro.SetVerifyChecksums(true)
	db, err := levigo.Open(path, o)
	must(t, err)
	defer db.Close()
	for k := range keys {
		if v, err := db.Get(ro, fmt.Append(nil, k)); v == nil && err == nil {
			hidden++
		}
	}
	return hidden
}

// After an append to the log has failed, LevelDB goes on behind the torn record
// and acknowledges what recovery will not find: mend.go switches the log first.
// TestDisk/TornLog shows that this package loses nothing in the same situation.
func TestQuirkTornLog(t *testing.T) {
	if path, helper := storetest.HelperArg(); helper {
		db, wo := plain(t, path), levigo.NewWriteOptions()
		wo.SetSync(true)
		value := make([]byte, 1<<10)
		put := func(n int) error { return db.Put(wo, fmt.Appendf(nil, "%04d", n), value) }
		for n := range 10 {
			must(t, put(n))
		}
		lift := storetest.LimitFiles(t, 10*1050+500)
		if err := put(10); err == nil {
			t.Fatal("a put beyond the limit worked")
		}
		lift()
		acked := 0
		for n := 11; n < 211; n++ {
			if put(n) == nil {
				acked++
			}
		}
		storetest.Say("%d", acked)
		storetest.Die()
	}
	path := filepath.Join(t.TempDir(), "db")
	lines := storetest.RunHelper(t, path)
	if len(lines) != 1 || lines[0] != "200" {
		t.Fatalf("of 200 puts after the failure %q were acknowledged: LevelDB notices it", lines)
	}
	db := plain(t, path)
	defer db.Close()
	ro := levigo.NewReadOptions()
	defer ro.Close()
	lost := 0
	for n := 11; n < 211; n++ {
		v, err := db.Get(ro, fmt.Appendf(nil, "%04d", n))
		must(t, err)
		if v == nil {
			lost++
		}
	}
	t.Logf("%d of 200 synced puts that were acknowledged are lost", lost)
	if lost == 0 {
		t.Error("LevelDB loses nothing after a torn record: mend.go may go")
	}
}

// A key whose table file is gone is not found, without an error: lookup in capi.c
// looks at errno.
func TestQuirkTableGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := leveldb.Open(path, &leveldb.Options{Options: store.Options{CreateIfMissing: true}})
	must(t, err)
	must(t, db.Put([]byte("k"), []byte("v"), nil))
	must(t, db.Compact(nil, store.KeyRange{}))
	must(t, db.Close())
	p, ro := plain(t, path), levigo.NewReadOptions()
	defer ro.Close()
	defer p.Close()
	tables, err := filepath.Glob(filepath.Join(path, "*.ldb"))
	must(t, err)
	must(t, os.Remove(tables[0]))
	if v, err := p.Get(ro, []byte("k")); v != nil || err != nil {
		t.Errorf("levigo got %q, %v: LevelDB tells that the table is gone, lookup in capi.c may go", v, err)
	}
}
