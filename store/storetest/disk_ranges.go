package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/store"
)

// DeleteRange is atomic on an engine that has it and on one where it is made of
// single deletes, beside other writers and across a kill.
func rangeDeleteCases() []diskCase {
	return []diskCase{
		{"DeleteRangeAtomic", deleteRangeAtomic, true},
		{"DeleteRangeKilled", deleteRangeKilled, false},
		{"InvalidBatches", invalidBatches, true},
		{"A12_BoundsCollected", boundsCollected, true},
	}
}

// Writers put whole generations of keys, others delete the range, and in every
// snapshot there is one whole generation or nothing. A bystander's keys between
// and around them stay.
func deleteRangeAtomic(t *diskEnv) {
	db := t.fresh()
	const keys, rounds = 60, 150
	key := func(i int) []byte { return fmt.Appendf(nil, "k%03d", i) }
	bystanders := rows("a", "1", "k", "2", "l", "3")
	t.fill(db, bystanders)
	var writers, watchers sync.WaitGroup
	var ended atomic.Bool
	for g := range 2 {
		writers.Go(func() {
			b := store.NewBatch(0)
			for round := range rounds {
				b.Reset()
				for i := range keys {
					t.must(b.Put(key(i), fmt.Appendf(nil, "%d.%d", g, round)), "batch put")
				}
				t.must(db.Write(b, nil), "write")
			}
		})
		writers.Go(func() {
			for round := range rounds {
				end := []byte("l")
				b := store.NewBatch(0)
				switch (round + g) % 3 {
				case 0:
					t.must(db.DeleteRange(key(0), end, nil), "delete range")
				case 1: // the batch's own put goes as well
					t.must(b.Put(key(7), []byte("own")), "batch put")
					t.must(b.DeleteRange(key(0), end), "batch delete range")
					t.must(db.Write(b, nil), "write")
				case 2: // a put behind the range in the batch stays
					t.must(b.DeleteRange(key(0), end), "batch delete range")
					t.must(b.Put([]byte("k"), []byte("2")), "batch put")
					t.must(db.Write(b, nil), "write")
				}
			}
		})
	}
	for range 2 {
		watchers.Go(func() {
			for !ended.Load() {
				t.oneGeneration(db, keys)
			}
		})
	}
	writers.Wait()
	ended.Store(true)
	watchers.Wait()
	t.must(db.DeleteRange(key(0), []byte("l"), nil), "delete range")
	t.wantContents(db, bystanders, "at the end")
}

func (t *diskEnv) oneGeneration(db store.DB, keys int) {
	s, err := db.NewSnapshot()
	if err != nil {
		t.Errorf("snapshot: %v", err)
		return
	}
	defer s.Release()
	seen := map[string]int{}
	all, errf := store.Scan(s, store.PrefixRange([]byte("k0")))
	for _, v := range all {
		seen[string(v)]++
	}
	if errf() != nil || len(seen) > 1 {
		t.Errorf("a snapshot shows several generations, or %v: %v", errf(), seen)
	}
	for gen, n := range seen {
		if n != keys {
			t.Errorf("a snapshot shows %d of %d keys of generation %s", n, keys, gen)
		}
	}
}

// What a synced DeleteRange has removed stays removed when the process is killed
// right after it.
func deleteRangeKilled(t *diskEnv) {
	all := numbered(3000)
	if arg, helper := HelperArg(); helper {
		db := t.openO(arg, store.Options{WriteBufferSize: 64 << 10})
		t.writeAll(db, all)
		b := store.NewBatch(0)
		t.must(b.Put([]byte("key000500x"), []byte("own")), "batch put")
		t.must(b.DeleteRange(all[500].k, all[1500].k), "batch delete range")
		t.must(b.Put(all[700].k, []byte("again")), "batch put")
		t.must(db.Write(b, nil), "write")
		t.must(db.DeleteRange(all[2000].k, nil, store.Sync), "delete to the end")
		Die()
	}
	path := t.path()
	RunHelper(t.T, path)
	want := append([]row{}, all[:500]...)
	want = append(want, row{all[700].k, []byte("again")})
	want = append(want, all[1500:2000]...)
	for range 2 {
		db := t.openO(path, store.Options{})
		t.wantContents(db, want, "reopened")
		t.must(db.Compact(nil, store.KeyRange{}), "compact")
		t.wantContents(db, want, "compacted")
		t.close(db)
	}
}

