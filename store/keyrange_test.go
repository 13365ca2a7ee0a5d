package store_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Ranges against their definition: nil is no bound, empty is the smallest key,
// and a prefix of 0xFF bytes has no end.

// show prints bytes so that nil and empty differ.
func show(b []byte) string {
	if b == nil {
		return "nil"
	}
	return fmt.Sprintf("%q", b)
}

// same tells whether two slices are equal, nil and empty told apart.
func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

func TestPrefixEnd(t *testing.T) {
	for _, c := range []struct{ prefix, want []byte }{
		{nil, nil},
		{[]byte{}, nil},
		{[]byte("a"), []byte("b")},
		{[]byte("ab"), []byte("ac")},
		{[]byte("a\xff"), []byte("b")},
		{[]byte("a\xff\xff"), []byte("b")},
		{[]byte("a\xfe"), []byte("a\xff")},
		{[]byte("\xff"), nil},
		{[]byte("\xff\xff\xff"), nil},
		{[]byte("\xff\x00"), []byte("\xff\x01")},
		{[]byte("\x00"), []byte("\x01")},
		{[]byte("\x7f"), []byte("\x80")},
	} {
		before := bytes.Clone(c.prefix)
		if got := store.PrefixEnd(c.prefix); !same(got, c.want) {
			t.Errorf("PrefixEnd(%s) = %s, want %s", show(c.prefix), show(got), show(c.want))
		}
		if !same(c.prefix, before) {
			t.Errorf("PrefixEnd changed %s to %s", show(before), show(c.prefix))
		}
	}
}

func TestPrefixRange(t *testing.T) {
	for _, c := range []struct {
		prefix  string
		in, out []string
	}{
		{"a", []string{"a", "a\x00", "a\xff", "a\xff\xff", "ab"}, []string{"", "b", "`", "A"}},
		{"a\xff", []string{"a\xff", "a\xff\x00", "a\xff\xff"}, []string{"a", "a\xfe\xff", "b", ""}},
		{"\xff\xff", []string{"\xff\xff", "\xff\xff\xff"}, []string{"\xff", "\xff\xfe", ""}},
		{"", []string{"", "a", "\xff"}, nil},
	} {
		r := store.PrefixRange([]byte(c.prefix))
		for _, k := range c.in {
			if !r.Contains([]byte(k)) {
				t.Errorf("prefix %q: %q is missing", c.prefix, k)
			}
		}
		for _, k := range c.out {
			if r.Contains([]byte(k)) {
				t.Errorf("prefix %q: %q is in it", c.prefix, k)
			}
		}
		if r.Empty() || r.Reversed() {
			t.Errorf("prefix %q: empty %v, reversed %v", c.prefix, r.Empty(), r.Reversed())
		}
	}
}

func TestSuccessor(t *testing.T) {
	for _, key := range []string{"", "a", "a\x00", "\xff"} {
		got := store.Successor([]byte(key))
		if string(got) != key+"\x00" {
			t.Errorf("Successor(%q) = %q", key, got)
		}
	}
	room := append(make([]byte, 0, 10), "key"...)
	_ = store.Successor(room)
	if rest := room[:4]; rest[3] != 0 {
		t.Errorf("array behind the key: %q", rest)
	}
	room[:4][3] = 'x'
	if store.Successor(room); room[:4][3] != 'x' {
		t.Error("Successor wrote behind its argument")
	}
}

func TestKeyRange(t *testing.T) {
	for _, c := range []struct {
		start, end      []byte
		empty, reversed bool
		in, out         string // keys of one byte
	}{
		{nil, nil, false, false, "abc", ""},
		{[]byte{}, nil, false, false, "abc", ""},
		{nil, []byte{}, true, false, "", "abc"},
		{[]byte{}, []byte{}, true, false, "", "abc"},
		{[]byte("a"), []byte{}, true, true, "", "abc"},
		{[]byte("a"), []byte("c"), false, false, "ab", "c"},
		{[]byte("b"), nil, false, false, "bc", "a"},
		{nil, []byte("b"), false, false, "a", "bc"},
		{[]byte("b"), []byte("b"), true, false, "", "abc"},
		{[]byte("b"), []byte("a"), true, true, "", "abc"},
		{[]byte("b"), []byte("b\x00"), false, false, "b", "ac"},
		{[]byte("\x80"), []byte("a"), true, true, "", "abc"},
	} {
		r := store.KeyRange{Start: c.start, End: c.end}
		what := show(c.start) + " to " + show(c.end)
		if r.Empty() != c.empty || r.Reversed() != c.reversed {
			t.Errorf("%s: empty %v, reversed %v, want %v, %v", what, r.Empty(), r.Reversed(), c.empty, c.reversed)
		}
		for i := range c.in {
			if !r.Contains([]byte(c.in[i : i+1])) {
				t.Errorf("%s: %q is missing", what, c.in[i])
			}
		}
		for i := range c.out {
			if r.Contains([]byte(c.out[i : i+1])) {
				t.Errorf("%s: %q is in it", what, c.out[i])
			}
		}
	}
}

