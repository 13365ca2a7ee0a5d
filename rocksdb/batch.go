package rocksdb

import (
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Put stands on rocksdb_put. See store.Writer.
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

// Delete stands on rocksdb_delete. See store.Writer.
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
// rocksdb_writebatch_t for rocksdb_write. See store.Writer.
func (db *DB) Write(b *store.Batch, o *store.WriteOptions) error {
	return db.commit("write", b, o)
}

// DeleteRange writes a range tombstone, as a batch of one. It stands on
// rocksdb_write. See store.Writer.
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
	defer db.guard.Exit(s)
	if b.HasOpenRange() {
		// RocksDB has no range without an end.
		last, err := db.last()
		if err != nil {
			return err
		}
		if b, err = b.Bounded(last); err != nil {
			return db.refuse(op, err)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return db.failed(op, db.engine.write(b.Encoded(), o.Synced()))
}

// beginWrite lets a write in. endWrite ends it.
func (db *DB) beginWrite(op string, o *store.WriteOptions) (*handle.Stripe, error) {
	if err := o.Err(); err != nil {
		return nil, db.ended(op, "nothing was done", err)
	}
	s, err := db.enter(op)
	if err != nil {
		return nil, err
	}
	if db.options.ReadOnly {
		db.guard.Exit(s)
		return nil, db.sentinel(op, store.ErrReadOnly)
	}
	return s, nil
}

func (db *DB) endWrite(op string, s *handle.Stripe, text string) error {
	db.guard.Exit(s)
	return db.failed(op, text)
}
