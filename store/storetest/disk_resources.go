package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Opening and closing leaves no descriptor, thread or memory behind, whether it
// works or fails.
func resourceCases() []diskCase {
	return []diskCase{
		{"OpenCloseCycles", openCloseCycles, true},
		{"FailingOpens", failingOpens, true},
	}
}

// footprint is what a process holds of the system's.
type footprint struct {
	descriptors []string
	threads     int
	resident    int64
}

func (t *env) footprint() footprint {
	t.Helper()
	return footprint{openDescriptors(t.T), threadCount(t.T), ResidentBytes(t.T)}
}

// sameFootprint checks that the process holds what it held before. A few
// threads more are the Go runtime's, which makes one when others are in C.
func (t *env) sameFootprint(before footprint, what string) {
	t.Helper()
	now := t.footprint()
	if len(now.descriptors) != len(before.descriptors) {
		for _, d := range before.descriptors {
			if i := slices.Index(now.descriptors, d); i >= 0 {
				now.descriptors = slices.Delete(now.descriptors, i, i+1)
			}
		}
		t.Errorf("%s: descriptors are left: %q", what, now.descriptors)
	}
	if grown := now.threads - before.threads; grown > 4 {
		t.Errorf("%s: %d threads more than the %d before", what, grown, before.threads)
	}
	if grown := now.resident - before.resident; grown > 50<<20 && !asanEnabled {
		t.Errorf("%s: the process grew by %d MiB", what, grown>>20)
	}
}

func openCloseCycles(t *diskEnv) {
	path := t.path()
	all := numbered(50)
	for i := range all { // compressed, and so kept in the block cache
		all[i].v = bytes.Repeat([]byte{'a' + byte(i)}, 20_000)
	}
	t.tables(path, store.Options{}, all)
	cycle := func(i int) {
		db := t.openO(path, store.Options{})
		it := t.iterator(db, nil)
		n := 0
		for range store.All(it) {
			n++
		}
		t.must(it.Err(), "walk")
		if n != len(all) {
			t.Fatalf("%d rows, want %d", n, len(all))
		}
		t.must(db.Put(all[0].k, all[0].v, nil), "put")
		if i%3 == 0 { // closed by the store's Close
			t.wantKind(db.Close(), store.ErrLeaked, "close")
			return
		}
		t.closeIter(it)
		t.close(db)
	}
	for i := range 20 {
		cycle(i)
	}
	before := t.footprint()
	for i := range 200 {
		cycle(i)
	}
	t.sameFootprint(before, "200 cycles")
}

func failingOpens(t *diskEnv) {
	held, broken, foreign := t.path(), t.path(), t.path()
	db := t.openO(held, store.Options{})
	t.tables(broken, store.Options{}, numbered(100))
	for _, table := range tableFiles(t, broken) {
		t.must(os.Remove(table), "remove a table")
	}
	other, err := t.engine.Other(t.T, foreign, store.Options{CreateIfMissing: true})
	t.must(err, "open")
	t.close(other)
	file := filepath.Join(t.TempDir(), "file")
	t.must(os.WriteFile(file, nil, 0o644), "write a file")
	for _, c := range []struct {
		what, path string
		o          store.Options
		kinds      []error
	}{
		{"held", held, store.Options{CreateIfMissing: true}, []error{store.ErrLocked}},
		{"missing table", broken, store.Options{}, []error{store.ErrCorruption, store.ErrIO}}, // only the engine sees it
		{"wrong engine", foreign, store.Options{}, []error{store.ErrWrongEngine}},
		{"missing", filepath.Join(t.TempDir(), "a/b/c"), store.Options{}, []error{store.ErrNotExist}},
		{"file", file, store.Options{CreateIfMissing: true}, []error{store.ErrInvalidArgument}},
		{"exists", foreign, store.Options{CreateIfMissing: true, ErrorIfExists: true}, []error{store.ErrWrongEngine}},
		{"options", t.path(), store.Options{CreateIfMissing: true, BlockSize: -1}, []error{store.ErrInvalidArgument}},
	} {
		try := func() {
			db, err := t.openWith(c.path, c.o)
			if db != nil || !slices.ContainsFunc(c.kinds, func(k error) bool { return errors.Is(err, k) }) {
				t.Fatalf("%s: got %v, %v", c.what, db, err)
			}
		}
		for range 10 {
			try()
		}
		before := t.footprint()
		for range 100 {
			try()
		}
		t.sameFootprint(before, c.what)
	}
	t.close(db)
}

// lockCases are about the lock that keeps other processes out. fcntl's locks are
// dropped when any descriptor of the file is closed, by whatever part of the
// process: nothing that looks at an open store may open LOCK.
func lockCases() []diskCase {
	return []diskCase{{"A15_LockHolds", lockHolds, false}}
}

func lockHolds(t *diskEnv) {
	if arg, helper := HelperArg(); helper {
		t.tryAll(arg)
		return
	}
	path := t.path()
	db := t.openO(path, store.Options{})
	t.fill(db, numbered(100))
	want := "locked locked locked locked"
	expect := func(after string) {
		t.Helper()
		lines := RunHelper(t.T, path)
		if len(lines) != 1 || lines[0] != want {
			t.Errorf("after %s, another process got %q, want %q", after, lines, want)
		}
	}
	expect("open")
	_, err := db.Metrics()
	t.must(err, "metrics")
	_, err = db.ApproximateSizes([]store.KeyRange{{}})
	t.must(err, "sizes")
	expect("metrics")
	t.refuseOpen(path+"/", store.Options{}, store.ErrLocked, "second open")
	t.refuseOpen(path, store.Options{BlockSize: -1}, store.ErrInvalidArgument, "bad options")
	t.refusedAs(t.engine.Other, path, store.Options{CreateIfMissing: true}, t.cfg.Name)
	t.wantKind(t.engine.Repair(path, store.Options{}), store.ErrLocked, "repair")
	t.wantKind(t.engine.Destroy(path), store.ErrLocked, "destroy")
	expect("refused opens")
	if t.cfg.ReadOnly {
		r, err := t.openWith(path, store.Options{ReadOnly: true})
		t.must(err, "open read-only")
		expect("a reader's open")
		t.close(r)
		expect("a reader's close")
	}
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.must(db.Flush(), "flush")
	expect("compaction")
	t.wantContents(db, numbered(100), "at the end")
	t.close(db)
	want = "opened opened repaired destroyed"
	expect("close")
}

// tryAll tries in this process what a lock in another one forbids, and says what
// happened.
func (t *diskEnv) tryAll(path string) {
	outcome := func(err error, done string) string {
		switch {
		case err == nil:
			return done
		case errors.Is(err, store.ErrLocked):
			return "locked"
		}
		return fmt.Sprintf("(%v)", err)
	}
	var outcomes []string
	for _, create := range []bool{true, false} {
		db, err := t.openWith(path, store.Options{CreateIfMissing: create})
		outcomes = append(outcomes, outcome(err, "opened"))
		if err == nil {
			t.close(db)
		}
	}
	outcomes = append(outcomes, outcome(t.engine.Repair(path, store.Options{}), "repaired"))
	outcomes = append(outcomes, outcome(t.engine.Destroy(path), "destroyed"))
	Say("%s", strings.Join(outcomes, " "))
}
