package leveldb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// What LOG says of writes that wait, read as LevelDB 1.23 writes it.
func TestWaitLog(t *testing.T) {
	line := func(clock, what string) string { return "2026/12/01-" + clock + " 139872 " + what + "\n" }
	path := filepath.Join(t.TempDir(), "LOG")
	var l waitLog
	if _, err := l.read(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	var text string
	for _, c := range []struct {
		add    string
		count  uint64
		total  time.Duration
		now    bool
		failed bool
	}{
		{"", 0, 0, false, false},
		{line("10:00:00.000000", "Level-0 table #5: started") + line("10:00:00.000100", "Level-0 table #5: 4711 bytes OK") +
			line("10:00:00.000200", "Delete type=0 #4"), 0, 0, false, false},
		{line("10:00:01.000000", "Current memtable full; waiting..."), 1, 0, true, false},
		{line("10:00:01.000500", "Level-0 table #7: started") + line("10:00:01.001000", "Generated table #8@0: 1 keys, 30 bytes"), 1, 0, true, false},
		{line("10:00:01.250000", "Delete type=0 #6"), 1, 250 * time.Millisecond, false, false},
		{line("10:00:09.000000", "Delete type=2 #1"), 1, 250 * time.Millisecond, false, false},
		{"2026/12/01-23:59:59.500000 1 Too many L0", 1, 250 * time.Millisecond, false, false}, // being written
		{" files; waiting...\n", 2, 250 * time.Millisecond, true, false},
		{"2026/12/02-00:00:01.500000 1 compacted to: files[ 4 5 0 0 0 0 0 ]\n", 2, 2250 * time.Millisecond, false, false},
		// One that waits again, and clocks that are set back.
		{line("10:00:00.000000", "Too many L0 files; waiting...") + line("10:00:01.000000", "Too many L0 files; waiting..."), 4, 3250 * time.Millisecond, true, false},
		{line("09:00:00.000000", "Moved #12 to level-1 2000 bytes OK: files[ 1 ]"), 4, 3250 * time.Millisecond, false, false},
		// Not the background thread's words, but a key in them.
		{line("10:00:00.000000", "Current memtable full; waiting..."), 5, 3250 * time.Millisecond, true, false},
		{line("10:00:01.000000", "Manual compaction at level-0 from 'compacted to: ' .. (end); will stop at (end)") + "\n" + "x\n" + strings.Repeat("y", 40) + "\n",
			5, 3250 * time.Millisecond, true, false},
		{line("10:00:02.000000", "Level-0 table #9: 0 bytes IO error: no space"), 5, 5250 * time.Millisecond, false, true},
		{line("10:00:03.000000", "Compaction error: IO error: no space"), 5, 5250 * time.Millisecond, false, true},
	} {
		text += c.add
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := l.read(path)
		if err != nil {
			t.Fatal(err)
		}
		if w.count != c.count || w.now != c.now || l.total != c.total || l.failed != c.failed || w.total < c.total || !w.now && w.total != c.total {
			t.Errorf("after %q: %+v, in all %v, failed %v; want %+v", c.add, w, l.total, l.failed, c)
		}
	}
	if err := os.WriteFile(path, []byte(text[:20]), 0o644); err != nil {
		t.Fatal(err)
	}
	if w, err := l.read(path); !errors.Is(err, errLogShrunk) || w.count != 5 {
		t.Errorf("cut off: %+v, %v", w, err)
	}
}

func stallingStore(t *testing.T, o store.Options) *DB {
	t.Helper()
	o.CreateIfMissing = true
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	})
	return db
}

// Writes faster than the background thread are made to sleep and to wait. Both
// are seen, and it ends.
func TestStallsAreSeen(t *testing.T) {
	db := stallingStore(t, store.Options{WriteBufferSize: 64 << 10, MaxFileSize: 1 << 20, Compression: store.NoCompression})
	value := make([]byte, 4000)
	const most = 400_000 // 1.6 GB
	n := 0
	for ; n < most && (db.slept.Load() == 0 || n%64 != 0 || waited(t, db) == 0); n++ {
		key := []byte{byte(n * 7919 >> 8), byte(n * 7919), byte(n >> 16)}
		if err := db.Put(key, value, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n == most {
		t.Fatalf("after %d puts, %d have slept and %d have waited", n, db.slept.Load(), waited(t, db))
	}
	st, err := db.Stalls()
	if err != nil {
		t.Fatal(err)
	}
	count, ok := st.Count.Value()
	held, ok2 := st.Held()
	if slept := db.slept.Load(); !ok || !ok2 || count <= slept || held <= time.Duration(slept)*slowdown {
		t.Errorf("%d writes have slept; stalls: %+v", slept, st)
	}
	t.Logf("%d puts, %d held back, for %v", n, count, held)
	if err := db.WaitWritable(t.Context()); err != nil {
		t.Error(err)
	}
	if st, err := db.Stalls(); err != nil || st.State != store.StallNone {
		t.Errorf("waited out: %+v, %v", st, err)
	}
	m, err := db.Metrics()
	if now, _ := m.Stalls.Count.Value(); err != nil || now < count {
		t.Errorf("metrics: %+v, %v", m.Stalls, err)
	}
}

func waited(t *testing.T, db *DB) uint64 {
	t.Helper()
	w, err := db.waits.read(filepath.Join(db.path, "LOG"))
	if err != nil {
		t.Fatal(err)
	}
	return w.count
}

// A wait for the end of a stall ends with its context, with the store, and with
// the stall. What LOG says is made up, since LevelDB's own stalls end too soon.
func TestWaitWritableEnds(t *testing.T) {
	db := stallingStore(t, store.Options{})
	say := func(now bool) {
		db.waits.mu.Lock()
		defer db.waits.mu.Unlock()
		db.waits.now, db.waits.seen = now, time.Now()
	}
	say(true)
	if st, err := db.Stalls(); err != nil || st.State != store.StallStopped {
		t.Errorf("stalls: %+v, %v", st, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*stallPause)
	defer cancel()
	err := db.WaitWritable(ctx)
	if !errors.Is(err, store.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("context ended: %v", err)
	}
	ended := make(chan error)
	go func() { ended <- db.WaitWritable(nil) }()
	say(false)
	if err := <-ended; err != nil {
		t.Errorf("stall ended: %v", err)
	}
	say(true)
	go func() { ended <- db.WaitWritable(nil) }()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, store.ErrClosed) {
		t.Errorf("store closed: %v", err)
	}
}

// Without a LOG to read the figures are not known, and the rest is.
func TestStallsWithoutLog(t *testing.T) {
	db := stallingStore(t, store.Options{})
	if err := os.Remove(filepath.Join(db.path, "LOG")); err != nil {
		t.Fatal(err)
	}
	st, err := db.Stalls()
	if _, told := st.Held(); err != nil || st.State != store.StallNone || st.Count.Known() || told {
		t.Errorf("%+v, %v", st, err)
	}
}
