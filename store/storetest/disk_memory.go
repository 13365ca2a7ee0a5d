package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// What C allocates is freed: each call is made many times over in a process of
// its own, whose resident memory must stay what it was after a warm-up. Under the
// address sanitizer, whose leak check sees more and whose memory grows by itself,
// these cases do nothing.
func memoryCases() []diskCase {
	var all []diskCase
	for _, c := range []struct {
		name string
		run  func(t *diskEnv)
	}{
		{"Get", getsKeepMemory}, {"SmallGet", smallGetsKeepMemory}, {"AppendGet", appendGetsKeepMemory}, {"MultiGet", multiGetsKeepMemory},
		{"SmallMultiGet", smallMultiGetsKeepMemory}, {"Has", hasKeepsMemory},
		{"Iterators", iteratorsKeepMemory}, {"Snapshots", snapshotsKeepMemory}, {"Batches", batchesKeepMemory},
		{"Failures", failuresKeepMemory}, {"Properties", propertiesKeepMemory},
	} {
		all = append(all, diskCase{"A21_Memory/" + c.name, func(t *diskEnv) {
			if asanEnabled {
				t.Skip("the leak check of the sanitizer takes the place of this")
			}
			c.run(t)
		}, true})
	}
	return all
}

// memoryLimit is what a loop of calls may make the process grow by. 50 MB were
// asked for. Most grow by a few hundred KiB, and 200,000 leaks of the smallest
// piece that malloc gives are more than this.
const memoryLimit = 5 << 20

// steady makes n calls after a warm-up, and checks that they leave no memory
// behind. On a busy machine malloc keeps some MiB of its own, but not again and
// again as a leak does: of three times n calls one must stay below the limit.
func (t *diskEnv) steady(n int, call func(i int)) {
	t.Helper()
	limit := int64(memoryLimit)
	if raceEnabled { // slower, and has memory of its own
		n /= 20
		limit = 50 << 20
	}
	for i := range n / 8 {
		call(i)
	}
	var grown int64
	for range 3 {
		debug.FreeOSMemory() // what Go has freed is not counted
		before := ResidentBytes(t.T)
		for i := range n {
			call(i)
		}
		debug.FreeOSMemory()
		grown = ResidentBytes(t.T) - before
		t.Logf("%d calls: %+d KiB", n, grown>>10)
		if grown <= limit {
			return
		}
	}
	t.Errorf("each time, %d calls made the process grow by %d MiB", n, grown>>20)
}

// wide is a store with some values of 20 KB, in tables and in the block cache.
func (t *diskEnv) wide() (db store.DB, keys [][]byte) {
	t.Helper()
	db = t.fresh()
	for i, e := range numbered(20) {
		// Compressed, since LevelDB caches no block that is in its file as it is.
		t.must(db.Put(e.k, bytes.Repeat([]byte{'a' + byte(i)}, 20_000), nil), "put")
		keys = append(keys, e.k)
	}
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	return db, keys
}

func getsKeepMemory(t *diskEnv) {
	db, keys := t.wide()
	t.steady(200_000, func(i int) {
		if v, err := db.Get(keys[i%len(keys)]); err != nil || len(v) != 20_000 {
			t.Fatalf("get: %d bytes, %v", len(v), err)
		}
	})
}

// smallGetsKeepMemory reads values that fit into the buffers that C is given.
func smallGetsKeepMemory(t *diskEnv) {
	db := t.fresh()
	t.put(db, "k", "v")
	key, buf := []byte("k"), make([]byte, 0, 10)
	t.steady(200_000, func(int) {
		_, err1 := db.Get(key)
		_, err2 := db.AppendGet(buf, key)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatalf("get: %v", err)
		}
	})
}

func appendGetsKeepMemory(t *diskEnv) {
	db, keys := t.wide()
	small := make([]byte, 0, 1000) // no room
	t.steady(50_000, func(i int) {
		if v, err := db.AppendGet(small, keys[i%len(keys)]); err != nil || len(v) != 20_000 {
			t.Fatalf("append get: %d bytes, %v", len(v), err)
		}
	})
}

func multiGetsKeepMemory(t *diskEnv) {
	db, keys := t.wide()
	keys = append(keys, []byte("missing"))
	t.steady(3000, func(int) {
		var vs store.Values // no room
		if err := db.MultiGet(keys, &vs); err != nil || vs.Len() != len(keys) {
			t.Fatalf("multi-get: %d, %v", vs.Len(), err)
		}
		if err := db.MultiGet(keys, &vs); err != nil || vs.Len() != len(keys) { // room
			t.Fatalf("multi-get: %d, %v", vs.Len(), err)
		}
	})
}

