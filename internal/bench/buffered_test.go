package bench

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// failing fails in its last batch, which is committed by the flush at the end.
type failing struct {
	store.DB
	good *atomic.Int64
}

func (f failing) Write(b *store.Batch, o *store.WriteOptions) error {
	if f.good.Add(-1) < 0 {
		return &store.Error{Engine: "alpha", Op: "write", Kind: store.ErrIO}
	}
	return f.DB.Write(b, o)
}

// A batch that can't be committed fails the row, also when all puts have been
// accepted by then.
func TestBufferedFails(t *testing.T) {
	for _, c := range []struct {
		num  int64
		good int64 // batches
		want Status
	}{{1000, 0, StatusFailed}, {10_000, 1, StatusFailed}, {10_000, 100, StatusOK}} {
		f := newFake("alpha")
		var good atomic.Int64
		good.Store(c.good)
		f.wrap = func(db store.DB) store.DB { return failing{db, &good} }
		cfg := smallConfig(t, "fillbuffered")
		cfg.Num = c.num
		if r := mustRun(t, cfg, nil, f.engine()).Results[0]; r.Status != c.want {
			t.Errorf("%d puts, %d good batches: %s %s", c.num, c.good, r.Status, r.Error)
		}
	}
}

// lazy takes its time for each batch.
type lazy struct{ store.DB }

func (l lazy) Write(b *store.Batch, o *store.WriteOptions) error {
	time.Sleep(30 * time.Millisecond) // what the row must have in it
	return l.DB.Write(b, o)
}

// The flush at the end is in the time.
func TestBufferedFlushIsTimed(t *testing.T) {
	for _, latency := range []bool{false, true} {
		f := newFake("alpha")
		f.wrap = func(db store.DB) store.DB { return lazy{db} }
		cfg := smallConfig(t, "fillbuffered")
		cfg.Latency = latency
		rec := mustRun(t, cfg, nil, f.engine())
		wantOK(t, rec)
		if s := rec.Results[0].Seconds; s < 0.03 {
			t.Errorf("latency %v: %v s", latency, s)
		}
	}
}
