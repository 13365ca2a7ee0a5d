package rocksdb_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// Perf counts what the function does and nothing else: not what was done before,
// by others at the same time, or after a panic.
func TestPerf(t *testing.T) {
	db, err := rocksdb.Open(filepath.Join(t.TempDir(), "db"), &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	must(t, db.Put([]byte("k"), []byte("v"), nil))
	get := func() {
		if _, err := db.Get([]byte("k")); err != nil {
			t.Error(err)
		}
	}
	const memtables = "get_from_memtable_count"
	counted := func(level rocksdb.PerfLevel, f func()) map[string]uint64 {
		t.Helper()
		counts, err := rocksdb.Perf(level, f)
		must(t, err)
		return counts
	}
	if n := counted(rocksdb.PerfCounts, get)[memtables]; n != 1 {
		t.Errorf("one get looked into %d memtables", n)
	}
	if counts := counted(rocksdb.PerfCounts, nil); len(counts) != 0 {
		t.Errorf("nothing counted as %v", counts)
	}
	if counts := counted(rocksdb.PerfTimes, get); counts["get_from_memtable_time"] == 0 {
		t.Errorf("no time in %v", counts)
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					get()
				}
			}
		})
	}
	if n := counted(rocksdb.PerfLockTimes, func() { get(); get() })[memtables]; n != 2 {
		t.Errorf("two gets among others' looked into %d memtables", n)
	}
	close(stop)
	others.Wait()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _ = rocksdb.Perf(rocksdb.PerfCounts, func() { panic("f's") })
	}()
	if n := counted(rocksdb.PerfCounts, get)[memtables]; n != 1 {
		t.Errorf("after a panic one get looked into %d memtables", n)
	}
}

// A level that there is not, and Perf within Perf, are refused without a call.
func TestPerfRefuses(t *testing.T) {
	for _, level := range []rocksdb.PerfLevel{-1, 0, rocksdb.PerfLockTimes + 1} {
		_, err := rocksdb.Perf(level, func() { t.Error("called") })
		if !errors.Is(err, store.ErrInvalidArgument) {
			t.Errorf("level %d: %v", level, err)
		}
	}
	_, err := rocksdb.Perf(rocksdb.PerfCounts, func() {
		_, err := rocksdb.Perf(rocksdb.PerfCounts, func() { t.Error("called") })
		if !errors.Is(err, store.ErrInvalidArgument) {
			t.Errorf("nested: %v", err)
		}
	})
	must(t, err)
}

// How many deleted entries a walk has to step over.
func ExamplePerf() {
	path, remove := temp()
	defer remove()
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	check(err)
	for i := range 100 {
		check(db.Put(fmt.Appendf(nil, "k%02d", i), nil, nil))
	}
	check(db.Flush())
	for i := range 99 {
		check(db.Delete(fmt.Appendf(nil, "k%02d", i), nil))
	}

	counts, err := rocksdb.Perf(rocksdb.PerfCounts, func() {
		it, err := db.NewIterator(nil)
		check(err)
		it.First()
		fmt.Printf("%s", it.Key())
		check(it.Close())
	})
	check(err)
	fmt.Println(" is behind", counts["internal_delete_skipped_count"])
	check(db.Close())
	// Output: k99 is behind 99
}
