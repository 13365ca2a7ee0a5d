package store

import "sync/atomic"

// scoped is a Reader of what is in a namespace: of its store, or of a snapshot of
// that.
type scoped struct {
	n    *namespace
	r    Reader
	what string // put before the names of operations
}

func (p scoped) Get(key []byte) ([]byte, error) {
	k, err := p.n.begin(p.op("get"), key)
	if err != nil {
		return nil, err
	}
	value, err := p.r.Get(k.b)
	p.n.finish(k)
	return value, err
}

func (p scoped) AppendGet(dst, key []byte) ([]byte, error) {
	k, err := p.n.begin(p.op("get"), key)
	if err != nil {
		return dst, err
	}
	dst, err = p.r.AppendGet(dst, k.b)
	p.n.finish(k)
	return dst, err
}

func (p scoped) Has(key []byte) (bool, error) {
	k, err := p.n.begin(p.op("has"), key)
	if err != nil {
		return false, err
	}
	found, err := p.r.Has(k.b)
	p.n.finish(k)
	return found, err
}

func (p scoped) MultiGet(keys [][]byte, dst *Values) error {
	op := p.op("multi-get")
	if dst != nil {
		dst.Reset()
	}
	if err := p.n.enter(op); err != nil {
		return err
	}
	defer p.n.mu.RUnlock()
	total := len(keys) * len(p.n.prefix)
	for _, key := range keys {
		if len(key) > p.n.longest {
			return p.n.fail(op, ErrTooLarge, "key")
		}
		total += len(key)
	}
	arena, full := make([]byte, 0, total), make([][]byte, len(keys))
	for i, key := range keys {
		from := len(arena)
		arena = append(append(arena, p.n.prefix...), key...)
		full[i] = arena[from:]
	}
	return p.r.MultiGet(full, dst)
}

// NewIterator is that of the namespace; a snapshot has its own, which calls
// iterator.
func (p scoped) NewIterator(o *IterOptions) (Iterator, error) {
	if o != nil && o.Snapshot != nil {
		s, ok := o.Snapshot.(*namespaceSnapshot)
		if !ok || s == nil || s.n != p.n {
			if err := p.n.enter("iterator"); err != nil {
				return nil, err
			}
			defer p.n.mu.RUnlock()
			return nil, p.n.fail("iterator", ErrInvalidArgument, "snapshot of another store, or namespace")
		}
		return s.NewIterator(o)
	}
	return p.iterator(o)
}

func (p scoped) iterator(o *IterOptions) (Iterator, error) {
	op := p.op("iterator")
	if err := p.n.enter(op); err != nil {
		return nil, err
	}
	defer p.n.mu.RUnlock()
	var full IterOptions
	if o != nil {
		full = *o
	}
	full.Snapshot = nil
	for _, bound := range []*[]byte{&full.Lower, &full.Upper, &full.Prefix} {
		if len(*bound) > p.n.longest+1 {
			return nil, p.n.fail(op, ErrTooLarge, "bound")
		}
		if *bound != nil {
			*bound = p.n.behind(*bound)
		}
	}
	if full.Prefix == nil {
		full.Prefix = p.n.prefix
	}
	it, err := p.r.NewIterator(&full)
	if err != nil {
		return nil, err
	}
	p.n.iterators.Add(1)
	return &namespaceIterator{n: p.n, it: it, skip: len(p.n.prefix)}, nil
}

func (p scoped) op(name string) string {
	if p.what == "" {
		return name
	}
	return p.what + " " + name
}

func (n *namespace) NewSnapshot() (Snapshot, error) {
	if err := n.enter("snapshot"); err != nil {
		return nil, err
	}
	defer n.mu.RUnlock()
	s, err := n.db.NewSnapshot()
	if err != nil {
		return nil, err
	}
	x := &namespaceSnapshot{scoped: scoped{n, s, "snapshot"}}
	n.smu.Lock()
	n.snapshots[x] = struct{}{}
	n.smu.Unlock()
	return x, nil
}

type namespaceSnapshot struct{ scoped }

func (s *namespaceSnapshot) NewIterator(o *IterOptions) (Iterator, error) {
	if o != nil && o.Snapshot != nil && o.Snapshot != Snapshot(s) {
		return nil, s.n.fail("snapshot iterator", ErrInvalidArgument, "another snapshot")
	}
	return s.iterator(o)
}

func (s *namespaceSnapshot) Release() error {
	if err := s.n.enter("release"); err != nil {
		return err
	}
	defer s.n.mu.RUnlock()
	s.n.smu.Lock()
	delete(s.n.snapshots, s)
	s.n.smu.Unlock()
	return s.r.(Snapshot).Release()
}

// A namespaceIterator is one of the store, within the prefix. When the namespace
// is closed, it can't close that, which another goroutine may be using: it ends,
// and leaves the closing to its owner.
type namespaceIterator struct {
	n      *namespace
	it     Iterator
	skip   int // the length of the prefix
	closed atomic.Bool
	seek   []byte // memory for keys to seek
	err    error  // of a key that was too large
}

func (i *namespaceIterator) ended() bool { return i.n.closed.Load() }

// anew begins to position the iterator.
func (i *namespaceIterator) anew() bool {
	i.err = nil
	return !i.ended()
}

func (i *namespaceIterator) First() bool { return i.anew() && i.it.First() }

func (i *namespaceIterator) Last() bool { return i.anew() && i.it.Last() }

func (i *namespaceIterator) Next() bool { return !i.ended() && i.it.Next() }

func (i *namespaceIterator) Prev() bool { return !i.ended() && i.it.Prev() }

func (i *namespaceIterator) Valid() bool { return !i.ended() && i.it.Valid() }

func (i *namespaceIterator) SeekGE(key []byte) bool { return i.to(key) && i.it.SeekGE(i.seek) }

func (i *namespaceIterator) SeekLT(key []byte) bool { return i.to(key) && i.it.SeekLT(i.seek) }

// to puts key behind the prefix.
func (i *namespaceIterator) to(key []byte) bool {
	if !i.anew() {
		return false
	}
	if len(key) > i.n.longest+1 {
		i.it.SeekLT(i.n.prefix) // stands nowhere then
		i.err = i.n.fail("iterator", ErrTooLarge, "key")
		return false
	}
	if cap(i.seek) > largestKept {
		i.seek = nil
	}
	i.seek = append(append(i.seek[:0], i.n.prefix...), key...)
	return true
}

func (i *namespaceIterator) Key() []byte {
	if i.ended() {
		return nil
	}
	key := i.it.Key()
	if len(key) < i.skip { // there is no entry
		return nil
	}
	return key[i.skip:]
}

func (i *namespaceIterator) Value() []byte {
	if i.ended() {
		return nil
	}
	return i.it.Value()
}

func (i *namespaceIterator) Err() error {
	if i.ended() {
		return i.n.fail("iterator", ErrClosed, "")
	}
	if i.err != nil && !i.closed.Load() {
		return i.err
	}
	return i.it.Err()
}

func (i *namespaceIterator) Close() error {
	const op = "iterator close"
	first := i.closed.CompareAndSwap(false, true)
	if err := i.n.enter(op); err != nil {
		if first {
			_ = i.it.Close() // the namespace has told of it
		}
		return err
	}
	defer i.n.mu.RUnlock()
	if first {
		i.n.iterators.Add(-1)
	}
	return i.it.Close()
}
