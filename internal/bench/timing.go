package bench

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Bounds of the histograms: from 1 ns to an hour, to three significant figures.
const (
	longestLatency    = int64(time.Hour)
	latencyFigures    = 3
	pilotCalls        = 256       // timed each, to learn how long an operation takes
	shortOperation    = 1000      // ns; shorter ones are sampled
	sampleShort       = int64(16) // one in as many
	spinBelow         = time.Millisecond / 4
	ownTimes          = 256 // workers up to which each has histograms of its own
	longestCloseSleep = 100 * time.Millisecond
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longestLatency, latencyFigures)
}

// record notes a time in a histogram; what is out of its range counts as its end.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	// The value lies within the bounds, so that there is no error.
	_ = h.RecordValue(min(max(int64(d), 1), longestLatency))
}

// timing is what the workers of a cell have in common when operations are timed.
type timing struct {
	latency  bool
	rate     float64       // operations a second of all workers; 0: a closed loop
	every    atomic.Int64  // one in as many is timed; 0 until that is decided
	interval *intervalBook // nil: none
	began    time.Time
	shared   []*times // of more than ownTimes workers
}

// times are the histograms of a worker, or of several: one takes a quarter of a
// megabyte.
type times struct {
	mu               sync.Mutex // where it is of several
	plain, corrected *hdrhistogram.Histogram
}

func (t *timing) newTimes() *times {
	h := &times{plain: newHistogram()}
	if t.rate > 0 {
		h.corrected = newHistogram()
	}
	return h
}

// clocked is one worker's part of it.
type clocked struct {
	*timing
	*times                           // nil: it counts only
	crowded  bool                    // the times are those of others too
	piece    *hdrhistogram.Histogram // of the running interval, if not crowded
	index    int                     // of that interval
	number   int                     // of the worker
	pieceOps int64
	step     time.Duration // between two of this worker's calls, of an open loop
	offset   time.Duration // of its first call
}

func (t *timing) worker(w, workers int, call int64) *clocked {
	c := &clocked{timing: t, number: w, crowded: workers > ownTimes}
	switch {
	case !t.latency:
	case !c.crowded:
		c.times = t.newTimes()
		if t.interval != nil {
			c.piece = newHistogram()
		}
	default:
		if w < ownTimes {
			t.shared = append(t.shared, t.newTimes())
		}
		c.times = t.shared[w%ownTimes]
	}
	if t.rate > 0 {
		each := float64(time.Second) * float64(call) / t.rate // between two calls of all workers
		c.step = time.Duration(min(each*float64(workers), math.MaxInt64/4))
		c.offset = time.Duration(min(each*float64(w), math.MaxInt64/4))
	}
	return c
}

