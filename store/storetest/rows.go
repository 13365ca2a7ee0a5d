package storetest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// row is one entry. As in the contract, neither slice is nil.
type row struct{ k, v []byte }

// rows makes rows of keys and values in turn.
func rows(kv ...string) []row {
	var rs []row
	for i := 0; i < len(kv); i += 2 {
		rs = append(rs, row{[]byte(kv[i]), []byte(kv[i+1])})
	}
	return rs
}

// within returns the rows of the range.
func within(rs []row, r store.KeyRange) []row {
	var out []row
	for _, e := range rs {
		if r.Contains(e.k) {
			out = append(out, e)
		}
	}
	return out
}

// without returns the rows outside of the range.
func without(rs []row, r store.KeyRange) []row {
	var out []row
	for _, e := range rs {
		if !r.Contains(e.k) {
			out = append(out, e)
		}
	}
	return out
}

// forward and backward return what a walk shows, copied, in the walk's order.
func (t *env) forward(r store.Reader, o *store.IterOptions) []row {
	t.Helper()
	return t.walk(r, o, store.Iterator.First, store.Iterator.Next)
}

func (t *env) backward(r store.Reader, o *store.IterOptions) []row {
	t.Helper()
	return t.walk(r, o, store.Iterator.Last, store.Iterator.Prev)
}

func (t *env) walk(r store.Reader, o *store.IterOptions, first, next func(store.Iterator) bool) []row {
	t.Helper()
	it := t.iterator(r, o)
	var out []row
	for ok := first(it); ok; ok = next(it) {
		out = append(out, row{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
	}
	t.must(it.Err(), "walk")
	t.closeIter(it)
	return out
}

// wantRows checks that an iterator with options o shows these rows, in this
// order and, backwards, in the opposite one.
func (t *env) wantRows(r store.Reader, o *store.IterOptions, want []row, what string) {
	t.Helper()
	t.sameRows(t.forward(r, o), want, what+", forward")
	back := slices.Clone(want)
	slices.Reverse(back)
	t.sameRows(t.backward(r, o), back, what+", backward")
}

func (t *env) sameRows(got, want []row, what string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if !same(got[i].k, want[i].k) || !same(got[i].v, want[i].v) {
			t.Errorf("%s: row %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
	switch {
	case len(got) < len(want):
		t.Errorf("%s: %d rows, want %d; the first missing one is %v", what, len(got), len(want), want[len(got)])
	case len(got) > len(want):
		t.Errorf("%s: %d rows, want %d; the first one too many is %v", what, len(got), len(want), got[len(want)])
	}
}

// wantContents checks all ways to read all of rs: walks, lookups one by one
// and lookups in one call.
func (t *env) wantContents(r store.Reader, rs []row, what string) {
	t.Helper()
	t.wantRows(r, nil, rs, what)
	keys := make([][]byte, len(rs))
	for i, e := range rs {
		keys[i] = e.k
		if v, err := r.Get(e.k); err != nil || !same(v, e.v) {
			t.Errorf("%s: get %s: got %s, %v, want %s", what, show(e.k), show(v), err, show(e.v))
		}
		if ok, err := r.Has(e.k); !ok || err != nil {
			t.Errorf("%s: has %s: got %v, %v, want true", what, show(e.k), ok, err)
		}
	}
	var vs store.Values
	t.must(r.MultiGet(keys, &vs), what+": multiget")
	if vs.Len() != len(rs) {
		t.Fatalf("%s: multiget gave %d results, want %d", what, vs.Len(), len(rs))
	}
	for i, e := range rs {
		if v, ok := vs.At(i); !ok || !same(v, e.v) {
			t.Errorf("%s: multiget %s: got %s, %v, want %s", what, show(e.k), show(v), ok, show(e.v))
		}
	}
}

// fill puts the rows one by one.
func (t *env) fill(db store.DB, rs []row) {
	t.Helper()
	for _, e := range rs {
		t.must(db.Put(e.k, e.v, nil), "put")
	}
}

// numbered returns n rows with keys in order.
func numbered(n int) []row {
	rs := make([]row, n)
	for i := range rs {
		rs[i] = row{fmt.Appendf(nil, "key%06d", i), fmt.Appendf(nil, "value %d", i)}
	}
	return rs
}

// same tells whether two slices have the same bytes and are both nil or both
// not.
func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

func (r row) String() string { return show(r.k) + "=" + show(r.v) }

// show prints bytes so that nil, empty and long ones are told apart.
func show(b []byte) string {
	switch {
	case b == nil:
		return "nil"
	case len(b) > 40:
		return fmt.Sprintf("%q... (%d bytes)", b[:20], len(b))
	}
	return fmt.Sprintf("%q", b)
}
