package bench

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// tickEvery is the time between two ticks of progress.
const tickEvery = 100 * time.Millisecond

// worker does one share of a workload.
type worker struct {
	kernel kernel
	ops    int64
	unit   int64
	call   int64 // operations of one call of the store, where they are timed
	stop   *atomic.Bool
	clock  *clocked // nil in a throughput run

	tally      tally
	begin, end time.Time
	err        error

	// What others may read while it runs, on a cache line of its own.
	_     [64]byte
	done  atomic.Int64
	bytes atomic.Int64
	_     [64]byte
}

// runOn is run, on an operating-system thread of its own if pinned. db_bench's
// workers are threads. A goroutine that is mostly in C is moved to another
// thread every 10 to 100 ms, which costs the processor's caches and spreads the
// engine's memory over one malloc arena a thread: random reads of RocksDB took a
// fifth to a quarter longer, and how much longer changed from run to run. More
// workers than processors stay goroutines, since a thread each would cost more.
func (w *worker) runOn(pinned bool) {
	if pinned {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	w.run()
}

// run is the timed part.
func (w *worker) run() {
	if w.clock != nil {
		w.runTimed()
		return
	}
	w.begin = time.Now()
	done := int64(0)
	for done < w.ops && !w.stop.Load() {
		n := min(w.unit, w.ops-done)
		did, err := w.kernel.run(&w.tally, n)
		done += did
		w.done.Store(done)
		w.bytes.Store(w.tally.bytes)
		if err != nil {
			w.err = err
			w.stop.Store(true)
			break
		}
		if did < n {
			break // nothing more to read
		}
	}
	w.drain()
	w.end = time.Now()
}

// drain completes the operations of a kernel that has some left.
func (w *worker) drain() {
	d, ok := w.kernel.(drainer)
	if !ok {
		return
	}
	if err := d.drain(); err != nil && w.err == nil {
		w.err = err
		w.stop.Store(true)
	}
}

// outcome is what the workers of a cell have done.
type outcome struct {
	tally
	ops     int64
	byShare []int64 // operations done by each worker
	wall    time.Duration
	cpu     *cpuTimes
	err     error
	// interrupted: the run was ended before all was done. abandoned: a call did
	// not return in time then, and the workers are still at it.
	interrupted, abandoned bool

	latency, corrected *Latency
	every              int64
	intervals          []Interval
	aside              *outcome // of the plan's aside
}

// crew are the workers of a cell.
type crew struct {
	workers []*worker
	aside   []*worker // none or one
	stop    atomic.Bool
	// stopAside is set when the others have ended.
	stopAside atomic.Bool
	timing    *timing
}

// newCrew makes a worker a kernel; aside may be nil.
func (r *runner) newCrew(p *plan, kernels []kernel, aside kernel) *crew {
	c := &crew{}
	call := int64(1)
	if p.batched {
		call = p.unit
	}
	if r.cfg.Latency && p.call == nil || r.cfg.Rate > 0 {
		c.timing = &timing{latency: r.cfg.Latency, rate: r.cfg.Rate}
		if r.cfg.Interval > 0 {
			c.timing.interval = &intervalBook{length: time.Duration(r.cfg.Interval), at: make([]int, len(kernels))}
		}
	}
	for i, k := range kernels {
		_, ops := split(p.ops, len(kernels), i)
		if p.forever && ops > 0 {
			ops = endlessOps
		}
		w := &worker{kernel: k, ops: ops, unit: p.unit, call: call, stop: &c.stop}
		if c.timing != nil {
			w.clock = c.timing.worker(i, len(kernels), call)
		}
		c.workers = append(c.workers, w)
	}
	if aside != nil {
		w := &worker{kernel: aside, ops: endlessOps, unit: p.aside.unit, call: 1, stop: &c.stopAside}
		if rate := float64(r.cfg.WriteRate); rate > 0 || r.cfg.Latency {
			w.clock = (&timing{latency: r.cfg.Latency, rate: rate}).worker(0, 1, 1)
		}
		c.aside = []*worker{w}
	}
	return c
}

// start lets all workers begin at once. The channel is closed when they have
// ended.
func (c *crew) start() (began time.Time, finished <-chan struct{}) {
	begin, ended := make(chan struct{}), make(chan struct{})
	pinned := len(c.workers)+len(c.aside) <= runtime.GOMAXPROCS(0)
	var group, asideGroup sync.WaitGroup
	for _, w := range c.workers {
		group.Go(func() {
			<-begin
			w.runOn(pinned)
		})
	}
	for _, w := range c.aside {
		asideGroup.Go(func() {
			<-begin
			w.runOn(pinned)
			if w.err != nil {
				c.stop.Store(true)
			}
		})
	}
	go func() {
		group.Wait()
		c.stopAside.Store(true)
		asideGroup.Wait()
		close(ended)
	}()
	began = time.Now()
	for _, w := range append(c.workers[:len(c.workers):len(c.workers)], c.aside...) {
		if w.clock != nil {
			w.clock.timing.began = began
		}
	}
	close(begin)
	return began, ended
}

// halt makes all workers stop at the next look at their flag.
func (c *crew) halt() {
	c.stop.Store(true)
	c.stopAside.Store(true)
}

// drive runs the kernels, one worker each, and waits for them. It tells the
// observer how far they are. When the run is interrupted it stops them, and
// leaves them behind if that takes too long.
func (r *runner) drive(p *plan, kernels []kernel, aside kernel, cell Cell) outcome {
	c := r.newCrew(p, kernels, aside)
	runtime.GC() // the garbage of what was made before is not this workload's
	cpu := readCPU()
	began, finished := c.start()
	var pieces *poller
	if c.timing == nil && r.cfg.Interval > 0 && p.call == nil {
		pieces = pollIntervals(c.workers, began, time.Duration(r.cfg.Interval))
	}
	limit := time.Duration(0)
	if p.forever {
		limit = time.Duration(r.cfg.Duration)
	}
	interrupted, abandoned := r.watch(finished, c, limit, func() {
		r.obs.Tick(cell, Progress{Ops: doneBy(c.workers), Elapsed: time.Since(began)})
	})
	if abandoned {
		return abandonedOutcome(c.workers, time.Since(began))
	}
	out := collect(c.workers)
	out.cpu = cpu.until(readCPU())
	out.interrupted = interrupted && out.err == nil && (p.forever || out.ops < p.ops)
	r.finish(&out, c.workers)
	out.addTimes(c)
	if pieces != nil {
		out.intervals = withoutCrumb(pieces.stop(out.ops, out.wall), time.Duration(r.cfg.Interval))
	}
	if aside != nil {
		side := collect(c.aside)
		r.finish(&side, c.aside)
		side.latency = percentiles(merged(c.aside, func(c *clocked) *hdrhistogram.Histogram { return c.plain }))
		side.every = sampledEvery(c.aside)
		side.interrupted = out.interrupted
		out.aside = &side
	}
	return out
}

// finish frees the kernels, and completes the outcome with their errors.
func (r *runner) finish(out *outcome, workers []*worker) {
	if ended := r.ctx.Err(); ended != nil && errors.Is(out.err, ended) {
		out.interrupted, out.err = true, nil // the call was given the context, and heeded it
	}
	for _, w := range workers {
		if err := w.kernel.finish(); err != nil && out.err == nil && !out.interrupted {
			out.err = err
		}
	}
}

// addTimes adds what was timed.
func (out *outcome) addTimes(c *crew) {
	if c.timing == nil {
		return
	}
	out.latency = percentiles(merged(c.workers, func(c *clocked) *hdrhistogram.Histogram { return c.plain }))
	out.corrected = percentiles(merged(c.workers, func(c *clocked) *hdrhistogram.Histogram { return c.corrected }))
	out.every = sampledEvery(c.workers)
	if c.timing.interval != nil {
		out.intervals = c.timing.interval.intervals()
	}
}

// sampledEvery returns one in how many operations was timed, 0 if none was.
func sampledEvery(workers []*worker) int64 {
	t := workers[0].clock
	if t == nil || !t.latency {
		return 0
	}
	return max(t.every.Load(), 1)
}

// watch waits until the workers have finished, and calls tick meanwhile. A limit
// above 0 is the time after which they are stopped.
func (r *runner) watch(finished <-chan struct{}, c *crew, limit time.Duration, tick func()) (interrupted, abandoned bool) {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	if limit > 0 {
		timer := time.AfterFunc(limit, c.halt)
		defer timer.Stop()
	}
	for {
		select {
		case <-finished:
			return false, false
		case <-ticker.C:
			tick()
		case <-r.ctx.Done():
			c.halt()
			select {
			case <-finished:
				return true, false
			case <-time.After(r.patience(callPatience)):
				return true, true
			}
		}
	}
}

func doneBy(workers []*worker) (ops int64) {
	for _, w := range workers {
		ops += w.done.Load()
	}
	return ops
}

// collect adds up what workers that have ended did.
func collect(workers []*worker) outcome {
	out := outcome{byShare: make([]int64, len(workers))}
	begin, end := workers[0].begin, workers[0].end
	for i, w := range workers {
		done := w.done.Load()
		out.byShare[i] = done
		out.ops += done
		out.bytes += w.tally.bytes
		out.written += w.tally.written
		out.lookups += w.tally.lookups
		out.found += w.tally.found
		if out.err == nil {
			out.err = w.err
		}
		if w.begin.Before(begin) {
			begin = w.begin
		}
		if w.end.After(end) {
			end = w.end
		}
	}
	out.wall = end.Sub(begin)
	return out
}

// abandonedOutcome is what is known of workers that are still running.
func abandonedOutcome(workers []*worker, wall time.Duration) outcome {
	out := outcome{wall: wall, interrupted: true, abandoned: true}
	for _, w := range workers {
		out.ops += w.done.Load()
		out.bytes += w.bytes.Load()
	}
	return out
}

// poller notes at the end of each interval how many operations are done, without
// a part of the workers in it.
type poller struct {
	quit   chan struct{}
	result chan []Interval
}

func pollIntervals(workers []*worker, began time.Time, length time.Duration) *poller {
	p := &poller{quit: make(chan struct{}), result: make(chan []Interval, 1)}
	go func() {
		var list []Interval
		ticker := time.NewTicker(length)
		defer ticker.Stop()
		last := int64(0)
		for {
			select {
			case <-ticker.C:
				done := doneBy(workers)
				list = append(list, Interval{T: time.Since(began).Seconds(), Ops: done - last})
				last = done
			case <-p.quit:
				p.result <- list
				return
			}
		}
	}()
	return p
}

// stop returns the intervals; the rest of the operations are the last one's.
func (p *poller) stop(ops int64, wall time.Duration) []Interval {
	close(p.quit)
	list := <-p.result
	for _, i := range list {
		ops -= i.Ops
	}
	if ops > 0 || len(list) == 0 {
		list = append(list, Interval{T: wall.Seconds(), Ops: ops})
	}
	return list
}
