package bench

import (
	"bytes"

	"github.com/lsmkit/lsmkit/store"
)

// scanner reads one entry an operation, from one end of the store on.
type scanner struct {
	db      store.DB
	options store.IterOptions
	left    int64 // entries that are still asked for
	forever bool  // at the end it begins again
	walked  int64 // entries read since it last began
	it      store.Iterator
	ok      bool
}

func (k *scanner) run(t *tally, n int64) (done int64, err error) {
	if k.it == nil {
		if err := k.begin(); err != nil {
			return 0, err
		}
	}
	done, err = k.walk(t, n)
	for k.forever && err == nil && done < n && k.walked > 0 {
		if err = k.rewind(); err != nil {
			break
		}
		var more int64
		more, err = k.walk(t, n-done)
		done += more
	}
	if done < n && err == nil && !k.forever {
		t.lookups += k.left // asked for, and not there
	}
	return done, err
}

// walk reads up to n entries, fewer at the end of the store.
func (k *scanner) walk(t *tally, n int64) (done int64, err error) {
	var size int64
	if k.options.Reverse {
		done, size = k.backward(n)
	} else {
		done, size = k.forward(n)
	}
	k.left -= done
	k.walked += done
	t.bytes += size
	t.found += done
	t.lookups += done
	if !k.ok {
		err = k.it.Err()
	}
	return done, err
}

// rewind goes back to where the walk began.
func (k *scanner) rewind() error {
	it := k.it
	k.it, k.walked = nil, 0
	if err := it.Close(); err != nil {
		return err
	}
	return k.begin()
}

// forward reads up to n entries and steps behind the last of them.
func (k *scanner) forward(n int64) (done, size int64) {
	it, ok, left := k.it, k.ok, n
	for ; ok && left > 0; left-- {
		size += int64(len(it.Key()))
		size += int64(len(it.Value()))
		ok = it.Next()
	}
	k.ok = ok
	return n - left, size
}

// backward is forward in the other direction.
func (k *scanner) backward(n int64) (done, size int64) {
	it, ok, left := k.it, k.ok, n
	for ; ok && left > 0; left-- {
		size += int64(len(it.Key()))
		size += int64(len(it.Value()))
		ok = it.Prev()
	}
	k.ok = ok
	return n - left, size
}

func (k *scanner) begin() (err error) {
	if k.it, err = k.db.NewIterator(&k.options); err != nil {
		return err
	}
	if k.options.Reverse {
		k.ok = k.it.Last()
	} else {
		k.ok = k.it.First()
	}
	return nil
}

// finish also returns the error of a walk that had read enough before it met
// the end: an engine that skips what it can't read tells so at last.
func (k *scanner) finish() error {
	if k.it == nil {
		return nil
	}
	err := k.it.Err()
	if cerr := k.it.Close(); err == nil {
		err = cerr
	}
	return err
}

// seeker seeks a key an operation and walks on from there.
type seeker struct {
	db    store.DB
	keys  *keyMaker
	seq   sequence
	nexts int
	it    store.Iterator // the one iterator; nil: a new one for each seek
	nums  [block]uint64
}

func (k *seeker) run(t *tally, n int64) (done int64, err error) {
	for done < n && err == nil {
		nums := k.nums[:min(n-done, block)]
		k.seq.fill(nums)
		for _, num := range nums {
			if err = k.seek(t, k.keys.at(num)); err != nil {
				break
			}
			done++
		}
	}
	t.lookups += done
	return done, err
}

func (k *seeker) seek(t *tally, key []byte) (err error) {
	it := k.it
	if it == nil {
		if it, err = k.db.NewIterator(nil); err != nil {
			return err
		}
	}
	if err = k.walk(t, it, key); err != nil || k.it != nil {
		if k.it == nil {
			it.Close()
		}
		return err
	}
	return it.Close()
}

func (k *seeker) walk(t *tally, it store.Iterator, key []byte) error {
	ok := it.SeekGE(key)
	if ok && bytes.Equal(it.Key(), key) {
		t.found++
	}
	for left := k.nexts; ok; left-- {
		t.bytes += int64(len(it.Key()) + len(it.Value()))
		if left == 0 {
			return it.Err()
		}
		ok = it.Next()
	}
	return it.Err()
}

func (k *seeker) finish() error {
	if k.it == nil {
		return nil
	}
	err := k.it.Err()
	if cerr := k.it.Close(); err == nil {
		err = cerr
	}
	return err
}
