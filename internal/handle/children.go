package handle

import (
	"fmt"
	"strings"
	"sync"
)

// Kind is a kind of child. Children are closed in the order of the kinds.
type Kind uint8

const (
	// Iterator comes first: iterators may stand on snapshots.
	Iterator Kind = iota
	// Snapshot children are closed when no iterator is left.
	Snapshot
	kinds
)

var kindNames = [kinds]string{"iterator", "snapshot"}

// A Resource is what a child has in C.
type Resource interface {
	// Free frees it. It is called once, by whoever took its Node out.
	Free()
}

// A Node ties a resource to the registry. It is part of the resource and must
// not be copied.
type Node struct {
	_          noCopy
	prev, next *Node
	owner      Resource
	opened     string // where it was opened, in the debug build
}

// Children is the registry of what is open of one store. The zero value is
// ready for use.
type Children struct {
	mu   sync.Mutex
	list [kinds]Node // sentinels
	n    [kinds]int
}

// Add registers a resource under its node.
func (c *Children) Add(kind Kind, n *Node, r Resource) {
	n.owner = r
	n.opened = caller()
	c.mu.Lock()
	head := &c.list[kind]
	if head.next == nil {
		head.next, head.prev = head, head
	}
	n.prev, n.next = head, head.next
	n.next.prev = n
	head.next = n
	c.n[kind]++
	c.mu.Unlock()
}

// Remove takes the node out and tells whether it was in: of several that try,
// one is told true, and has to free the resource.
func (c *Children) Remove(kind Kind, n *Node) bool {
	c.mu.Lock()
	in := n.next != nil
	if in {
		n.prev.next, n.next.prev = n.next, n.prev
		n.prev, n.next = nil, nil
		c.n[kind]--
	}
	c.mu.Unlock()
	return in
}

// Len returns the number of children of a kind.
func (c *Children) Len(kind Kind) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[kind]
}

// CloseAll takes out and frees all children and returns a text that says how
// many of which kind there were, empty if there were none. No call may be in
// flight.
func (c *Children) CloseAll() string {
	var report []string
	for kind := range kinds {
		var opened []string
		n := 0
		for {
			node := c.pop(kind)
			if node == nil {
				break
			}
			n++
			if node.opened != "" {
				opened = append(opened, node.opened)
			}
			node.owner.Free()
		}
		if n == 0 {
			continue
		}
		line := fmt.Sprintf("%d %s", n, kindNames[kind])
		if n > 1 {
			line += "s"
		}
		if len(opened) > 0 {
			line += " (opened at " + strings.Join(opened, ", ") + ")"
		}
		report = append(report, line)
	}
	return strings.Join(report, ", ")
}

func (c *Children) pop(kind Kind) *Node {
	c.mu.Lock()
	n := c.list[kind].next
	c.mu.Unlock()
	if n == nil || n == &c.list[kind] {
		return nil
	}
	c.Remove(kind, n)
	return n
}
