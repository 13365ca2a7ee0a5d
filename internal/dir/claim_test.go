package dir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

var engines = []string{levelDB, rocksDB}

// acquire is Acquire where no error is expected. The claim ends with the test.
func mustAcquire(t *testing.T, engine, path string, m Mode) *Claim {
	t.Helper()
	c, err := Acquire(engine, "open", path, m)
	must(t, err)
	t.Cleanup(c.Release)
	return c
}

func TestAcquireStore(t *testing.T) {
	for _, engine := range engines {
		folder := storeOf(engine).write(t, realDir(t))
		unchanged(t, folder)
		for _, m := range []Mode{{}, {Create: true}, {ReadOnly: true}, {Damaged: true}} {
			c := mustAcquire(t, engine, folder+"/./", m)
			if c.Path() != folder || c.Fresh() {
				t.Errorf("path %s, fresh %v", c.Path(), c.Fresh())
			}
			c.Abandon()
		}
	}
}

func TestAcquireNothing(t *testing.T) {
	for _, engine := range engines {
		root := realDir(t)
		unchanged(t, root)
		for _, path := range []string{root, root + "/new", root + "/no/such/parent/store"} {
			for _, m := range []Mode{{}, {ReadOnly: true, Create: true}, {ErrorIfExists: true}, {Damaged: true}} {
				_, err := Acquire(engine, "open", path, m)
				wantKind(t, err, store.ErrNotExist, engine+": open "+path)
			}
		}
		_, err := Acquire(engine, "open", root+"/no/such", Mode{})
		wantKind(t, err, store.ErrNotExist, root+"/no does not exist")
	}
}

func TestAcquireUnknownEngine(t *testing.T) {
	_, err := Acquire("bolt", "open", t.TempDir(), Mode{Create: true})
	wantKind(t, err, store.ErrInvalidArgument, "unknown engine")
}

func TestAcquireMakes(t *testing.T) {
	for _, name := range []string{"new", "no/such/parent/store", "with space/db", "Ünïcødé-数据/db", "-rf", "a\nb", "%s%n", "\xff"} {
		root := realDir(t)
		c := mustAcquire(t, levelDB, root+"/"+name+"/", Mode{Create: true, ErrorIfExists: true})
		if c.Path() != root+"/"+name || !c.Fresh() {
			t.Errorf("path %q, fresh %v", c.Path(), c.Fresh())
		}
		info, err := os.Stat(c.Path())
		must(t, err)
		if !info.IsDir() || info.Mode().Perm()&0o700 != 0o700 || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("mode %v", info.Mode())
		}
		c.Release()
		if _, err := os.Stat(root + "/" + name); err != nil {
			t.Errorf("after Release: %v", err)
		}
	}
}

// A dangling link leads to the place of the new store.
func TestAcquireThroughDanglingLink(t *testing.T) {
	root := realDir(t)
	must(t, os.Symlink("elsewhere/store", root+"/link"))
	c := mustAcquire(t, rocksDB, root+"/link", Mode{Create: true})
	if want := root + "/elsewhere/store"; c.Path() != want {
		t.Errorf("path %s, want %s", c.Path(), want)
	}
	_, err := Acquire(rocksDB, "open", root+"/elsewhere/store", Mode{Create: true})
	wantKind(t, err, store.ErrLocked)
}

