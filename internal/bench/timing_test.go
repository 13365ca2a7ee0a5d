package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// slowPuts takes at least a time for every n-th put.
type slowPuts struct {
	store.DB
	every, puts int
	pause       time.Duration
}

func (db *slowPuts) Put(k, v []byte, o *store.WriteOptions) error {
	if db.puts++; db.puts%db.every == 0 {
		time.Sleep(db.pause) // what is measured is how this shows
	}
	return db.DB.Put(k, v, o)
}

func checkLatency(t *testing.T, name string, l *Latency) {
	t.Helper()
	if l == nil {
		t.Fatalf("%s: no latency", name)
	}
	order := []int64{l.Min, l.P50, l.P90, l.P95, l.P99, l.P999, l.P9999, l.Max}
	for i := 1; i < len(order); i++ {
		if order[i] < order[i-1] {
			t.Errorf("%s: %v is not in order", name, order)
		}
	}
	if l.Min < 1 || l.Mean < float64(l.Min) || l.Mean > float64(l.Max) || l.Count < 1 {
		t.Errorf("%s: %+v", name, l)
	}
}

// Every workload can be timed; short operations are sampled, and the row says
// so.
func TestLatencyOfEveryWorkload(t *testing.T) {
	cfg := smallConfig(t, "fillseq", "fillbuffered", "fillbatch", "readrandom", "multireadrandom", "readseq", "seekrandom", "updaterandom",
		"readwhilewriting", "scanrange", "deleterange", "compact")
	cfg.Latency, cfg.Threads, cfg.Num = true, 2, 5000
	rec := mustRun(t, cfg, nil, newFake("alpha").engine())
	wantOK(t, rec)
	checkFinite(t, rec)
	for _, r := range rec.Results {
		if r.Workload == "compact" {
			if r.LatencyNS != nil || r.SampleEvery != 0 {
				t.Errorf("compact: %+v", r.LatencyNS)
			}
			continue
		}
		if r.Workload == WriterRow && r.Ops == 0 {
			continue // the readers were through before it began
		}
		checkLatency(t, r.Workload, r.LatencyNS)
		calls := r.Ops
		if r.Workload == "fillbatch" || r.Workload == "multireadrandom" {
			calls = 6 // 2500 operations a worker, 1000 a call
		}
		if n := r.LatencyNS.Count; r.SampleEvery == 1 && n != calls || r.SampleEvery > 1 && n > r.Ops/r.SampleEvery+2 || r.SampleEvery < 1 {
			t.Errorf("%s: %d of %d timed, one in %d", r.Workload, n, r.Ops, r.SampleEvery)
		}
		if r.LatencyCorrectedNS != nil {
			t.Errorf("%s has corrected times in a closed loop", r.Workload)
		}
	}
}

// Operations of the null engine are shorter than the clock: one in some is
// timed, and all are done.
func TestShortOperationsAreSampled(t *testing.T) {
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &idle{DB: db} }
	e := f.engine()
	e.Discards = true
	cfg := smallConfig(t, "fillseq", "readrandom")
	cfg.Latency, cfg.Num = true, 50_000
	rec := mustRun(t, cfg, nil, e)
	for _, r := range rec.Results {
		if r.SampleEvery != sampleShort || r.Ops != 50_000 || r.LatencyNS.Count < 3000 || r.LatencyNS.Count > 3200 {
			t.Errorf("%s: %d of %d timed, one in %d", r.Workload, r.LatencyNS.Count, r.Ops, r.SampleEvery)
		}
	}
}

// idle does nothing.
type idle struct{ store.DB }

func (idle) Put(_, _ []byte, _ *store.WriteOptions) error { return nil }
func (idle) AppendGet(dst, _ []byte) ([]byte, error)      { return dst, nil }

// In an open loop an operation that begins late because of a slow one shows
// in the corrected times alone.
func TestOpenLoop(t *testing.T) {
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &slowPuts{DB: db, every: 100, pause: 50 * time.Millisecond} }
	cfg := smallConfig(t, "fillseq")
	cfg.Num, cfg.Latency, cfg.Rate = 300, true, 1000
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	r := rec.Results[0]
	checkLatency(t, "uncorrected", r.LatencyNS)
	checkLatency(t, "corrected", r.LatencyCorrectedNS)
	if r.LatencyNS.Count != 300 || r.LatencyCorrectedNS.Count != 300 || r.SampleEvery != 1 {
		t.Errorf("%d and %d of 300 timed", r.LatencyNS.Count, r.LatencyCorrectedNS.Count)
	}
	const slow = int64(10 * time.Millisecond) // a third of the operations wait for a slow one
	if r.LatencyNS.P90 >= slow || r.LatencyCorrectedNS.P90 < slow {
		t.Errorf("p90 is %d uncorrected and %d corrected", r.LatencyNS.P90, r.LatencyCorrectedNS.P90)
	}
	if r.Seconds < 0.29 {
		t.Errorf("300 operations at 1000 a second took %v s", r.Seconds)
	}
}

