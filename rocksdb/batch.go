package rocksdb

import (
	"context"
	"errors"
	"runtime/trace"

	"github.com/lsmkit/lsmkit/internal/commit"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Put stands on rocksdb_writebatch_put and rocksdb_write. Where
// several goroutines write with Sync at once, that is one for them together. See
// store.Writer.
func (db *DB) Put(key, value []byte, o *store.WriteOptions) error {
	if trace.IsEnabled() {
		defer handle.WriteRegion(o, "lsmkit.put").End()
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
	s, queued, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if queued && !db.queue.TryLead(o.Synced()) {
		return db.join(op, s, o, putOf(key, value))
	}
	text := stalled
	if !db.gate.shut() {
		text = db.toSystem(done(o), db.engine.put(key, value, o.Synced()))
	}
	if text == stalled {
		return db.stall(op, s, o, queued, putOf(key, value))
	}
	if text == "" {
		db.logged(handle.PutSize(len(key), len(value)), o.Synced())
	}
	db.endWrite(s, queued)
	return db.failed(op, text)
}

func putOf(key, value []byte) commit.Write {
	return commit.Write{
		Add:  func(b *store.Batch) error { return b.Put(key, value) },
		Size: len(key) + len(value) + recordSize,
	}
}

// Delete stands on rocksdb_writebatch_delete and rocksdb_write. Where
// several goroutines write with Sync at once, that is one for them together. See
// store.Writer.
func (db *DB) Delete(key []byte, o *store.WriteOptions) error {
	if trace.IsEnabled() {
		defer handle.WriteRegion(o, "lsmkit.delete").End()
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
	s, queued, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if queued && !db.queue.TryLead(o.Synced()) {
		return db.join(op, s, o, deleteOf(key))
	}
	text := stalled
	if !db.gate.shut() {
		text = db.toSystem(done(o), db.engine.delete(key, o.Synced()))
	}
	if text == stalled {
		return db.stall(op, s, o, queued, deleteOf(key))
	}
	if text == "" {
		db.logged(handle.DeleteSize(len(key)), o.Synced())
	}
	db.endWrite(s, queued)
	return db.failed(op, text)
}

func deleteOf(key []byte) commit.Write {
	return commit.Write{
		Add:  func(b *store.Batch) error { return b.Delete(key) },
		Size: len(key) + recordSize,
	}
}

// Write hands the encoded batch over in one crossing, where it becomes a
// rocksdb_writebatch_t for rocksdb_write. See store.Writer.
func (db *DB) Write(b *store.Batch, o *store.WriteOptions) error {
	if trace.IsEnabled() {
		defer handle.WriteRegion(o, "lsmkit.write").End()
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
		defer handle.WriteRegion(o, "lsmkit.delete-range").End()
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
	b, err := db.bounded(op, b, o)
	if err != nil {
		return err
	}
	s, queued, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if b.Len() == 0 {
		db.guard.Exit(s)
		return nil
	}
	if queued && !db.queue.TryLead(o.Synced()) {
		return db.join(op, s, o, batchOf(b))
	}
	text := stalled
	if !db.gate.shut() {
		text = db.toSystem(done(o), db.engine.write(b.Encoded(), o.Synced()))
	}
	if text == stalled {
		return db.stall(op, s, o, queued, batchOf(b))
	}
	err = db.wrote(op, text, b, o.Synced())
	db.endWrite(s, queued)
	return err
}

func batchOf(b *store.Batch) commit.Write {
	return commit.Write{
		Add:  func(group *store.Batch) error { return group.Append(b) },
		Size: b.Size(),
	}
}

// bounded gives ranges without an end, which RocksDB has not, one behind the
// last key.
func (db *DB) bounded(op string, b *store.Batch, o *store.WriteOptions) (*store.Batch, error) {
	if !b.HasOpenRange() {
		return b, nil
	}
	if db.options.ReadOnly {
		return b, nil // beginWrite refuses it
	}
	s, err := db.enterOrGiveUp(op, contextOf(o))
	if err != nil {
		return nil, err
	}
	last, err := db.last()
	db.guard.Exit(s)
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
	const op = "write"
	text := stalled
	if !db.gate.shut() {
		text = db.toSystem(sync, db.engine.write(b.Encoded(), sync))
	}
	if text == stalled {
		return db.waitOut(op, nil, b, sync)
	}
	return db.wrote(op, text, b, sync)
}

// wrote returns the outcome of a batch, which is counted.
func (db *DB) wrote(op, text string, b *store.Batch, sync bool) error {
	if text == "" {
		db.logged(b.Size(), sync)
	}
	return db.failed(op, text)
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

// join hands a write, and its place, to the queue.
func (db *DB) join(op string, s *handle.Stripe, o *store.WriteOptions, w commit.Write) error {
	if o != nil {
		w.Sync, w.Context = o.Sync, o.Context
	}
	err := db.queue.Join(s, w)
	var gaveUp *commit.GaveUp
	if errors.As(err, &gaveUp) {
		return db.ended(op, "gave up waiting; the outcome is unknown", gaveUp.Cause)
	}
	return err
}

// stall waits out a write stall. The queue's leader does so for all, and one
// write at a time asks RocksDB whether it is over.
func (db *DB) stall(op string, s *handle.Stripe, o *store.WriteOptions, leads bool, w commit.Write) error {
	if !leads {
		return db.join(op, s, o, w)
	}
	defer db.queue.Done(s)
	var b store.Batch
	if err := w.Add(&b); err != nil {
		return db.refuse(op, err)
	}
	return db.waitOut(op, contextOf(o), &b, o.Synced())
}

// beginWrite lets a write in: to the queue, if it is a synced one or if there is
// no room for it beside the others, or else to RocksDB, which has a queue of its
// own. guard.Exit ends it.
func (db *DB) beginWrite(op string, o *store.WriteOptions) (s *handle.Stripe, queued bool, err error) {
	if err := o.Err(); err != nil {
		return nil, false, db.ended(op, "nothing was done", err)
	}
	if err := o.Check(db.options.ManualWALFlush); err != nil {
		return nil, false, db.refuse(op, err)
	}
	if queued = o.Synced(); queued {
		s = db.guard.EnterOver()
	} else {
		s, queued = db.guard.EnterOrOver()
	}
	if s == nil {
		return nil, false, db.sentinel(op, store.ErrClosed)
	}
	if db.options.ReadOnly {
		db.guard.Exit(s)
		return nil, false, db.sentinel(op, store.ErrReadOnly)
	}
	return s, queued, nil
}

// endWrite ends a write, and the lead of the queue if it had that.
func (db *DB) endWrite(s *handle.Stripe, leads bool) {
	if leads {
		db.queue.Done(s)
	} else {
		db.guard.Exit(s)
	}
}

func contextOf(o *store.WriteOptions) context.Context {
	if o == nil {
		return nil
	}
	return o.Context
}
