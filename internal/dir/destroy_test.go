package dir

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

func TestDestroy(t *testing.T) {
	for _, engine := range engines {
		path := realDir(t) + "/store"
		tr := storeOf(engine).with(tree{"lost/000001.log": "", "LOG": "x"})
		tr.write(t, path)
		c := mustAcquire(t, engine, path, Mode{})
		removed, err := c.Destroy()
		must(t, err)
		if removed[0] != "CURRENT" || removed[len(removed)-1] != "LOCK" || len(removed) != len(tr)+1 {
			t.Errorf("removed %q", removed)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("the folder is still there: %v", err)
		}
		_, err = Acquire(engine, "open", path, Mode{Create: true})
		wantKind(t, err, store.ErrLocked)
		c.Release()
		mustAcquire(t, engine, path, Mode{Create: true})
	}
}

func TestDestroySparesForeignFiles(t *testing.T) {
	for _, engine := range engines {
		folder := foreigners.with(tree{"lost/letter": "mine"}).write(t, t.TempDir())
		// The folders that lose files get another time.
		then := time.Unix(1e9, 0)
		touch := func() {
			for _, d := range []string{"", "/lost"} {
				must(t, os.Chtimes(folder+d, then, then))
			}
		}
		touch()
		want := state(t, folder)
		storeOf(engine).with(tree{"lost/000001.log": ""}).write(t, folder)
		removed, err := mustAcquire(t, engine, folder, Mode{}).Destroy()
		must(t, err)
		touch()
		if got := state(t, folder); got != want {
			t.Errorf("left:\n%s\nwant:\n%s", got, want)
		}
		if slices.Contains(removed, "lost") || !slices.Contains(removed, "lost/000001.log") {
			t.Errorf("removed %q", removed)
		}
		if got, err := Detect(folder); got != "" || err != nil {
			t.Errorf("Detect = %q, %v", got, err)
		}
	}
}

// Wherever Destroy is interrupted, what is left can't be opened, and can be
// destroyed.
func TestDestroyInterrupted(t *testing.T) {
	for _, engine := range engines {
		tr := storeOf(engine).with(tree{"lost/000001.log": ""})
		var names []string
		for name := range tr {
			names = append(names, name)
		}
		slices.Sort(names)
		order := removalOrder(names)
		for n := 1; n < len(order); n++ {
			left := tr.without(order[:n]...)
			path := left.write(t, realDir(t)+"/store")
			if _, err := Acquire(engine, "open", path, Mode{}); err == nil {
				t.Fatalf("%s: opened without %q", engine, order[:n])
			}
			if got, err := Detect(path); err == nil && got == "" {
				continue // only LOG and LOCK are left
			}
			c := mustAcquire(t, engine, path, Mode{Damaged: true})
			_, err := c.Destroy()
			must(t, err)
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("after %s: still there", strings.Join(order[:n], " "))
			}
			c.Release()
		}
	}
}

func TestDestroyReleased(t *testing.T) {
	folder := levelDBStore().write(t, t.TempDir())
	unchanged(t, folder)
	c := mustAcquire(t, levelDB, folder, Mode{})
	c.Release()
	_, err := c.Destroy()
	wantKind(t, err, store.ErrClosed)
}
