// Package ratio compares two ways to do the same within one run of a benchmark,
// so that what else the machine does falls on both.
package ratio

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

const (
	// rounds give a median and a spread.
	rounds = 7
	// slices of a round are so many of each way, turn by turn.
	turns = 250
)

// Compare runs slices of base and of other in turns, and reports for one slice
// the time of base, and that of other as a ratio to it: the median of the rounds,
// the least and the greatest. Each call of a function does one slice, which should
// take about a millisecond. A round's ratio is the median of those of neighbours,
// so that a change of the machine's speed falls on few. Where the system tells it,
// time is what the processor has spent on a slice.
func Compare(b *testing.B, base, other func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	base()
	other()
	var times, ratios []float64
	for range rounds {
		var base1, pairs []float64
		for turn := range turns {
			var x, y time.Duration
			if turn%2 == 0 {
				x, y = timed(base), timed(other)
			} else {
				y, x = timed(other), timed(base)
			}
			base1 = append(base1, x.Seconds()*1e6)
			pairs = append(pairs, y.Seconds()/x.Seconds())
		}
		times = append(times, median(base1))
		ratios = append(ratios, median(pairs))
	}
	b.ReportMetric(0, "ns/op") // of all of it, which tells nothing
	b.ReportMetric(median(times), "µs/base")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(slices.Min(ratios), "least")
	b.ReportMetric(slices.Max(ratios), "most")
}

func timed(do func()) time.Duration {
	began := now()
	do()
	return now() - began
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
