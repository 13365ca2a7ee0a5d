package bench

import (
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// kernel does a workload's operations for one worker. Everything that it needs
// is made before the clock starts.
type kernel interface {
	// run does the next n operations and counts them in t. It returns how many
	// it has done: fewer than n with an error, or without one when there was
	// nothing more to read.
	run(t *tally, n int64) (done int64, err error)
	// finish is called once, after the clock has stopped. It frees what the
	// kernel holds and returns the error that ended a walk early.
	finish() error
}

// tally is what a worker counts beside operations.
type tally struct {
	bytes   int64
	written int64 // of the bytes, those that were written
	lookups int64
	found   int64
}

// putter puts one entry an operation.
type putter struct {
	db     store.DB
	keys   *keyMaker
	seq    sequence
	values *valueStream
	write  *store.WriteOptions
	nums   [block]uint64
}

func (k *putter) run(t *tally, n int64) (done int64, err error) {
	var bytes int
	for done < n && err == nil {
		nums := k.nums[:min(n-done, block)]
		k.seq.fill(nums)
		for _, num := range nums {
			key, value := k.keys.at(num), k.values.next()
			if err = k.db.Put(key, value, k.write); err != nil {
				break
			}
			bytes += len(key) + len(value)
			done++
		}
	}
	t.bytes += int64(bytes)
	t.written += int64(bytes)
	return done, err
}

func (k *putter) finish() error { return nil }

// batcher puts the n entries of each run in one batch.
type batcher struct {
	putter
	batch *store.Batch
}

func (k *batcher) run(t *tally, n int64) (done int64, err error) {
	k.batch.Reset()
	var bytes int
	for added := int64(0); added < n; {
		nums := k.nums[:min(n-added, block)]
		k.seq.fill(nums)
		for _, num := range nums {
			key, value := k.keys.at(num), k.values.next()
			if err := k.batch.Put(key, value); err != nil {
				return 0, err
			}
			bytes += len(key) + len(value)
		}
		added += int64(len(nums))
	}
	if err := k.db.Write(k.batch, k.write); err != nil {
		return 0, err
	}
	t.bytes += int64(bytes)
	t.written += int64(bytes)
	return n, nil
}

// deleter deletes one key an operation.
type deleter struct {
	db    store.DB
	keys  *keyMaker
	seq   sequence
	write *store.WriteOptions
	nums  [block]uint64
}

func (k *deleter) run(t *tally, n int64) (done int64, err error) {
	var bytes int
	for done < n && err == nil {
		nums := k.nums[:min(n-done, block)]
		k.seq.fill(nums)
		for _, num := range nums {
			key := k.keys.at(num)
			if err = k.db.Delete(key, k.write); err != nil {
				break
			}
			bytes += len(key)
			done++
		}
	}
	t.bytes += int64(bytes)
	t.written += int64(bytes)
	return done, err
}

func (k *deleter) finish() error { return nil }

// getter gets one key an operation.
type getter struct {
	db   store.DB
	keys *keyMaker
	seq  sequence
	buf  []byte
	nums [block]uint64
}

func (k *getter) run(t *tally, n int64) (done int64, err error) {
	var bytes, found int
	buf := k.buf
	for done < n && err == nil {
		nums := k.nums[:min(n-done, block)]
		k.seq.fill(nums)
		for _, num := range nums {
			var getErr error
			buf, getErr = k.db.AppendGet(buf[:0], k.keys.at(num))
			if getErr == nil {
				found++
				bytes += len(buf)
			} else if getErr != store.ErrNotFound && !errors.Is(getErr, store.ErrNotFound) {
				err = getErr
				break
			}
			done++
		}
	}
	k.buf = buf
	t.bytes += int64(bytes)
	t.found += int64(found)
	t.lookups += done
	return done, err
}

func (k *getter) finish() error { return nil }

// multigetter gets the n keys of each run with one call.
type multigetter struct {
	db   store.DB
	keys []*keyMaker
	args [][]byte
	seq  sequence
	dst  store.Values
	nums []uint64
}

func (k *multigetter) run(t *tally, n int64) (done int64, err error) {
	nums, args := k.nums[:n], k.args[:n]
	k.seq.fill(nums)
	for i, num := range nums {
		args[i] = k.keys[i].at(num)
	}
	if err := k.db.MultiGet(args, &k.dst); err != nil {
		return 0, err
	}
	for i := range args {
		if value, ok := k.dst.At(i); ok {
			t.found++
			t.bytes += int64(len(value))
		}
	}
	t.lookups += n
	return n, nil
}

func (k *multigetter) finish() error { return nil }
