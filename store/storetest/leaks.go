package storetest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// LeakReports tests, in a build with the tag lsmkitdebug, that a thing left open
// is reported with the file and line that opened it. hook makes the engine's
// reports about forgotten things go to a function, until restore.
func LeakReports(t *testing.T, d Disk, hook func(report func(line string)) (restore func())) {
	t.Run("Close", func(t *testing.T) { leaksAtClose(&diskEnv{newEnv(t, d.Config, Variant{}), d}) })
	t.Run("Forgotten", func(t *testing.T) {
		Child(t, func(t *testing.T) { forgotten(&diskEnv{newEnv(t, d.Config, Variant{}), d}, hook) })
	})
}

// here is the place of its call, some lines further down.
func here(lines int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line+lines)
}

// leaksAtClose leaves an iterator and a snapshot open, and closes others.
func leaksAtClose(t *diskEnv) {
	db := t.openO(t.path(), store.Options{})
	t.put(db, "k", "v")
	places := []string{here(1), here(2), here(3)}
	it, err1 := db.NewIterator(nil)
	s, err2 := db.NewSnapshot()
	sit, err3 := s.NewIterator(nil)
	for _, err := range []error{err1, err2, err3} {
		t.must(err, "open")
	}
	unused := here(1)
	closed, err := db.NewIterator(nil)
	t.must(err, "new iterator")
	t.closeIter(closed)
	err = db.Close()
	t.wantKind(err, store.ErrLeaked, "close")
	for _, place := range places {
		if err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("error %v does not name %s", err, place)
		}
	}
	if err != nil && strings.Contains(err.Error(), unused) {
		t.Errorf("error %v names %s, where nothing was left open", err, unused)
	}
	runtime.KeepAlive(it)
	runtime.KeepAlive(s)
	runtime.KeepAlive(sit)
}

// forgotten lets go of open things and waits for the garbage collector to find
// them. It must free nothing: they count as open until Close.
func forgotten(t *diskEnv, hook func(report func(line string)) (restore func())) {
	lines := make(chan string, 10)
	defer hook(func(line string) { lines <- line })()
	db := t.openO(t.path(), store.Options{})
	t.put(db, "k", "v")
	places := t.forget(db)
	deadline := time.After(time.Minute)
	for len(places) > 0 {
		runtime.GC()
		select {
		case line := <-lines:
			if at, ok := anyIn(line, places); !ok || !strings.Contains(line, "never closed") {
				t.Errorf("report %q names none of %v", line, places)
			} else {
				delete(places, at)
			}
		case <-deadline:
			t.Fatalf("no report about %v", places)
		default:
			runtime.Gosched()
		}
	}
	m, err := db.Metrics()
	t.must(err, "metrics")
	its, _ := m.OpenIterators.Value()
	snaps, _ := m.OpenSnapshots.Value()
	if its != 1 || snaps != 1 {
		t.Errorf("%d iterators and %d snapshots are open, want 1 of each: the collector frees nothing", its, snaps)
	}
	t.wantKind(db.Close(), store.ErrLeaked, "close")
	for range 3 {
		runtime.GC()
	}
	select {
	case line := <-lines:
		t.Errorf("a second report: %s", line)
	default:
	}
}

// forget opens three things and closes one. It returns where the others were
// opened.
//
//go:noinline
func (t *diskEnv) forget(db store.DB) map[string]bool {
	places := map[string]bool{here(1): true, here(2): true}
	it, err1 := db.NewIterator(nil)
	_, err2 := db.NewSnapshot()
	closed, err3 := db.NewIterator(nil)
	for _, err := range []error{err1, err2, err3} {
		t.must(err, "open")
	}
	it.First()
	t.closeIter(closed)
	return places
}

func anyIn(line string, places map[string]bool) (string, bool) {
	for at := range places {
		if strings.Contains(line, filepath.ToSlash(at)) {
			return at, true
		}
	}
	return "", false
}
