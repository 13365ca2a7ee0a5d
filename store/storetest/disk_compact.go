package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// The promise of Compact: all data of the range in one level afterwards, the
// bottommost one rewritten where something in it is obsolete. And what happens
// when it is stopped, or meets Close.
func compactCases() []diskCase {
	return []diskCase{
		{"CompactToOneLevel", compactToOneLevel, true},
		{"CompactDropsAll", compactDropsAll, true},
		{"CompactOfRanges", compactOfRanges, true},
		{"CompactContextDone", compactContextDone, true},
		{"CompactCanceled", compactCanceled, true},
		{"CompactMany", compactMany, true},
		{"CompactAndClose", compactAndClose, true},
	}
}

func (t *diskEnv) tablesOf(db store.DB) []store.Table {
	t.Helper()
	l, ok := db.(store.TableLister)
	if !ok {
		t.Fatal("the store does not list its tables")
	}
	tables, err := l.Tables()
	t.must(err, "tables")
	return tables
}

// levelsOf returns the levels that have files, without repetition.
func levelsOf(tables []store.Table) []int {
	var levels []int
	for _, e := range tables {
		if !slices.Contains(levels, e.Level) {
			levels = append(levels, e.Level)
		}
	}
	return levels
}

func (t *diskEnv) compacted(db store.DB, want []row, what string) []store.Table {
	t.Helper()
	t.must(db.Compact(context.Background(), store.KeyRange{}), what)
	tables := t.tablesOf(db)
	if levels := levelsOf(tables); len(levels) > 1 {
		t.Errorf("%s: data is in levels %v: %v", what, levels, tables)
	}
	t.sameRows(t.forward(db, nil), want, what)
	return tables
}

// small makes several levels and files of a few MiB.
var small = store.Options{WriteBufferSize: 128 << 10, MaxFileSize: 1 << 20, Compression: store.NoCompression}

func compactToOneLevel(t *diskEnv) {
	rng := newRandom(40)
	path := t.path()
	db := t.openO(path, small)
	all := randomRows(rng, 8000, 400)
	for round := range 3 {
		for _, i := range rng.Perm(len(all)) {
			if round == 0 || rng.chance(2) {
				all[i].v = rng.fill(400)
				t.must(db.Put(all[i].k, all[i].v, nil), "put")
			}
		}
		t.compacted(db, all, fmt.Sprintf("round %d", round))
	}
	// Half is deleted: what the bottommost level has of it must go as well.
	before := t.tablesOf(db)
	var rest []row
	for i, e := range all {
		if i%2 == 0 {
			t.must(db.Delete(e.k, nil), "delete")
		} else {
			rest = append(rest, e)
		}
	}
	after := t.compacted(db, rest, "after deletes")
	sum := func(tables []store.Table) (n uint64) {
		for _, e := range tables {
			n += e.Bytes
		}
		return n
	}
	if sum(after) > sum(before)*6/10 {
		t.Errorf("%d bytes of tables became %d when half was deleted", sum(before), sum(after))
	}
	for _, e := range after {
		if slices.ContainsFunc(before, func(b store.Table) bool { return b.Number == e.Number }) {
			t.Errorf("table %d was not rewritten", e.Number)
		}
	}
	// What a snapshot has held back goes when it is released.
	snap := t.snapshot(db)
	for _, e := range rest {
		t.must(db.Delete(e.k, nil), "delete")
	}
	t.compacted(db, nil, "under a snapshot")
	t.sameRows(t.forward(snap, nil), rest, "snapshot")
	t.release(snap)
	t.close(db)
}

// With all keys deleted no table is left.
func compactDropsAll(t *diskEnv) {
	for _, byRange := range []bool{false, true} {
		db := t.openO(t.path(), small)
		all := randomRows(newRandom(41), 3000, 400)
		t.writeAll(db, all)
		t.compacted(db, all, "full")
		if byRange {
			t.must(db.DeleteRange(nil, nil, nil), "delete range")
		} else {
			for _, e := range all {
				t.must(db.Delete(e.k, nil), "delete")
			}
		}
		if tables := t.compacted(db, nil, "emptied"); len(tables) > 0 {
			t.Errorf("by range %v: tables are left of nothing: %v", byRange, tables)
		}
		t.close(db)
	}
}

// A compaction of a part leaves the rest. An end that is empty but not nil is the
// smallest key, not none.
func compactOfRanges(t *diskEnv) {
	db := t.openO(t.path(), small)
	all := randomRows(newRandom(42), 2000, 400)
	t.writeAll(db, all)
	t.must(db.Flush(), "flush")
	before := t.tablesOf(db)
	for _, r := range []store.KeyRange{{End: []byte{}}, {Start: all[5].k, End: all[5].k}, {Start: []byte{}, End: []byte{}}} {
		t.must(db.Compact(nil, r), "compact nothing")
		if now := t.tablesOf(db); !slices.Equal(now, before) {
			t.Errorf("compacting %q to %q has changed tables from %v to %v", r.Start, r.End, before, now)
		}
	}
	t.wantKind(db.Compact(nil, store.KeyRange{Start: []byte("b"), End: []byte("a")}), store.ErrInvalidArgument, "reversed")
	t.must(db.Compact(nil, store.KeyRange{Start: []byte{}}), "compact from the smallest key on")
	if levels := levelsOf(t.tablesOf(db)); len(levels) != 1 {
		t.Errorf("data is in levels %v", levels)
	}
	t.sameRows(t.forward(db, nil), all, "all")
	t.close(db)
}

