package store

import (
	"bytes"
	"context"
	"iter"
)

// A Difference is a key that two stores do not have alike.
type Difference struct {
	Key []byte
	// A and B are the values in the one and in the other store: nil where the key
	// is not there, and not nil where it is.
	A, B []byte
}

// Diff compares the entries of a and b within the range and returns the keys that
// only one of them has, or that have different values, in order. It reads one
// state of each, that at the begin of a loop, past the block caches. Each loop
// over the sequence compares anew, and may end early. Keys and values are valid
// until the loop's next turn.
//
// After the loop, errf returns the error that ended it early, or nil. When ctx
// ends, so does the loop, and the error wraps ctx's; a nil ctx never ends. A range
// whose start lies behind its end is ErrInvalidArgument. Its bounds must not change
// meanwhile.
//
//	differences, errf := store.Diff(ctx, a, b, store.KeyRange{})
//	for d := range differences {
//		...
//	}
//	if err := errf(); err != nil {
//		return err
//	}
func Diff(ctx context.Context, a, b Reader, kr KeyRange) (differences iter.Seq[Difference], errf func() error) {
	var err error
	return func(yield func(Difference) bool) {
		err = diff(ctx, a, b, kr, yield)
	}, func() error { return err }
}

func diff(ctx context.Context, a, b Reader, kr KeyRange, yield func(Difference) bool) (err error) {
	if err := checkReading(ctx, "diff", kr, a, b); err != nil {
		return err
	}
	o := &IterOptions{Lower: kr.Start, Upper: kr.End, FillCache: Off}
	var its [2]Iterator
	for i, r := range []Reader{a, b} {
		it, oerr := r.NewIterator(o)
		if oerr != nil {
			return oerr
		}
		defer func() {
			if cerr := it.Close(); err == nil {
				err = cerr
			}
		}()
		its[i] = it
	}
	p := pair{a: side{it: its[0]}, b: side{it: its[1]}}
	more, err := p.first()
	for n := 1; more && err == nil; n++ {
		if n&1023 == 0 {
			if err := expired(ctx, "diff", a); err != nil {
				return err
			}
		}
		if (p.order != 0 || !bytes.Equal(p.a.v, p.b.v)) && !yield(p.difference()) {
			return nil
		}
		more, err = p.next()
	}
	return err
}

// A pair walks over two stores side by side.
type pair struct {
	a, b  side
	order int // of the keys: -1 stands at one that only a has, 1 only b, 0 both
}

// A side is one of the stores, at an entry.
type side struct {
	it   Iterator
	k, v []byte
	on   bool // there is one
}

// to takes in the entry to which the iterator has been moved, if there is one.
func (s *side) to(moved bool) error {
	if s.on = moved; moved {
		s.k, s.v, s.on = current(s.it)
	}
	if !s.on {
		s.k, s.v = nil, nil
		return s.it.Err()
	}
	return nil
}

func (p *pair) first() (more bool, err error) {
	if err := p.a.to(p.a.it.First()); err != nil {
		return false, err
	}
	return p.compare(p.b.to(p.b.it.First()))
}

// next moves to the next key of either.
func (p *pair) next() (more bool, err error) {
	if p.order <= 0 {
		if err := p.a.to(p.a.it.Next()); err != nil {
			return false, err
		}
	}
	if p.order < 0 {
		return p.compare(nil)
	}
	return p.compare(p.b.to(p.b.it.Next()))
}

// compare tells whether there is a key. A walk that an error has ended ends the
// other's, since it isn't known what is behind.
func (p *pair) compare(err error) (more bool, _ error) {
	switch {
	case err != nil:
		return false, err
	case p.a.on && p.b.on:
		p.order = bytes.Compare(p.a.k, p.b.k)
	case p.a.on:
		p.order = -1
	default:
		p.order = 1
	}
	return p.a.on || p.b.on, nil
}

func (p *pair) difference() Difference {
	switch {
	case p.order < 0:
		return Difference{Key: p.a.k, A: p.a.v}
	case p.order > 0:
		return Difference{Key: p.b.k, B: p.b.v}
	}
	return Difference{Key: p.a.k, A: p.a.v, B: p.b.v}
}

// current returns the entry that it stands on. There is none, whatever the move
// there said, once the store has been closed by another goroutine.
func current(it Iterator) (k, v []byte, ok bool) {
	k, v = it.Key(), it.Value()
	return k, v, k != nil && v != nil || it.Valid()
}
