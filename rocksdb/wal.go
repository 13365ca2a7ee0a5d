package rocksdb

import (
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

var _ store.WALFlusher = (*DB)(nil)

// FlushWAL does something without sync only in a store that is opened with
// Options.ManualWALFlush; in any other the log is with the system already. A
// store that is open read-only is ErrReadOnly.
//
// It stands on rocksdb_flush_wal. See store.WALFlusher.
func (db *DB) FlushWAL(sync bool) error {
	const op = "flush wal"
	s, err := db.enter(op)
	if err != nil {
		return err
	}
	defer db.guard.Exit(s)
	if db.options.ReadOnly {
		return db.sentinel(op, store.ErrReadOnly)
	}
	err = db.failed(op, db.engine.flushWAL(sync))
	if sync && err == nil {
		db.counts.Count(handle.Sync, 0)
	}
	return err
}

// toSystem completes a write whose outcome is text. With manual_wal_flush, its
// log has still to be handed to the system, unless that is done: RocksDB has
// synced it, or it may stay. In a group it may not, whatever its members ask for.
func (db *DB) toSystem(done bool, text string) string {
	if done || text != "" || !db.options.ManualWALFlush {
		return text
	}
	return db.engine.flushWAL(false)
}

func done(o *store.WriteOptions) bool { return o.Synced() || o.Buffered() }
