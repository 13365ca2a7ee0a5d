package store_test

import (
	"errors"
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

// Both durabilities at once have no meaning, and one needs a store that can.
func TestWriteOptionsCheck(t *testing.T) {
	both := &store.WriteOptions{Sync: true, WALBuffered: true}
	for _, c := range []struct {
		o         *store.WriteOptions
		canBuffer bool
		want      error
	}{
		{nil, false, nil}, {nil, true, nil}, {store.NoSync, false, nil}, {store.Sync, false, nil}, {store.Sync, true, nil},
		{store.WALBuffered, true, nil}, {store.WALBuffered, false, store.ErrNotSupported},
		{both, true, store.ErrInvalidArgument}, {both, false, store.ErrInvalidArgument},
	} {
		if err := c.o.Check(c.canBuffer); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%+v, can buffer: %v: got %v, want %v", c.o, c.canBuffer, err, c.want)
		}
	}
	_, err := store.NewBuffered(&recorder{}, &store.BufferedOptions{Write: both})
	wantKind(t, err, store.ErrInvalidArgument, "buffered")
}