func compactContextDone(t *diskEnv) {
	db := t.openO(t.path(), small)
	all := randomRows(newRandom(43), 2000, 400)
	t.writeAll(db, all)
	t.must(db.Flush(), "flush")
	before := t.tablesOf(db)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := db.Compact(ctx, store.KeyRange{})
	t.wantKind(err, store.ErrTimeout, "context done")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v does not wrap the context's", err)
	}
	if now := t.tablesOf(db); !slices.Equal(now, before) {
		t.Errorf("tables have changed from %v to %v", before, now)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 0)
	defer cancel()
	if err := db.Compact(ctx, store.KeyRange{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v does not wrap the context's", err)
	}
	t.compacted(db, all, "afterwards")
	t.close(db)
}

// A context that ends in mid-run stops a compaction where that can be done, and
// otherwise lets it end well.
func compactCanceled(t *diskEnv) {
	rng := newRandom(44)
	db := t.openO(t.path(), small)
	all := randomRows(rng, 10_000, 400)
	stopped := 0
	for range 10 {
		for _, i := range rng.Perm(len(all)) {
			all[i].v = rng.fill(400)
			t.must(db.Put(all[i].k, all[i].v, nil), "put")
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- db.Compact(ctx, store.KeyRange{}) }()
		t.beginsCompaction(db, done)
		cancel()
		switch err := <-done; {
		case err == nil:
		case !errors.Is(err, context.Canceled):
			t.Errorf("compact: %v", err)
		case !t.engine.Interrupts:
			// A compaction of the engine's own replaced tables before ours began.
			t.wantKind(err, store.ErrTimeout, "ended before it began")
			if !strings.Contains(err.Error(), "nothing was done") {
				t.Errorf("compact, which can't be stopped, began and failed: %v", err)
			}
		default:
			t.wantKind(err, store.ErrTimeout, "stopped")
			stopped++
		}
		t.sameRows(t.forward(db, nil), all, "after a compaction that may have been stopped")
		if stopped == 2 || !t.engine.Interrupts {
			break
		}
	}
	if t.engine.Interrupts && stopped == 0 {
		t.Error("no compaction was stopped by its context")
	}
	t.compacted(db, all, "the next one")
	t.close(db)
}

// beginsCompaction waits until tables are being replaced, or the compaction has
// returned.
func (t *diskEnv) beginsCompaction(db store.DB, done chan error) {
	t.Helper()
	before := t.tablesOf(db)
	for {
		select {
		case err := <-done:
			done <- err
			return
		default:
		}
		m, err := db.Metrics()
		t.must(err, "metrics")
		if n, known := m.RunningCompactions.Value(); known && n > 0 || !slices.Equal(before, t.tablesOf(db)) {
			return
		}
		runtime.Gosched()
	}
}

// Several compactions at once wait for each other, and one that waits gives up
// with its context.
func compactMany(t *diskEnv) {
	db := t.openO(t.path(), small)
	all := randomRows(newRandom(45), 5000, 400)
	t.writeAll(db, all)
	var wg sync.WaitGroup
	for g := range racers {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if g%2 == 1 {
				go cancel()
			}
			err := db.Compact(ctx, store.KeyRange{Start: all[g*100].k})
			if err != nil && !(g%2 == 1 && errors.Is(err, context.Canceled)) {
				t.Errorf("compact: %v", err)
			}
		})
	}
	t.bounded("compactions", wg.Wait)
	t.compacted(db, all, "afterwards")
	t.close(db)
}

// Compactions, closes and writes at once: each call works or says closed, and
// the data is all there.
func compactAndClose(t *diskEnv) {
	for round := range 6 {
		path := t.path()
		db := t.openO(path, small)
		all := randomRows(newRandom(uint64(46+round)), 6000, 300)
		t.writeAll(db, all)
		var wg sync.WaitGroup
		done := make(chan error, 1)
		for g := range racers {
			wg.Go(func() {
				for {
					err := db.Compact(nil, store.KeyRange{})
					if g == 0 {
						select {
						case done <- err:
						default:
						}
					}
					if err != nil {
						t.wantKind(err, store.ErrClosed, "compact beside close")
						return
					}
				}
			})
		}
		if round%2 == 0 {
			t.beginsCompaction(db, done)
		}
		t.bounded("close during compactions", func() {
			t.must(db.Close(), "close")
			wg.Wait()
		})
		t.wantKind(db.Compact(nil, store.KeyRange{}), store.ErrClosed, "compact after close")
		db = t.openO(path, small)
		t.compacted(db, all, "reopened")
		t.close(db)
	}
}