func TestAcquireHeld(t *testing.T) {
	for i, engine := range engines {
		other := engines[1-i]
		root := realDir(t)
		storeOf(engine).write(t, root+"/parent/store")
		must(t, os.Symlink("parent/store", root+"/link"))
		must(t, os.Symlink("parent", root+"/up"))
		t.Chdir(root)
		c := mustAcquire(t, engine, "parent/store", Mode{})
		unchanged(t, root)
		for _, path := range []string{
			"parent/store", "./parent//store/", "link", "link/", "up/store", "up/../parent/store", root + "/link/.",
		} {
			for _, m := range []Mode{{}, {Create: true}, {ErrorIfExists: true}, {Damaged: true}} {
				_, err := Acquire(engine, "open", path, m)
				wantKind(t, err, store.ErrLocked, engine+": open "+path)
				_, err = Acquire(other, "open", path, m)
				wantKind(t, err, store.ErrWrongEngine, other+": open "+path, "store of "+engine)
			}
			if r, err := Acquire(engine, "open", path, Mode{ReadOnly: true}); err != nil {
				t.Errorf("read-only beside a writer: %v", err)
			} else {
				r.Release()
			}
			_, err := Acquire(other, "open", path, Mode{ReadOnly: true})
			wantKind(t, err, store.ErrWrongEngine)
		}
		c.Release()
		c.Release()
		mustAcquire(t, engine, "link", Mode{}).Release()
	}
}

// The registry is asked before the folder is looked into: what is in it while an
// engine makes a store there says nothing.
func TestAcquireHeldHalfMade(t *testing.T) {
	root := realDir(t)
	c := mustAcquire(t, levelDB, root+"/store", Mode{Create: true})
	tree{"MANIFEST-000001": "", "IDENTITY": ""}.write(t, c.Path())
	_, err := Acquire(levelDB, "open", root+"/store", Mode{Create: true})
	wantKind(t, err, store.ErrLocked)
	_, err = Acquire(rocksDB, "open", root+"/store", Mode{Create: true})
	wantKind(t, err, store.ErrWrongEngine, "store of leveldb")
}

// A folder that moves, or goes, while it is held.
func TestAcquireHeldMoved(t *testing.T) {
	root := realDir(t)
	levelDBStore().write(t, root+"/store")
	c := mustAcquire(t, levelDB, root+"/store", Mode{})
	must(t, os.Rename(root+"/store", root+"/moved"))
	_, err := Acquire(levelDB, "open", root+"/moved", Mode{})
	wantKind(t, err, store.ErrLocked)
	_, err = Acquire(levelDB, "open", root+"/store", Mode{Create: true})
	wantKind(t, err, store.ErrLocked)
	if _, err := os.Stat(root + "/store"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused open made the folder: %v", err)
	}
	c.Release()
	mustAcquire(t, levelDB, root+"/moved", Mode{})

	// The inode of a removed folder is not taken for that of a new one.
	for i := range 20 {
		path := fmt.Sprintf("%s/%d", root, i)
		mustAcquire(t, levelDB, path, Mode{Create: true})
		must(t, os.Remove(path))
	}
}

func TestReadOnlyReservesNothing(t *testing.T) {
	folder := rocksDBStore().write(t, t.TempDir())
	for range 3 {
		mustAcquire(t, rocksDB, folder, Mode{ReadOnly: true})
	}
	w := mustAcquire(t, rocksDB, folder, Mode{})
	r := mustAcquire(t, rocksDB, folder, Mode{ReadOnly: true})
	r.Release()
	_, err := Acquire(rocksDB, "open", folder, Mode{})
	wantKind(t, err, store.ErrLocked)
	w.Release()
	mustAcquire(t, rocksDB, folder, Mode{})
}

