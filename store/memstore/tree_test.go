package memstore

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The tree is compared with a map and sorting, after every few changes: all
// entries in both directions, seeks to every place, counts, and the states that
// were frozen before. Its rules are checked from the inside.

// naive is what the tree must hold.
type naive map[string]string

func (n naive) keys() []string { return slices.Sorted(maps.Keys(n)) }

// checkNode checks the rules of the nodes below n: keys between lower and upper
// (nil: no bound), all leaves at one depth, none empty. It returns the depth.
func checkNode(t *testing.T, n *node, lower, upper []byte, root bool) int {
	t.Helper()
	for i, k := range n.keys {
		if i > 0 && bytes.Compare(n.keys[i-1], k) >= 0 {
			t.Fatalf("keys out of order: %q, %q", n.keys[i-1], k)
		}
		if bytes.Compare(k, lower) < 0 || upper != nil && bytes.Compare(k, upper) >= 0 {
			t.Fatalf("key %q is not between %q and %q", k, lower, upper)
		}
	}
	if n.kids == nil {
		if len(n.keys) != len(n.vals) || len(n.keys) == 0 || len(n.keys) > fanout {
			t.Fatalf("leaf with %d keys and %d values", len(n.keys), len(n.vals))
		}
		return 1
	}
	if len(n.kids) != len(n.keys)+1 || len(n.kids) > fanout || root && len(n.kids) == 1 {
		t.Fatalf("inner node with %d keys and %d kids", len(n.keys), len(n.kids))
	}
	depth := 0
	for i, kid := range n.kids {
		lo, hi := lower, upper
		if i > 0 {
			lo = n.keys[i-1]
		}
		if i < len(n.keys) {
			hi = n.keys[i]
		}
		d := checkNode(t, kid, lo, hi, false)
		if depth == 0 {
			depth = d
		}
		if d != depth {
			t.Fatalf("leaves at depths %d and %d", depth, d)
		}
	}
	return depth + 1
}

func checkState(t *testing.T, root *node, want naive) {
	t.Helper()
	if root != nil {
		checkNode(t, root, nil, nil, true)
	}
	var c cursor
	c.reset(root)
	keys := want.keys()
	i := 0
	for c.seekGE(nil); c.valid(); c.next() {
		if i >= len(keys) || string(c.key()) != keys[i] || string(c.value()) != want[keys[i]] {
			t.Fatalf("entry %d is %q=%q", i, c.key(), c.value())
		}
		i++
	}
	if i != len(keys) {
		t.Fatalf("%d entries, want %d", i, len(keys))
	}
	for c.last(); c.valid(); c.prev() {
		i--
		if i < 0 || string(c.key()) != keys[i] {
			t.Fatalf("backwards, entry %d is %q", i, c.key())
		}
	}
	if i != 0 {
		t.Fatalf("backwards, %d entries are missing", i)
	}
	for _, k := range append(keys, "", "0", "zzz") {
		for _, probe := range []string{k, k + "\x00"} {
			checkSeeks(t, &c, keys, probe)
			v, ok := get(root, []byte(probe))
			if w, wok := want[probe]; ok != wok || string(v) != w {
				t.Fatalf("get %q: %q, %v, want %q, %v", probe, v, ok, w, wok)
			}
		}
	}
}

func checkSeeks(t *testing.T, c *cursor, keys []string, probe string) {
	t.Helper()
	at, _ := slices.BinarySearch(keys, probe)
	c.seekGE([]byte(probe))
	if c.valid() != (at < len(keys)) || c.valid() && string(c.key()) != keys[at] {
		t.Fatalf("seekGE %q failed", probe)
	}
	c.seekLT([]byte(probe))
	if c.valid() != (at > 0) || c.valid() && string(c.key()) != keys[at-1] {
		t.Fatalf("seekLT %q failed", probe)
	}
}

func checkTree(t *testing.T, tr *tree, want naive) {
	t.Helper()
	checkState(t, tr.root, want)
	size := 0
	for k, v := range want {
		size += len(k) + len(v)
	}
	if tr.count != len(want) || tr.bytes != size {
		t.Fatalf("tree counts %d entries of %d bytes, want %d of %d", tr.count, tr.bytes, len(want), size)
	}
}

func TestTree(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, span := range []int{10, 300, 6000} {
		tr, want := &tree{}, naive{}
		var frozen []*node
		var frozenWant []naive
		for step := range 6000 {
			k := fmt.Sprintf("%d", rng.IntN(span))
			// Phases of mostly growing and mostly shrinking.
			if grow := step/1000%2 == 0; grow == (rng.IntN(4) > 0) {
				v := fmt.Sprint(step)
				tr.put([]byte(k), []byte(v))
				want[k] = v
			} else {
				_, there := want[k]
				if tr.remove([]byte(k)) != there {
					t.Fatalf("remove %q, there: %v", k, there)
				}
				delete(want, k)
			}
			if rng.IntN(500) == 0 {
				frozen = append(frozen, tr.freeze())
				frozenWant = append(frozenWant, maps.Clone(want))
			}
			if step%1000 == 999 {
				checkTree(t, tr, want)
			}
		}
		lo, hi := "2", "7"
		tr.removeRange([]byte(lo), []byte(hi))
		maps.DeleteFunc(want, func(k, _ string) bool { return k >= lo && k < hi })
		checkTree(t, tr, want)
		for i, root := range frozen {
			checkState(t, root, frozenWant[i])
		}
		tr.removeRange(nil, nil)
		checkTree(t, tr, naive{})
		for i, root := range frozen {
			checkState(t, root, frozenWant[i])
		}
	}
}

// Ascending and descending keys leave sound trees, the ascending one full.
func TestTreeInOrder(t *testing.T) {
	const n = 5000
	for _, descending := range []bool{false, true} {
		tr, want := &tree{}, naive{}
		for i := range n {
			if descending {
				i = n - 1 - i
			}
			k := fmt.Sprintf("%06d", i)
			tr.put([]byte(k), nil)
			want[k] = ""
		}
		checkTree(t, tr, want)
		if leaves := countLeaves(tr.root); !descending && leaves > n/fanout+1 {
			t.Errorf("%d leaves for %d ascending keys", leaves, n)
		}
		for i := range n { // down to nothing, from the front
			tr.remove(fmt.Appendf(nil, "%06d", i))
		}
		checkTree(t, tr, naive{})
	}
}

func countLeaves(n *node) int {
	if n.kids == nil {
		return 1
	}
	sum := 0
	for _, kid := range n.kids {
		sum += countLeaves(kid)
	}
	return sum
}

// What the tree stores and shares is its own: neither the caller's slices nor a
// frozen state change with later puts.
func TestTreeCopies(t *testing.T) {
	tr := &tree{}
	k, v := []byte("key"), []byte("value")
	tr.put(k, v)
	root := tr.freeze()
	clear(k)
	clear(v)
	tr.put([]byte("key"), []byte("other"))
	if v, _ := get(root, []byte("key")); string(v) != "value" {
		t.Errorf("frozen state reads %q", v)
	}
	if v, _ := get(tr.root, []byte("key")); string(v) != "other" {
		t.Errorf("tree reads %q", v)
	}
}