func TestIntersect(t *testing.T) {
	for _, c := range []struct{ a, b, want store.KeyRange }{
		{store.KeyRange{}, store.KeyRange{}, store.KeyRange{}},
		{store.KeyRange{Start: []byte("b")}, store.KeyRange{End: []byte("d")}, store.KeyRange{Start: []byte("b"), End: []byte("d")}},
		{store.KeyRange{Start: []byte("a"), End: []byte("c")}, store.KeyRange{Start: []byte("b"), End: []byte("d")}, store.KeyRange{Start: []byte("b"), End: []byte("c")}},
		{store.KeyRange{End: []byte{}}, store.KeyRange{End: []byte("a")}, store.KeyRange{End: []byte{}}},
		{store.KeyRange{Start: []byte{}}, store.KeyRange{}, store.KeyRange{Start: []byte{}}},
		{store.KeyRange{Start: []byte("x")}, store.KeyRange{End: []byte("a")}, store.KeyRange{Start: []byte("x"), End: []byte("a")}},
	} {
		for _, got := range []store.KeyRange{c.a.Intersect(c.b), c.b.Intersect(c.a)} {
			if !same(got.Start, c.want.Start) || !same(got.End, c.want.End) {
				t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
			}
		}
	}
}

func TestIterOptionsRange(t *testing.T) {
	if r := (*store.IterOptions)(nil).Range(); r.Start != nil || r.End != nil {
		t.Errorf("nil options: %v", r)
	}
	for _, c := range []struct {
		o    store.IterOptions
		want store.KeyRange
	}{
		{store.IterOptions{}, store.KeyRange{}},
		{store.IterOptions{Upper: []byte{}}, store.KeyRange{End: []byte{}}},
		{store.IterOptions{Prefix: []byte{}}, store.KeyRange{}},
		{store.IterOptions{Prefix: []byte("a")}, store.KeyRange{Start: []byte("a"), End: []byte("b")}},
		{store.IterOptions{Prefix: []byte("\xff")}, store.KeyRange{Start: []byte("\xff")}},
		{store.IterOptions{Prefix: []byte("a"), Lower: []byte("aa"), Upper: []byte("z")}, store.KeyRange{Start: []byte("aa"), End: []byte("b")}},
		{store.IterOptions{Prefix: []byte("a"), Upper: []byte{}}, store.KeyRange{Start: []byte("a"), End: []byte{}}},
	} {
		if r := c.o.Range(); !same(r.Start, c.want.Start) || !same(r.End, c.want.End) {
			t.Errorf("%+v: %v, want %v", c.o, r, c.want)
		}
	}
}

// FuzzKeyRange holds ranges, prefixes and successors to their definitions on
// any bytes.
func FuzzKeyRange(f *testing.F) {
	f.Add([]byte("a"), []byte("b"), []byte("ab"), true, true)
	f.Add([]byte("\xff\xff"), []byte{}, []byte("\xff\xff\x00"), true, false)
	f.Add([]byte{}, []byte{}, []byte{}, false, false)
	f.Fuzz(func(t *testing.T, a, b, k []byte, hasStart, hasEnd bool) {
		if p := store.PrefixRange(a); p.Contains(k) != bytes.HasPrefix(k, a) {
			t.Errorf("prefix %q and key %q: %v", a, k, p.Contains(k))
		}
		r := store.KeyRange{}
		if hasStart {
			r.Start = a
		}
		if hasEnd {
			r.End = b
		}
		want := (!hasStart || bytes.Compare(k, a) >= 0) && (!hasEnd || bytes.Compare(k, b) < 0)
		if r.Contains(k) != want {
			t.Errorf("%v contains %q: %v", r, k, r.Contains(k))
		}
		if want && (r.Empty() || r.Reversed()) {
			t.Errorf("%v has %q but is empty %v, reversed %v", r, k, r.Empty(), r.Reversed())
		}
		if r.Reversed() && !r.Empty() {
			t.Errorf("%v is reversed and not empty", r)
		}
		p := store.PrefixRange(b)
		if x := r.Intersect(p); x.Contains(k) != (r.Contains(k) && p.Contains(k)) {
			t.Errorf("%v and %v, %q: %v", r, p, k, x.Contains(k))
		}
		one := store.KeyRange{Start: a, End: store.Successor(a)}
		if one.Contains(k) != bytes.Equal(a, k) {
			t.Errorf("the range of %q alone and %q: %v", a, k, one.Contains(k))
		}
	})
}
