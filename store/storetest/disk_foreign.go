package storetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Stores of another engine, stores in use, odd paths and read-only opening: what
// may not be opened is refused by its kind, and left as it was.
func foreignCases() []diskCase {
	return []diskCase{
		{"A15_OtherEngineWhileHeld", otherWhileHeld, true},
		{"A16_MissingParents", missingParents, true},
		{"A16_NotAFolder", notAFolder, true},
		{"A18_WrongEngine", wrongEngine, true},
		{"A31_ReadOnlyTouchesNothing", readOnlyTouchesNothing, true},
	}
}

// spellings returns ways to write an existing path.
func (t *diskEnv) spellings(path string) []string {
	t.Helper()
	link := filepath.Join(t.TempDir(), "link")
	t.must(os.Symlink(path, link), "symlink")
	dir, base := filepath.Split(path)
	return []string{path, path + "/", dir + "./" + base, dir + "/" + base + "//.", path + "/../" + base, link, link + "/"}
}

// While one engine has a store open, the other is told whose it is, by every
// spelling of the path.
func otherWhileHeld(t *diskEnv) {
	path := t.path()
	for _, turn := range []struct {
		mine, other Opener
		name        string
	}{{t.cfg.Open, t.engine.Other, t.cfg.Name}, {t.engine.Other, t.cfg.Open, t.engine.OtherName}} {
		path := path + turn.name
		db, err := turn.mine(t.T, path, store.Options{CreateIfMissing: true})
		t.must(err, "open")
		t.fill(db, numbered(100))
		for _, p := range t.spellings(path) {
			for _, o := range []store.Options{{CreateIfMissing: true}, {}, {CreateIfMissing: true, ErrorIfExists: true}} {
				t.refusedAs(turn.other, p, o, turn.name)
			}
		}
		t.fill(db, numbered(200))
		t.wantContents(db, numbered(200), "while held")
		t.close(db)
	}
}

// refusedAs checks that open says ErrWrongEngine and names the engine found.
func (t *diskEnv) refusedAs(open Opener, path string, o store.Options, found string) {
	t.Helper()
	db, err := open(t.T, path, o)
	if db != nil {
		t.Fatalf("a store of %s was opened by another engine", found)
	}
	what := fmt.Sprintf("a store of %s, create %v", found, o.CreateIfMissing)
	if err == nil || !strings.Contains(err.Error(), found) {
		t.Errorf("%s: error %v does not name the engine", what, err)
	}
	if cfg := t.cfg.Name; found == cfg {
		// The other engine's error: its name is not this one's.
		t.env.cfg.Name = t.engine.OtherName
		defer func() { t.env.cfg.Name = cfg }()
	}
	t.wantKind(err, store.ErrWrongEngine, what)
}

// A closed store of the other engine is refused, and nothing in it changes; then
// its own engine opens it.
func wrongEngine(t *diskEnv) {
	for _, turn := range []struct {
		mine, other Opener
		name        string
	}{{t.cfg.Open, t.engine.Other, t.cfg.Name}, {t.engine.Other, t.cfg.Open, t.engine.OtherName}} {
		// Data in the log only, and data in tables.
		for _, compacted := range []bool{false, true} {
			path := t.path()
			db, err := turn.mine(t.T, path, store.Options{CreateIfMissing: true})
			t.must(err, "open")
			t.fill(db, numbered(500))
			if compacted {
				t.must(db.Compact(nil, store.KeyRange{}), "compact")
			}
			t.close(db)
			state := FolderState(t, path)
			for range 2 {
				for _, o := range []store.Options{{CreateIfMissing: true}, {}} {
					t.refusedAs(turn.other, path, o, turn.name)
					SameFolder(t.T, path, state, "refused")
				}
			}
			if turn.name != t.cfg.Name {
				t.wantKind(t.engine.Repair(path, store.Options{}), store.ErrWrongEngine, "repair")
				t.wantKind(t.engine.Destroy(path), store.ErrWrongEngine, "destroy")
				SameFolder(t.T, path, state, "repair and destroy")
			}
			db, err = turn.mine(t.T, path, store.Options{})
			t.must(err, "open by its own engine")
			t.wantContents(db, numbered(500), "opened by its own engine")
			t.close(db)
		}
	}
}

