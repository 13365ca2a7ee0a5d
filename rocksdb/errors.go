package rocksdb

import (
	"errors"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// Engine is the engine's name, in errors and in package store/engines.
const Engine = "rocksdb"

// fail makes an error of an engine's text.
func (db *DB) fail(op, text string) error {
	db.counts.Count(handle.Failure, 0)
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: status.Kind(text), Msg: text}
}

// failed is fail for a call that may have succeeded.
func (db *DB) failed(op, text string) error {
	if text == "" {
		return nil
	}
	return db.fail(op, text)
}

// refuse wraps an error that package store has found in arguments.
func (db *DB) refuse(op string, err error) error { return refuse(op, db.path, err) }

func refuse(op, path string, err error) error {
	e := &store.Error{Engine: Engine, Op: op, Path: path, Kind: store.ErrUnknown, Err: err}
	var inner *store.Error
	if errors.As(err, &inner) {
		e.Kind, e.Msg, e.Err = inner.Kind, inner.Msg, inner.Err
	}
	return e
}

// sentinel is an error that needs no more words than its kind.
func (db *DB) sentinel(op string, kind error) error {
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: kind}
}

func (db *DB) invalid(op, msg string) error {
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: store.ErrInvalidArgument, Msg: msg}
}

// ended is the error of a call whose context is done.
func (db *DB) ended(op, msg string, cause error) error {
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: store.ErrTimeout, Msg: msg, Err: cause}
}
