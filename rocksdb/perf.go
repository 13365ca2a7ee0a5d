package rocksdb

import (
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// A PerfLevel says what Perf finds out. Each has what those before have.
type PerfLevel int

const (
	// PerfCounts are counts: what a walk stepped over, blocks that were read.
	PerfCounts PerfLevel = iota + 1
	// PerfTimes are times too, in nanoseconds, of the clock and of the processor, but
	// for those of waiting for locks.
	PerfTimes
	// PerfLockTimes are all times.
	PerfLockTimes
)

// Perf calls f, and returns what RocksDB has counted in the calls that f made,
// on whatever stores, by RocksDB's own names, such as
// internal_delete_skipped_count or block_read_time. What is zero is left out.
//
// What other goroutines do is not in it, nor what is done for f elsewhere:
// flushes, compactions, and writes that were committed together with others'. f
// keeps a thread of the system until it ends. Times cost time. At all other times
// nothing is counted, since each step of a read would have to.
//
// The error is ErrInvalidArgument for another level, and when f is called within
// a Perf already; f is not called then. A nil f counts nothing.
//
// It stands on rocksdb_set_perf_level and rocksdb_perfcontext_report.
func Perf(level PerfLevel, f func()) (map[string]uint64, error) {
	const op = "perf"
	if level < PerfCounts || level > PerfLockTimes {
		return nil, &store.Error{Engine: Engine, Op: op, Kind: store.ErrInvalidArgument, Msg: "unknown level"}
	}
	text, ok := perf(level, f)
	if !ok {
		return nil, &store.Error{Engine: Engine, Op: op, Kind: store.ErrInvalidArgument, Msg: "within another one"}
	}
	return perfCounts(text), nil
}

// perfCounts reads a report: "name = 1, name = 2, ".
func perfCounts(text string) map[string]uint64 {
	all := map[string]uint64{}
	for part := range strings.SplitSeq(text, ", ") {
		name, figure, _ := strings.Cut(part, " = ")
		if n, err := strconv.ParseUint(figure, 10, 64); err == nil {
			all[name] = n
		}
	}
	return all
}
