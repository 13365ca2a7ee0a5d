package store

import "bytes"

// A KeyRange is the keys k with Start <= k < End. A nil Start or End is no
// bound on that side; the zero KeyRange is all keys. An End that is empty but
// not nil lies before every key, so that the range holds nothing.
type KeyRange struct {
	Start, End []byte
}

// PrefixRange returns the range of all keys that begin with prefix. Of a
// prefix that is empty, or of 0xFF bytes only, the range has no end: End is
// nil. Start is the prefix itself, not a copy.
func PrefixRange(prefix []byte) KeyRange {
	return KeyRange{Start: prefix, End: PrefixEnd(prefix)}
}

// PrefixEnd returns the smallest key that is greater than every key beginning
// with prefix, as a fresh slice, or nil if there is none (an empty prefix, or
// one of 0xFF bytes only).
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := bytes.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}

// Successor returns the key that follows key immediately in the order: key
// with a zero byte appended, as a fresh slice.
func Successor(key []byte) []byte {
	next := make([]byte, len(key)+1)
	copy(next, key)
	return next
}

// Contains tells whether key lies in the range.
func (r KeyRange) Contains(key []byte) bool {
	return bytes.Compare(key, r.Start) >= 0 && (r.End == nil || bytes.Compare(key, r.End) < 0)
}

// Empty tells whether no key can lie in the range.
func (r KeyRange) Empty() bool {
	return r.End != nil && bytes.Compare(r.Start, r.End) >= 0
}

// Reversed tells whether Start lies behind End, which every method that takes
// a range to change or measure refuses with ErrInvalidArgument. (An iterator
// with such bounds is empty.)
func (r KeyRange) Reversed() bool {
	return r.End != nil && bytes.Compare(r.Start, r.End) > 0
}

// Intersect returns the keys that lie in both ranges. The result shares the
// bounds' memory.
func (r KeyRange) Intersect(o KeyRange) KeyRange {
	x := r
	if o.Start != nil && (x.Start == nil || bytes.Compare(o.Start, x.Start) > 0) {
		x.Start = o.Start
	}
	if o.End != nil && (x.End == nil || bytes.Compare(o.End, x.End) < 0) {
		x.End = o.End
	}
	return x
}
