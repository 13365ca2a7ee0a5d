package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// BufferedOptions says how a Buffered gathers changes. The zero value, and nil,
// suits loading in bulk. It is only read.
type BufferedOptions struct {
	// BatchSize is the encoded size in bytes (see Batch.Size) from which on a
	// batch is full, and is committed. 0: 256 KiB. At most MaxBufferedSize.
	BatchSize int

	// Delay is how long a change waits, at most, before the commit of its batch
	// is due, full or not. 0: 10 ms.
	Delay time.Duration

	// Write is how batches are committed; nil is NoSync. When a context in it
	// ends, commits fail, and with them the Buffered.
	Write *WriteOptions
}

const (
	// MaxBufferedSize is the greatest BufferedOptions.BatchSize: 512 MiB.
	MaxBufferedSize = 1 << 29

	defaultBufferedSize  = 256 << 10
	defaultBufferedDelay = 10 * time.Millisecond

	madeSize  = 1 << 20 // of a batch's memory that is made at once
	keptSlack = 4 << 10 // and that is kept above twice the size of a batch
)

// A Buffered gathers the changes of one or many goroutines into batches, and
// commits them in the background: for writing in bulk, where a call into the
// engine for each change costs more than the change. While one batch is being
// committed, the next is filled.
//
// A change is accepted when Put, Delete or Write returns nil. It is in the store
// when a later Flush or Close has returned nil; that these are left out is the
// one way to lose a change without an error. Until its batch is committed,
// reads of the store don't show it, also not to who has made it.
//
// Changes are committed in the order in which they were accepted, that of a
// goroutine in its own order. Each batch is atomic, and where it ends is not
// foreseeable; the changes of one Write are in one batch. What a crash takes is
// the newest changes: those that wait go with the process, those that are
// committed have the durability of BufferedOptions.Write. A change is never
// there without those that were accepted before it.
//
// Two batches, each of BatchSize and one change more, are all that waits: when
// both are full, Put, Delete and Write wait.
//
// The first commit that fails is the last: as going on behind it would leave a
// hole, the changes that wait are dropped, and Put, Delete, Write, Flush and
// Close return its error from then on. Of the failed batch, what its Writer's
// Write says holds: all or none of it, which is unknown. The error has both
// numbers. To go on, make a new Buffered.
//
// A Buffered may be used by many goroutines at once. It holds no goroutine, and
// no timer, while nothing waits. It has to be closed, or flushed after its last
// change, for an error to be seen. The store is not closed with it. A store that
// is closed before is an error as any other.
type Buffered struct {
	db    Writer
	size  int
	delay time.Duration
	write WriteOptions

	mu      sync.Mutex
	changed sync.Cond // what is below has changed
	run     func()    // commit, made once
	filling *Batch    // takes changes in
	spare   *Batch    // takes the place of filling; nil while it is committed
	since   time.Time // of the first change in filling
	some    bool      // filling has changes
	wanted  bool      // filling is to be committed next
	running bool      // commit runs
	begun   uint64    // batches whose commit has begun
	ended   uint64    // those of which it has ended
	closed  bool
	err     error
	timer   *time.Timer // calls due; nil before the first change
}

// NewBuffered returns a Buffered that commits to db, which has to stay open until
// it is closed. An option without a meaning is ErrInvalidArgument.
func NewBuffered(db Writer, o *BufferedOptions) (*Buffered, error) {
	if o == nil {
		o = &BufferedOptions{}
	}
	bad := func(msg string) error {
		return &Error{Op: "new buffered", Kind: ErrInvalidArgument, Msg: msg}
	}
	b := &Buffered{db: db, size: o.BatchSize, delay: o.Delay, filling: &Batch{}, spare: &Batch{}}
	b.changed.L, b.run = &b.mu, b.commit
	switch {
	case db == nil:
		return nil, bad("nil store")
	case o.BatchSize < 0 || o.BatchSize > MaxBufferedSize:
		return nil, bad("BatchSize out of range")
	case o.Delay < 0:
		return nil, bad("negative Delay")
	}
	if b.size == 0 {
		b.size = defaultBufferedSize
	}
	if b.delay == 0 {
		b.delay = defaultBufferedDelay
	}
	if err := o.Write.Check(true); err != nil {
		return nil, err
	}
	if o.Write != nil {
		b.write = *o.Write
	}
	return b, nil
}

// Put accepts the storing of value under key. It waits while there is no room,
// until ctx ends; then nothing was done. A nil ctx never ends. Oversized keys and
// values are ErrTooLarge, and do no harm to the others. Key and value may be
// reused after the call.
func (b *Buffered) Put(ctx context.Context, key, value []byte) error {
	if err := CheckEntry(key, value); err != nil {
		return err
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	err := b.filling.Put(key, value)
	b.leave()
	return err
}

// Delete accepts the removal of key. All else is as with Put.
func (b *Buffered) Delete(ctx context.Context, key []byte) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	err := b.filling.Delete(key)
	b.leave()
	return err
}

