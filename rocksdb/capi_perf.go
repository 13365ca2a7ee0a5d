package rocksdb

/*
#include "capi.h"

// RocksDB's own numbers (rocksdb/perf_level.h). Those of c.h above counts are of
// an earlier version, before kEnableWait: its "time" turns the times off.
enum { COUNTS = 2, TIMES = 5, LOCK_TIMES = 6 };

#cgo nocallback rdb_count
*/
import "C"

import "runtime"

var perfLevels = map[PerfLevel]C.int{
	PerfCounts:    C.COUNTS,
	PerfTimes:     C.TIMES,
	PerfLockTimes: C.LOCK_TIMES,
}

// perf calls f on a thread of its own that counts, and returns RocksDB's report of
// it. ok is false if the thread counts already, and f was not called.
func perf(level PerfLevel, f func()) (report string, ok bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if C.rdb_count(perfLevels[level]) == 0 {
		return "", false
	}
	defer C.rdb_count(C.rocksdb_disable)
	counts := C.rocksdb_perfcontext_create()
	defer C.rocksdb_perfcontext_destroy(counts)
	C.rocksdb_perfcontext_reset(counts)
	if f != nil {
		f()
	}
	return text(C.rocksdb_perfcontext_report(counts, 1)), true
}
