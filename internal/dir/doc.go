// Package dir guards the folders of stores: it looks before an engine opens.
//
// Neither engine protects a user enough. LevelDB makes a new store where
// CURRENT is missing and deletes the tables; RocksDB does so at the second
// attempt, and converts a store of LevelDB for good when it opens one. Both
// open one folder twice when its path is spelled in two ways. So an engine
// package first calls Acquire, which resolves the path, refuses what must not
// be opened, and reserves the folder for this process; it then opens the
// resolved path, and calls Release after it has closed the store, or Abandon
// when opening failed.
//
// A lock of fcntl belongs to the process, and closing any descriptor of the
// file drops it. Nothing in this package opens LOCK, except Claim.LockFile and
// Claim.Abandon, which rely on the reservation: no store in this process has
// that LOCK open then.
//
// All errors are of type *store.Error. The package knows file names and the
// format of MANIFEST files; it needs no C.
package dir
