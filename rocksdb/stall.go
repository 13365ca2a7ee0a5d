package rocksdb

import (
	"context"
	"sync"
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

var _ store.Staller = (*DB)(nil)

// Stalls tells the state as RocksDB has it, and count and time of the waiting of
// writes, which is done by this package: one of them waits for all that come
// meanwhile, and they count once. Writes through Unwrap's handle are not among
// them.
//
// It stands on rocksdb_property_value of "rocksdb.is-write-stopped" and
// "rocksdb.actual-delayed-write-rate". See store.Staller.
func (db *DB) Stalls() (store.Stalls, error) {
	s, err := db.enter("stalls")
	if err != nil {
		return store.Stalls{}, err
	}
	defer db.guard.Exit(s)
	return db.stalls(), nil
}

// stalls is Stalls for who holds the guard.
func (db *DB) stalls() store.Stalls {
	count, held := db.held.read()
	return store.Stalls{State: db.stallState(), Count: store.Known(count), Nanos: store.Known(uint64(held))}
}

func (db *DB) stallState() store.StallState {
	stopped, ok := db.engine.property("rocksdb.is-write-stopped")
	switch {
	case !ok:
		return store.StallUnknown
	case stopped != "0":
		return store.StallStopped
	case db.delayedRate() > 0:
		return store.StallDelayed
	}
	return store.StallNone
}

// delayedRate returns the bytes a second that RocksDB takes now, 0 for no limit.
func (db *DB) delayedRate() uint64 {
	text, _ := db.engine.property("rocksdb.actual-delayed-write-rate")
	rate, _ := parseFigure(text).Value()
	return rate
}

// WaitWritable waits in Go, as writes do, and gives up where they would. It looks
// every millisecond, and has no place among the calls meanwhile. It stands on
// rocksdb_property_value, as Stalls does. See store.Staller.
func (db *DB) WaitWritable(ctx context.Context) error {
	const op = "wait writable"
	if ctx == nil {
		ctx = context.Background()
	}
	pause := time.NewTicker(stallPause)
	defer pause.Stop()
	for began := time.Now(); ; {
		if ctx.Err() != nil {
			return db.ended(op, "in a write stall", ctx.Err())
		}
		s, err := db.enterOrGiveUp(op, ctx)
		if err != nil {
			return err
		}
		state := db.stallState()
		if state != store.StallNone {
			err = db.stuck(op, time.Since(began))
		}
		db.guard.Exit(s)
		if state == store.StallNone || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
	}
}

// heldWrites counts how often writes have waited for RocksDB to take them. The
// queue's leader waits for all.
type heldWrites struct {
	mu    sync.Mutex
	now   bool
	since time.Time // while now
	count uint64
	total time.Duration // up to since
}

func (h *heldWrites) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now, h.since = true, time.Now()
	h.count++
}

func (h *heldWrites) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = false
	h.total += time.Since(h.since)
}

func (h *heldWrites) read() (count uint64, total time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if total = h.total; h.now {
		total += time.Since(h.since)
	}
	return h.count, total
}

// waitOut makes a write that RocksDB holds back, and of which nothing has been
// written, when RocksDB takes it. It ends with an error when ctx, which may be
// nil, or the store does, or when the stall can't pass since the disk is full. The
// caller leads the queue: only its own place is kept meanwhile.
func (db *DB) waitOut(op string, ctx context.Context, b *store.Batch, sync bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	db.held.begin()
	defer db.held.end()
	if db.gate.enter() {
		db.stallLog.Begin(db.stallState().String())
	}
	pause := time.NewTicker(stallPause)
	defer pause.Stop()
	for began := time.Now(); ; {
		if db.guard.Closed() {
			return db.sentinel(op, store.ErrClosed)
		}
		if db.gate.mayTry(b.Size(), db.stallState, db.delayedRate) {
			if text := db.toSystem(sync, db.engine.write(b.Encoded(), sync)); text != stalled {
				if text == "" {
					db.jobsFailed.Store(db.backgroundErrors())
				}
				if db.gate.taken(b.Size(), db.stallState()) {
					db.stallLog.End()
				}
				return db.wrote(op, text, b, sync)
			}
			db.gate.refused()
		}
		if err := db.stuck(op, time.Since(began)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return db.ended(op, "in a write stall, nothing was done", ctx.Err())
		case <-pause.C:
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
