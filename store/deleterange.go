package store

import (
	"context"
	"errors"
)

// DeleteRangePieces removes the keys of the range in pieces: batches of about
// size bytes (0: 1 MiB), each atomic, the whole is not. It is for ranges that
// are too large for one batch on an engine without a native DeleteRange. It
// removes the keys that are there when it begins. When ctx ends, it stops
// between two pieces with ctx's error; a nil ctx never ends. It returns the
// number of keys removed, on an error too. A reversed range, or a negative
// size, is ErrInvalidArgument.
func DeleteRangePieces(ctx context.Context, db DB, r KeyRange, size int, o *WriteOptions) (removed int, err error) {
	if size < 0 {
		return 0, &Error{Op: "delete range", Kind: ErrInvalidArgument, Msg: "negative size"}
	}
	if size == 0 {
		size = 1 << 20
	}
	if err := CheckRange(r.Start, r.End); err != nil {
		return 0, err
	}
	keys, errf := Keys(db, r)
	var b Batch
	commit := func() error {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := db.Write(&b, o); err != nil {
			return err
		}
		removed += b.Len()
		b.Reset()
		return nil
	}
	for k := range keys {
		err := b.Delete(k)
		if errors.Is(err, ErrTooLarge) { // full before it reached size
			if err = commit(); err == nil {
				err = b.Delete(k)
			}
		}
		if err == nil && b.Size() >= size {
			err = commit()
		}
		if err != nil {
			return removed, err
		}
	}
	if err := errf(); err != nil {
		return removed, err
	}
	return removed, commit()
}
