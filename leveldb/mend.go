package leveldb

import (
	"strings"

	"github.com/lsmkit/lsmkit/internal/commit"
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// A fault is a write that has failed. It holds back all later ones.
type fault struct {
	err *store.Error
	// stopped: LevelDB itself has stopped. An error of a flush or a compaction, or
	// of a log's sync, stays with it until the store is reopened.
	stopped bool
}

// wrote takes the outcome of a write. After an error the log may end in half a
// record, or LevelDB has stopped: then the error is not about a log. The caller
// leads.
func (db *DB) wrote(op, text string) error {
	if text == "" {
		return nil
	}
	f := &fault{err: &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: status.Kind(text), Msg: text}}
	if f.stopped = !strings.Contains(text, ".log: "); f.stopped {
		f.err.Msg = stoppedMsg + text
	}
	db.fault.Store(f)
	db.counts.Count(handle.Failure, 0)
	db.log.Error("a write has failed, later ones are held back", "error", text, "stopped", f.stopped)
	return f.err
}

// logged is wrote for a write with a log record of n bytes, which is counted.
func (db *DB) logged(op, text string, n int, sync bool) error {
	if err := db.wrote(op, text); err != nil {
		return err
	}
	db.counts.Count(handle.Log, n)
	if sync {
		db.counts.Count(handle.Sync, 0)
	}
	return nil
}

const stoppedMsg = "LevelDB has stopped, and takes writes again when the store is reopened: "

// mend switches to a new log if a write has failed. LevelDB would go on behind
// the torn record, where recovery does not find what is written. As long as it
// can't be done, the failure stays, and nothing is written. The caller leads.
//
// To switch, LevelDB has to write its memtable out, and where that fails it stops
// for good. So mend tries only when there is room for it.
func (db *DB) mend(op string) error {
	f := db.fault.Load()
	if f == nil {
		return nil
	}
	held := func(why string, err error) error {
		return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: f.err.Kind, Msg: why + f.err.Msg, Err: err}
	}
	if f.stopped {
		return held("", nil)
	}
	if err := db.room(); err != nil {
		return held("an earlier write failed, and a new log can't be started: ", err)
	}
	before, err := dir.LogNumber(db.path)
	if err != nil {
		return held("an earlier write failed, and a new log can't be started: ", err)
	}
	db.engine.flush()
	db.flushed.Store(true)
	after, err := dir.LogNumber(db.path)
	if err != nil || after == before {
		return held("an earlier write failed, and LevelDB starts no new log; if that stays so, reopen the store: ", err)
	}
	// The log is new. An error is that of the memtable's way out, or of the new log.
	if err := db.wrote(op, db.engine.check()); err != nil {
		return err
	}
	db.fault.Store(nil)
	db.log.Warn("a new log was started after a failed write", "number", after)
	return nil
}

// room returns an error if there is no room for what the logs hold as a table,
// which can be a little larger where rows are small.
func (db *DB) room() error {
	logs, err := dir.LogBytes(db.path)
	if err != nil {
		return err
	}
	const more = 64 << 10 // MANIFEST, and the table's own
	return dir.Room(db.path, logs+logs/2+more)
}

// settle returns the error of a flush or a compaction, which LevelDB's C API does
// not: an empty write has it. It ends the call.
func (db *DB) settle(op string, s *handle.Stripe) error {
	return db.leading(s, func() error {
		if err := db.mend(op); err != nil {
			return err
		}
		return db.wrote(op, db.engine.check())
	})
}

// mendAlone is mend for who does not lead.
func (db *DB) mendAlone(op string) error {
	s := db.guard.EnterOver()
	if s == nil {
		return db.sentinel(op, store.ErrClosed)
	}
	return db.leading(s, func() error { return db.mend(op) })
}

// leading runs do as the leader. It ends the call.
func (db *DB) leading(s *handle.Stripe, do func() error) error {
	if db.queue.TryLead(true) {
		defer db.queue.Done(s)
		return do()
	}
	return db.queue.Join(s, commit.Write{Do: do})
}
