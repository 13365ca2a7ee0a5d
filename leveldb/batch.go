package leveldb

import (
	"errors"

	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// Put stands on leveldb_put. See store.Writer.
func (db *DB) Put(key, value []byte, o *store.WriteOptions) error {
	if err := store.CheckEntry(key, value); err != nil {
		return db.refuse("put", err)
	}
	s, err := db.beginWrite("put", o)
	if err != nil {
		return err
	}
	return db.endWrite("put", s, db.engine.put(key, value, o.Synced()))
}

// Delete stands on leveldb_delete. See store.Writer.
func (db *DB) Delete(key []byte, o *store.WriteOptions) error {
	if err := store.CheckKey(key); err != nil {
		return db.refuse("delete", err)
	}
	s, err := db.beginWrite("delete", o)
	if err != nil {
		return err
	}
	return db.endWrite("delete", s, db.engine.delete(key, o.Synced()))
}

// Write hands the encoded batch over in one crossing, where it becomes a
// leveldb_writebatch_t for leveldb_write. A batch with range deletes is
// expanded first. See store.Writer.
func (db *DB) Write(b *store.Batch, o *store.WriteOptions) error {
	return db.commit("write", b, o)
}

// DeleteRange reads the keys of the range and writes a delete for each, in one
// batch, while other writers wait. It stands on leveldb_iter_seek, _next and
// leveldb_write. See store.Writer.
func (db *DB) DeleteRange(start, end []byte, o *store.WriteOptions) error {
	var b store.Batch
	if err := b.DeleteRange(start, end); err != nil {
		return db.refuse("delete range", err)
	}
	return db.commit("delete range", &b, o)
}

func (db *DB) commit(op string, b *store.Batch, o *store.WriteOptions) error {
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if b.Len() == 0 {
		return db.endWrite(op, s, "")
	}
	if !b.HasRange() {
		return db.endWrite(op, s, db.engine.write(b.Encoded(), o.Synced()))
	}
	db.gate.RUnlock()
	defer db.guard.Exit(s)
	return db.commitRanges(op, b, o)
}

// commitRanges writes a batch with range deletes, alone: what a range covers
// must not change between reading its keys and deleting them.
func (db *DB) commitRanges(op string, b *store.Batch, o *store.WriteOptions) error {
	db.gate.Lock()
	defer db.gate.Unlock()
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
	if text := db.engine.write(out.Encoded(), o.Synced()); text != "" {
		return db.tear(op, text)
	}
	return nil
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

// beginWrite lets a write in, once the log is sound. endWrite ends it.
func (db *DB) beginWrite(op string, o *store.WriteOptions) (*handle.Stripe, error) {
	if err := o.Err(); err != nil {
		return nil, db.ended(op, "nothing was done", err)
	}
	s, err := db.enter(op)
	if err != nil {
		return nil, err
	}
	if db.torn.Load() != nil {
		if err := db.mend(op); err != nil {
			db.guard.Exit(s)
			return nil, err
		}
	}
	db.gate.RLock()
	return s, nil
}

func (db *DB) endWrite(op string, s *handle.Stripe, text string) error {
	var err error
	if text != "" {
		err = db.tear(op, text)
	}
	db.gate.RUnlock()
	// Where another write has failed meanwhile, this one may stand behind the
	// torn record. It is acknowledged when a table holds it.
	if err == nil && db.torn.Load() != nil {
		err = db.mend(op)
	}
	db.guard.Exit(s)
	return err
}

// tear notes that a write has failed and that the log may end in half a record.
// It returns the error. The caller holds gate, for reading at least.
func (db *DB) tear(op, text string) error {
	err := &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: status.Kind(text), Msg: text}
	db.torn.CompareAndSwap(nil, err)
	return err
}

// mend switches to a new log after a write has failed. LevelDB would go on
// behind the torn record, where recovery does not find what is written. The
// flush also brings into a table what writers that overtook the failure have
// written there. As long as it can't be done, the failure stays.
func (db *DB) mend(op string) error {
	db.gate.Lock()
	defer db.gate.Unlock()
	fault := db.torn.Load()
	if fault == nil {
		return nil
	}
	before, err := dir.LogNumber(db.path)
	if err == nil {
		db.engine.flush()
		var after uint64
		after, err = dir.LogNumber(db.path)
		if err == nil && after > before {
			if text := db.engine.check(); text != "" {
				return db.fail(op, text)
			}
			db.torn.Store(nil)
			return nil
		}
	}
	return &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: fault.Kind,
		Msg: "an earlier write failed, and no new log could be started: " + fault.Msg, Err: err}
}
