package leveldb

import (
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// Repair makes a damaged store readable again, with as much of its data as can
// be saved: it rebuilds the MANIFEST from the tables and logs that it finds, and
// sets aside what it can't read in the subfolder lost. It is for a store that
// Open reports as ErrCorruption; a sound one keeps all its data. The options
// should be those of the store; nil is the zero value.
//
// The store must not be open: ErrLocked. The folder of another engine is
// ErrWrongEngine, one without any file of a store ErrNotExist.
//
// It stands on leveldb_repair_db, which takes no lock; this function does.
func Repair(path string, o *Options) error {
	const op = "repair"
	e, err := o.Effective()
	if err != nil {
		return refuse(op, path, err)
	}
	claim, err := dir.Acquire(Engine, op, path, dir.Mode{Damaged: true})
	if err != nil {
		return err
	}
	defer claim.Release()
	unlock, err := claim.LockFile()
	if err != nil {
		return err
	}
	defer unlock()
	text := repair(claim.Path(), e)
	e.tail(claim.Path()).stop() // only now is LOG the repair's
	if text != "" {
		return &store.Error{Engine: Engine, Op: op, Path: claim.Path(), Kind: status.OpenKind(text), Msg: text}
	}
	return nil
}

// Destroy removes the store in the folder path: the files that are LevelDB's,
// and the folder if nothing else is in it. Foreign files stay. A damaged store is
// removed too.
//
// The store must not be open: ErrLocked. The folder of another engine is
// ErrWrongEngine, one without a store ErrNotExist, and nothing is changed.
//
// It does what leveldb_destroy_db does, in Go, under LevelDB's lock.
func Destroy(path string) error {
	claim, err := dir.Acquire(Engine, "destroy", path, dir.Mode{Damaged: true})
	if err != nil {
		return err
	}
	defer claim.Release()
	_, err = claim.Destroy()
	return err
}
