package memstore

import (
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// wrap returns err as a *store.Error of this engine. Err is one of that type
// without an engine, a sentinel of package store, or the error of a context.
func wrap(op, path string, err error) error {
	e := &store.Error{Engine: Engine, Op: op, Path: path, Kind: err}
	var inner *store.Error
	if errors.As(err, &inner) {
		e.Kind, e.Msg, e.Err = inner.Kind, inner.Msg, inner.Err
	}
	return e
}

func (db *DB) fail(op string, err error) error { return wrap(op, db.path, err) }

// ended is the error of a call whose context is done.
func (db *DB) ended(op string, cause error) error {
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: store.ErrTimeout,
		Msg: "nothing was done", Err: cause}
}

// checkSeek refuses what is longer than any key and its successor.
func checkSeek(key []byte) error {
	if len(key) > store.MaxKeySize+1 {
		return &store.Error{Kind: store.ErrTooLarge, Msg: "key to seek"}
	}
	return nil
}
