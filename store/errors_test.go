package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Errors say where and what, and errors.Is finds the kind and the cause.

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  store.Error
		want string
	}{
		{store.Error{Engine: "leveldb", Op: "open", Path: "/data/x", Kind: store.ErrLocked, Msg: "held by 12"},
			"leveldb: open /data/x: store is locked: held by 12"},
		{store.Error{Engine: "rocksdb", Op: "put", Kind: store.ErrTooLarge}, "rocksdb: put: too large"},
		{store.Error{Op: "batch", Kind: store.ErrTooLarge, Msg: "key"}, "batch: too large: key"},
		{store.Error{Engine: "memstore", Op: "write", Path: "x", Kind: store.ErrTimeout, Err: context.Canceled},
			"memstore: write x: timed out: context canceled"},
		{store.Error{Op: "get"}, "get: unknown error"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestErrorIs(t *testing.T) {
	err := fmt.Errorf("loading: %w", &store.Error{Op: "open", Kind: store.ErrIO, Err: fs.ErrPermission})
	for _, target := range []error{store.ErrIO, fs.ErrPermission} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
	for _, target := range []error{store.ErrNotFound, store.ErrUnknown, fs.ErrNotExist, nil} {
		if errors.Is(err, target) {
			t.Errorf("%v is %v", err, target)
		}
	}
	var e *store.Error
	if !errors.As(err, &e) || e.Op != "open" {
		t.Errorf("as: %v", e)
	}
	if !errors.Is(&store.Error{}, store.ErrUnknown) {
		t.Error("an error without a kind is not ErrUnknown")
	}
}

// The sentinels are all different, so that a test for one never finds another.
func TestSentinelsDiffer(t *testing.T) {
	all := []error{
		store.ErrNotExist, store.ErrExists, store.ErrLocked, store.ErrWrongEngine, store.ErrIncompatible,
		store.ErrNotFound, store.ErrCorruption, store.ErrTooLarge, store.ErrReadOnly, store.ErrNoSpace,
		store.ErrConflict, store.ErrDeadlock, store.ErrTimeout, store.ErrClosed, store.ErrLeaked, store.ErrIO,
		store.ErrInvalidArgument, store.ErrNotSupported, store.ErrBusy, store.ErrUnknown,
	}
	texts := make(map[string]bool)
	for i, a := range all {
		if texts[a.Error()] {
			t.Errorf("two sentinels say %q", a)
		}
		texts[a.Error()] = true
		for j, b := range all {
			if errors.Is(&store.Error{Kind: a}, b) != (i == j) {
				t.Errorf("%v and %v are not told apart", a, b)
			}
		}
	}
}