func TestAcquireConcurrently(t *testing.T) {
	root := realDir(t)
	must(t, os.Mkdir(root+"/parent", 0o755))
	must(t, os.Symlink("parent", root+"/link"))
	for round := range 50 {
		const n = 16
		var wg sync.WaitGroup
		claims, errs := make([]*Claim, n), make([]error, n)
		for i := range n {
			wg.Go(func() {
				path := fmt.Sprintf("%s/%s/deep/%d", root, []string{"parent", "link"}[i%2], round)
				claims[i], errs[i] = Acquire(levelDB, "open", path, Mode{Create: true})
			})
		}
		wg.Wait()
		won := 0
		for i := range n {
			if errs[i] == nil {
				won++
				claims[i].Abandon()
				continue
			}
			wantKind(t, errs[i], store.ErrLocked)
		}
		if won != 1 {
			t.Fatalf("%d of %d have the folder", won, n)
		}
	}
	if entries, err := os.ReadDir(root + "/parent"); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// Openers of neighbours make and remove the same parent folders. A parent stays
// if its maker left while a neighbour was in it.
func TestAbandonConcurrently(t *testing.T) {
	root := realDir(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			path := fmt.Sprintf("%s/deep/er/%d", root, i)
			for range 20 {
				c, err := Acquire(rocksDB, "open", path, Mode{Create: true})
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(path+"/LOG", nil, 0o644); err != nil {
					t.Error(err)
				}
				c.Abandon()
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("left behind: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestAbandon(t *testing.T) {
	for _, c := range []struct {
		name string
		path string // below a folder "there"
		tree tree   // what the failed open has written
		want string // what is left
	}{
		{"one folder", "new", nil, ""},
		{"several folders", "a/b/c", nil, ""},
		{"with LOCK and LOG", "a/b/c", tree{"LOCK": "", "LOG": "failed", "LOG.old": ""}, ""},
		{"with LOG", "new", tree{"LOG": "failed"}, ""},
		{"with a store", "new", levelDBStore(), "new"},
		{"with a foreign file", "a/new", tree{"LOG": "failed", "LOCK": "", "notes.txt": "mine"}, "a"},
		{"with a foreign folder", "new", tree{"LOG/": ""}, "new"},
		{"there before", ".", tree{"LOG": "failed", "LOCK": ""}, "LOCK LOG"},
	} {
		t.Run(c.name, func(t *testing.T) {
			there := filepath.Join(realDir(t), "there")
			must(t, os.Mkdir(there, 0o755))
			claim := mustAcquire(t, levelDB, there+"/"+c.path, Mode{Create: true})
			c.tree.write(t, claim.Path())
			claim.Abandon()
			claim.Abandon()
			got := ""
			entries, err := os.ReadDir(there)
			must(t, err)
			for i, e := range entries {
				if i > 0 {
					got += " "
				}
				got += e.Name()
			}
			if got != c.want {
				t.Errorf("left behind: %q, want %q", got, c.want)
			}
			if c.tree != nil && c.want == "new" {
				for name := range c.tree {
					if _, err := os.Stat(claim.Path() + "/" + name); err != nil {
						t.Error(err)
					}
				}
			}
			mustAcquire(t, levelDB, there+"/other", Mode{Create: true})
		})
	}
}

// After Release there may be a new owner, whose folder Abandon must not touch.
func TestAbandonAfterRelease(t *testing.T) {
	path := realDir(t) + "/store"
	first := mustAcquire(t, levelDB, path, Mode{Create: true})
	first.Release()
	second := mustAcquire(t, levelDB, path, Mode{Create: true})
	tree{"LOCK": "", "LOG": ""}.write(t, path)
	first.Abandon()
	if _, err := os.Stat(path + "/LOCK"); err != nil {
		t.Error(err)
	}
	_, err := Acquire(levelDB, "open", path, Mode{Create: true})
	wantKind(t, err, store.ErrLocked)
	second.Release()
}

func TestDamaged(t *testing.T) {
	folder := levelDBStore().without("CURRENT").write(t, t.TempDir())
	unchanged(t, folder)
	_, err := Acquire(levelDB, "open", folder, Mode{Create: true})
	wantKind(t, err, store.ErrCorruption)
	_, err = Acquire(rocksDB, "repair", folder, Mode{Damaged: true})
	wantKind(t, err, store.ErrWrongEngine, "rocksdb: repair", "store of leveldb")
	c := mustAcquire(t, levelDB, folder, Mode{Damaged: true})
	if c.Fresh() {
		t.Error("a damaged store is fresh")
	}
	_, err = Acquire(levelDB, "repair", folder, Mode{Damaged: true})
	wantKind(t, err, store.ErrLocked)
}
