package store

import (
	"errors"
	"strings"
)

// Kinds of errors, to be tested for with errors.Is, grouped by the moment at
// which they are met.
var (
	// ErrNotExist: there is no store at the path, and none was to be made.
	ErrNotExist = errors.New("store does not exist")
	// ErrExists: there is a store at the path, and ErrorIfExists was set; or there are
	// entries where Copy was to put others.
	ErrExists = errors.New("store exists already")
	// ErrLocked: the store is open already, in this or in another process.
	ErrLocked = errors.New("store is locked")
	// ErrWrongEngine: the path holds a store of another engine, which the
	// message names. Nothing was changed.
	ErrWrongEngine = errors.New("store belongs to another engine")
	// ErrIncompatible: the store was made with something that this open does
	// not offer: another comparator, more column families, a newer format.
	ErrIncompatible = errors.New("store is incompatible with the options")

	// ErrNotFound: the key, or the property, is not there.
	ErrNotFound = errors.New("not found")
	// ErrCorruption: data on disk is damaged or missing.
	ErrCorruption = errors.New("corruption")

	// ErrTooLarge: a key, a value or a batch is over its maximum size.
	ErrTooLarge = errors.New("too large")
	// ErrReadOnly: a write to a store that was opened read-only.
	ErrReadOnly = errors.New("store is read-only")
	// ErrNoSpace: the device, or the quota, is full.
	ErrNoSpace = errors.New("no space left")
	// ErrConflict: a transaction met a write by another one.
	ErrConflict = errors.New("write conflict")
	// ErrDeadlock: transactions wait for each other's locks.
	ErrDeadlock = errors.New("deadlock")
	// ErrTimeout: a lock or a time limit ran out.
	ErrTimeout = errors.New("timed out")

	// ErrClosed: the DB, iterator or snapshot is closed.
	ErrClosed = errors.New("closed")
	// ErrLeaked: iterators or snapshots were still open at Close.
	ErrLeaked = errors.New("left open")
	// ErrIO: the operating system reported an error.
	ErrIO = errors.New("input/output error")
	// ErrInvalidArgument: an argument or an option has no meaning.
	ErrInvalidArgument = errors.New("invalid argument")
	// ErrNotSupported: this engine, or this build of it, can't do it.
	ErrNotSupported = errors.New("not supported")
	// ErrBusy: the object is in use by another goroutine, or the engine is busy.
	ErrBusy = errors.New("busy")
	// ErrUnknown: the engine reported an error of a kind that this package
	// does not know; the message has the engine's words.
	ErrUnknown = errors.New("unknown error")
)

// Error is what went wrong, and where. Is holds for Kind and for what Err
// wraps.
type Error struct {
	Engine string // "leveldb", "rocksdb", "memstore"
	Op     string // "open", "put", "compact", ...
	Path   string // the store's folder; empty when it has none
	Kind   error  // one of the sentinels of this package; never nil
	Msg    string // what is wrong, in the engine's words or ours; may be empty
	Err    error  // the cause, if it is an error of Go's (os, context); may be nil
}

// Error returns "engine: op path: kind: message", without the parts that are
// not there.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Engine)
	if e.Engine != "" {
		b.WriteString(": ")
	}
	b.WriteString(e.Op)
	if e.Path != "" {
		b.WriteByte(' ')
		b.WriteString(e.Path)
	}
	b.WriteString(": ")
	b.WriteString(e.kind().Error())
	if e.Msg != "" {
		b.WriteString(": ")
		b.WriteString(e.Msg)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the kind and, if there is one, the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.kind()}
	}
	return []error{e.kind(), e.Err}
}

// Is tells whether target is e's kind.
func (e *Error) Is(target error) bool { return target == e.kind() }

func (e *Error) kind() error {
	if e.Kind == nil {
		return ErrUnknown
	}
	return e.Kind
}
