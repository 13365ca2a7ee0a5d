package handle

import (
	"log/slog"
	"sync"
	"time"
)

// A StallLog tells a logger when writes begin to be held back, and when that ends.
// Of stalls that follow each other within a second it tells the first: with small
// memtables there can be hundreds.
type StallLog struct {
	log   *slog.Logger
	pause time.Duration

	mu    sync.Mutex
	now   bool
	told  bool // of the one that is now, or was last
	began time.Time
	last  time.Time // when one was told
	quiet int       // those since that were not
}

// NewStallLog returns a StallLog of the logger.
func NewStallLog(log *slog.Logger) *StallLog { return &StallLog{log: log, pause: time.Second} }

// Begin notes that writes are held back, for the reason. It does nothing if they
// are already.
func (l *StallLog) Begin(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now {
		return
	}
	l.now, l.began = true, time.Now()
	if l.told = l.began.Sub(l.last) >= l.pause; !l.told {
		l.quiet++
		return
	}
	l.last = l.began
	l.log.Warn("writes are held back", "reason", reason, "untold", l.quiet)
	l.quiet = 0
}

// End notes that writes are not held back any more.
func (l *StallLog) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now && l.told {
		l.last = time.Now()
		l.log.Info("writes are no longer held back", "took", l.last.Sub(l.began))
	}
	l.now = false
}
