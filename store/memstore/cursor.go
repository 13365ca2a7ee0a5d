package memstore

// cursor walks over one state of a tree: the path from the root to an entry.
// Off the ends, and before it is positioned, the path is empty.
type cursor struct {
	root *node
	path []frame
	buf  [8]frame // the path's first memory, enough for any usual tree
}

// frame is a node on the path, and the index of the kid or entry taken in it.
type frame struct {
	n *node
	i int
}

// reset makes c a cursor over root, not positioned.
func (c *cursor) reset(root *node) {
	c.root = root
	c.path = c.buf[:0]
}

func (c *cursor) valid() bool { return len(c.path) > 0 }

// key and value are those of the entry that c stands on.
func (c *cursor) key() []byte {
	f := &c.path[len(c.path)-1]
	return f.n.keys[f.i]
}

func (c *cursor) value() []byte {
	f := &c.path[len(c.path)-1]
	return f.n.vals[f.i]
}

// seekGE moves to the first entry with key or a greater one; nil is the
// smallest key.
func (c *cursor) seekGE(key []byte) {
	c.descend(key)
	if !c.valid() {
		return
	}
	f := &c.path[len(c.path)-1]
	if f.i == len(f.n.keys) {
		f.i--
		c.next()
	}
}

// seekLT moves to the last entry with a key less than key.
func (c *cursor) seekLT(key []byte) {
	c.descend(key)
	c.prev()
}

// descend moves to the place in a leaf where key is or would be, which may lie
// one behind its entries.
func (c *cursor) descend(key []byte) {
	c.path = c.path[:0]
	n := c.root
	if n == nil {
		return
	}
	for n.kids != nil {
		i := n.kid(key)
		c.path = append(c.path, frame{n, i})
		n = n.kids[i]
	}
	i, _ := n.find(key)
	c.path = append(c.path, frame{n, i})
}

// last moves to the last entry.
func (c *cursor) last() {
	c.path = c.path[:0]
	if c.root != nil {
		c.lastOf(c.root)
	}
}

// next moves on, and off the end behind the last entry.
func (c *cursor) next() {
	for len(c.path) > 0 {
		f := &c.path[len(c.path)-1]
		f.i++
		if f.n.kids == nil {
			if f.i < len(f.n.keys) {
				return
			}
		} else if f.i < len(f.n.kids) {
			c.firstOf(f.n.kids[f.i])
			return
		}
		c.path = c.path[:len(c.path)-1]
	}
}

// prev moves back, and off the end before the first entry.
func (c *cursor) prev() {
	for len(c.path) > 0 {
		f := &c.path[len(c.path)-1]
		f.i--
		if f.i >= 0 {
			if f.n.kids != nil {
				c.lastOf(f.n.kids[f.i])
			}
			return
		}
		c.path = c.path[:len(c.path)-1]
	}
}

// firstOf and lastOf extend the path to the first or last entry below n.
func (c *cursor) firstOf(n *node) {
	for n.kids != nil {
		c.path = append(c.path, frame{n, 0})
		n = n.kids[0]
	}
	c.path = append(c.path, frame{n, 0})
}

func (c *cursor) lastOf(n *node) {
	for n.kids != nil {
		i := len(n.kids) - 1
		c.path = append(c.path, frame{n, i})
		n = n.kids[i]
	}
	c.path = append(c.path, frame{n, len(n.keys) - 1})
}