// A rate that can't be kept is told.
func TestBehindItsRate(t *testing.T) {
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &slowPuts{DB: db, every: 1, pause: 2 * time.Millisecond} }
	cfg := smallConfig(t, "fillseq")
	cfg.Num, cfg.Latency, cfg.Rate = 50, true, 10_000
	rec := mustRun(t, cfg, nil, f.engine())
	if !warned(rec, WarnBehind) {
		t.Error("there is no warning")
	}
}

// Intervals hold all operations, with and without times of each.
func TestIntervals(t *testing.T) {
	for _, latency := range []bool{false, true} {
		f := newFake("alpha")
		f.wrap = func(db store.DB) store.DB { return &slowPuts{DB: db, every: 20, pause: 3 * time.Millisecond} }
		cfg := smallConfig(t, "fillseq", "readrandom")
		cfg.Num, cfg.Latency, cfg.Interval = 1000, latency, Duration(20*time.Millisecond)
		rec := mustRun(t, cfg, nil, f.engine())
		wantOK(t, rec)
		for _, r := range rec.Results {
			ops, last := int64(0), 0.0
			for _, i := range r.Intervals {
				ops += i.Ops
				if i.T <= last && i.Ops > 0 || (i.P99NS != nil) && !latency {
					t.Errorf("%s: %+v after %v", r.Workload, i, last)
				}
				last = i.T
			}
			if ops != r.Ops || r.Workload == "fillseq" && len(r.Intervals) < 4 {
				t.Errorf("latency %v: %s has %d of %d operations in %d intervals", latency, r.Workload, ops, r.Ops, len(r.Intervals))
			}
			if latency && r.Intervals[0].P99NS == nil {
				t.Errorf("%s: no p99", r.Workload)
			}
		}
	}
}

// An interval is closed, and its histogram let go, when all workers have left it.
func TestIntervalBook(t *testing.T) {
	b := &intervalBook{length: time.Second, at: make([]int, 2)}
	h := newHistogram()
	record(h, 5*time.Microsecond)
	b.add(0, 0, 2, 7, h)
	if b.closed != 0 || b.pieces[0].times == nil || h.TotalCount() != 0 {
		t.Errorf("%+v", b)
	}
	b.add(1, 0, 1, 3, nil)
	if b.closed != 1 || b.pieces[0].times != nil || *b.pieces[0].p99 < 4900 {
		t.Errorf("%+v", b.pieces[0])
	}
	b.add(1, 1, ended, 1, nil)
	b.add(0, 2, ended, 2, nil)
	b.end(2500 * time.Millisecond)
	got := b.intervals()
	if len(got) != 3 || got[0].Ops != 10 || got[1].Ops != 1 || got[2].Ops != 2 || got[2].T != 2.5 || got[1].P99NS != nil {
		t.Errorf("%+v", got)
	}
}

// A crumb of time at the end goes to the piece before; a fair piece stays.
func TestIntervalCrumbs(t *testing.T) {
	list := []Interval{{T: 1, Ops: 10}, {T: 2, Ops: 10}, {T: 2.05, Ops: 3}}
	if got := withoutCrumb(slices.Clone(list), time.Second); len(got) != 2 || got[1].T != 2.05 || got[1].Ops != 13 {
		t.Errorf("%+v", got)
	}
	list[2].T = 2.2
	for _, whole := range [][]Interval{list, list[:1], nil} {
		if got := withoutCrumb(slices.Clone(whole), time.Second); len(got) != len(whole) {
			t.Errorf("%+v became %+v", whole, got)
		}
	}
}

// Only timed runs have a clock in the loop.
func TestThroughputRunsHaveNoClock(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		clock  bool
	}{
		{func(*Config) {}, false},
		{func(c *Config) { c.Interval = Duration(time.Second) }, false},
		{func(c *Config) { c.Duration = Duration(time.Second) }, false},
		{func(c *Config) { c.Latency = true }, true},
		{func(c *Config) { c.Latency, c.Rate = true, 5 }, true},
	} {
		r := &runner{}
		c.change(&r.cfg)
		crew := r.newCrew(&plan{ops: 1, unit: 1}, []kernel{&caller{}}, nil)
		if got := crew.workers[0].clock != nil; got != c.clock {
			t.Errorf("%+v: %v", r.cfg, got)
		}
	}
}
