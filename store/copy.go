package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// CopyOptions says how Copy goes about it. The zero value, and nil, copies into an
// empty store. It is only read.
type CopyOptions struct {
	// Resume goes on with a copy that was interrupted: the entries of dst must be
	// the first ones of src, which is checked, value by value. An empty dst is
	// one where nothing has been copied yet.
	Resume bool

	// Overwrite copies into a dst that has entries. Those under keys of src are
	// replaced, the others stay. It excludes Resume.
	Overwrite bool

	// BatchSize is the encoded size in bytes (see Batch.Size) from which on a
	// batch is committed. 0: 1 MiB. At most MaxCopyBatch.
	BatchSize int

	// Progress, if not nil, is called by the goroutine that called Copy, after
	// each batch that was committed, and now and then while Resume looks at what
	// is there.
	Progress func(CopyProgress)
}

const (
	// MaxCopyBatch is the greatest CopyOptions.BatchSize: 256 MiB.
	MaxCopyBatch = 1 << 28

	defaultCopyBatch = 1 << 20
	// copyBatches are in use at a time: one is filled, one committed, and one
	// waits, so that neither side does because the other varies.
	copyBatches = 3
	// estimateEvery is the time between two estimates of what there is to copy,
	// which look into the tables of the source.
	estimateEvery = 500 * time.Millisecond
	// foundEvery is the number of entries that Resume has looked at between two
	// calls of Progress.
	foundEvery = 1 << 16
)

// CopyProgress is how far a copy has come.
type CopyProgress struct {
	// Entries have been copied by this call, with keys and values of Bytes.
	Entries uint64
	Bytes   uint64
	// Found is the number of entries that were in the destination already, as far
	// as Resume has looked.
	Found uint64
	// Total estimates how many entries the source has altogether. It comes from
	// the part of its table files that has been read, or else from its metrics,
	// and is not known of a snapshot. With the last batch it is what there was.
	Total Figure
}

// Copy copies all entries of src into dst, which must be empty, and returns how
// many; with an error, how many before that. It reads one state of src, the one
// at the call; src may be a DB or a Snapshot, of any engine. Nobody else may write
// to dst meanwhile.
//
// One goroutine reads and another one commits batches, in the order of the keys
// and without Sync; Flush at the end makes all of it durable. Memory is bounded:
// three batches, each of BatchSize and one entry more.
//
// Where dst has entries, and o asks for neither Resume nor Overwrite, nothing is
// changed and the error is ErrExists. When ctx ends, the error wraps ctx's; a nil
// ctx never ends.
//
// A copy that ends early, by an error, by ctx or with the process, leaves the first
// entries of src in dst, as many as were acknowledged or a batch more. Resume goes
// on behind them. They are compared with src first: if they are no longer its first
// ones, since src was written to, the error is ErrExists and nothing is changed. To
// go on while src is written to, copy from the same Snapshot. The loss of power can
// take the last entries, and rarely leaves a gap before some (see Recovery), which
// is such an error too; Overwrite then copies all anew.
func Copy(ctx context.Context, dst DB, src Reader, o *CopyOptions) (CopyProgress, error) {
	c := &copier{ctx: ctx, dst: dst, src: src}
	if o != nil {
		c.o = *o
	}
	if err := c.check(); err != nil {
		return CopyProgress{}, err
	}
	err := c.copy()
	if err == nil {
		err = dst.Flush()
	}
	return c.done, err
}

type copier struct {
	ctx       context.Context
	dst       DB
	src       Reader
	o         CopyOptions
	it        Iterator
	done      CopyProgress
	estimated time.Time // when done.Total was
}

