package rocksdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// stallingStore opens a store which, once it has two tables, is stopped, or slowed
// down to a byte or so, until triggers are set anew: level 0 is not compacted.
func stallingStore(t *testing.T, slowdown, stop string) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	})
	triggers(t, db, slowdown, stop)
	for range 2 {
		if err := db.Put([]byte("k"), []byte("v"), nil); err != nil {
			t.Fatal(err)
		}
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func triggers(t *testing.T, db *DB, slowdown, stop string) {
	t.Helper()
	err := db.Unwrap().SetOptions(
		[]string{"level0_file_num_compaction_trigger", "level0_slowdown_writes_trigger", "level0_stop_writes_trigger"},
		[]string{"1000", slowdown, stop})
	if err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, db *DB) (store.StallState, uint64, time.Duration) {
	t.Helper()
	st, err := db.Stalls()
	if err != nil {
		t.Fatal(err)
	}
	count, _ := st.Count.Value()
	held, ok := st.Held()
	if !ok {
		t.Errorf("stalls: %+v", st)
	}
	return st.State, count, held
}

// A stopped store says so. Waiting for its end, by itself or in a write, ends
// with the context, with the stall and with the store.
func TestStopped(t *testing.T) {
	db := stallingStore(t, "2", "2")
	if s, n, d := state(t, db); s != store.StallStopped || n != 0 || d != 0 {
		t.Errorf("%v, %d, %v", s, n, d)
	}
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 3*stallPause)
		t.Cleanup(cancel)
		return ctx
	}
	for what, err := range map[string]error{
		"wait": db.WaitWritable(short()),
		"put":  db.Put([]byte("k"), nil, &store.WriteOptions{Context: short()}),
		"sync": db.Put([]byte("k"), nil, &store.WriteOptions{Context: short(), Sync: true}),
	} {
		if !errors.Is(err, store.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, n, held := state(t, db)
	if n == 0 || held < stallPause || !db.gate.shut() {
		t.Errorf("%d writes were held back for %v, the gate is shut: %v", n, held, db.gate.shut())
	}

	ended := make(chan error)
	go func() { ended <- db.Put([]byte("a"), nil, nil) }()
	go func() { ended <- db.Delete([]byte("b"), store.Sync) }()
	go func() { ended <- db.WaitWritable(nil) }()
	began := time.Now()
	for m, err := db.Metrics(); ; m, err = db.Metrics() {
		if err != nil {
			t.Fatal(err)
		}
		// Those that wait behind the leader are in groups.
		if waiting, _ := m.Commits.Waiting.Value(); waiting >= 2 {
			break
		}
	}
	triggers(t, db, "1000", "1000")
	for range 3 {
		if err := <-ended; err != nil {
			t.Errorf("after the stall: %v", err)
		}
	}
	if db.gate.shut() {
		t.Error("writes are held back after the stall")
	}
	if s, m, d := state(t, db); s != store.StallNone || m < n || d < held || d-held > time.Since(began) {
		t.Errorf("%v, %v after %v in %v", s, d, held, time.Since(began))
	}
	m, err := db.Metrics()
	if err != nil || m.Stalls.State != store.StallNone || !m.Stalls.Count.Known() {
		t.Errorf("metrics: %+v, %v", m.Stalls, err)
	}

	triggers(t, db, "2", "2")
	go func() { ended <- db.WaitWritable(nil) }()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrClosed) {
		t.Errorf("store closed: %v", err)
	}
}

// A slowed-down store takes all writes, some of them late: those of more bytes
// than RocksDB gives out in a millisecond too, and those of many goroutines.
func TestDelayed(t *testing.T) {
	db := stallingStore(t, "2", "1000")
	if s, _, _ := state(t, db); s != store.StallDelayed {
		t.Errorf("state %v", s)
	}
	const each = 10
	var wg sync.WaitGroup
	for g, size := range []int{100_000, 100_000, 300_000, 10} {
		wg.Go(func() {
			value := make([]byte, size)
			for i := range each {
				if err := db.Put([]byte{byte(g), byte(i)}, value, nil); err != nil {
					t.Errorf("goroutine %d: %v", g, err)
				}
			}
		})
	}
	wg.Wait()
	if s, n, held := state(t, db); s != store.StallDelayed || n == 0 || held == 0 {
		t.Errorf("%v, %d writes were held back for %v", s, n, held)
	}
	for g := range 4 {
		for i := range each {
			if ok, err := db.Has([]byte{byte(g), byte(i)}); !ok || err != nil {
				t.Errorf("put %d of goroutine %d: %v, %v", i, g, ok, err)
			}
		}
	}
	triggers(t, db, "1000", "1000")
	if err := db.Put([]byte("k"), nil, nil); err != nil || db.gate.shut() {
		t.Errorf("after the slowdown: %v, the gate is shut: %v", err, db.gate.shut())
	}
}

// With two memtables of 64 KiB a lone writer is held up each time that it fills one
// before the other is on disk.
func TestStallsOfALoneWriter(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{Options: store.Options{CreateIfMissing: true, WriteBufferSize: 64 << 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	const most = 100_000
	value, n := make([]byte, 16<<10), uint64(0)
	for k := 0; k < most && n == 0; k++ {
		if err := db.Put(fmt.Appendf(nil, "%06d", k), value, nil); err != nil {
			t.Fatal(err)
		}
		_, n, _ = state(t, db)
	}
	if _, n, held := state(t, db); n == 0 || held <= 0 {
		t.Errorf("in 1.6 GB of writes through 64 KiB, %d were held back, for %v", n, held)
	}
}

// When the next write may be tried.
func TestGate(t *testing.T) {
	var g gate
	if g.shut() {
		t.Error("shut from the beginning")
	}
	g.enter()
	in := func(s store.StallState, rate uint64) func(size int) bool {
		return func(size int) bool {
			return g.mayTry(size, func() store.StallState { return s }, func() uint64 { return rate })
		}
	}
	ago := func(d time.Duration) { g.last = time.Now().Add(-d) }
	delayed, stopped, none := in(store.StallDelayed, 1<<20), in(store.StallStopped, 0), in(store.StallNone, 0)
	if !g.shut() || g.refusals != 1 {
		t.Errorf("entered after a refusal: %+v", &g)
	}
	ago(0)
	if delayed(1) || !stopped(1) || !none(1) {
		t.Error("just refused: only a slowdown has to wait")
	}
	ago(2 * stallPause)
	if !delayed(1) || delayed(1<<20) {
		t.Error("a small write comes after a pause, a large one does not")
	}
	ago(2*time.Second + 2*stallPause) // a MiB at a MiB a second, twice
	if !delayed(1<<20) || delayed(1<<21) {
		t.Error("a large write comes after twice its time, a larger one does not")
	}
	g.refused()
	ago(3 * time.Second)
	if delayed(1<<20) || !delayed(1<<19) {
		t.Error("refused again, it has to wait twice as long")
	}
	g.taken(1<<20, store.StallDelayed)
	if !g.shut() || !delayed(1<<21) {
		t.Error("the next one is tried at once")
	}
	g.refused()
	ago(time.Second)
	if delayed(1) {
		t.Error("what was taken last is charged")
	}
	g.taken(1, store.StallNone)
	if g.shut() {
		t.Error("shut after the stall")
	}
	g.enter()
	g.enter() // another one, behind it
	if !g.shut() || g.refusals != 1 {
		t.Errorf("entered again: %+v", &g)
	}
}
