// Package leveldb is LevelDB behind the contract of package store.
//
//	db, err := leveldb.Open("things.ldb", &leveldb.Options{
//		Options: store.Options{CreateIfMissing: true},
//	})
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//
// The package stands on LevelDB 1.23. It is linked by cgo, and needs its headers
// and library: scripts/build-deps.sh builds them, and prints the flags.
//
// # What LevelDB does its own way
//
//   - DeleteRange has no native form: one delete for each key of the range is
//     written, in one batch, while other writers wait. It is as atomic as any
//     batch, costs as much as the deletes, and is ErrTooLarge past
//     store.MaxBatchSize.
//   - Iterators have no upper bound of LevelDB's own. A bounded scan stops at the
//     bound, but has to step over the tombstones before it one by one, which
//     RocksDB need not.
//   - An iterator that meets a damaged block ends with ErrCorruption at most one
//     chunk (64 KiB) before the damage, and keeps that error, also when it is
//     positioned anew.
//   - Compact can't be interrupted: Compact and Close wait for it. It rewrites
//     nothing where all data is in one level already.
//   - Flush has no native form either. It is made of the compaction of an empty
//     range, which writes the memtable out and starts a new log.
//   - Block checksums are verified on every read, as on RocksDB, those of
//     indexes and filters and those that compactions read included, for which
//     LevelDB's paranoid_checks is switched on. LevelDB's own default is not to;
//     Options.VerifyChecksums switches it off.
//   - Logs are checked in Go before LevelDB replays them, as on RocksDB, for
//     LevelDB reads around damage, unless paranoid_checks is on, and around zeros
//     in any case. A record at the end of a log that was cut by a crash is no
//     damage, but with store.Strict, which LevelDB itself can't be.
//   - All writes are committed in groups where several goroutines write at once,
//     and one manual compaction runs at a time: LevelDB makes the others wait in C.
//   - Write stalls are waited for in LevelDB, on a thread, and a context doesn't
//     end that; WaitWritable waits for their end before. Stalls tells of them as
//     far as LevelDB does.
//   - Each write is handed to the system: store.WALBuffered is ErrNotSupported.
//   - There is no read-only mode: ErrNotSupported. No codec but Snappy.
//   - Whether the library was built with Snappy can't be asked. Without it,
//     LevelDB stores blocks uncompressed and says nothing; scripts/build-deps.sh
//     builds with it.
//
// # After a write has failed
//
// When LevelDB could not append to its log (the disk was full, say), it goes on
// appending behind the torn record, and recovery later stops there: writes that
// were acknowledged after the failure, synced ones too, are gone once the store
// is reopened. This package holds such writes back. After a write error, the
// next write first switches to a new log; while that can't be done, writes return
// the error, and nothing is acknowledged that could be lost. It is tried only when
// there is room for what the log holds, so that writes work again by themselves
// once a full disk has that much room.
//
// When a flush or a compaction fails (on a full disk too: they need more room than
// the log), or the sync of a log, LevelDB stops: every later write returns that
// error, which says so, until the store is closed and opened again. Reads go on,
// and nothing that was acknowledged is lost.
//
// # What can be seen
//
// Metrics has our own counts, and what can be made of LevelDB's four properties.
// LevelDB counts no look-ups of its cache. Options.Logger gets what LevelDB writes
// to its file LOG, which is followed, since its C API has no logger; the levels are
// ours. While an execution trace is taken, each operation is a region of it.
//
// # Not offered
//
// Comparators and environments of one's own, and filters other than Bloom's.
// Unwrap gives levigo's handle.
package leveldb
