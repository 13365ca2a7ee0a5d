package storetest

import (
	"os"
	"path/filepath"

	"github.com/lsmkit/lsmkit/store"
)

// A table file that somebody removes from under an open store is damage like any
// other: no way of reading says that its keys are not there. What the engine has
// open or cached it may still deliver.
func goneCases() []diskCase {
	return []diskCase{
		{"TableGone", tableGone, true},
		{"TableBack", tableBack, true},
	}
}

// fewFiles makes the engine open a table when it needs it. Rows fill several
// tables.
var fewFiles = store.Options{WriteBufferSize: 1 << 20, MaxFileSize: 1 << 20, MaxOpenFiles: 20, Compression: store.NoCompression}

func tableGone(t *diskEnv) {
	path := t.path()
	all := randomRows(newRandom(20), 60_000, 200)
	t.tables(path, fewFiles, all)
	files := tableFiles(t, path)
	if len(files) < 10 {
		t.Fatalf("only %d tables", len(files))
	}
	db := t.openO(path, fewFiles)
	snap := t.snapshot(db)
	for _, i := range []int{len(files) / 3, len(files) / 2, len(files) - 2} {
		t.must(os.Remove(files[i]), "remove a table")
	}
	for _, r := range []store.Reader{db, snap} {
		met := 0
		var dst []byte
		var vs store.Values
		for i := 0; i < len(all); i += 7 {
			e := all[i]
			v, err := r.AppendGet(dst[:0], e.k)
			if err == nil && !same(v, e.v) {
				t.Fatalf("get of %s gave %s", show(e.k), show(v))
			}
			if err != nil {
				met++
				t.wantKind(err, store.ErrCorruption, "get")
				_, err = r.Has(e.k)
				t.wantKind(err, store.ErrCorruption, "has")
				t.wantKind(r.MultiGet([][]byte{e.k}, &vs), store.ErrCorruption, "multi-get")
			}
			if t.Failed() {
				return
			}
			dst = v
		}
		t.Logf("%d lookups met the tables that are gone", met)
		if met == 0 {
			t.Error("no lookup met a table that is gone")
		}
		t.wantMissing(r, "a key before all") // of no table
		t.wantKind(t.damagedWalk(r, nil, all, "walk"), store.ErrCorruption, "walk")
	}
	t.release(snap)
	t.close(db)
}

// A table that is gone for a while is no lasting harm to an open store.
func tableBack(t *diskEnv) {
	path := t.path()
	all := randomRows(newRandom(21), 60_000, 200)
	t.tables(path, fewFiles, all)
	files := tableFiles(t, path)
	file := files[len(files)/2]
	db := t.openO(path, fewFiles)
	aside := filepath.Join(t.TempDir(), "aside")
	t.must(os.Rename(file, aside), "move a table away")
	gone := row{}
	for i := 0; i < len(all); i += 7 {
		if _, err := db.Get(all[i].k); err != nil {
			gone = all[i]
			break
		}
	}
	if gone.k == nil {
		t.Fatal("no lookup met the table that is gone")
	}
	t.must(os.Rename(aside, file), "move it back")
	t.wantGet(db, string(gone.k), string(gone.v))
	t.wantContents(db, all, "with the table back")
	t.close(db)
}
