// Package store is the contract that every engine of lsmkit fulfils: one
// ordered map from byte keys to byte values, with atomic batches, iterators,
// snapshots and durability that is said per write.
//
// Import it together with an engine package (leveldb or rocksdb), or with
// store/memstore for a store that lives in memory and needs no C. Code that
// takes a [DB], a [Reader] or a [Writer] runs on each of them, with the same
// results; store/storetest is the suite that holds them to it.
//
// # Order
//
// Keys are any bytes, the empty key included, and are ordered bytewise and
// unsigned: the order of bytes.Compare. Every engine uses this order.
//
// A bound that is nil is no bound. A bound that is empty but not nil ([]byte{})
// is the empty key, the smallest there is: as a lower bound it excludes
// nothing, as an upper bound it excludes everything. This holds for
// [KeyRange], [IterOptions] and every method that takes bounds.
//
// # Values
//
// Values are any bytes. A stored empty value is present: reading it gives a
// slice that is empty and not nil. A missing key is [ErrNotFound], never a nil
// slice with a nil error. Storing a nil value stores an empty one.
//
// Keys longer than [MaxKeySize], values longer than [MaxValueSize] and batches
// larger than [MaxBatchSize] are refused with [ErrTooLarge], without being
// read and before the engine sees them.
//
// # Slices
//
// Slices given as arguments are only read, and are copied before the method
// returns: the caller may change or reuse them afterwards. Slices that methods
// return belong to the caller, with these exceptions: the Key and Value of an
// [Iterator] are valid until the next call that moves it or until its Close,
// the values in a [Values] until its next use as a destination, and what
// [Batch.Each] passes until the batch is next changed.
//
// # Lifetimes
//
// Iterators and snapshots belong to the DB that made them. Release them
// before it is closed. [DB.Close] waits for calls in flight, then closes what
// is still open and says how much that was with an error that is [ErrLeaked].
// After Close every method of the DB and of all that came from it gives
// [ErrClosed] (or, where it has no error to give, false or nil), and the
// engine is not entered. Nothing is freed by the garbage collector.
//
// # Durability
//
// One word per write says what it survives. With [Sync] the write has reached
// the device when the call returns (fdatasync) and survives the loss of power.
// With [NoSync] (or nil options) it has reached the operating system and
// survives a crash of the process, but a power loss may take it, together with
// all unsynced writes after it. Both engines keep the order of writes: what
// is lost is always the newest part. A synced write makes all earlier ones of
// the same store durable too.
//
// A third word, [WALBuffered], is RocksDB's alone, for stores that are opened for
// it: the write may stay in the process, and a crash of that may take it, together
// with all such writes after it.
//
// Writing in bulk is what [NewBuffered] is for. What it has accepted is in the
// store only once it has been flushed or closed.
//
// # Across stores
//
// [Namespace] makes a DB of the keys that begin with a prefix. [Copy] copies a
// store to another one, of the same engine or not, [Diff] tells in what two differ,
// and [Checksum] whether they do, without having both at hand.
//
// # Goroutines
//
// A DB and a Snapshot may be used by any number of goroutines at once, Close
// and Release included. An Iterator, a Batch and a Values belong to one
// goroutine at a time.
//
// A goroutine that is in C holds a thread of the operating system. So at most
// [Options.MaxCalls] are there at a time; all others wait, as goroutines do, in the
// order in which they came, and no number of them makes the process run out of
// threads. Open iterators and snapshots keep nobody out.
//
// Synced writes, on LevelDB all writes, and on RocksDB those for which there is no
// room beside the others, are committed in groups: one of the writers commits for
// those that have come meanwhile, up to 1 MiB (a larger write goes alone). A group
// is one write to the engine. Its outcome is that of each member: all of it is
// there, or the error, which all get, says what is known. It is synced if one of
// them is to be. What a goroutine writes is done in its order, and a batch stays
// whole. A writer whose context ends while it waits gets an error that is
// [ErrTimeout] and says that the outcome is unknown: the group is committed all
// the same. Close waits for the groups that there are.
//
// # Errors
//
// Errors are tested with errors.Is against the sentinels of this package
// ([ErrNotFound], [ErrClosed], [ErrCorruption] and so on). All but the hot
// path's bare ErrNotFound are of type *[Error], which tells engine, operation,
// path and the engine's own message. No method panics for a mistake of its
// caller.
//
// # Seen from outside
//
// DB.Metrics tells what a store has done and what it is made of, under names that
// are common to all engines; a figure that an engine doesn't tell is marked so.
// [Options].Logger gets messages as log/slog has them. The module
// metrics/prometheus makes Prometheus metrics of it.
//
// # Glossary
//
//   - Memtable: the sorted in-memory table that takes new writes. A full one
//     becomes immutable and is flushed to an SST.
//   - WAL (write-ahead log, "log" in LevelDB): the file that each write is
//     appended to before it enters the memtable.
//   - SST (sorted string table, "table" in LevelDB): an immutable sorted file.
//   - Level: SSTs are kept in levels; files of level 0 may overlap each other,
//     those of deeper levels may not.
//   - Compaction: merging SSTs of one level into the next, which drops
//     overwritten and deleted entries.
//   - Tombstone: the entry that records a deletion until compaction drops it.
//   - Write stall: the engine holds writers back until flush or compaction
//     has caught up.
//   - Block cache: memory for uncompressed blocks of SSTs.
//   - Bloom filter: a few bits a key by which a lookup skips SSTs that can't
//     hold the key.
//   - MANIFEST: the file that records which SSTs make up the store; CURRENT
//     names the MANIFEST in force.
//   - Sequence number: the number of a write in the engine's total order; a
//     snapshot is one such number.
package store