// Parents are made with CreateIfMissing, and named without it. After a refusal
// none of them is left.
func missingParents(t *diskEnv) {
	root := t.TempDir()
	for _, name := range []string{"no/such/parent/db", "with space/db", "Ünïcødé-数据/db", "a/../b/db"} {
		path := root + "/" + name
		first := filepath.Join(root, strings.Split(name, "/")[0])
		db, err := t.openWith(path, store.Options{})
		if err == nil {
			t.close(db)
			t.Fatalf("%s was opened, without CreateIfMissing", name)
		}
		t.wantKind(err, store.ErrNotExist, name)
		if !strings.Contains(err.Error(), first) {
			t.Errorf("%s: error %q does not name the missing folder", name, err)
		}
		t.untouched(first, name)
		if strings.Contains(name, "..") {
			t.refuseOpen(path, store.Options{CreateIfMissing: true}, store.ErrNotExist, name)
			t.untouched(first, name)
			continue
		}
		db = t.openO(path, store.Options{})
		t.fill(db, numbered(10))
		t.close(db)
		db, err = t.openWith(path, store.Options{})
		t.must(err, "open again")
		t.wantContents(db, numbered(10), name)
		t.close(db)
	}
}

// A regular file, at the path or on the way to it, is no folder and stays what
// it is; so does a link that leads nowhere.
func notAFolder(t *diskEnv) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	content := bytes.Repeat([]byte("not a store"), 1000)
	t.must(os.WriteFile(file, content, 0o600), "write a file")
	link := filepath.Join(root, "link")
	t.must(os.Symlink(file, link), "symlink")
	loop := filepath.Join(root, "loop")
	t.must(os.Symlink(loop, loop), "symlink")
	state := FolderState(t, root)
	for _, path := range []string{
		file, file + "/", file + "/db", link, link + "/db", loop, loop + "/db", "", "\x00", file + "\x00/db", root + "/db\x00",
	} {
		for _, create := range []bool{true, false} {
			t.refuseOpen(path, store.Options{CreateIfMissing: create}, store.ErrInvalidArgument, fmt.Sprintf("path %q", path))
			SameFolder(t.T, root, state, path)
		}
		for what, err := range map[string]error{
			"repair": t.engine.Repair(path, store.Options{}), "destroy": t.engine.Destroy(path),
		} {
			if path != "" { // an error of no path has none to tell
				t.wantKind(err, store.ErrInvalidArgument, fmt.Sprintf("%s of %q", what, path))
			}
		}
		SameFolder(t.T, root, state, path)
	}
}

// Read-only opening changes no file, works beside a writer and any number of
// times, and sees no later writes.
func readOnlyTouchesNothing(t *diskEnv) {
	if !t.cfg.ReadOnly {
		path := t.path()
		t.tables(path, store.Options{}, numbered(100))
		state := FolderState(t, path)
		for _, create := range []bool{true, false} {
			t.refuseOpen(path, store.Options{ReadOnly: true, CreateIfMissing: create}, store.ErrNotSupported, "read-only")
		}
		SameFolder(t.T, path, state, "read-only")
		return
	}
	path := t.path()
	t.tables(path, store.Options{}, numbered(100))
	db := t.openO(path, store.Options{})
	t.fill(db, numbered(200)) // the rest is in the log only
	t.close(db)
	state := FolderState(t, path)
	var readers []store.DB
	for range 3 {
		r, err := t.openWith(path, store.Options{ReadOnly: true, CreateIfMissing: true})
		t.must(err, "open read-only")
		t.wantContents(r, numbered(200), "read-only")
		t.wantKind(r.Flush(), store.ErrReadOnly, "flush")
		t.wantKind(r.Compact(nil, store.KeyRange{}), store.ErrReadOnly, "compact")
		readers = append(readers, r)
	}
	SameFolder(t.T, path, state, "read-only")
	db = t.openO(path, store.Options{})
	t.fill(db, numbered(300))
	for _, r := range readers {
		t.wantContents(r, numbered(200), "read-only beside a writer")
		t.close(r)
	}
	t.wantContents(db, numbered(300), "writer")
	t.close(db)
}
