package storetest

import (
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// A folder in which nothing can be written, as on a file system that is mounted
// read-only, is an error of the system for whoever wants to write, changes
// nothing, and is no obstacle to reading.
func unwritableCases() []diskCase {
	return []diskCase{{"A29_Unwritable", unwritable, false}}
}

func unwritable(t *diskEnv) {
	WithUnwritable(t.T, func(inner *testing.T, folder string, writable func(bool)) {
		t := &diskEnv{newEnv(inner, t.cfg, t.variant), t.engine}
		path := filepath.Join(folder, "db")
		all := numbered(200)
		t.tables(path, store.Options{}, all[:100])
		db := t.openO(path, store.Options{})
		t.fill(db, all) // the rest is in the log only
		t.close(db)
		writable(false)
		state := FolderState(t, folder)
		for _, o := range []store.Options{{}, {CreateIfMissing: true}} {
			t.refuseOpen(path, o, store.ErrIO, "open of a store that can't be written")
		}
		for _, missing := range []string{"new", "new/a/b"} {
			t.refuseOpen(filepath.Join(folder, missing), store.Options{CreateIfMissing: true}, store.ErrIO, "new store where nothing can be written")
		}
		t.refuseOpen(filepath.Join(folder, "new"), store.Options{}, store.ErrNotExist, "no store")
		t.wantKind(t.engine.Repair(path, store.Options{}), store.ErrIO, "repair")
		t.wantKind(t.engine.Destroy(path), store.ErrIO, "destroy")
		t.refusedAs(t.engine.Other, path, store.Options{CreateIfMissing: true}, t.cfg.Name)
		if t.cfg.ReadOnly {
			db, err := t.openWith(path, store.Options{ReadOnly: true})
			t.must(err, "open read-only")
			t.wantContents(db, all, "read-only")
			t.close(db)
		}
		SameFolder(t.T, folder, state, "unwritable")
		writable(true)
		db = t.openO(path, store.Options{})
		t.wantContents(db, all, "writable again")
		t.put(db, "zz", "new")
		t.close(db)
	})
}
