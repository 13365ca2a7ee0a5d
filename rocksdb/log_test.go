package rocksdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// A reader that doesn't read holds nobody up: what finds no room is dropped and
// counted, and the rest arrives, each writer's lines in their order.
func TestLogDropsWhatHasNoRoom(t *testing.T) {
	const writers, each = 4, 5000
	blocked := make(chan struct{})
	got := make([]int, writers)
	lines := 0
	l, err := newInfoLog(logInfo, func(_ time.Time, level int, text string) {
		<-blocked
		var w, i int
		if n, err := fmt.Sscanf(text, "writer %d line %d", &w, &i); n != 2 || err != nil || level != logWarn {
			t.Errorf("level %d: %q: %v", level, text, err)
			return
		}
		if i < got[w] {
			t.Errorf("writer %d: line %d after %d", w, i, got[w])
		}
		got[w] = i
		lines++
	})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				l.write(logWarn, fmt.Sprintf("writer %d line %d %s\n", w, i, strings.Repeat(".", 100)))
			}
		})
	}
	wg.Wait() // with the reader in its first line
	close(blocked)
	dropped := int(l.dropped())
	l.stop()
	if dropped == 0 || lines < logBuffer/160 || lines+dropped != writers*each {
		t.Errorf("%d lines arrived, %d were dropped, of %d", lines, dropped, writers*each)
	}
}

// Levels are RocksDB's, line ends go, long lines are cut, and the time is that of
// the line.
func TestLogLines(t *testing.T) {
	var got []string
	began := time.Now()
	l, err := newInfoLog(logInfo, func(at time.Time, level int, text string) {
		if at.Before(began.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("%q is of %v", text, at)
		}
		got = append(got, fmt.Sprint(level, " ", len(text), " ", text[:min(len(text), 3)]))
	})
	if err != nil {
		t.Fatal(err)
	}
	l.write(logDebug, "not wanted")
	l.write(logInfo, "one\n")
	l.write(logInfo, "")
	l.write(logInfo, "\n\n")
	l.write(logError, "two\nlines\n\n")
	l.write(logFatal, strings.Repeat("x", 1<<20))
	if n := l.dropped(); n != 0 {
		t.Errorf("%d dropped", n)
	}
	l.stop()
	want := []string{"1 3 one", "3 9 two", fmt.Sprint("4 ", logBuffer/4, " xxx")}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// stuck is a handler that takes lines of the engine's log only when it may.
type stuck struct {
	free   chan struct{}
	engine bool
}

func (h stuck) Enabled(context.Context, slog.Level) bool { return true }

func (h stuck) Handle(context.Context, slog.Record) error {
	if h.engine {
		<-h.free
	}
	return nil
}

func (h stuck) WithAttrs(attrs []slog.Attr) slog.Handler {
	return stuck{h.free, attrs[0].Key == "source"}
}

func (h stuck) WithGroup(string) slog.Handler { return h }

// A handler that is stuck holds neither calls nor flushes and compactions up.
func TestLogHandlerIsStuck(t *testing.T) {
	h := stuck{free: make(chan struct{})}
	o := &Options{Options: store.Options{CreateIfMissing: true, WriteBufferSize: 64 << 10, Logger: slog.New(h)}}
	db, err := Open(filepath.Join(t.TempDir(), "db"), o)
	if err != nil {
		t.Fatal(err)
	}
	for n, i := uint64(0), 0; n == 0; i++ {
		for k := range 50 {
			if err := db.Put(fmt.Appendf(nil, "%d", k), make([]byte, 4000), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
		m, err := db.Metrics()
		if err != nil {
			t.Fatal(err)
		}
		if n, _ = m.LogDropped.Value(); i > 5000 {
			t.Fatal("nothing was dropped")
		}
	}
	close(h.free)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// The goroutine and the pipe end with Close, and with an Open or a Repair that
// fails, which has told what RocksDB said of it.
func TestLogEnds(t *testing.T) {
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	path := filepath.Join(t.TempDir(), "db")
	open := func() (*DB, error) {
		return Open(path, &Options{Options: store.Options{CreateIfMissing: true, Logger: log}})
	}
	db, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	manifests, err := filepath.Glob(filepath.Join(path, "MANIFEST-*"))
	if err != nil || len(manifests) != 1 {
		t.Fatal(manifests, err)
	}
	if err := os.WriteFile(manifests[0], []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 20 {
		if _, err := open(); err == nil {
			t.Fatal("a damaged store was opened")
		}
	}
	// The last one has said that it is done, and may be on its way out.
	for range 1000 {
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, before %d", n, goroutines)
	}
	if n := openFiles(t); n > files {
		t.Errorf("%d open files, before %d", n, files)
	}
	if !strings.Contains(b.String(), `source="info log"`) {
		t.Errorf("RocksDB said nothing: %q", b.String())
	}
	b.Reset()
	if err := Repair(path, &Options{Options: store.Options{Logger: log}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `source="info log"`) {
		t.Errorf("RocksDB said nothing of the repair: %q", b.String())
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc")
	}
	return len(fds)
}

// A stall is told when it begins and when it ends.
func TestStallIsLogged(t *testing.T) {
	var b strings.Builder
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{Options: store.Options{
		CreateIfMissing: true, Logger: slog.New(slog.NewTextHandler(&b, nil)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	triggers(t, db, "2", "2")
	put := func(ctx context.Context) error {
		return db.Put([]byte("k"), []byte("v"), &store.WriteOptions{Context: ctx})
	}
	for range 2 {
		if err := put(nil); err != nil {
			t.Fatal(err)
		}
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*stallPause)
	defer cancel()
	if err := put(ctx); !errors.Is(err, store.ErrTimeout) {
		t.Fatal(err)
	}
	triggers(t, db, "1000", "1000")
	if err := put(nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	begun, rest, _ := strings.Cut(got, `level=INFO msg="writes are no longer held back"`)
	if !strings.Contains(begun, `level=WARN msg="writes are held back"`) || !strings.Contains(begun, "reason=stopped") || rest == "" {
		t.Error(got)
	}
}
