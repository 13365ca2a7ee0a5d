package leveldb

import (
	"errors"
	"runtime/trace"

	"github.com/lsmkit/lsmkit/internal/commit"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Put stands on leveldb_writebatch_put and leveldb_write. Where
// several goroutines write at once, that is one for them together. See
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
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if !db.queue.TryLead(o.Synced()) {
		return db.join(op, s, o, commit.Write{
			Add:  func(b *store.Batch) error { return b.Put(key, value) },
			Size: len(key) + len(value) + recordSize,
		})
	}
	if err = db.mend(op); err == nil {
		db.beforeWrite(len(key) + len(value))
		err = db.logged(op, db.engine.put(key, value, o.Synced()), handle.PutSize(len(key), len(value)), o.Synced())
	}
	db.queue.Done(s)
	return err
}

// Delete stands on leveldb_writebatch_delete and leveldb_write. Where
// several goroutines write at once, that is one for them together. See
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
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	if !db.queue.TryLead(o.Synced()) {
		return db.join(op, s, o, commit.Write{
			Add:  func(b *store.Batch) error { return b.Delete(key) },
			Size: len(key) + recordSize,
		})
	}
	if err = db.mend(op); err == nil {
		db.beforeWrite(len(key))
		err = db.logged(op, db.engine.delete(key, o.Synced()), handle.DeleteSize(len(key)), o.Synced())
	}
	db.queue.Done(s)
	return err
}

// Write hands the encoded batch over in one crossing, where it becomes a
// leveldb_writebatch_t for leveldb_write. A batch with range deletes is
// expanded first. See store.Writer.
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

// DeleteRange reads the keys of the range and writes a delete for each, in one
// batch, while other writers wait. It stands on leveldb_iter_seek, _next and
// leveldb_write. See store.Writer.
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
	s, err := db.beginWrite(op, o)
	if err != nil {
		return err
	}
	lead := db.queue.TryLead(o.Synced())
	switch {
	case b.Len() == 0:
		err = nil
	case !lead && b.HasRange():
		// A copy: if this writer gives up, the leader reads it afterwards.
		own, sync := store.NewBatch(b.Size()), o.Synced()
		if err := own.Append(b); err != nil {
			db.guard.Exit(s)
			return db.refuse(op, err)
		}
		return db.join(op, s, o, commit.Write{
			Do: func() error { return db.commitRanges(op, own, sync) },
		})
	case !lead:
		return db.join(op, s, o, commit.Write{
			Add:  func(group *store.Batch) error { return group.Append(b) },
			Size: b.Size(),
		})
	case b.HasRange():
		err = db.commitRanges(op, b, o.Synced())
	default:
		err = db.commitGroup(b, o.Synced())
	}
	if lead {
		db.queue.Done(s)
	} else {
		db.guard.Exit(s)
	}
	return err
}

// commitGroup writes a batch without range deletes. The caller leads.
func (db *DB) commitGroup(b *store.Batch, sync bool) error {
	const op = "write"
	if err := db.mend(op); err != nil {
		return err
	}
	db.beforeWrite(b.Size())
	return db.logged(op, db.engine.write(b.Encoded(), sync), b.Size(), sync)
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

// beginWrite lets a write in, up to the queue. guard.Exit ends it.
func (db *DB) beginWrite(op string, o *store.WriteOptions) (*handle.Stripe, error) {
	if err := o.Err(); err != nil {
		return nil, db.ended(op, "nothing was done", err)
	}
	if err := o.Check(false); err != nil {
		return nil, db.refuse(op, err)
	}
	if s := db.guard.EnterOver(); s != nil { // there is one leader at a time
		return s, nil
	}
	return nil, db.sentinel(op, store.ErrClosed)
}
