package dir

import (
	"errors"
	"syscall"

	"github.com/lsmkit/lsmkit/store"
)

// fail returns an error that does not know yet what was being done.
func fail(kind error, msg string, cause error) *store.Error {
	return &store.Error{Kind: kind, Msg: msg, Err: cause}
}

// osError returns an error of the operating system's with its kind.
func osError(msg string, err error) *store.Error {
	kind := store.ErrIO
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		kind = store.ErrNoSpace
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ENOTDIR):
		kind = store.ErrInvalidArgument
	}
	return fail(kind, msg, err)
}

// during completes an error. A nil *store.Error becomes a nil error.
func during(engine, op, path string, e *store.Error) error {
	if e == nil {
		return nil
	}
	e.Engine, e.Op, e.Path = engine, op, path
	return e
}