// Write accepts the changes of a batch, which stay together, and leaves it as it
// is. A batch with a range delete is ErrNotSupported: what it covers is known
// only when it is written, and may be too much. (Flush, and delete the range.) A
// nil or empty batch does nothing. All else is as with Put.
func (b *Buffered) Write(ctx context.Context, batch *Batch) error {
	if batch.HasRange() {
		return &Error{Op: "buffered write", Kind: ErrNotSupported, Msg: "range delete"}
	}
	if batch.Len() == 0 {
		return nil
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	err := b.filling.Append(batch)
	if errors.Is(err, ErrTooLarge) && b.some { // not alone
		if err = b.waitFor(ctx, func() bool { return !b.some }); err == nil {
			err = b.filling.Append(batch)
		}
	}
	b.leave()
	return err
}

// Flush returns when all that was accepted before the call is committed, synced
// if the options say so, or with the error of a commit. When ctx ends first, the
// error is ctx's, and the commits go on. A nil ctx never ends.
func (b *Buffered) Flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errBufferedClosed("buffered flush")
	}
	return b.drain(ctx)
}

// Close is a last Flush, which ends with the commits. Goroutines that wait for
// room get ErrClosed. Afterwards every method returns ErrClosed.
func (b *Buffered) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errBufferedClosed("buffered close")
	}
	b.closed = true
	b.changed.Broadcast()
	err := b.drain(nil)
	for b.running {
		b.changed.Wait()
	}
	b.filling, b.spare = nil, nil
	return err
}

func errBufferedClosed(op string) error { return &Error{Op: op, Kind: ErrClosed} }

// enter locks, once there is room for a change. Without an error, leave has to
// follow.
func (b *Buffered) enter(ctx context.Context) error {
	if ctx != nil && ctx.Err() != nil {
		return &Error{Op: "buffered", Kind: ErrTimeout, Msg: "nothing was done", Err: ctx.Err()}
	}
	b.mu.Lock()
	if b.err != nil || b.closed || b.full() {
		if err := b.waitFor(ctx, func() bool { return !b.full() }); err != nil {
			b.mu.Unlock()
			return err
		}
	}
	if b.filling.rep == nil {
		b.filling.rep = NewBatch(min(b.size+b.size/16, madeSize)).rep
	}
	return nil
}

// full tells whether what is being filled takes no more. The caller holds mu.
func (b *Buffered) full() bool { return b.some && b.filling.Size() >= b.size }

// waitFor waits for what makes room. What is being filled is full, or too full,
// and is committed first. The caller holds mu.
func (b *Buffered) waitFor(ctx context.Context, room func() bool) error {
	err := b.wait(ctx, func() bool {
		if b.err != nil || b.closed || room() {
			return true
		}
		b.want()
		return false
	})
	switch {
	case b.err != nil:
		return b.err
	case b.closed:
		return errBufferedClosed("buffered")
	case err != nil:
		return &Error{Op: "buffered", Kind: ErrTimeout, Msg: "no room, nothing was done", Err: err}
	}
	return nil
}

// leave unlocks after a change. The first of a batch starts the clock.
func (b *Buffered) leave() {
	if !b.some && b.filling.Len() > 0 {
		b.some = true
		b.since = time.Now()
		if b.timer == nil {
			b.timer = time.AfterFunc(b.delay, b.due)
		} else {
			b.timer.Reset(b.delay)
		}
	}
	if b.full() {
		b.want()
	}
	b.mu.Unlock()
}

// due wants the commit of what has waited long enough. The timer may have been
// stopped too late, and be that of a batch before.
func (b *Buffered) due() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.some && time.Since(b.since) >= b.delay {
		b.want()
	}
}

// want lets what is being filled be committed next. The caller holds mu.
func (b *Buffered) want() {
	b.wanted = true
	if !b.running {
		b.running = true
		go b.run()
	}
}

// drain has all that was accepted committed. The caller holds mu.
func (b *Buffered) drain(ctx context.Context) error {
	last := b.begun
	if b.some {
		last++
		b.want()
	}
	err := b.wait(ctx, func() bool { return b.err != nil || b.ended >= last })
	if err != nil {
		return &Error{Op: "buffered flush", Kind: ErrTimeout, Msg: "the commits go on", Err: err}
	}
	return b.err
}

// wait waits until something holds, or ctx ends. The caller holds mu.
func (b *Buffered) wait(ctx context.Context, until func() bool) error {
	if until() {
		return nil
	}
	if ctx != nil && ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() {
			b.mu.Lock()
			b.changed.Broadcast()
			b.mu.Unlock()
		})
		defer stop()
	}
	for !until() {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		b.changed.Wait()
	}
	return nil
}

// commit commits as long as something is wanted to be. There is one at a time.
func (b *Buffered) commit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.wanted && b.err == nil {
		batch := b.filling
		b.filling, b.spare = b.spare, nil
		b.some, b.wanted = false, false
		b.timer.Stop()
		b.begun++
		b.changed.Broadcast() // there is room
		b.mu.Unlock()
		err := b.db.Write(batch, &b.write)
		b.mu.Lock()
		b.ended++
		if err != nil {
			b.fail(err, batch.Len())
		}
		if batch.Reset(); cap(batch.rep) > 2*b.size+keptSlack {
			batch.rep = nil // it had a large change
		}
		b.spare = batch
	}
	b.running = false
	b.changed.Broadcast()
}

// fail ends all commits. The caller holds mu.
func (b *Buffered) fail(cause error, n int) {
	e := &Error{Op: "buffered commit", Kind: ErrUnknown, Err: cause,
		Msg: fmt.Sprintf("of a batch of %d changes; %d that waited were dropped", n, b.filling.Len())}
	var inner *Error
	if errors.As(cause, &inner) {
		e.Engine, e.Path, e.Kind = inner.Engine, inner.Path, inner.Kind
	}
	b.err = e
	b.filling.Reset()
	b.some, b.wanted = false, false
	b.timer.Stop()
}