// InvalidBatches are encoded batches that no store should be given, by what is
// wrong with them. RocksDB writes them to its log before it looks, and does not
// open that again.
func InvalidBatches() map[string][]byte {
	head := func(n uint32) []byte { return binary.LittleEndian.AppendUint32(make([]byte, 8), n) }
	return map[string][]byte{
		"wrong count":    append(head(2), "\x01\x01k\x01v"...),
		"unknown tag":    append(head(1), "\x7f\x01k\x01v"...),
		"cut record":     append(head(1), "\x01\x01k\x09v"...),
		"reversed range": append(head(1), "\x0f\x01b\x01a"...),
	}
}

// Load refuses what an engine can't stand, and the store is as good as before.
func invalidBatches(t *diskEnv) {
	path := t.path()
	db := t.open(path)
	var want []row
	for _, name := range slices.Sorted(maps.Keys(InvalidBatches())) {
		b := t.batchOf("+kept=v")
		err := b.Load(InvalidBatches()[name])
		if !errors.Is(err, store.ErrInvalidArgument) {
			t.Errorf("%s: load gave %v", name, err)
		}
		t.must(db.Write(b, store.Sync), "write of the batch as it was")
		t.put(db, name, "v")
		want = append(want, row{[]byte(name), []byte("v")})
	}
	want = slices.Insert(want, 1, row{[]byte("kept"), []byte("v")})
	t.close(db)
	db = t.open(path)
	t.wantContents(db, want, "reopened")
	t.close(db)
}

// Bounds come from temporary slices that are overwritten and collected before
// and during the walk, over tables and logs, in both directions, of a store and
// a snapshot.
func boundsCollected(t *diskEnv) {
	db := t.openO(t.path(), small)
	var all []row
	for _, prefix := range []string{"db1", "db2", "db3"} {
		for i := range 10_000 {
			all = append(all, row{fmt.Appendf(nil, "%s%05d", prefix, i), fmt.Appendf(nil, "value of %s %d", prefix, i)})
		}
	}
	t.writeAll(db, all)
	snap := t.snapshot(db)
	for i, prefix := range []string{"db1", "db2", "db3"} {
		want := all[i*10_000 : (i+1)*10_000]
		for _, r := range []store.Reader{db, snap} {
			for _, backward := range []bool{false, true} {
				t.boundedWalk(r, prefix, want, backward)
			}
		}
	}
	t.release(snap)
	t.close(db)
}

func (t *diskEnv) boundedWalk(r store.Reader, prefix string, want []row, backward bool) {
	t.Helper()
	o := &store.IterOptions{Lower: []byte(prefix), Upper: store.PrefixEnd([]byte(prefix)), Reverse: backward}
	it := t.iterator(r, o)
	clear(o.Lower)
	clear(o.Upper)
	*o = store.IterOptions{}
	collectGarbage()
	n := 0
	first, next := it.First, it.Next
	if backward {
		first, next = it.Last, it.Prev
	}
	for ok := first(); ok; ok = next() {
		if n == len(want) {
			break
		}
		e := want[n]
		if backward {
			e = want[len(want)-1-n]
		}
		if !bytes.Equal(it.Key(), e.k) || !bytes.Equal(it.Value(), e.v) {
			t.Fatalf("%s, row %d: %s=%s, want %v", prefix, n, show(it.Key()), show(it.Value()), e)
		}
		if n++; n%3000 == 0 {
			collectGarbage()
		}
	}
	if n != len(want) || it.Valid() || it.Err() != nil {
		t.Errorf("%s: %d rows, valid %v, %v; want %d", prefix, n, it.Valid(), it.Err(), len(want))
	}
	t.closeIter(it)
}

func collectGarbage() {
	runtime.GC()
	runtime.GC()
}