// runTimed is run for operations that are timed or on a schedule. An operation
// here is a call of the kernel: an entry, or a batch of them.
func (w *worker) runTimed() {
	c := w.clock
	w.begin = time.Now()
	done, calls := int64(0), int64(0)
	for done < w.ops && !w.stop.Load() {
		n := min(w.call, w.ops-done)
		untimed := int64(0)
		if c.rate == 0 && w.call == 1 && calls >= pilotCalls {
			untimed = min(c.decide(calls)-1, w.ops-done-1)
		}
		did, err := int64(0), error(nil)
		if untimed > 0 {
			did, err = w.kernel.run(&w.tally, untimed)
		}
		if err == nil && did == max(untimed, 0) {
			due := w.begin
			if c.rate > 0 {
				due = w.begin.Add(c.offset + time.Duration(calls)*c.step)
				if !w.waitUntil(due) {
					break
				}
			}
			var more int64
			start := time.Now()
			more, err = w.kernel.run(&w.tally, n)
			end := time.Now()
			if err == nil && more == n {
				c.note(start, end, due, did+more)
			}
			did += more
			n += max(untimed, 0)
		}
		done += did
		calls++
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
	c.finish(w.end)
}

// decide returns one in how many operations is timed. The first worker that has
// timed enough of them decides for all; the times until then don't count if
// only some are timed from now on, so that all have the same weight.
func (c *clocked) decide(calls int64) int64 {
	if !c.latency || c.crowded { // what many do at once takes longer than the clock
		return 1
	}
	every := c.every.Load()
	if every == 0 {
		every = 1
		if c.plain.ValueAtPercentile(50) < shortOperation {
			every = sampleShort
		}
		if !c.every.CompareAndSwap(0, every) {
			every = c.every.Load()
		}
	}
	if calls == pilotCalls && every > 1 {
		c.plain.Reset()
	}
	return every
}

// note records one call that has ended, and ops operations done since the last.
func (c *clocked) note(start, end, due time.Time, ops int64) {
	if c.interval != nil {
		if i := int(end.Sub(c.began) / c.interval.length); i != c.index {
			c.interval.add(c.number, c.index, i, c.pieceOps, c.piece)
			c.index, c.pieceOps = i, 0
		}
		c.pieceOps += ops
	}
	if !c.latency {
		return
	}
	if c.crowded {
		if c.interval != nil {
			c.interval.record(c.index, end.Sub(start))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	record(c.plain, end.Sub(start))
	if c.corrected != nil {
		record(c.corrected, end.Sub(due))
	}
	if c.piece != nil {
		record(c.piece, end.Sub(start))
	}
}

func (c *clocked) finish(end time.Time) {
	if c.interval != nil {
		c.interval.add(c.number, c.index, ended, c.pieceOps, c.piece)
		c.interval.end(end.Sub(c.began))
	}
}

// waitUntil waits until an operation is due; false if it is to stop meanwhile.
// The last bit is spun away, since a sleep ends late.
func (w *worker) waitUntil(due time.Time) bool {
	for {
		left := time.Until(due)
		switch {
		case w.stop.Load():
			return false
		case left <= 0:
			return true
		case left > spinBelow:
			time.Sleep(min(left-spinBelow, longestCloseSleep))
		default:
			runtime.Gosched()
		}
	}
}

// intervalBook collects the figures of intervals from all workers.
type intervalBook struct {
	length time.Duration
	mu     sync.Mutex
	pieces []*intervalPiece
	at     []int         // the interval of each worker; ended when it has
	closed int           // pieces that nobody adds to any more
	last   time.Duration // when the last worker ended
}

type intervalPiece struct {
	ops   int64
	times *hdrhistogram.Histogram // until it is closed; nil: nothing was timed
	p99   *int64
}

// ended is the interval of a worker that has ended.
const ended = math.MaxInt

// add adds what worker w has done in interval i, before it went on to interval
// next, or ended. The histogram is emptied. Intervals that all workers have left
// keep their p99 alone, so that a long run needs little memory.
func (b *intervalBook) add(w, i, next int, ops int64, times *hdrhistogram.Histogram) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.piece(i)
	p.ops += ops
	if times != nil && times.TotalCount() > 0 {
		if p.times == nil {
			p.times = newHistogram()
		}
		p.times.Merge(times)
		times.Reset()
	}
	b.at[w] = next
	for until := min(slices.Min(b.at), len(b.pieces)); b.closed < until; b.closed++ {
		if p := b.pieces[b.closed]; p.times != nil {
			p.p99, p.times = known(p.times.ValueAtPercentile(99)), nil
		}
	}
}

// record notes a time in interval i, which its worker has not left yet.
func (b *intervalBook) record(i int, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.piece(i)
	if p.times == nil {
		p.times = newHistogram()
	}
	record(p.times, d)
}

// piece returns interval i. The caller holds mu.
func (b *intervalBook) piece(i int) *intervalPiece {
	for len(b.pieces) <= i {
		b.pieces = append(b.pieces, &intervalPiece{})
	}
	return b.pieces[i]
}

func (b *intervalBook) end(at time.Duration) {
	b.mu.Lock()
	b.last = max(b.last, at)
	b.mu.Unlock()
}

// intervals returns the figures, once all workers have ended.
func (b *intervalBook) intervals() []Interval {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]Interval, len(b.pieces))
	for i, p := range b.pieces {
		end := min(time.Duration(i+1)*b.length, max(b.last, 1))
		list[i] = Interval{T: end.Seconds(), Ops: p.ops}
		list[i].P99NS = p.p99
	}
	return withoutCrumb(list, b.length)
}

// withoutCrumb adds a last piece of the time that is much shorter than the others
// to the one before: of so little time a rate says nothing.
func withoutCrumb(list []Interval, length time.Duration) []Interval {
	n := len(list)
	if n < 2 || list[n-1].T-list[n-2].T >= length.Seconds()/10 {
		return list
	}
	crumb := list[n-1]
	list = list[:n-1]
	list[n-2].T, list[n-2].Ops = crumb.T, list[n-2].Ops+crumb.Ops
	if p := crumb.P99NS; p != nil && list[n-2].P99NS == nil {
		list[n-2].P99NS = p
	}
	return list
}

// percentiles returns what a histogram has; nil for an empty one.
func percentiles(h *hdrhistogram.Histogram) *Latency {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	return &Latency{
		Count: h.TotalCount(), Min: h.Min(), P50: h.ValueAtPercentile(50), P90: h.ValueAtPercentile(90), P95: h.ValueAtPercentile(95),
		P99: h.ValueAtPercentile(99), P999: h.ValueAtPercentile(99.9), P9999: h.ValueAtPercentile(99.99), Max: h.Max(), Mean: h.Mean(),
	}
}

// merged returns the sum of the workers' histograms; nil if there is none.
func merged(workers []*worker, of func(*clocked) *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	var sum *hdrhistogram.Histogram
	for _, w := range workers {
		if w.clock == nil || w.clock.times == nil || of(w.clock) == nil {
			continue
		}
		if w.clock.crowded && w.clock.number >= ownTimes {
			continue // another worker's as well
		}
		if sum == nil {
			sum = newHistogram()
		}
		sum.Merge(of(w.clock))
	}
	return sum
}
