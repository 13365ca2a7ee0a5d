package memstore

import (
	"context"

	"github.com/lsmkit/lsmkit/store"
)

var _ store.Staller = (*DB)(nil)

// noStalls are those of a store that holds no writes back.
var noStalls = store.Stalls{State: store.StallNone, Count: store.Known(0), Nanos: store.Known(0)}

// Stalls says that there are none; see store.Staller.
func (db *DB) Stalls() (store.Stalls, error) {
	if err := db.read("stalls"); err != nil {
		return store.Stalls{}, err
	}
	defer db.mu.RUnlock()
	return noStalls, nil
}

// WaitWritable returns at once; see store.Staller.
func (db *DB) WaitWritable(ctx context.Context) error {
	const op = "wait writable"
	if err := db.read(op); err != nil {
		return err
	}
	defer db.mu.RUnlock()
	if ctx != nil && ctx.Err() != nil {
		return db.ended(op, ctx.Err())
	}
	return nil
}
