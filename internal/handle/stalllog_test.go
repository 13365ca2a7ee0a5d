package handle

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A stall is told when it begins and when it ends, once each; one soon after is
// only counted.
func TestStallLog(t *testing.T) {
	var b strings.Builder
	l := NewStallLog(slog.New(slog.NewTextHandler(&b, nil)))
	said := func() string {
		text := b.String()
		b.Reset()
		text = regexp.MustCompile(`time=\S+ `).ReplaceAllString(text, "")
		return regexp.MustCompile(`took=\S+`).ReplaceAllString(text, "took=T")
	}
	begins := func(untold int) string {
		return fmt.Sprintf("level=WARN msg=\"writes are held back\" reason=stopped untold=%d\n", untold)
	}
	const ends = "level=INFO msg=\"writes are no longer held back\" took=T\n"

	l.pause = time.Hour
	l.End() // nothing has begun
	l.Begin("stopped")
	l.Begin("another reason")
	if got := said(); got != begins(0) {
		t.Errorf("begun: %s", got)
	}
	l.End()
	l.End()
	if got := said(); got != ends {
		t.Errorf("ended: %s", got)
	}
	for range 3 {
		l.Begin("stopped")
		l.End()
	}
	if got := said(); got != "" {
		t.Errorf("soon after: %s", got)
	}
	l.pause = 0
	l.Begin("stopped")
	l.End()
	if got := said(); got != begins(3)+ends {
		t.Errorf("later: %s", got)
	}
}
