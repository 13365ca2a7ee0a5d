package memstore

import (
	"bytes"
	"slices"
)

// fanout is the greatest number of entries of a leaf and of kids of an inner
// node. Small nodes are cheap to copy after a snapshot, large ones make the
// tree flat; 32 is a middle.
const fanout = 32

// tree is a B+ tree that shares its nodes with the states that freeze has
// returned. A node whose gen is the tree's own is seen by nobody else and is
// changed in place; any other is copied first.
//
// Deleting joins no nodes: one is dropped when it is empty. That keeps every
// leaf at the same depth, and the code short.
type tree struct {
	root  *node // nil when empty
	gen   uint64
	count int
	bytes int // of keys and values
}

// node is a leaf (kids nil), whose vals[i] belongs to keys[i], or an inner
// node, where keys[i] lies above all keys of kids[i] and not above any of
// kids[i+1].
type node struct {
	gen  uint64
	keys [][]byte
	vals [][]byte
	kids []*node
}

// freeze returns the present state, which later changes leave alone.
func (t *tree) freeze() *node {
	t.gen++
	return t.root
}

// own returns n if it may be changed, and otherwise a copy that may.
func (t *tree) own(n *node) *node {
	if n.gen == t.gen {
		return n
	}
	c := t.newNode(n.kids == nil)
	c.keys = append(c.keys, n.keys...)
	c.vals = append(c.vals, n.vals...)
	c.kids = append(c.kids, n.kids...)
	return c
}

// newNode has room for one more than fanout: a node is split when it is over.
func (t *tree) newNode(leaf bool) *node {
	n := &node{gen: t.gen, keys: make([][]byte, 0, fanout+1)}
	if leaf {
		n.vals = make([][]byte, 0, fanout+1)
	} else {
		n.kids = make([]*node, 0, fanout+1)
	}
	return n
}

// get returns the value under key in the state that root is, and whether it is
// there.
func get(root *node, key []byte) ([]byte, bool) {
	if root == nil {
		return nil, false
	}
	n := root
	for n.kids != nil {
		n = n.kids[n.kid(key)]
	}
	i, found := n.find(key)
	if !found {
		return nil, false
	}
	return n.vals[i], true
}

// kid returns the index of the kid that key belongs to.
func (n *node) kid(key []byte) int {
	lo, hi := 0, len(n.keys)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.Compare(n.keys[mid], key) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// find returns the index of the first key of a leaf that is key or greater,
// and whether it is key.
func (n *node) find(key []byte) (int, bool) {
	lo, hi := 0, len(n.keys)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := bytes.Compare(n.keys[mid], key); {
		case c < 0:
			lo = mid + 1
		case c > 0:
			hi = mid
		default:
			return mid, true
		}
	}
	return lo, false
}

// put stores copies of key and value.
func (t *tree) put(key, value []byte) {
	buf := make([]byte, len(key)+len(value))
	copy(buf, key)
	copy(buf[len(key):], value)
	key, value = buf[:len(key):len(key)], buf[len(key):]
	if t.root == nil {
		t.root = t.newNode(true)
	}
	t.root = t.own(t.root)
	if sep, right := t.insert(t.root, key, value); right != nil {
		root := t.newNode(false)
		root.keys = append(root.keys, sep)
		root.kids = append(root.kids, t.root, right)
		t.root = root
	}
}

// insert puts into n, which t owns. If n was split, it returns the new right
// neighbour and the key that parts the two.
func (t *tree) insert(n *node, key, value []byte) (sep []byte, right *node) {
	if n.kids == nil {
		return t.insertLeaf(n, key, value)
	}
	i := n.kid(key)
	n.kids[i] = t.own(n.kids[i])
	sep, kid := t.insert(n.kids[i], key, value)
	if kid == nil {
		return nil, nil
	}
	n.keys = slices.Insert(n.keys, i, sep)
	n.kids = slices.Insert(n.kids, i+1, kid)
	if len(n.kids) <= fanout {
		return nil, nil
	}
	at := splitPoint(len(n.keys), i)
	sep, right = n.keys[at], t.newNode(false)
	right.keys = append(right.keys, n.keys[at+1:]...)
	right.kids = append(right.kids, n.kids[at+1:]...)
	n.keys = cut(n.keys, at)
	n.kids = cut(n.kids, at+1)
	return sep, right
}

func (t *tree) insertLeaf(n *node, key, value []byte) (sep []byte, right *node) {
	i, found := n.find(key)
	if found {
		t.bytes += len(value) - len(n.vals[i])
		// The key too is replaced: it shares its memory with the old value.
		n.keys[i], n.vals[i] = key, value
		return nil, nil
	}
	t.count++
	t.bytes += len(key) + len(value)
	n.keys = slices.Insert(n.keys, i, key)
	n.vals = slices.Insert(n.vals, i, value)
	if len(n.keys) <= fanout {
		return nil, nil
	}
	at := splitPoint(len(n.keys), i)
	right = t.newNode(true)
	right.keys = append(right.keys, n.keys[at:]...)
	right.vals = append(right.vals, n.vals[at:]...)
	n.keys = cut(n.keys, at)
	n.vals = cut(n.vals, at)
	return bytes.Clone(right.keys[0]), right
}

// splitPoint returns where to split n elements of which the one at i is new.
// Growth at the end leaves the left half full, since ascending keys would
// otherwise leave all nodes half empty.
func splitPoint(n, i int) int {
	if i == n-1 {
		return n - 1
	}
	return n / 2
}

// cut shortens s and lets go of what it held.
func cut[E any](s []E, n int) []E {
	clear(s[n:])
	return s[:n]
}

// remove takes key away and tells whether it was there.
func (t *tree) remove(key []byte) bool {
	if _, found := get(t.root, key); !found {
		return false // without copying nodes
	}
	t.root = t.own(t.root)
	t.removeFrom(t.root, key)
	for len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
	}
	if t.root.empty() {
		t.root = nil
	}
	return true
}

func (n *node) empty() bool { return len(n.kids) == 0 && len(n.vals) == 0 }

// removeFrom takes key, which is there, from n, which t owns.
func (t *tree) removeFrom(n *node, key []byte) {
	if n.kids == nil {
		i, _ := n.find(key)
		t.count--
		t.bytes -= len(n.keys[i]) + len(n.vals[i])
		n.keys = slices.Delete(n.keys, i, i+1)
		n.vals = slices.Delete(n.vals, i, i+1)
		return
	}
	i := n.kid(key)
	n.kids[i] = t.own(n.kids[i])
	t.removeFrom(n.kids[i], key)
	if !n.kids[i].empty() {
		return
	}
	n.kids = slices.Delete(n.kids, i, i+1)
	if len(n.keys) > 0 {
		sep := max(i-1, 0)
		n.keys = slices.Delete(n.keys, sep, sep+1)
	}
}

// removeRange takes away the keys from start up to, not including, end; nil is
// no bound.
func (t *tree) removeRange(start, end []byte) {
	var c cursor
	for {
		c.reset(t.root)
		c.seekGE(start)
		if !c.valid() || end != nil && bytes.Compare(c.key(), end) >= 0 {
			return
		}
		t.remove(c.key())
	}
}
