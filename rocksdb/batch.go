package rocksdb

import (
	"errors"
	"runtime/trace"

	"github.com/lsmkit/lsmkit/internal/commit"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Put stands on rocksdb_put or, where several goroutines write with Sync at
// once, on rocksdb_write for them together. See store.Writer.
func (db *DB) Put(key, value []byte, o *store.WriteOptions) error {
	if trace.IsEnabled() {
		defer writeRegion(o, "lsmkit.put").End()
	}
	err := db.put(key, value, o)
	if err == nil {
		db.counts.Count(handle.Put, len(key)+len(value))
	}
	return err
}

// put is what is counted and traced as Put.
func (db *DB) put(key, value []byte, o *store.WriteOptions) error {
	const op = "put"
	if err := store.CheckEntry(key, value); err != nil {
		return db.refuse(op, err)
	}
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	lead := o.Synced()
	if lead && !db.queue.TryLead() {
		return db.join(op, s, o, commit.Write{
			Add:  func(b *store.Batch) error { return b.Put(key, value) },
			Size: len(key) + len(value) + recordSize,
		})
	}
	text := db.engine.put(key, value, o.Synced())
	if text == stalled {
		err = db.waitOut(op, o, func() string { return db.engine.put(key, value, o.Synced()) })
	} else {
		err = db.failed(op, text)
	}
	if err == nil {
		db.logged(handle.PutSize(len(key), len(value)), o.Synced())
	}
	if lead {
		db.queue.Done()
	}
	db.guard.Exit(s)
	return err
}

// Delete stands on rocksdb_delete or, where several goroutines write with Sync
// at once, on rocksdb_write for them together. See store.Writer.
func (db *DB) Delete(key []byte, o *store.WriteOptions) error {
	if trace.IsEnabled() {
		defer writeRegion(o, "lsmkit.delete").End()
	}
	err := db.delete(key, o)
	if err == nil {
		db.counts.Count(handle.Delete, len(key))
	}
	return err
}

// delete is what is counted and traced as Delete.
func (db *DB) delete(key []byte, o *store.WriteOptions) error {
	const op = "delete"
	if err := store.CheckKey(key); err != nil {
		return db.refuse(op, err)
	}
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	lead := o.Synced()
	if lead && !db.queue.TryLead() {
		return db.join(op, s, o, commit.Write{
			Add:  func(b *store.Batch) error { return b.Delete(key) },
			Size: len(key) + recordSize,
		})
	}
	text := db.engine.delete(key, o.Synced())
	if text == stalled {
		err = db.waitOut(op, o, func() string { return db.engine.delete(key, o.Synced()) })
	} else {
		err = db.failed(op, text)
	}
	if err == nil {
		db.logged(handle.DeleteSize(len(key)), o.Synced())
	}
	if lead {
		db.queue.Done()
	}
	db.guard.Exit(s)
	return err
}

// Write hands the encoded batch over in one crossing, where it becomes a
// rocksdb_writebatch_t for rocksdb_write. See store.Writer.
func (db *DB) Write(b *store.Batch, o *store.WriteOptions) error {
	if trace.IsEnabled() {
		defer writeRegion(o, "lsmkit.write").End()
	}
	err := db.commit("write", b, o)
	if err == nil && b.Len() > 0 {
		db.counts.Count(handle.Records, b.Len())
		db.counts.Count(handle.Write, b.Size())
	}
	return err
}

// DeleteRange writes a range tombstone, as a batch of one. It stands on
// rocksdb_write. See store.Writer.
func (db *DB) DeleteRange(start, end []byte, o *store.WriteOptions) error {
	const op = "delete range"
	if trace.IsEnabled() {
		defer writeRegion(o, "lsmkit.delete-range").End()
	}
	var b store.Batch
	if err := b.DeleteRange(start, end); err != nil {
		return db.refuse(op, err)
	}
	err := db.commit(op, &b, o)
	if err == nil {
		db.counts.Count(handle.DeleteRange, len(start)+len(end))
	}
	return err
}

func (db *DB) commit(op string, b *store.Batch, o *store.WriteOptions) error {
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if b, err = db.bounded(op, b); err != nil || b.Len() == 0 {
		db.guard.Exit(s)
		return err
	}
	lead := o.Synced()
	if lead && !db.queue.TryLead() {
		return db.join(op, s, o, commit.Write{
			Add:  func(group *store.Batch) error { return group.Append(b) },
			Size: b.Size(),
		})
	}
	err = db.commitBatch(op, b, o)
	if lead {
		db.queue.Done()
	}
	db.guard.Exit(s)
	return err
}

// bounded gives ranges without an end, which RocksDB has not, one behind the
// last key.
func (db *DB) bounded(op string, b *store.Batch) (*store.Batch, error) {
	if !b.HasOpenRange() {
		return b, nil
	}
	last, err := db.last()
	if err != nil {
		return nil, err
	}
	if b, err = b.Bounded(last); err != nil {
		return nil, db.refuse(op, err)
	}
	return b, nil
}

// commitGroup writes a batch for the queue.
func (db *DB) commitGroup(b *store.Batch, sync bool) error {
	return db.commitBatch("write", b, &store.WriteOptions{Sync: sync})
}

func (db *DB) commitBatch(op string, b *store.Batch, o *store.WriteOptions) (err error) {
	text := db.engine.write(b.Encoded(), o.Synced())
	if text == stalled {
		err = db.waitOut(op, o, func() string { return db.engine.write(b.Encoded(), o.Synced()) })
	} else {
		err = db.failed(op, text)
	}
	if err == nil {
		db.logged(b.Size(), o.Synced())
	}
	return err
}

// logged counts a write that the engine has done, with a log record of n bytes.
func (db *DB) logged(n int, sync bool) {
	db.counts.Count(handle.Log, n)
	if sync {
		db.counts.Count(handle.Sync, 0)
	}
}

// recordSize is the most that a record has around its key and value.
const recordSize = 16

// join hands a write to the queue, which ends it.
func (db *DB) join(op string, s *handle.Stripe, o *store.WriteOptions, w commit.Write) error {
	if o != nil {
		w.Sync, w.Context = o.Sync, o.Context
	}
	w.Release = func() { db.guard.Exit(s) }
	err := db.queue.Join(w)
	var gaveUp *commit.GaveUp
	if errors.As(err, &gaveUp) {
		return db.ended(op, "gave up waiting; the outcome is unknown", gaveUp.Cause)
	}
	return err
}

// beginWrite lets a write in. guard.Exit ends it.
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
