// Package rocksdb is RocksDB behind the contract of package store.
//
//	db, err := rocksdb.Open("things.rdb", &rocksdb.Options{
//		Options: store.Options{CreateIfMissing: true},
//	})
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//
// The package stands on RocksDB 9.10. It is linked by cgo, and needs its headers
// and library: scripts/build-deps.sh builds them, and prints the flags.
//
// # What RocksDB does its own way
//
//   - DeleteRange is native: one record, whatever it covers.
//   - Bounds of an iterator are RocksDB's own: a scan does not step over the
//     tombstones behind its upper bound.
//   - An iterator that meets a damaged block delivers what lies before it, and
//     ends with ErrCorruption.
//   - Logs are checked in Go before RocksDB replays them, as on LevelDB, and
//     replayed with kTolerateCorruptedTailRecords or, with store.Strict,
//     kAbsoluteConsistency. RocksDB's own default, kPointInTimeRecovery, drops all
//     that lies behind damage without an error, its other modes what lies behind
//     zeros in the same block, and a bit in a record's type can make it read for
//     ever.
//   - Compact can be interrupted by its context and by Close.
//   - Options.ReadOnly is supported: no lock is taken, nothing is written, and
//     the state is the one at Open.
//   - Writes that are not synced go to RocksDB side by side, as far as
//     store.Options.MaxCalls allows: its own queue of writers is as fast then as
//     groups made in Go, and lets several processors work. Synced writes, and what
//     goes beyond, are committed in groups.
//   - A write stall is waited out in Go, as goroutines do, up to the write's
//     context or Close. (Inside RocksDB 9.10 a waiting writer and the recovery
//     from a full disk can wait for each other for ever.) Stalls tells of it, and
//     WaitWritable waits for its end. While RocksDB slows writes down, those that
//     it holds back go one behind the other, at up to the rate that it sets.
//   - Options.ManualWALFlush is for writes that may be lost with the process:
//     store.WALBuffered. FlushWAL writes the log out apart from writes, in any
//     store.
//   - After a full disk RocksDB refuses writes with ErrNoSpace and recovers by
//     itself: it looks every five seconds for as much room as WriteBufferSize, so
//     that a small buffer recovers early, and one that is larger than the room never.
//   - After other errors of writes, flushes and compactions (too many open files,
//     say) it refuses writes until the store is reopened: its C API has no resume.
//     The error stays the same, reads go on, and nothing that was acknowledged is
//     lost.
//
// # What can be seen
//
// Metrics has our own counts and RocksDB's properties; hits of the block cache and
// the bytes that compactions move need Options.Statistics. Perf has what RocksDB does
// in the calls of one function, which is not counted otherwise. Options.Logger gets
// RocksDB's log. RocksDB writes that from whatever thread it is on, those of callers
// included, and never waits for the handler: lines go to a buffer of 256 KiB in C,
// from which a goroutine takes them. While an execution trace is taken, each
// operation is a region of it.
//
// # Not offered
//
// Comparators, merge operators, compaction filters and environments of one's
// own: they would be called from C, into Go, on threads and from calls that
// can't allow it. Stores with column families other than default are
// ErrIncompatible. Unwrap gives grocksdb's handle.
package rocksdb
