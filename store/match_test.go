package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Patterns against tables, and on any bytes against a matcher that tries
// everything.

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern string
		in, out string // keys with spaces between them; "-" is the empty key
	}{
		{"", "-", "a"},
		{"abc", "abc", "- ab abcd xabc"},
		{"*", "- a abc \xff\xff", ""},
		{"**", "- a abc", ""},
		{"a*", "a ab a\xff", "- b ba"},
		{"*a", "a ba aaa", "- ab"},
		{"a*b*c", "abc aXbYc abbcc abcbc", "ac acb abcd"},
		{"*ab*ab*", "abab XabYabZ aabab", "ab aba"},
		{"?", "a \xff *", "- ab"},
		{"a?c", "abc a?c a\x00c", "ac abbc"},
		{"user/*/name", "user/1/name user//name user/a/b/name", "user/name user/1/nam"},
		{"[abc]x", "ax bx cx", "x dx abx [abc]x"},
		{"[a-c]", "a b c", "d - ab A"},
		{"[^a-c]", "d \x00 \xff ^", "a b c -"},
		{"[a-cx-z0]", "b y 0", "d w -"},
		{"[a-]", "a -dash", ""},
		{"[-a]", "a", "b"},
		{"[\\]]", "]", "\\ a"},
		{"[\\^a]", "^ a", "b"},
		{"[a^]", "a ^", "b"},
		{"[\\-a]", "a", "b"},
		{"[!a]", "! a", "b"},
		{"[a-a]", "a", "b"},
		{"[\x80-\xff]", "\x80 \xc0 \xff", "a \x7f"},
		{"\\*", "*", "a \\* -"},
		{"\\?\\[\\\\", "?[\\", "a[\\"},
		{"a\\bc", "abc", "a\\bc"},
		{"]", "]", "a"},
		{"a*[0-9]", "a1 ab2", "a ab"},
	} {
		p, err := store.ParsePattern([]byte(c.pattern))
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		check := func(keys string, want bool) {
			for _, k := range strings.Fields(keys) {
				switch k {
				case "-":
					k = ""
				case "-dash":
					k = "-"
				}
				if p.Match([]byte(k)) != want {
					t.Errorf("pattern %q, key %q: %v", c.pattern, k, !want)
				}
				if want && !p.Range().Contains([]byte(k)) {
					t.Errorf("pattern %q: key %q matches outside of the range %v", c.pattern, k, p.Range())
				}
			}
		}
		check(c.in, true)
		check(c.out, false)
	}
}

func TestPatternMalformed(t *testing.T) {
	for _, pattern := range []string{"[", "[]", "[^]", "[a", "[a-", "[a-b", "\\", "a\\", "[\\", "[\\]", "[b-a]", "x[a-\\", "*[", "[]a]"} {
		p, err := store.ParsePattern([]byte(pattern))
		if p != nil || !errors.Is(err, store.ErrInvalidArgument) {
			t.Errorf("%q: %v, %v", pattern, p, err)
		}
	}
}

func TestPatternRange(t *testing.T) {
	for _, c := range []struct{ pattern, start, end string }{
		{"abc", "abc", "abc\x00"},
		{"", "", "\x00"},
		{"ab*", "ab", "ac"},
		{"a\\*b?", "a*b", "a*c"},
		{"a[x]b", "a", "b"},
		{"*", "", "none"},
		{"\xff*", "\xff", "none"},
	} {
		p, err := store.ParsePattern([]byte(c.pattern))
		if err != nil {
			t.Fatal(err)
		}
		r := p.Range()
		if string(r.Start) != c.start || r.End == nil != (c.end == "none") || r.End != nil && string(r.End) != c.end {
			t.Errorf("%q: %s to %s, want %q to %q", c.pattern, show(r.Start), show(r.End), c.start, c.end)
		}
	}
}

// A pattern of many stars on a key that almost matches takes no exponential
// time: this test would not end.
func TestPatternManyStars(t *testing.T) {
	p, err := store.ParsePattern([]byte(strings.Repeat("*a", 50) + "*b"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Match([]byte(strings.Repeat("a", 2000))) {
		t.Error("matched without its last byte")
	}
}

// matches tries every length for every star. It is for short keys only. The
// pattern must be well formed.
func matches(pattern, key []byte) bool {
	if len(pattern) == 0 {
		return len(key) == 0
	}
	switch pattern[0] {
	case '*':
		for i := range len(key) + 1 {
			if matches(pattern[1:], key[i:]) {
				return true
			}
		}
		return false
	case '?':
		return len(key) > 0 && matches(pattern[1:], key[1:])
	case '\\':
		return len(key) > 0 && key[0] == pattern[1] && matches(pattern[2:], key[1:])
	case '[':
		set, rest := expandSet(pattern)
		return len(key) > 0 && set[key[0]] && matches(rest, key[1:])
	}
	return len(key) > 0 && key[0] == pattern[0] && matches(pattern[1:], key[1:])
}

// expandSet returns the bytes of the set at the start of pattern, and the rest.
func expandSet(pattern []byte) (set [256]bool, rest []byte) {
	b := pattern[1:]
	neg := b[0] == '^'
	if neg {
		b = b[1:]
	}
	take := func() byte {
		c := b[0]
		b = b[1:]
		if c == '\\' {
			c = b[0]
			b = b[1:]
		}
		return c
	}
	for b[0] != ']' {
		lo := take()
		hi := lo
		if b[0] == '-' && b[1] != ']' {
			b = b[1:]
			hi = take()
		}
		for c := int(lo); c <= int(hi); c++ {
			set[c] = true
		}
	}
	if neg {
		for i := range set {
			set[i] = !set[i]
		}
	}
	return set, b[1:]
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"", "a*b", "*a*", "[a-c]?", "\\*", "[^a]", "a[b", "**", "[\\]-a]", "[]"} {
		f.Add([]byte(s), []byte("abc"))
		f.Add([]byte(s), []byte("*"))
	}
	f.Fuzz(func(t *testing.T, pattern, key []byte) {
		if len(pattern) > 12 || len(key) > 12 {
			t.Skip("too long for the reference")
		}
		p, err := store.ParsePattern(pattern)
		if err != nil {
			if !errors.Is(err, store.ErrInvalidArgument) {
				t.Errorf("%q: %v", pattern, err)
			}
			return
		}
		want := matches(pattern, key)
		if p.Match(key) != want {
			t.Errorf("pattern %q, key %q: %v, want %v", pattern, key, !want, want)
		}
		if want && !p.Range().Contains(key) {
			t.Errorf("pattern %q: key %q lies outside of %v", pattern, key, p.Range())
		}
	})
}
