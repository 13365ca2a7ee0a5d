package storetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Repair keeps what is sound and brings back what can be; Destroy takes a store
// and nothing else.
func repairCases() []diskCase {
	return []diskCase{
		{"A30_RepairSound", repairSound, true},
		{"A30_RepairLostManifest", repairLostManifest, true},
		{"A30_RepairRefused", repairRefused, true},
		{"DestroyKeepsForeignFiles", destroyKeepsForeign, true},
	}
}

// A sound store keeps all: what is in tables, what was overwritten or deleted
// since, and what is in the log only.
func repairSound(t *diskEnv) {
	for _, o := range []store.Options{{}, {BloomBits: 10, WriteBufferSize: 64 << 10, Compression: store.NoCompression}} {
		path := t.path()
		db := t.openO(path, o)
		all := numbered(5000)
		t.writeAll(db, all[:4000])
		t.must(db.Compact(nil, store.KeyRange{}), "compact")
		for i := 0; i < 1000; i++ {
			all[i].v = fmt.Appendf(nil, "second value %d", i)
		}
		t.writeAll(db, all[:1000])
		t.must(db.Flush(), "flush")
		t.writeAll(db, all[4000:])
		t.must(db.DeleteRange(all[2000].k, all[2500].k, nil), "delete range")
		all = append(all[:2000:2000], all[2500:]...)
		t.close(db)
		for range 2 {
			t.must(t.engine.Repair(path, o), "repair")
			db = t.openO(path, o)
			t.wantContents(db, all, "repaired")
			t.must(db.Put([]byte("zz"), []byte("new"), store.Sync), "put")
			t.must(db.Delete([]byte("zz"), store.Sync), "delete")
			t.close(db)
		}
	}
}

// Without CURRENT and MANIFEST a store can't be opened; repair finds its tables.
func repairLostManifest(t *diskEnv) {
	path := t.path()
	all := randomRows(newRandom(30), 3000, 100)
	t.tables(path, store.Options{MaxFileSize: 1 << 20}, all)
	manifests, err := filepath.Glob(filepath.Join(path, "MANIFEST-*"))
	t.must(err, "glob")
	for _, name := range append(manifests, filepath.Join(path, "CURRENT")) {
		t.must(os.Remove(name), "remove")
	}
	t.refuseOpen(path, store.Options{CreateIfMissing: true}, store.ErrCorruption, "without MANIFEST")
	t.must(t.engine.Repair(path, store.Options{}), "repair")
	db := t.openO(path, store.Options{})
	t.wantContents(db, all, "repaired")
	t.close(db)
}

// Repair and Destroy touch neither a store in use nor what is no store.
func repairRefused(t *diskEnv) {
	calls := map[string]func(path string) error{
		"repair":  func(path string) error { return t.engine.Repair(path, store.Options{}) },
		"destroy": t.engine.Destroy,
	}
	for what, call := range calls {
		path := t.path()
		t.wantKind(call(path), store.ErrNotExist, what+" of nothing")
		t.untouched(path, what)
		t.must(os.MkdirAll(path, 0o755), "mkdir")
		t.must(os.WriteFile(filepath.Join(path, "notes.txt"), []byte("notes"), 0o644), "write")
		state := FolderState(t, path)
		t.wantKind(call(path), store.ErrNotExist, what+" of a folder without a store")
		SameFolder(t.T, path, state, what)
		t.must(os.RemoveAll(path), "remove")
		db := t.openO(path, store.Options{})
		t.fill(db, numbered(100))
		for _, p := range t.spellings(path) {
			t.wantKind(call(p), store.ErrLocked, what+" of an open store")
		}
		t.wantContents(db, numbered(100), "open store")
		t.close(db)
		db = t.openO(path, store.Options{})
		t.wantContents(db, numbered(100), "reopened")
		t.close(db)
	}
}

func destroyKeepsForeign(t *diskEnv) {
	path := t.path()
	t.tables(path, store.Options{}, numbered(100))
	foreign := []string{"notes.txt", "LOGBOOK", "000001.txt", "sub/000001.log"}
	t.must(os.Mkdir(filepath.Join(path, "sub"), 0o755), "mkdir")
	for _, name := range foreign {
		t.must(os.WriteFile(filepath.Join(path, name), []byte(name), 0o644), "write")
	}
	t.must(t.engine.Destroy(path), "destroy")
	left, err := filepath.Glob(filepath.Join(path, "*"))
	t.must(err, "glob")
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	want := []string{"000001.txt", "LOGBOOK", "notes.txt", "sub"}
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	for _, name := range foreign {
		content, err := os.ReadFile(filepath.Join(path, name))
		if err != nil || string(content) != name {
			t.Errorf("%s is %q, %v", name, content, err)
		}
	}
	// A new store can be made beside them, and one without them is gone whole.
	t.tables(path, store.Options{}, numbered(10))
	t.must(t.engine.Destroy(path), "destroy")
	alone := t.path()
	t.tables(alone, store.Options{}, numbered(10))
	t.must(t.engine.Destroy(alone), "destroy")
	t.untouched(alone, "destroyed")
	err = t.engine.Destroy(alone)
	t.wantKind(err, store.ErrNotExist, "destroyed again")
	if errors.Is(err, store.ErrNotExist) && !strings.Contains(err.Error(), "destroy") {
		t.Errorf("error %q does not say what was tried", err)
	}
}
