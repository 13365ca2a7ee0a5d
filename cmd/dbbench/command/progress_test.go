package command

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// lockedBuffer may be written by the bar's goroutine.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestBarShowsWhatRuns(t *testing.T) {
	var screen lockedBuffer
	b := newBar(&screen, 0, mpb.WithAutoRefresh(), mpb.WithRefreshRate(time.Millisecond))
	c := bench.Cell{
		Engine: "rocksdb", Workload: "readrandom", Position: 5, Positions: 13, Round: 2, Rounds: 5, Index: 30, Cells: 130, Ops: 1000,
	}
	b.started(c)
	b.tick(c, bench.Progress{Ops: 250, Elapsed: time.Second})
	deadline := time.Now().Add(10 * time.Second)
	for !strings.Contains(screen.String(), "250/s ETA 3s") && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond) // the bar draws by its own clock
	}
	b.note("a note")
	b.stop()
	for _, want := range []string{"rocksdb readrandom 5/13 round 2/5", "250/s ETA 3s", "a note\n"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("%q is not in %q", want, screen.String())
		}
	}
}

// The bar's texts leave room for the bar in 80 columns.
func TestBarIsShort(t *testing.T) {
	b := &bar{
		cell: bench.Cell{
			Engine: "rocksdb", Workload: "filluniquerandom", Position: 12, Positions: 13, Round: 5, Rounds: 5, Index: 125, Cells: 130, Ops: 1e6,
		},
		now:   bench.Progress{Ops: 333, Elapsed: 4 * time.Second},
		begun: time.Now().Add(-2 * time.Hour),
	}
	if n := len(b.left()) + len(b.right()); n > 72 {
		t.Errorf("%d columns: %q and %q", n, b.left(), b.right())
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1400 * time.Millisecond: "1s", 75 * time.Second: "1m15s", time.Hour + 2*time.Minute + time.Second: "1h02m",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %q, want %q", d, got, want)
		}
	}
}