func (c *copier) fail(kind error, format string, args ...any) error {
	engine, path, err := identify(c.dst)
	if err != nil {
		return err
	}
	return &Error{Engine: engine, Op: "copy", Path: path, Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// check checks the arguments, and fills in what is not given.
func (c *copier) check() error {
	bad := func(msg string) error { return &Error{Op: "copy", Kind: ErrInvalidArgument, Msg: msg} }
	switch {
	case c.dst == nil || c.src == nil:
		return bad("nil store")
	case c.o.Resume && c.o.Overwrite:
		return bad("both Resume and Overwrite")
	case c.o.BatchSize < 0 || c.o.BatchSize > MaxCopyBatch:
		return bad("BatchSize out of range")
	}
	if c.o.BatchSize == 0 {
		c.o.BatchSize = defaultCopyBatch
	}
	return expired(c.ctx, "copy", c.dst)
}

func (c *copier) copy() (err error) {
	if c.it, err = c.src.NewIterator(&IterOptions{FillCache: Off}); err != nil {
		return err
	}
	defer func() {
		if cerr := c.it.Close(); err == nil {
			err = cerr
		}
	}()
	more, err := c.begin()
	if err != nil || !more {
		return err
	}
	return c.run()
}

// begin moves to the first entry to copy and tells whether there is one.
func (c *copier) begin() (more bool, err error) {
	more = c.it.First()
	if !c.o.Overwrite {
		if more, err = c.compare(more); err != nil {
			return false, err
		}
	}
	if more {
		return true, nil
	}
	return false, c.it.Err()
}

// compare steps over what is in the destination already.
func (c *copier) compare(more bool) (_ bool, err error) {
	there, err := c.dst.NewIterator(&IterOptions{FillCache: Off})
	if err != nil {
		return false, err
	}
	defer func() {
		if cerr := there.Close(); err == nil {
			err = cerr
		}
	}()
	for ok := there.First(); ok; ok = there.Next() {
		have, value, ok := current(there)
		switch {
		case !ok:
			return false, there.Err()
		case !c.o.Resume:
			return false, c.fail(ErrExists, "the destination is not empty")
		case !more && c.it.Err() != nil:
			return false, c.it.Err()
		case !more:
			return false, c.fail(ErrExists, "the destination has a key that the source has not: %s", brief(have))
		}
		key, want, ok := current(c.it)
		switch {
		case !ok:
			return false, c.it.Err()
		case !bytes.Equal(have, key):
			return false, c.fail(ErrExists, "the destination has %s where the source has %s", brief(have), brief(key))
		case !bytes.Equal(value, want):
			return false, c.fail(ErrExists, "the destination has another value than the source for %s", brief(have))
		}
		if c.done.Found++; c.done.Found%foundEvery == 0 {
			if err := expired(c.ctx, "copy", c.dst); err != nil {
				return false, err
			}
			c.report(key)
		}
		more = c.it.Next()
	}
	return more, there.Err()
}

// brief shows a key in a message.
func brief(key []byte) string {
	const most = 40
	if len(key) <= most {
		return fmt.Sprintf("%q", key)
	}
	return fmt.Sprintf("%q... (%d bytes)", key[:most], len(key))
}

// A load is a batch on its way from the reader to the writer.
type load struct {
	b     *Batch
	bytes uint64 // of keys and values
	last  []byte // the greatest key; empty if the batch is not full
	end   bool   // nothing is behind it
}

// run copies from where the iterator stands.
func (c *copier) run() error {
	empty, full := make(chan *load, copyBatches), make(chan *load, copyBatches)
	for range copyBatches {
		empty <- &load{b: &Batch{}}
	}
	var readErr error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(full)
		readErr = c.read(empty, full)
	}()
	// The reader ends when it gets no batch back; also when Progress panics. It
	// fills none that nobody would commit.
	defer func() {
		close(empty)
		for range empty {
		}
		<-ended
	}()
	for l := range full {
		if err := c.commit(l); err != nil {
			return err
		}
		l.free(c.o.BatchSize)
		empty <- l
	}
	return readErr
}

// read fills batches until there are no more entries. It runs in a goroutine of
// its own, which has the iterator.
func (c *copier) read(empty <-chan *load, full chan<- *load) error {
	for l := range empty {
		more, err := l.fill(c.it, c.o.BatchSize)
		if l.b.Len() > 0 {
			full <- l // has room for all there are
		}
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// fill takes entries from it, which stands on the first one, until the batch has
// size, and tells whether it stands on another one then. It takes at least one:
// size may be less than that of an empty batch.
func (l *load) fill(it Iterator, size int) (more bool, err error) {
	for more = true; more && (l.b.Len() == 0 || l.b.Size() < size); more = it.Next() {
		k, v, ok := current(it)
		if !ok {
			return false, it.Err()
		}
		err := l.b.Put(k, v)
		if errors.Is(err, ErrTooLarge) && l.b.Len() > 0 {
			return true, nil // the next batch has room
		}
		if err != nil {
			return false, err
		}
		if l.bytes += uint64(len(k) + len(v)); l.b.Size() >= size {
			l.last = append(l.last[:0], k...)
		}
	}
	if more {
		return true, nil
	}
	err = it.Err()
	l.end = err == nil
	return false, err
}

// free empties the load. It gives back the memory of what was much larger than a
// batch has to be.
func (l *load) free(size int) {
	l.bytes, l.last = 0, l.last[:0]
	if cap(l.b.rep) > 2*size+largestKept {
		l.b = &Batch{}
	}
	l.b.Reset()
}

func (c *copier) commit(l *load) error {
	if err := expired(c.ctx, "copy", c.dst); err != nil {
		return err
	}
	if err := c.dst.Write(l.b, &WriteOptions{Context: c.ctx}); err != nil {
		return err
	}
	c.done.Entries += uint64(l.b.Len())
	c.done.Bytes += l.bytes
	if l.end {
		c.done.Total = Known(c.done.Found + c.done.Entries)
		l.last = l.last[:0] // there is nothing to estimate
	}
	c.report(l.last)
	return nil
}

// report calls Progress. last is the last key that was copied, empty if it isn't
// known.
func (c *copier) report(last []byte) {
	if c.o.Progress == nil {
		return
	}
	if now := time.Now(); len(last) > 0 && now.Sub(c.estimated) >= estimateEvery {
		c.done.Total, c.estimated = c.estimate(last), now
	}
	// What is there is no estimate.
	if n, known := c.done.Total.Value(); known {
		c.done.Total = Known(max(n, c.done.Found+c.done.Entries))
	}
	c.o.Progress(c.done)
}

// estimate returns how many entries the source has, of which those up to last
// have been counted.
func (c *copier) estimate(last []byte) Figure {
	src, ok := c.src.(DB)
	if !ok {
		return Figure{}
	}
	sizes, err := src.ApproximateSizes([]KeyRange{{End: last}, {}})
	if err == nil && sizes[0] > 0 {
		part := float64(sizes[1]) / float64(sizes[0])
		return Known(uint64(float64(c.done.Found+c.done.Entries) * part))
	}
	m, err := src.Metrics() // nothing of it is in table files
	if err != nil {
		return Figure{}
	}
	return m.EstimatedKeys
}
