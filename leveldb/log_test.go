package leveldb

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// tailed returns a tail that is not followed, and what it has logged since last
// asked, as level and message a line.
func tailed(t *testing.T) (tail *logTail, add func(text string), said func() string) {
	t.Helper()
	var b strings.Builder
	h := slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.LevelKey || a.Key == slog.MessageKey || a.Key == slog.TimeKey {
			return a
		}
		return slog.Attr{}
	}})
	o := &Options{Options: store.Options{Logger: slog.New(h)}}
	path := t.TempDir()
	tail = o.tail(path)
	tail.stop() // what follows is read here
	add = func(text string) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(path, "LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	said = func() string {
		tail.read()
		text := b.String()
		b.Reset()
		return text
	}
	return tail, add, said
}

// Lines of LOG come with their own time, and with a level; a line that is being
// written comes when it is complete, one that is too long in pieces.
func TestLogTail(t *testing.T) {
	_, add, said := tailed(t)
	if got := said(); got != "" {
		t.Errorf("without a file: %s", got)
	}
	stamp := time.Date(2026, 12, 1, 10, 0, 0, 0, time.Local).Format(time.RFC3339) // without the fraction
	stamp = strings.SplitN(stamp, "+", 2)[0][:19]
	for _, c := range []struct{ text, level string }{
		{"Compacting 4@0 + 0@1 files", "DEBUG"},
		{"Level-0 table #5: 4711 bytes OK", "DEBUG"},
		{"Level-0 table #5: 0 bytes IO error: full", "ERROR"},
		{"Compaction error: IO error: full", "ERROR"},
		{"MANIFEST write: IO error: full", "ERROR"},
		{"Ignoring error NotFound", "WARN"},
		{"000003.log: dropping 12 bytes; Corruption: bad", "WARN"},
	} {
		add("2026/12/01-10:00:00.000000 1398 " + c.text + "\n")
		got := said()
		if !strings.Contains(got, "level="+c.level+" ") || !strings.Contains(got, fmt.Sprintf("msg=%q", c.text)) || !strings.HasPrefix(got, "time="+stamp) {
			t.Errorf("%s: %s", c.text, got)
		}
	}
	add("2026/12/01-10:00:00.000000 1398 in two ")
	if got := said(); got != "" {
		t.Errorf("half a line: %s", got)
	}
	add("parts\nno time\n\n")
	if got := said(); strings.Count(got, "\n") != 3 || !strings.Contains(got, `msg="in two parts"`) || !strings.Contains(got, `msg="no time"`) {
		t.Errorf("the rest: %s", got)
	}
	add(strings.Repeat("x", 2*tailChunk+10) + "\nlast\n")
	if got := said(); strings.Count(got, "x") < 2*tailChunk+10 || !strings.Contains(got, "msg=last") {
		t.Errorf("a long line: %d bytes", len(got))
	}
}

// Waits of writes, which only LOG tells of, are told as stalls.
func TestLogTailStalls(t *testing.T) {
	tail, add, said := tailed(t)
	add("2026/12/01-10:00:00.000000 1398 Current memtable full; waiting...\n")
	if got := said(); !strings.Contains(got, `level=WARN msg="writes are held back"`) || !tail.waits.now {
		t.Errorf("begun: %s", got)
	}
	add("2026/12/01-10:00:00.000000 1398 Delete type=0 #4\n")
	if got := said(); !strings.Contains(got, `level=INFO msg="writes are no longer held back"`) || tail.waits.now {
		t.Errorf("ended: %s", got)
	}
}

// Writes that LevelDB makes sleep, of which it says nothing, are told as well.
func TestSlowdownIsLogged(t *testing.T) {
	var b strings.Builder
	db := stallingStore(t, store.Options{WriteBufferSize: 64 << 10, MaxFileSize: 1 << 20, Compression: store.NoCompression,
		Logger: slog.New(slog.NewTextHandler(&b, nil))}) // which has a lock
	const most = 400_000 // 1.6 GB
	n := 0
	for value := make([]byte, 4000); n < most && db.slept.Load() == 0; n++ {
		if err := db.Put([]byte{byte(n * 7919 >> 8), byte(n * 7919), byte(n >> 16)}, value, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); n == most || !strings.Contains(got, `level=WARN msg="writes are held back"`) || !strings.Contains(got, "reason=delayed") {
		t.Errorf("after %d puts: %s", n, got)
	}
}
