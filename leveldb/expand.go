package leveldb

import (
	"bytes"
	"errors"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// commitRanges writes a batch with range deletes. The caller leads: what a range
// covers must not change between reading its keys and deleting them.
func (db *DB) commitRanges(op string, b *store.Batch, sync bool) error {
	if err := db.mend(op); err != nil {
		return err
	}
	out, err := db.expand(b)
	var refused *store.Error
	switch {
	case errors.As(err, &refused) && refused.Engine == "": // a limit of Batch
		return db.refuse(op, err)
	case err != nil:
		return err
	case out.Len() == 0:
		return nil
	}
	db.beforeWrite(out.Size())
	return db.logged(op, db.engine.write(out.Encoded(), sync), out.Size(), sync)
}

// expand returns b with each range delete replaced by deletes of the keys that
// it covers: those in the store, and those that b has put before it. With n
// records, and m keys of the store that are covered, it takes (n + m) log n steps,
// however the ranges overlap.
func (db *DB) expand(b *store.Batch) (*store.Batch, error) {
	x := &expansion{db: db, out: store.NewBatch(b.Size())}
	x.prepare(b)
	defer x.close()
	err := b.Each(func(r store.Record) error {
		switch r.Kind {
		case store.KindPut:
			x.own.add(rank(x.puts, r.Key))
			return x.out.Put(r.Key, r.Value)
		case store.KindDelete:
			return x.out.Delete(r.Key)
		}
		if err := x.deleteOwn(r.Key, r.End); err != nil {
			return err
		}
		return x.deleteStored(r.Key, r.End)
	})
	return x.out, err
}

// An expansion is at work on one batch.
type expansion struct {
	db  *DB
	out *store.Batch

	puts [][]byte // the keys that the batch puts, in order
	own  *rankSet // those of them that are there at this point of the batch

	// bounds are the starts and ends of all ranges, in order. They cut the keys
	// into stretches, of which the last has no end. A stretch of the store is
	// deleted once: what comes back to it later is of the batch.
	bounds    [][]byte
	untouched *rankSet // the stretches that no range has covered yet
	endless   bool     // one of the ranges has no end

	it *Iterator // over what the ranges cover together, made at the first need
}

// prepare collects keys and bounds, which are b's memory.
func (x *expansion) prepare(b *store.Batch) {
	b.Each(func(r store.Record) error {
		switch r.Kind {
		case store.KindPut:
			x.puts = append(x.puts, r.Key)
		case store.KindDeleteRange:
			x.bounds = append(x.bounds, r.Key)
			if r.End == nil {
				x.endless = true
			} else {
				x.bounds = append(x.bounds, r.End)
			}
		}
		return nil
	})
	for _, keys := range []*[][]byte{&x.puts, &x.bounds} {
		slices.SortFunc(*keys, bytes.Compare)
		*keys = slices.CompactFunc(*keys, bytes.Equal)
	}
	x.own, x.untouched = newRankSet(len(x.puts)), newRankSet(len(x.bounds))
	for i := range x.bounds {
		x.untouched.add(i)
	}
}

// rank returns how many of the keys lie before key. A nil key lies behind all.
func rank(keys [][]byte, key []byte) int {
	if key == nil {
		return len(keys)
	}
	i, _ := slices.BinarySearchFunc(keys, key, bytes.Compare)
	return i
}

// deleteOwn deletes the keys of a range that the batch has put.
func (x *expansion) deleteOwn(start, end []byte) error {
	last := rank(x.puts, end)
	for i := x.own.next(rank(x.puts, start)); i >= 0 && i < last; i = x.own.next(i + 1) {
		if err := x.delete(x.puts[i]); err != nil {
			return err
		}
		x.own.remove(i)
	}
	return nil
}

// deleteStored deletes the keys of a range that the store has and that no range
// before has deleted.
func (x *expansion) deleteStored(start, end []byte) error {
	last := rank(x.bounds, end)
	for i := x.untouched.next(rank(x.bounds, start)); i >= 0 && i < last; i = x.untouched.next(i) {
		first := i
		for ; i < last && x.untouched.next(i) == i; i++ {
			x.untouched.remove(i)
		}
		piece := store.KeyRange{Start: x.bounds[first]}
		if i < len(x.bounds) {
			piece.End = x.bounds[i]
		}
		if err := x.deletePiece(piece); err != nil {
			return err
		}
	}
	return nil
}

func (x *expansion) deletePiece(piece store.KeyRange) error {
	if x.it == nil {
		s := iterSettings{lower: x.bounds[0], keysOnly: true, verify: x.db.engine.verify}
		if !x.endless {
			s.upper = x.bounds[len(x.bounds)-1]
		}
		var err error
		if x.it, err = x.db.inner(s); err != nil {
			return err
		}
	}
	for ok := x.it.SeekGE(piece.Start); ok && piece.Contains(x.it.Key()); ok = x.it.Next() {
		if err := x.delete(x.it.Key()); err != nil {
			return err
		}
	}
	return x.it.Err()
}

func (x *expansion) close() {
	if x.it != nil {
		x.it.Finish()
		x.it.core.Free()
	}
}

func (x *expansion) delete(key []byte) error {
	if err := x.out.Delete(key); err != nil {
		return err
	}
	if x.out.Size() > x.db.limit {
		return &store.Error{Op: "batch", Kind: store.ErrTooLarge, Msg: "range delete; see store.DeleteRangePieces"}
	}
	return nil
}
