package leveldb

import (
	"errors"

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
	return db.wrote(op, db.engine.write(out.Encoded(), sync))
}

// expand returns b with each range delete replaced by deletes of the keys that
// it covers: those in the store, and those that b has put before it.
func (db *DB) expand(b *store.Batch) (*store.Batch, error) {
	out := store.NewBatch(b.Size())
	put := make(map[string]struct{}) // keys that b itself puts
	err := b.Each(func(r store.Record) error {
		switch r.Kind {
		case store.KindPut:
			put[string(r.Key)] = struct{}{}
			return out.Put(r.Key, r.Value)
		case store.KindDelete:
			return out.Delete(r.Key)
		}
		kr := store.KeyRange{Start: r.Key, End: r.End}
		for k := range put {
			if !kr.Contains([]byte(k)) {
				continue
			}
			if err := db.addDelete(out, []byte(k)); err != nil {
				return err
			}
			delete(put, k)
		}
		return db.deleteStored(out, kr)
	})
	return out, err
}

func (db *DB) deleteStored(out *store.Batch, kr store.KeyRange) error {
	it, err := db.iterator(db.engine.reader(), iterSettings{
		lower: kr.Start, upper: kr.End, keysOnly: true, verify: db.engine.verify,
	}, nil)
	if err != nil {
		return err
	}
	defer it.core.Free()
	defer it.Finish()
	for ok := it.First(); ok; ok = it.Next() {
		if err := db.addDelete(out, it.Key()); err != nil {
			return err
		}
	}
	return it.Err()
}

func (db *DB) addDelete(out *store.Batch, key []byte) error {
	if err := out.Delete(key); err != nil {
		return err
	}
	if out.Size() > db.limit {
		return &store.Error{Op: "batch", Kind: store.ErrTooLarge, Msg: "range delete; see store.DeleteRangePieces"}
	}
	return nil
}
