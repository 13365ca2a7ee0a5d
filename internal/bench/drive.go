package bench

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// tickEvery is the time between two ticks of progress.
const tickEvery = 100 * time.Millisecond

// worker does one share of a workload.
type worker struct {
	kernel kernel
	ops    int64
	unit   int64
	stop   *atomic.Bool

	tally      tally
	begin, end time.Time
	err        error

	// What others may read while it runs, on a cache line of its own.
	_     [64]byte
	done  atomic.Int64
	bytes atomic.Int64
	_     [64]byte
}

// run is the timed part.
func (w *worker) run() {
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
	w.end = time.Now()
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
}

// drive runs the kernels, one worker each, and waits for them. It tells the
// observer how far they are. When the run is interrupted it stops them, and
// leaves them behind if that takes too long.
func (r *runner) drive(p *plan, kernels []kernel, cell Cell) outcome {
	var stop atomic.Bool
	workers := make([]*worker, len(kernels))
	for i, k := range kernels {
		_, ops := split(p.ops, len(kernels), i)
		workers[i] = &worker{kernel: k, ops: ops, unit: p.unit, stop: &stop}
	}
	runtime.GC() // the garbage of what was made before is not this workload's
	start, finished := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() {
			<-start
			w.run()
		})
	}
	go func() {
		group.Wait()
		close(finished)
	}()
	cpu := readCPU()
	began := time.Now()
	close(start)
	interrupted, abandoned := r.watch(finished, &stop, func() {
		r.obs.Tick(cell, Progress{Ops: doneBy(workers), Elapsed: time.Since(began)})
	})
	if abandoned {
		return abandonedOutcome(workers, time.Since(began))
	}
	out := collect(workers)
	out.cpu = cpu.until(readCPU())
	out.interrupted = interrupted && out.err == nil && out.ops < p.ops
	if ended := r.ctx.Err(); ended != nil && errors.Is(out.err, ended) {
		out.interrupted, out.err = true, nil // the call was given the context, and heeded it
	}
	for _, w := range workers {
		if err := w.kernel.finish(); err != nil && out.err == nil && !out.interrupted {
			out.err = err
		}
	}
	return out
}

// watch waits until the workers have finished, and calls tick meanwhile.
func (r *runner) watch(finished <-chan struct{}, stop *atomic.Bool, tick func()) (interrupted, abandoned bool) {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		select {
		case <-finished:
			return false, false
		case <-ticker.C:
			tick()
		case <-r.ctx.Done():
			stop.Store(true)
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
