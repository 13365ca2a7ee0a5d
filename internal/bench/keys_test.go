package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int
		prefix string
		format KeyFormat
		num    int64
		n      uint64
		want   string
	}{
		{"db_bench's", 16, "", KeyDecimal, 1e6, 42, "0000000000000042"},
		{"beyond 8 digits", 16, "", KeyDecimal, 1e12, 123_456_789_012, "0000123456789012"},
		{"long", 24, "", KeyDecimal, 1e12, 999_999_999_999, "000000000000999999999999"},
		{"long, few keys", 20, "", KeyDecimal, 10, 7, "00000000000000000007"},
		{"exactly 8", 8, "", KeyDecimal, 1e8, 99_999_999, "99999999"},
		{"short", 3, "", KeyDecimal, 1000, 999, "999"},
		{"one digit", 1, "", KeyDecimal, 10, 9, "9"},
		{"prefix", 16, "user", KeyDecimal, 1e6, 42, "user000000000042"},
		{"prefix and one digit", 5, "user", KeyDecimal, 10, 3, "user3"},
		{"between 8 and 16", 12, "", KeyDecimal, 1e12, 123_456_789_012, "123456789012"},
		{"big endian", 16, "", KeyBigEndian, 1e6, 0x0102, "\x00\x00\x00\x00\x00\x00\x01\x0200000000"},
		{"big endian, short", 2, "", KeyBigEndian, 1e4, 0x0102, "\x01\x02"},
		{"big endian, prefix", 12, "ab", KeyBigEndian, 1e6, 5, "ab\x00\x00\x00\x00\x00\x00\x00\x0500"},
	} {
		cfg := Config{KeySize: c.size, KeyPrefix: c.prefix, KeyFormat: c.format, Num: c.num}
		if got := string(newKeyMaker(&cfg, "").at(c.n)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A maker gives what fmt gives, whatever it was used for before.
func TestKeysAreDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(1, 24).Draw(t, "digits")
		num := int64(1)
		for range min(digits, 12) {
			num *= 10
		}
		num = rapid.Int64Range(1, num).Draw(t, "num")
		prefix := strings.Repeat("p", rapid.IntRange(0, 3).Draw(t, "prefix"))
		m := newKeyMaker(&Config{KeySize: digits + len(prefix), KeyPrefix: prefix, KeyFormat: KeyDecimal, Num: num}, "")
		for range 5 {
			n := uint64(rapid.Int64Range(0, num-1).Draw(t, "n"))
			if got, want := string(m.at(n)), fmt.Sprintf("%s%0*d", prefix, digits, n); got != want {
				t.Fatalf("key %d of %d is %q, want %q", n, num, got, want)
			}
		}
	})
}

func TestDigits8(t *testing.T) {
	check := func(n uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], digits8(n))
		if want := fmt.Sprintf("%08d", n); string(b[:]) != want {
			t.Fatalf("%q, want %q", b, want)
		}
	}
	for n := range uint64(10_000) { // all groups of four digits, in both places
		check(n)
		check(n * 10_000)
		check(n*10_000 + n)
	}
}

// What readmissing asks for lies behind its own key and before the next one,
// and so is no key.
func TestMissingKeysLieBetween(t *testing.T) {
	for _, format := range []KeyFormat{KeyDecimal, KeyBigEndian} {
		cfg := Config{KeySize: 16, KeyFormat: format, Num: 100_000}
		stored, missing := newKeyMaker(&cfg, ""), newKeyMaker(&cfg, betweenSuffix)
		for n := range uint64(99_999) {
			before := bytes.Clone(stored.at(n))
			between := missing.at(n)
			if bytes.Compare(before, between) >= 0 || bytes.Compare(between, stored.at(n+1)) >= 0 {
				t.Fatalf("%s: %q does not lie behind %q", format, between, before)
			}
		}
	}
}
