package bench

import (
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// waiters is a store that says how many of its calls wait, and makes a put of
// eight calls.
type waiters struct {
	store.DB
	puts uint64
}

func (*waiters) Calls() (inFlight, waiting int) { return 1, 7 }

func (db *waiters) Metrics() (store.Metrics, error) {
	db.puts += 80
	none := store.Operation{Calls: store.Known(0)}
	return store.Metrics{
		Operations: store.Operations{Put: store.Operation{Calls: store.Known(db.puts)}, Delete: none, DeleteRange: none, Write: none},
		Commits:    store.Commits{Writes: store.Known(db.puts / 8)},
	}, nil
}

func (db *waiters) Put(k, v []byte, o *store.WriteOptions) error {
	time.Sleep(time.Millisecond) // so that the row lasts for some looks
	return db.DB.Put(k, v, o)
}

// Rows of several workers say how many calls wait, how many a write was of, and
// how many threads there were; those of one worker have only the threads.
func TestCrowd(t *testing.T) {
	for _, threads := range []int{1, 4} {
		f := newFake("alpha")
		f.wrap = func(db store.DB) store.DB { return &waiters{DB: db} }
		cfg := smallConfig(t, "fillseq")
		cfg.Num, cfg.Threads = int64(100*threads), threads
		rec := mustRun(t, cfg, nil, f.engine())
		wantOK(t, rec)
		r := rec.Results[0]
		if procThreads() != nil && (r.OSThreads == nil || *r.OSThreads < 2) {
			t.Errorf("%d workers: %v threads", threads, r.OSThreads)
		}
		if threads == 1 {
			if r.GroupSize != nil || r.CallsWaiting != nil {
				t.Errorf("one worker: %v, %v", r.GroupSize, r.CallsWaiting)
			}
			continue
		}
		if r.GroupSize == nil || *r.GroupSize != 8 || r.CallsWaiting == nil || *r.CallsWaiting != 7 {
			t.Errorf("%d workers: group size %v, waiting %v", threads, r.GroupSize, r.CallsWaiting)
		}
	}
}

// Engines that count nothing have none of it.
func TestCrowdNotTold(t *testing.T) {
	cfg := smallConfig(t, "fillseq")
	cfg.Threads = 4
	rec := mustRun(t, cfg, nil, newFake("alpha").engine())
	wantOK(t, rec)
	if r := rec.Results[0]; r.CallsWaiting != nil {
		t.Errorf("%v calls wait", *r.CallsWaiting)
	}
	some, none := calls{store.Known(8), store.Known(2)}, calls{}
	for _, c := range []struct {
		before, after calls
		want          float64 // 0: not known
	}{
		{none, none, 0}, {none, some, 0}, {some, none, 0}, {some, some, 0},
		{some, calls{store.Known(20), store.Known(5)}, 4},
		{calls{store.Known(0), store.Known(0)}, some, 4},
	} {
		got := c.after.groupSize(c.before)
		if (got != nil) != (c.want != 0) || got != nil && *got != c.want {
			t.Errorf("from %+v to %+v: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// More workers than have histograms of their own lose none of their times, and
// nothing else is otherwise.
func TestLatencyOfManyWorkers(t *testing.T) {
	for _, rate := range []float64{0, 20_000} {
		cfg := smallConfig(t, "fillseq", "readrandom")
		cfg.Threads, cfg.Num, cfg.Latency, cfg.Rate = 3*ownTimes/2, 3000, true, rate
		cfg.Interval = Duration(10 * time.Millisecond)
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		wantOK(t, rec)
		for _, r := range rec.Results {
			checkLatency(t, r.Workload, r.LatencyNS)
			if r.LatencyNS.Count != 3000 || r.SampleEvery != 1 || rate > 0 != (r.LatencyCorrectedNS != nil) {
				t.Errorf("%s: %d of 3000 timed, one in %d", r.Workload, r.LatencyNS.Count, r.SampleEvery)
			}
			sum, timed := int64(0), false
			for _, i := range r.Intervals {
				sum, timed = sum+i.Ops, timed || i.P99NS != nil
			}
			if sum != 3000 || !timed {
				t.Errorf("%s: intervals have %d operations, timed %v", r.Workload, sum, timed)
			}
		}
	}
}
