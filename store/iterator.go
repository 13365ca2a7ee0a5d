package store

import (
	"iter"
)

// An Iterator walks over the entries of one state of a store, in key order in
// both directions, within the bounds it was made with.
//
// A new iterator is not positioned: Valid is false until First, Last, SeekGE
// or SeekLT has found an entry. Next and Prev on an iterator that is not valid
// do nothing and return false; once it has run off either end, it stays off
// until it is positioned again.
//
// Valid being false means either that there is no more data or that reading
// failed. Err tells them apart and must be looked at after a walk:
//
//	for ok := it.First(); ok; ok = it.Next() {
//		use(it.Key(), it.Value())
//	}
//	if err := it.Err(); err != nil {
//		return err
//	}
//
// An Iterator belongs to one goroutine at a time.
type Iterator interface {
	// First moves to the first entry and tells whether there is one.
	First() bool
	// Last moves to the last entry and tells whether there is one.
	Last() bool
	// SeekGE moves to the first entry whose key is key or greater. A key below
	// the lower bound counts as the bound. A key more than one byte longer than
	// MaxKeySize (one byte, as Successor adds it) finds nothing, and Err is
	// ErrTooLarge. The key may be reused.
	SeekGE(key []byte) bool
	// SeekLT moves to the last entry whose key is less than key. A key above
	// the upper bound counts as the bound; nil and the empty key find nothing.
	// Too large a key is as for SeekGE. The key may be reused.
	SeekLT(key []byte) bool
	// Next moves to the following entry.
	Next() bool
	// Prev moves to the entry before.
	Prev() bool
	// Valid tells whether the iterator stands on an entry.
	Valid() bool
	// Key returns the current entry's key, or nil if there is none. It is
	// valid until the next call that moves the iterator or until Close, and
	// must not be changed. Copy it to keep it.
	Key() []byte
	// Value returns the current entry's value, under the same rule as Key. It
	// is nil if there is no entry, or if the iterator is for keys only; an
	// empty value is empty and not nil.
	Value() []byte
	// Err returns the error that ended the walk, or nil when it has ended
	// because there is no more data, or has not ended. Positioning anew clears
	// it and tries again. It is ErrClosed after Close.
	Err() error
	// Close frees the iterator. It returns nil, also when repeated; once the
	// DB is closed it returns ErrClosed.
	Close() error
}

// All returns the entries from it, from the first to the last. Keys and values
// are valid until the loop's next turn. Look at it.Err after the loop. The
// iterator is not closed.
func All(it Iterator) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		for ok := it.First(); ok; ok = it.Next() {
			if !yield(it.Key(), it.Value()) {
				return
			}
		}
	}
}

// Backward is All from the last entry to the first.
func Backward(it Iterator) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		for ok := it.Last(); ok; ok = it.Prev() {
			if !yield(it.Key(), it.Value()) {
				return
			}
		}
	}
}

// Scan returns the entries of r within the range, in order. Each loop over
// the sequence opens an iterator of its own and closes it. Keys and values
// are valid until the loop's next turn. After the loop, errf returns the error
// that ended it early, or nil. The range's bounds must not change meanwhile.
//
//	rows, errf := store.Scan(db, store.PrefixRange([]byte("user/")))
//	for k, v := range rows {
//		...
//	}
//	if err := errf(); err != nil {
//		return err
//	}
func Scan(r Reader, kr KeyRange) (rows iter.Seq2[[]byte, []byte], errf func() error) {
	return scan(r, &IterOptions{Lower: kr.Start, Upper: kr.End}, nil)
}

// ScanBackward is Scan in descending order.
func ScanBackward(r Reader, kr KeyRange) (rows iter.Seq2[[]byte, []byte], errf func() error) {
	return scan(r, &IterOptions{Lower: kr.Start, Upper: kr.End, Reverse: true}, nil)
}

// Keys returns the keys of r within the range, in order, without moving
// values. The same rules as for Scan apply.
func Keys(r Reader, kr KeyRange) (keys iter.Seq[[]byte], errf func() error) {
	rows, errf := scan(r, &IterOptions{Lower: kr.Start, Upper: kr.End, KeysOnly: true}, nil)
	return func(yield func(k []byte) bool) {
		for k := range rows {
			if !yield(k) {
				return
			}
		}
	}, errf
}

// scan is the one loop behind Scan, ScanBackward, Keys and Match. A non-nil
// keep drops the rows that it says false to.
func scan(r Reader, o *IterOptions, keep func(k []byte) bool) (iter.Seq2[[]byte, []byte], func() error) {
	var err error
	seq := func(yield func(k, v []byte) bool) {
		var it Iterator
		it, err = r.NewIterator(o)
		if err != nil {
			return
		}
		defer func() {
			if cerr := it.Close(); err == nil {
				err = cerr
			}
		}()
		rows := All(it)
		if o.Reverse {
			rows = Backward(it)
		}
		for k, v := range rows {
			if keep != nil && !keep(k) {
				continue
			}
			if !yield(k, v) {
				return
			}
		}
		err = it.Err()
	}
	return seq, func() error { return err }
}
