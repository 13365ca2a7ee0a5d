// Package memstore is a store.DB that lives in memory and needs no C. It is
// the model of the contract: the suite of store/storetest compares the engines
// with it, and programs use it in tests, or where a sorted map with batches,
// iterators and snapshots is wanted and nothing has to outlive the process.
//
// New returns a store of its own. A Disk stands for a file system: what is
// written to a store on it is there when the same path is opened again, closed
// or not, as after a crash of a process. Nothing is written to real files.
//
// Snapshots and iterators take constant time to make, whatever the size: the
// entries lie in a B+ tree whose nodes are copied when they are written after
// that. All options of store.Options are checked; those about sizes, caches,
// files, checksums and compression have no effect.
//
// Errors are *store.Error with Engine "memstore"; Get, AppendGet and the like
// return the bare store.ErrNotFound.
package memstore
