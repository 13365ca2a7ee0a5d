package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// Damage is told, never passed over. Files of closed stores are changed; then
// every way of reading must give what was stored, or an error that is
// ErrCorruption. What is right may come before the error, nothing may be left
// out without one.
func damageCases() []diskCase {
	return []diskCase{
		{"A13_DamagedBlock", damagedBlock, true},
		{"A13_DamageAnywhere", damageAnywhere, true},
		{"A13_DamagedCompaction", damagedCompaction, true},
		{"A14_CurrentGone", currentGone, true},
	}
}

// randomRows returns rows in order with values that do not compress.
func randomRows(rng *random, n, valueSize int) []row {
	all := numbered(n)
	for i := range all {
		all[i].v = rng.fill(valueSize)
	}
	return all
}

// tables makes a store whose rows are all in table files, and closes it.
func (t *diskEnv) tables(path string, o store.Options, all []row) {
	t.Helper()
	db := t.openO(path, o)
	t.writeAll(db, all)
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.close(db)
}

// writeAll writes the rows in batches.
func (t *diskEnv) writeAll(db store.DB, all []row) {
	t.Helper()
	b := store.NewBatch(1 << 20)
	for i, e := range all {
		t.must(b.Put(e.k, e.v), "batch put")
		if b.Size() > 1<<20 || i == len(all)-1 {
			t.must(db.Write(b, nil), "write")
			b.Reset()
		}
	}
}

func damagedBlock(t *diskEnv) {
	path := t.path()
	all := randomRows(newRandom(13), 20_000, 100)
	t.tables(path, store.Options{MaxFileSize: 1 << 20}, all)
	files := tableFiles(t, path)
	file := files[len(files)/2]
	flip(t, file, folderSize(t, file)/2, 128)
	db := t.openO(path, store.Options{VerifyChecksums: store.On})
	failed := t.readDamaged(db, all, "middle of a table")
	for _, way := range []string{"forward", "backward", "keys forward", "keys backward", "get", "has", "multi-get", "snapshot"} {
		if !slices.Contains(failed, way) {
			t.Errorf("%s: no error", way)
		}
	}
	t.close(db)
}

func folderSize(t *diskEnv, file string) int64 {
	info, err := os.Stat(file)
	t.must(err, "stat")
	return info.Size()
}

// readDamaged reads all of a damaged store in every way, checks what comes, and
// returns the ways that met the damage.
func (t *diskEnv) readDamaged(db store.DB, all []row, what string) (failed []string) {
	t.Helper()
	note := func(way string, err error) {
		t.Helper()
		if err == nil {
			return
		}
		failed = append(failed, way)
		if !errors.Is(err, store.ErrCorruption) {
			t.Errorf("%s, %s: error %v, want one that is %q", what, way, err, store.ErrCorruption)
		}
	}
	back := slices.Clone(all)
	slices.Reverse(back)
	for _, keysOnly := range []bool{false, true} {
		prefix := ""
		if keysOnly {
			prefix = "keys "
		}
		o := &store.IterOptions{KeysOnly: keysOnly}
		note(prefix+"forward", t.damagedWalk(db, o, all, what))
		o = &store.IterOptions{KeysOnly: keysOnly, Reverse: true}
		note(prefix+"backward", t.damagedWalk(db, o, back, what))
	}
	note("get", t.damagedLookups(all, what, func(e row) error {
		v, err := db.Get(e.k)
		if err == nil && !same(v, e.v) {
			return fmt.Errorf("a wrong value: %s", show(v))
		}
		return err
	}))
	note("has", t.damagedLookups(all, what, func(e row) error {
		ok, err := db.Has(e.k)
		if err == nil && !ok {
			return store.ErrNotFound
		}
		return err
	}))
	note("multi-get", t.damagedMultiGet(db, all, what))
	snap := t.snapshot(db)
	note("snapshot", t.damagedWalk(snap, nil, all, what))
	t.release(snap)
	return failed
}

// damagedWalk walks in one direction and returns the error that ended it. The
// rows before it must be the first of want.
func (t *diskEnv) damagedWalk(r store.Reader, o *store.IterOptions, want []row, what string) error {
	t.Helper()
	it := t.iterator(r, o)
	defer t.closeIter(it)
	rows := store.All(it)
	if o != nil && o.Reverse {
		rows = store.Backward(it)
	}
	n := 0
	for k, v := range rows {
		if n >= len(want) || !bytes.Equal(k, want[n].k) || v != nil && !bytes.Equal(v, want[n].v) {
			t.Errorf("%s: row %d of a walk is %s=%s", what, n, show(k), show(v))
			return it.Err()
		}
		n++
	}
	if it.Err() == nil && n != len(want) {
		t.Errorf("%s: a walk ended after %d of %d rows, without an error", what, n, len(want))
	}
	return it.Err()
}

