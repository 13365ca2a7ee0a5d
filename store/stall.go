package store

import (
	"context"
	"fmt"
	"time"
)

// A StallState says whether an engine holds writes back.
type StallState uint8

const (
	// StallUnknown: the engine doesn't tell.
	StallUnknown StallState = iota
	// StallNone: writes are made as they come.
	StallNone
	// StallDelayed: writes are slowed down.
	StallDelayed
	// StallStopped: no write is made.
	StallStopped
)

// String returns "unknown", "none", "delayed" or "stopped".
func (s StallState) String() string {
	switch s {
	case StallUnknown:
		return "unknown"
	case StallNone:
		return "none"
	case StallDelayed:
		return "delayed"
	case StallStopped:
		return "stopped"
	}
	return fmt.Sprintf("StallState(%d)", uint8(s))
}

// Stalls tell how an engine holds writes back until flush or compaction has
// caught up.
type Stalls struct {
	// State is what is the case now.
	State StallState
	// Count is how often a write has been held back since the store was opened.
	Count Figure
	// Nanos is for how long that was, in nanoseconds, those that are held back
	// now included. Writes that waited at the same time count once.
	Nanos Figure
}

// Held returns Nanos as a duration, and whether the engine told it.
func (s Stalls) Held() (time.Duration, bool) {
	n, ok := s.Nanos.Value()
	return time.Duration(n), ok
}

// A Staller tells of write stalls, and waits them out. Both engines and memstore,
// which has none, are Stallers.
type Staller interface {
	// Stalls returns what Metrics has in its field of that name, at little cost.
	Stalls() (Stalls, error)

	// WaitWritable returns when the engine holds no writes back: at once, where
	// that is so already. A write made then may be held back all the same, if
	// others were made meanwhile. When ctx ends first, the error wraps ctx's. A
	// nil ctx never ends. A stall that can't end, since the disk is full, is an
	// error where the engine tells, and so is a Close meanwhile.
	WaitWritable(ctx context.Context) error
}
