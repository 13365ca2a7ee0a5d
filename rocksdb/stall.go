package rocksdb

import (
	"context"
	"syscall"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// stalled is what a write returns when RocksDB would hold it back: writes are
// made with no_slowdown.
//
// The waiting is done here, for two reasons. A goroutine that sleeps is no
// thread. And RocksDB can wait for itself: on a full disk, a writer that waits
// inside for a flush keeps the recovery, which has to flush, from entering the
// write queue, and neither ever ends. (Seen with 9.10.0 in one run of three:
// DBImpl::DelayWrite against ErrorHandler::RecoverFromBGError.)
const stalled = "Result incomplete: Write stall"

const (
	// stallPause is the time after which RocksDB refills what a slowed-down
	// writer may write (kMicrosPerRefill in write_controller.cc).
	stallPause = time.Millisecond
	// stallLimit bounds the waiting for a store in which background jobs fail.
	stallLimit = 30 * time.Second
)

// StallTime returns for how long writes have waited out stalls since the store was
// opened. One of them waits for all that wait at the same time, and they count
// once. RocksDB itself doesn't count them, since it doesn't do the waiting.
func (db *DB) StallTime() time.Duration { return time.Duration(db.stalled.Load()) }

// waitOut repeats a stalled write, of which nothing has been written, until
// RocksDB takes it. It ends with an error when ctx, which may be nil, or the
// store does, or when the stall can't pass since the disk is full. The caller
// leads the queue: only its own place is kept meanwhile.
func (db *DB) waitOut(op string, ctx context.Context, b *store.Batch, sync bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	pause := time.NewTicker(stallPause)
	defer pause.Stop()
	began := time.Now()
	defer func() { db.stalled.Add(int64(time.Since(began))) }()
	for {
		select {
		case <-ctx.Done():
			return db.ended(op, "in a write stall, nothing was done", ctx.Err())
		case <-pause.C:
		}
		if db.guard.Closed() {
			return db.sentinel(op, store.ErrClosed)
		}
		text := db.engine.write(b.Encoded(), sync)
		if text != stalled {
			if text == "" {
				db.jobsFailed.Store(db.backgroundErrors())
			}
			return db.wrote(op, text, b, sync)
		}
		if err := db.stuck(op, time.Since(began)); err != nil {
			return err
		}
	}
}

// stuck returns an error if a stall will not pass: background jobs have failed
// since the last that did.
func (db *DB) stuck(op string, waited time.Duration) error {
	if db.backgroundErrors() == db.jobsFailed.Load() {
		return nil
	}
	fault := &store.Error{Engine: Engine, Op: op, Path: db.path}
	var fs syscall.Statfs_t
	switch err := syscall.Statfs(db.path, &fs); {
	case err == nil && int64(fs.Bavail)*fs.Bsize < db.options.WriteBufferSize:
		fault.Kind, fault.Msg = store.ErrNoSpace, "writes are stalled, and a memtable can't be flushed"
	case waited > stallLimit:
		fault.Kind, fault.Msg = store.ErrIO, "writes are stalled, and background jobs fail; RocksDB's log tells why"
	default:
		return nil // RocksDB tries again by itself
	}
	return fault
}