// damagedLookups looks up each row and returns the first error, after all have
// been looked up. It must be corruption, each time.
func (t *diskEnv) damagedLookups(all []row, what string, lookup func(e row) error) (first error) {
	t.Helper()
	for _, e := range all {
		err := lookup(e)
		if err != nil && first == nil {
			first = err
		}
		if err != nil && !errors.Is(err, store.ErrCorruption) {
			t.Errorf("%s: lookup of %s: %v", what, show(e.k), err)
			return first
		}
	}
	return first
}

func (t *diskEnv) damagedMultiGet(db store.DB, all []row, what string) (first error) {
	t.Helper()
	var vs store.Values
	for part := range slices.Chunk(all, 500) {
		keys := make([][]byte, len(part))
		for i, e := range part {
			keys[i] = e.k
		}
		if err := db.MultiGet(keys, &vs); err != nil {
			if first == nil {
				first = err
			}
			if vs.Len() != 0 {
				t.Errorf("%s: %d values came with %v", what, vs.Len(), err)
			}
			continue
		}
		for i, e := range part {
			if v, ok := vs.At(i); !ok || !same(v, e.v) {
				t.Errorf("%s: multi-get of %s gave %s, %v", what, show(e.k), show(v), ok)
				return first
			}
		}
	}
	return first
}

// damageAnywhere damages data, index, filter, properties and footer alike, at
// places drawn at random.
func damageAnywhere(t *diskEnv) {
	rng := t.random()
	o := store.Options{MaxFileSize: 1 << 20, BloomBits: 10, BlockSize: 1 << 10}
	whole := filepath.Join(t.TempDir(), "whole")
	all := randomRows(rng, 3000, 100)
	t.tables(whole, o, all)
	met := 0
	const places = 60
	for range places {
		path := filepath.Join(t.TempDir(), "damaged")
		copyFolder(t, whole, path)
		files := tableFiles(t, path)
		file := files[rng.IntN(len(files))]
		size := folderSize(t, file)
		offset, n := rng.Int64N(size), 1+rng.IntN(256)
		if rng.chance(3) { // index, filter and footer lie at the end
			offset = size - 1 - rng.Int64N(min(size, 8<<10))
		}
		what := fmt.Sprintf("%d bytes at %d of %d", n, offset, size)
		flip(t, file, offset, n)
		db, err := t.openWith(path, o)
		if err != nil {
			met++
			t.wantKind(err, store.ErrCorruption, what+": open")
			continue
		}
		if failed := t.readDamaged(db, all, what); len(failed) > 0 {
			met++
		}
		t.close(db)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d places were met", met, places)
	if met < places/2 {
		t.Errorf("only %d of %d places were met", met, places)
	}
}

// A compaction that reads a damaged block must not write what is left over as
// if it were all.
func damagedCompaction(t *diskEnv) {
	o := store.Options{}
	path := t.path()
	all := randomRows(newRandom(14), 5000, 100)
	t.tables(path, o, all)
	files := tableFiles(t, path)
	flip(t, files[0], folderSize(t, files[0])/2, 128)
	db := t.openO(path, o)
	// New data over the whole range, so that the damaged table has to be merged.
	t.must(db.Put(all[0].k, all[0].v, nil), "put")
	t.must(db.Put(all[len(all)-1].k, all[len(all)-1].v, nil), "put")
	err := db.Compact(nil, store.KeyRange{})
	if err == nil {
		t.Error("a compaction over a damaged block gave no error")
	} else {
		t.wantKind(err, store.ErrCorruption, "compact")
	}
	t.readDamaged(db, all, "after compaction")
	t.close(db)
	db = t.openO(path, o)
	if failed := t.readDamaged(db, all, "reopened"); !slices.Contains(failed, "forward") {
		t.Error("the damage is no longer told")
	}
	t.close(db)
}

// With CURRENT gone the folder is a damaged store, not a place for a new one.
func currentGone(t *diskEnv) {
	path := t.path()
	all := randomRows(newRandom(15), 10_000, 50)
	t.tables(path, store.Options{}, all)
	current, aside := filepath.Join(path, "CURRENT"), filepath.Join(t.TempDir(), "CURRENT")
	content, err := os.ReadFile(current)
	t.must(err, "read CURRENT")
	t.must(os.Rename(current, aside), "move CURRENT away")
	state := FolderState(t, path)
	for i := range 3 { // RocksDB's own second attempt is worse than its first
		o := store.Options{CreateIfMissing: i != 1}
		t.refuseOpen(path, o, store.ErrCorruption, "without CURRENT")
		SameFolder(t.T, path, state, "without CURRENT")
	}
	t.must(os.WriteFile(current, content, 0o644), "put CURRENT back")
	db := t.openO(path, store.Options{})
	t.wantContents(db, all, "with CURRENT back")
	t.close(db)
}
