package bench

import (
	"fmt"
	"time"
)

const megabyte = 1 << 20

// settle sets the row's figures from what the workers did.
func (r *Result) settle(out outcome) {
	r.Ops = out.ops
	if r.Bytes == 0 { // compact knows its bytes from the engine
		r.Bytes = out.bytes
	}
	r.setTime(out.wall)
	if out.cpu != nil {
		user, system := out.cpu.user.Seconds(), out.cpu.system.Seconds()
		r.CPUUserSeconds, r.CPUSystemSeconds = &user, &system
	}
	r.LatencyNS, r.LatencyCorrectedNS, r.SampleEvery, r.Intervals = out.latency, out.corrected, out.every, out.intervals
	switch {
	case out.err != nil:
		r.fail(out.err)
	case out.interrupted:
		r.Status, r.Error = StatusInterrupted, "interrupted by the user"
		if out.abandoned {
			r.Error = "interrupted by the user; the engine's call did not return"
		}
	}
}

// setTime sets the wall time and all that follows from it. What was done takes
// at least a nanosecond, so that every rate is finite.
func (r *Result) setTime(wall time.Duration) {
	if r.Ops > 0 {
		wall = max(wall, 1)
	}
	r.Seconds = wall.Seconds()
	r.OpsPerSec, r.MicrosPerOp, r.MBPerSec = 0, 0, 0
	if wall > 0 {
		r.OpsPerSec = float64(r.Ops) / r.Seconds
		r.MBPerSec = float64(r.Bytes) / megabyte / r.Seconds
	}
	if r.Ops > 0 {
		r.MicrosPerOp = r.Seconds * 1e6 * float64(r.Threads) / float64(r.Ops)
	}
}

// fail marks the row failed. The first reason stays.
func (r *Result) fail(err error) {
	if r.Status == StatusFailed {
		return
	}
	r.Status, r.Error = StatusFailed, err.Error()
}

// judge fails a row whose figures can't be true.
func (r *Result) judge(e *Engine, w Workload, env *Environment) {
	if !w.Writes || w.Reads || e.Discards {
		return // what was read may not have been copied
	}
	if limit := env.CopyMBPerSec * float64(r.Threads); limit > 0 && r.MBPerSec > limit {
		r.fail(fmt.Errorf("%.0f MB/s were written, and this machine copies at most %.0f", r.MBPerSec, limit))
	}
}
