package bench

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// resources is what this process has used until a moment. What the system
// doesn't tell is nil.
type resources struct {
	written   *int64 // bytes given to the device
	rss, peak *int64
	threads   *int64
	calls     calls
	stalled   *time.Duration
	cache     store.Cache
}

// procSelf is where the system tells about this process.
const procSelf = "/proc/self/"

// prepareMemory gives memory that is not used back to the system, C's too if the
// engine has any, and makes the peak of the resident size begin anew from where it
// is.
func prepareMemory(e *Engine) {
	debug.FreeOSMemory()
	if e.Trim != nil {
		e.Trim()
	}
	// 5 resets the peak. Where that is not to be had, the peak is no figure of
	// this workload, and readResources doesn't find it reset.
	_ = os.WriteFile(procSelf+"clear_refs", []byte("5"), 0)
}

func readResources() (r resources) {
	r.written = procNumber("io", "write_bytes:", 1)
	r.rss = procNumber("status", "VmRSS:", 1024)
	r.peak = procNumber("status", "VmHWM:", 1024)
	r.threads = procThreads()
	return r
}

// procNumber returns the number behind a name in a file of this process.
func procNumber(file, name string, unit int64) *int64 {
	data, err := os.ReadFile(procSelf + file)
	if err != nil {
		return nil
	}
	return numberAfter(string(data), name, unit)
}

func numberAfter(text, name string, unit int64) *int64 {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		words := strings.Fields(rest)
		if len(words) == 0 {
			return nil
		}
		n, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			return nil
		}
		return known(n * unit)
	}
	return nil
}

// use sets what the workload has used between two moments. written are the bytes
// of keys and values that it wrote.
func (r *Result) use(before, after resources, written int64) {
	if before.rss != nil && after.peak != nil {
		// A peak that was not reset may be older than the workload.
		if before.peak == nil || *after.peak > *before.peak || *before.peak-*before.rss < resetSlack {
			r.RSSPeakBytes = after.peak
			r.RSSGrowthBytes = known(max(0, *after.peak-*before.rss))
		}
	}
	if before.stalled != nil && after.stalled != nil {
		r.StallSeconds = known((*after.stalled - *before.stalled).Seconds())
	}
	if r.Threads > 1 {
		r.GroupSize = after.calls.groupSize(before.calls)
	}
	r.OSThreads = most(r.OSThreads, after.threads)
	if rate, ok := after.cache.Since(before.cache).HitRate(); ok {
		r.CacheHitRate = known(rate)
	}
	if before.written == nil || after.written == nil || r.BytesWritten != nil {
		return // of compact and flush it is known what they wrote to tables
	}
	device := *after.written - *before.written
	r.BytesWritten = &device
	if written > 0 && device > 0 {
		r.WriteAmplification = known(float64(device) / float64(written))
	}
}

// resetSlack is how far the resident size may have fallen between the reset of
// the peak and the look at both.
const resetSlack = 1 << 20

// readUse returns what has been used until now, the engine's figures included.
func (p *pass) readUse() resources {
	r := readResources()
	if p.db == nil {
		return r
	}
	if m, err := p.db.Metrics(); err == nil {
		r.cache, r.calls = m.Cache, writeCalls(&m)
	}
	if p.engine.Stall != nil {
		if d, ok := p.engine.Stall(p.db); ok {
			r.stalled = &d
		}
	}
	return r
}

// recordFilesBefore sets the number of files of each level.
func recordFilesBefore(s *session, row *Result) error {
	m, err := s.db.Metrics()
	if err != nil {
		return err
	}
	row.FilesPerLevelBefore = m.FilesPerLevel()
	return nil
}
