package bench

import (
	"os"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// A workload that takes 64 MiB shows it in its peak, and the next one, which
// doesn't, has a peak of its own.
func TestMemoryOfEachCell(t *testing.T) {
	if _, err := os.Stat(procSelf + "clear_refs"); err != nil {
		t.Skip("the system doesn't tell")
	}
	const much = 64 << 20
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &greedy{DB: db} }
	rec := mustRun(t, smallConfig(t, "fillseq", "readrandom"), nil, f.engine())
	wantOK(t, rec)
	a, b := rec.Results[0], rec.Results[1]
	if a.RSSPeakBytes == nil || *a.RSSGrowthBytes < much {
		t.Fatalf("growth %v", a.RSSGrowthBytes)
	}
	if b.RSSPeakBytes != nil && *b.RSSGrowthBytes > much/2 { // absent where the peak can't be reset
		t.Errorf("the next one's growth is %d", *b.RSSGrowthBytes)
	}
}

// greedy uses memory for a moment at its first put.
type greedy struct {
	store.DB
	done bool
}

func (db *greedy) Put(k, v []byte, o *store.WriteOptions) error {
	if !db.done {
		db.done = true
		b := make([]byte, 80<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
	}
	return db.DB.Put(k, v, o)
}

func TestResultUse(t *testing.T) {
	before := resources{written: ptr[int64](100), rss: ptr[int64](1000), peak: ptr[int64](1000), stalled: ptr(time.Second)}
	after := resources{written: ptr[int64](700), rss: ptr[int64](1500), peak: ptr[int64](3000), stalled: ptr(3 * time.Second)}
	var r Result
	r.use(before, after, 200)
	if *r.BytesWritten != 600 || *r.WriteAmplification != 3 || *r.RSSPeakBytes != 3000 || *r.RSSGrowthBytes != 2000 || *r.StallSeconds != 2 {
		t.Errorf("%+v", r)
	}
	r = Result{}
	if r.use(resources{}, resources{}, 200); r.BytesWritten != nil || r.WriteAmplification != nil || r.RSSPeakBytes != nil || r.StallSeconds != nil {
		t.Errorf("nothing is known: %+v", r)
	}
	r = Result{}
	if r.use(before, before, 0); *r.BytesWritten != 0 || r.WriteAmplification != nil {
		t.Errorf("nothing was written: %+v", r)
	}
	r = Result{}
	old := resources{rss: ptr[int64](1000), peak: ptr[int64](90 << 20)} // not reset
	if r.use(old, old, 0); r.RSSPeakBytes != nil {
		t.Errorf("an old peak counts: %d", *r.RSSPeakBytes)
	}
}

func TestNumberAfter(t *testing.T) {
	text := "VmPeak:\t 9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t    x kB\nVmData:\n"
	if n := numberAfter(text, "VmHWM:", 1024); n == nil || *n != 1234*1024 {
		t.Errorf("%v", n)
	}
	for _, name := range []string{"VmRSS:", "VmData:", "VmSwap:"} {
		if n := numberAfter(text, name, 1); n != nil {
			t.Errorf("%s: %d", name, *n)
		}
	}
}

// Waiting for compaction ends when the figures say that there is none, or no
// longer change.
func TestSettle(t *testing.T) {
	level := func(files, bytes uint64) store.LevelMetrics {
		return store.LevelMetrics{Files: store.Known(files), Bytes: store.Known(bytes)}
	}
	limits := triggers{level0: 4, level1: 10}
	silent := func(levels ...store.LevelMetrics) store.Metrics {
		return store.Metrics{Levels: append(levels, level(0, 0))}
	}
	tells := func(pending, running uint64) store.Metrics {
		return store.Metrics{
			Levels: []store.LevelMetrics{level(1, 1)}, PendingCompactionBytes: store.Known(pending), RunningCompactions: store.Known(running),
		}
	}
	for _, c := range []struct {
		name       string
		m          store.Metrics
		debt, told bool
	}{
		{"four files in level 0", silent(level(4, 1)), true, false},
		{"three", silent(level(3, 1)), false, false},
		{"level 1 over its target", silent(level(0, 0), level(1, 11)), true, false},
		{"level 2 within its target", silent(level(0, 0), level(1, 10), level(9, 100)), false, false},
		{"level 2 over its target", silent(level(0, 0), level(1, 10), level(9, 101)), true, false},
		{"pending", tells(1, 0), true, true},
		{"running", tells(0, 1), true, true},
		{"neither", tells(0, 0), false, true},
		{"tells nothing", store.Metrics{}, false, true},
	} {
		if debt, told := limits.debt(&c.m); debt != c.debt || told != c.told {
			t.Errorf("%s: %v, %v", c.name, debt, told)
		}
	}
	calls := 0
	f := telling("alpha", func(m *store.Metrics) {
		calls++
		m.Levels = []store.LevelMetrics{level(1, 1)}
		m.RunningCompactions, m.PendingCompactionBytes = store.Known(0), store.Known(0)
		if calls < 8 {
			m.RunningCompactions = store.Known(1)
		}
	})
	cfg := smallConfig(t, "fillseq", "settle")
	cfg.Settle = true
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	r := rec.Results[0]
	if r.SettleSeconds == nil || *r.SettleSeconds < 0.05 || *r.SettledOpsPerSec >= r.OpsPerSec {
		t.Errorf("settled after %v s, at %v", r.SettleSeconds, r.SettledOpsPerSec)
	}
	if r := rec.Results[1]; r.SettleSeconds == nil || r.Ops != 1 {
		t.Errorf("settle: %+v", r)
	}
	options := OptionList{{Name: OptL0Triggers, Value: "4/8/12"}, {Name: OptL1Size, Value: int64(10 << 20)}}
	if got := triggersOf(options); got != (triggers{4, 10 << 20}) {
		t.Errorf("%+v", got)
	}
}

// What is in the store is known, and so how much larger it is than that.
func TestSpaceAmplification(t *testing.T) {
	f := telling("alpha", func(m *store.Metrics) { m.DiskBytes = store.Known(232_000) })
	rec := mustRun(t, smallConfig(t, "fillseq", "overwrite", "readseq"), nil, f.engine())
	for i, want := range []bool{true, true, false} {
		if s := rec.Results[i].SpaceAmplification; (s != nil) != want || want && (*s < 1.99 || *s > 2.01) {
			t.Errorf("row %d: %v", i, s)
		}
	}
}