func smallMultiGetsKeepMemory(t *diskEnv) {
	db := t.fresh()
	t.put(db, "k", "v")
	keys := [][]byte{[]byte("k")}
	var vs store.Values
	t.steady(200_000, func(int) {
		if err := db.MultiGet(keys, &vs); err != nil || vs.Len() != 1 {
			t.Fatalf("multi-get: %d, %v", vs.Len(), err)
		}
	})
}

func hasKeepsMemory(t *diskEnv) {
	db, keys := t.wide()
	t.steady(200_000, func(i int) {
		if ok, err := db.Has(keys[i%len(keys)]); err != nil || !ok {
			t.Fatalf("has: %v, %v", ok, err)
		}
	})
}

func iteratorsKeepMemory(t *diskEnv) {
	db, keys := t.wide()
	options := []*store.IterOptions{ // an engine may have more to make, and to free, for the second
		{Lower: keys[1], Upper: keys[15], KeysOnly: true},
		{Lower: keys[1], Upper: keys[15], KeysOnly: true, FillCache: store.Off, VerifyChecksums: store.Off},
	}
	t.steady(400_000, func(i int) {
		it, err := db.NewIterator(options[i%2])
		if err != nil {
			t.Fatalf("new iterator: %v", err)
		}
		if !it.SeekGE(keys[2+i%10]) || !it.Next() || !it.Prev() {
			t.Fatalf("seek: %v", it.Err())
		}
		if err := it.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	})
}

// snapshotsKeepMemory releases snapshots before and after their iterators.
func snapshotsKeepMemory(t *diskEnv) {
	db, keys := t.wide()
	t.steady(50_000, func(i int) {
		s := t.snapshot(db)
		it := t.iterator(s, nil)
		if i%2 == 0 {
			t.release(s)
		}
		if !it.SeekGE(keys[3]) {
			t.Fatalf("seek: %v", it.Err())
		}
		t.closeIter(it)
		t.release(s)
	})
}

func batchesKeepMemory(t *diskEnv) {
	db := OpenTemp(t.T, t.openWith2, store.Options{WriteBufferSize: 256 << 10})
	all := numbered(100)
	t.steady(200_000, func(i int) {
		b := store.NewBatch(0)
		e := all[i%len(all)]
		err := errors.Join(b.Put(e.k, e.v), b.Delete(all[(i+1)%len(all)].k), db.Write(b, nil))
		if err != nil {
			t.Fatalf("batch: %v", err)
		}
	})
}

// failuresKeepMemory makes reads fail with a text of the engine's, which is long
// since it names a file at a long path.
func failuresKeepMemory(t *diskEnv) {
	path := filepath.Join(t.TempDir(), strings.Repeat(strings.Repeat("long", 50)+"/", 18), "db")
	all := numbered(200)
	t.tables(path, store.Options{}, all)
	for _, file := range tableFiles(t, path) {
		flip(t, file, 0, int(folderSize(t, file)/2))
	}
	db := t.openO(path, store.Options{})
	// RocksDB has the file open by now and names it as damaged. LevelDB does not
	// name it then, but does when it can't be mapped.
	for _, file := range tableFiles(t, path) {
		t.must(os.Remove(file), "remove")
		t.must(os.Mkdir(file, 0o755), "mkdir")
	}
	it := t.iterator(db, nil)
	var vs store.Values
	t.steady(100_000, func(i int) {
		key := all[i%50].k
		var err error
		switch i % 4 {
		case 0:
			_, err = db.Get(key)
		case 1:
			_, err = db.Has(key)
		case 2:
			err = db.MultiGet([][]byte{key, all[i%40].k, key}, &vs)
		case 3:
			it.SeekGE(key)
			err = it.Err()
		}
		if err == nil || len(err.Error()) < 2*len(path) { // in Path and in the text
			t.Fatalf("call %d gave %v", i, err)
		}
	})
	t.closeIter(it)
	t.close(db)
}

func propertiesKeepMemory(t *diskEnv) {
	db, _ := t.wide()
	for i := range 20 { // more tables, longer texts
		t.must(db.Put(fmt.Appendf(nil, "%d", i), []byte("v"), nil), "put")
		t.must(db.Flush(), "flush")
	}
	tables, ok := db.(store.TableLister)
	if !ok {
		t.Fatal("the store does not list its tables")
	}
	names := []string{t.cfg.Name + ".stats", t.cfg.Name + ".sstables", "no.such.property"}
	ranges := []store.KeyRange{{}, {Start: []byte("a")}, {End: []byte("z")}}
	t.steady(30_000, func(i int) {
		text, err := db.Property(names[i%3])
		if (err == nil) != (i%3 < 2) || (text != "") != (i%3 < 2) {
			t.Fatalf("property %s: %q, %v", names[i%3], text, err)
		}
		if i%10 > 0 {
			return
		}
		_, err = db.Metrics()
		_, err2 := tables.Tables()
		_, err3 := db.ApproximateSizes(ranges)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
	})
}
