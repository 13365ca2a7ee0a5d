package leveldb

import (
	"github.com/lsmkit/lsmkit/internal/commit"
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// wrote takes the outcome of a write and notes if the log may end in half a
// record now. The caller leads.
func (db *DB) wrote(op, text string) error {
	if text == "" {
		return nil
	}
	err := &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: status.Kind(text), Msg: text}
	db.torn.CompareAndSwap(nil, err)
	return err
}

// mend switches to a new log if a write has failed. LevelDB would go on behind
// the torn record, where recovery does not find what is written. As long as it
// can't be done, the failure stays, and nothing is written. The caller leads.
func (db *DB) mend(op string) error {
	fault := db.torn.Load()
	if fault == nil {
		return nil
	}
	before, err := dir.LogNumber(db.path)
	if err == nil {
		db.engine.flush()
		var after uint64
		after, err = dir.LogNumber(db.path)
		if err == nil && after > before {
			if text := db.engine.check(); text != "" {
				return db.fail(op, text)
			}
			db.torn.Store(nil)
			return nil
		}
	}
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: fault.Kind,
		Msg: "an earlier write failed, and no new log could be started: " + fault.Msg, Err: err}
}

// mendAlone is mend for who does not lead but holds the guard.
func (db *DB) mendAlone(op string) error {
	if db.queue.TryLead() {
		defer db.queue.Done()
		return db.mend(op)
	}
	return db.queue.Join(commit.Write{Do: func() error { return db.mend(op) }, Release: func() {}})
}
