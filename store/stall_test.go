package store_test

import (
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

func TestStalls(t *testing.T) {
	for s, want := range map[store.StallState]string{
		store.StallUnknown: "unknown", store.StallNone: "none", store.StallDelayed: "delayed", store.StallStopped: "stopped", 9: "StallState(9)",
	} {
		if s.String() != want {
			t.Errorf("%d is %v, want %s", uint8(s), s, want)
		}
	}
	if d, ok := (store.Stalls{Nanos: store.Known(1500)}).Held(); d != 1500*time.Nanosecond || !ok {
		t.Errorf("held %v, %v", d, ok)
	}
	if _, ok := (store.Stalls{}).Held(); ok {
		t.Error("unknown, and known")
	}
}
