package store_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Batches: the bytes of the wire format spelled out, every change and its
// refusal, what Load takes and what it does not, and a round trip on any bytes.

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// records returns a batch's changes, copied, in a form that compares.
func records(t testing.TB, b *store.Batch) []string {
	t.Helper()
	var out []string
	must(t, b.Each(func(r store.Record) error {
		switch {
		case r.Key == nil:
			t.Error("a record with a nil key")
		case r.Kind == store.KindPut && r.Value == nil:
			t.Error("a put of a nil value")
		case r.Kind != store.KindPut && r.Value != nil, r.Kind != store.KindDeleteRange && r.End != nil:
			t.Errorf("a record with too much: %+v", r)
		}
		switch r.Kind {
		case store.KindPut:
			out = append(out, fmt.Sprintf("put %q %q", r.Key, r.Value))
		case store.KindDelete:
			out = append(out, fmt.Sprintf("delete %q", r.Key))
		case store.KindDeleteRange:
			out = append(out, fmt.Sprintf("delete range %q %s", r.Key, show(r.End)))
		default:
			t.Errorf("unknown kind %d", r.Kind)
		}
		return nil
	}))
	return out
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	must(t, err)
	return b
}

func TestBatchEncoding(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 300)
	for _, c := range []struct {
		name string
		fill func(b *store.Batch) error
		want string // behind the sequence number
	}{
		{"nothing", func(*store.Batch) error { return nil }, "00000000"},
		{"put", func(b *store.Batch) error { return b.Put([]byte("key"), []byte("value")) },
			"01000000 01 03 6b6579 05 76616c7565"},
		{"put of nothing", func(b *store.Batch) error { return b.Put(nil, nil) }, "01000000 01 00 00"},
		{"delete", func(b *store.Batch) error { return b.Delete([]byte("key")) }, "01000000 00 03 6b6579"},
		{"delete of the empty key", func(b *store.Batch) error { return b.Delete(nil) }, "01000000 00 00"},
		{"delete range", func(b *store.Batch) error { return b.DeleteRange([]byte("a"), []byte("bc")) },
			"01000000 0f 01 61 02 6263"},
		{"delete range from the first key", func(b *store.Batch) error { return b.DeleteRange(nil, []byte("b")) },
			"01000000 0f 00 01 62"},
		{"delete range without an end", func(b *store.Batch) error { return b.DeleteRange([]byte("a"), nil) },
			"01000000 8f 01 61"},
		{"empty range", func(b *store.Batch) error { return b.DeleteRange([]byte("a"), []byte("a")) }, "00000000"},
		{"empty range before all", func(b *store.Batch) error { return b.DeleteRange(nil, []byte{}) }, "00000000"},
		{"length of two bytes", func(b *store.Batch) error { return b.Put([]byte("k"), long) },
			"01000000 01 01 6b ac02" + hex.EncodeToString(long)},
		{"three changes", func(b *store.Batch) error {
			return errors.Join(b.Put([]byte("k"), []byte("v")), b.Delete([]byte("k")), b.Put([]byte("l"), nil))
		}, "03000000 01 01 6b 01 76 00 01 6b 01 01 6c 00"},
	} {
		var zero store.Batch
		for _, b := range []*store.Batch{&zero, store.NewBatch(0), store.NewBatch(1000)} {
			must(t, c.fill(b))
			want := append(make([]byte, 8), unhex(t, c.want)...)
			if !bytes.Equal(b.Encoded(), want) || b.Size() != len(want) {
				t.Errorf("%s: % x (size %d), want % x", c.name, b.Encoded(), b.Size(), want)
			}
		}
	}
}

func TestBatchNil(t *testing.T) {
	var b *store.Batch
	if b.Len() != 0 || b.Size() != 12 || len(b.Encoded()) != 12 || b.HasRange() || b.HasOpenRange() {
		t.Errorf("nil batch: %d changes, size %d", b.Len(), b.Size())
	}
	must(t, b.Each(func(store.Record) error { return errors.New("called") }))
	for _, size := range []int{-1, 0, 100} {
		if b := store.NewBatch(size); b.Len() != 0 || b.Size() != 12 {
			t.Errorf("new batch of %d: %d changes, size %d", size, b.Len(), b.Size())
		}
	}
}

// fill makes a batch with one of each kind.
func fill(t testing.TB, b *store.Batch) {
	t.Helper()
	must(t, b.Put([]byte("a"), []byte("1")))
	must(t, b.Delete([]byte("b")))
	must(t, b.DeleteRange([]byte("c"), []byte("d")))
	must(t, b.DeleteRange([]byte("e"), nil))
	must(t, b.Put([]byte{}, nil))
}

var filled = []string{`put "a" "1"`, `delete "b"`, `delete range "c" "d"`, `delete range "e" nil`, `put "" ""`}

func TestBatchEach(t *testing.T) {
	var b store.Batch
	fill(t, &b)
	if got := records(t, &b); !reflect.DeepEqual(got, filled) {
		t.Errorf("got %v, want %v", got, filled)
	}
	stop, n := errors.New("stop"), 0
	err := b.Each(func(store.Record) error {
		if n++; n == 2 {
			return stop
		}
		return nil
	})
	if err != stop || n != 2 {
		t.Errorf("each went on to %d and gave %v", n, err)
	}
}

func TestBatchResetAndAppend(t *testing.T) {
	var a, b store.Batch
	fill(t, &a)
	must(t, b.Append(&a))
	must(t, b.Append(nil))
	must(t, b.Append(new(store.Batch)))
	must(t, b.Append(&b))
	if got, want := records(t, &b), append(append([]string{}, filled...), filled...); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !b.HasRange() || !b.HasOpenRange() || b.Len() != 10 {
		t.Errorf("%d changes, range %v, open range %v", b.Len(), b.HasRange(), b.HasOpenRange())
	}
	if got := records(t, &a); !reflect.DeepEqual(got, filled) {
		t.Errorf("append changed its argument to %v", got)
	}
	b.Reset()
	if b.Len() != 0 || b.Size() != 12 || b.HasRange() || b.HasOpenRange() || !bytes.Equal(b.Encoded(), make([]byte, 12)) {
		t.Errorf("after reset: %d changes, %x", b.Len(), b.Encoded())
	}
	must(t, b.Delete([]byte("x")))
	if got := records(t, &b); !reflect.DeepEqual(got, []string{`delete "x"`}) {
		t.Errorf("used again: %v", got)
	}
	var zero store.Batch
	zero.Reset()
	if zero.Len() != 0 || zero.Size() != 12 {
		t.Errorf("reset of the zero batch: %d, %d", zero.Len(), zero.Size())
	}
}

func TestBatchRefusals(t *testing.T) {
	var b store.Batch
	fill(t, &b)
	before := bytes.Clone(b.Encoded())
	big := make([]byte, store.MaxKeySize+2)
	for what, c := range map[string]struct{ err, want error }{
		"put of a large key":      {b.Put(big, nil), store.ErrTooLarge},
		"delete of a large key":   {b.Delete(big), store.ErrTooLarge},
		"range from a large key":  {b.DeleteRange(big, nil), store.ErrTooLarge},
		"range to a large key":    {b.DeleteRange(nil, big), store.ErrTooLarge},
		"range to a key's middle": {b.DeleteRange(big[:store.MaxKeySize+1], big[:store.MaxKeySize+1]), store.ErrTooLarge},
		"reversed range":          {b.DeleteRange([]byte("b"), []byte("a")), store.ErrInvalidArgument},
		"range to before all":     {b.DeleteRange([]byte("b"), []byte{}), store.ErrInvalidArgument},
	} {
		var e *store.Error
		if !errors.Is(c.err, c.want) || !errors.As(c.err, &e) {
			t.Errorf("%s: got %v, want %v", what, c.err, c.want)
		}
	}
	if !bytes.Equal(b.Encoded(), before) {
		t.Error("a refused change changed the batch")
	}
	must(t, b.Put(big[:store.MaxKeySize], nil))
	must(t, b.DeleteRange(big[:store.MaxKeySize], big[:store.MaxKeySize+1]))
}

func TestBatchLoad(t *testing.T) {
	var a, b store.Batch
	fill(t, &a)
	rep := bytes.Clone(a.Encoded())
	binary.LittleEndian.PutUint64(rep, 12345) // a sequence number, as in a log
	must(t, b.Load(rep))
	if !bytes.Equal(b.Encoded(), a.Encoded()) || !b.HasRange() || !b.HasOpenRange() {
		t.Errorf("loaded % x, want % x", b.Encoded(), a.Encoded())
	}
	clear(rep)
	if got := records(t, &b); !reflect.DeepEqual(got, filled) {
		t.Errorf("got %v, want %v", got, filled)
	}
	must(t, b.Load(b.Encoded()))
	if got := records(t, &b); !reflect.DeepEqual(got, filled) {
		t.Errorf("loaded from itself: %v", got)
	}
	must(t, b.Load(make([]byte, 12)))
	if b.Len() != 0 || b.HasRange() || b.HasOpenRange() {
		t.Errorf("loaded an empty one: %d changes", b.Len())
	}
}

func TestBatchLoadRejects(t *testing.T) {
	const seq = "0000000000000000"
	for _, c := range []struct {
		name, rep string
		want      error
	}{
		{"nothing", "", store.ErrInvalidArgument},
		{"cut header", seq + "000000", store.ErrInvalidArgument},
		{"count too high", seq + "02000000 00 01 61", store.ErrInvalidArgument},
		{"count too low", seq + "00000000 00 01 61", store.ErrInvalidArgument},
		{"count without records", seq + "01000000", store.ErrInvalidArgument},
		{"unknown tag", seq + "01000000 7e 01 61", store.ErrInvalidArgument},
		{"merge", seq + "01000000 02 01 61 01 62", store.ErrInvalidArgument},
		{"single delete", seq + "01000000 07 01 61", store.ErrInvalidArgument},
		{"put in a column family", seq + "01000000 05 01 01 61 01 62", store.ErrInvalidArgument},
		{"tag alone", seq + "01000000 00", store.ErrInvalidArgument},
		{"cut key", seq + "01000000 00 02 61", store.ErrInvalidArgument},
		{"put without a value", seq + "01000000 01 01 61", store.ErrInvalidArgument},
		{"cut value", seq + "01000000 01 01 61 05 62", store.ErrInvalidArgument},
		{"range without an end", seq + "01000000 0f 01 61", store.ErrInvalidArgument},
		{"cut length", seq + "01000000 00 80", store.ErrInvalidArgument},
		{"length of six bytes", seq + "01000000 00 808080808000", store.ErrInvalidArgument},
		{"length over 32 bits", seq + "01000000 00 ffffffff7f", store.ErrInvalidArgument},
		{"length of 4 GiB", seq + "01000000 00 ffffffff0f", store.ErrInvalidArgument},
		{"reversed range", seq + "01000000 0f 01 62 01 61", store.ErrInvalidArgument},
		{"reversed range to before all", seq + "01000000 0f 01 62 00", store.ErrInvalidArgument},
		{"large key", seq + "01000000 00 81808004" + strings.Repeat("61", store.MaxKeySize+1), store.ErrTooLarge},
		{"large end", seq + "01000000 0f 00 82808004" + strings.Repeat("61", store.MaxKeySize+2), store.ErrTooLarge},
	} {
		var b store.Batch
		fill(t, &b)
		if err := b.Load(unhex(t, c.rep)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
		if got := records(t, &b); !reflect.DeepEqual(got, filled) || !b.HasOpenRange() {
			t.Errorf("%s: a refused load changed the batch to %v", c.name, got)
		}
	}
}

// A length may be written with more bytes than it needs, as the engines read it.
func TestBatchLoadLongLength(t *testing.T) {
	var b store.Batch
	must(t, b.Load(unhex(t, "0000000000000000 01000000 00 8180808000 61")))
	if got := records(t, &b); !reflect.DeepEqual(got, []string{`delete "a"`}) {
		t.Errorf("got %v", got)
	}
}

func TestBatchBounded(t *testing.T) {
	type batch = func(b *store.Batch) error
	for _, c := range []struct {
		name string
		fill batch
		last []byte
		want []string
	}{
		{"all of a store", func(b *store.Batch) error { return b.DeleteRange(nil, nil) }, []byte("z"), []string{`delete range "" "z\x00"`}},
		{"all of an empty store", func(b *store.Batch) error { return b.DeleteRange(nil, nil) }, nil, nil},
		{"behind the last key", func(b *store.Batch) error { return b.DeleteRange([]byte("x"), nil) }, []byte("w"), nil},
		{"the last key", func(b *store.Batch) error { return b.DeleteRange([]byte("x"), nil) }, []byte("x"), []string{`delete range "x" "x\x00"`}},
		{"only the empty key", func(b *store.Batch) error { return b.DeleteRange(nil, nil) }, []byte{}, []string{`delete range "" "\x00"`}},
		{"own puts", func(b *store.Batch) error {
			return errors.Join(b.Put([]byte("p"), nil), b.DeleteRange([]byte("a"), nil), b.Put([]byte("q"), nil), b.DeleteRange([]byte("b"), nil), b.Put([]byte("r"), nil))
		}, []byte("m"), []string{`put "p" ""`, `delete range "a" "p\x00"`, `put "q" ""`, `delete range "b" "q\x00"`, `put "r" ""`}},
		{"own puts below the last key", func(b *store.Batch) error {
			return errors.Join(b.Put([]byte("p"), []byte("1")), b.Delete([]byte("o")), b.DeleteRange([]byte("c"), []byte("d")), b.DeleteRange([]byte("a"), nil))
		}, []byte("z"), []string{`put "p" "1"`, `delete "o"`, `delete range "c" "d"`, `delete range "a" "z\x00"`}},
	} {
		var b store.Batch
		must(t, c.fill(&b))
		before := bytes.Clone(b.Encoded())
		out, err := b.Bounded(c.last)
		must(t, err)
		if got := records(t, out); !reflect.DeepEqual(got, c.want) || out.HasOpenRange() {
			t.Errorf("%s: %v, open range %v, want %v", c.name, got, out.HasOpenRange(), c.want)
		}
		if !bytes.Equal(b.Encoded(), before) {
			t.Errorf("%s: the batch was changed", c.name)
		}
	}
	var b store.Batch
	must(t, b.DeleteRange([]byte("a"), []byte("b")))
	if out, err := b.Bounded([]byte("z")); out != &b || err != nil {
		t.Errorf("without an open range: another batch, %v", err)
	}
}

// A batch with room takes changes without allocating, and so does reading it.
func TestBatchAllocates(t *testing.T) {
	b := store.NewBatch(1 << 20)
	key, end, value := []byte("key"), []byte("kez"), make([]byte, 100)
	n := testing.AllocsPerRun(1000, func() {
		if b.Size() > 1<<19 {
			b.Reset()
		}
		must(t, b.Put(key, value))
		must(t, b.Delete(key))
		must(t, b.DeleteRange(key, end))
		_, _ = b.Len(), b.Encoded()
	})
	if n != 0 {
		t.Errorf("%v allocations for each round of changes", n)
	}
	count := 0
	if n := testing.AllocsPerRun(10, func() {
		must(t, b.Each(func(store.Record) error {
			count++
			return nil
		}))
	}); n != 0 {
		t.Errorf("%v allocations to read a batch of %d changes", n, b.Len())
	}
	var a store.Batch
	must(t, a.Load(b.Encoded()))
	if n := testing.AllocsPerRun(10, func() { must(t, a.Load(b.Encoded())) }); n != 0 {
		t.Errorf("%v allocations to load over a batch with room", n)
	}
}

// FuzzBatchLoad: whatever is loaded is either refused, or consists of valid
// changes that give the same batch when they are made again.
func FuzzBatchLoad(f *testing.F) {
	var b store.Batch
	fill(f, &b)
	f.Add(b.Encoded())
	f.Add([]byte{})
	f.Add(make([]byte, 12))
	f.Add(unhex(f, "0000000000000000 01000000 0f 01 61 01 61"))
	f.Add(unhex(f, "0000000000000000 01000000 00 8180808000 61"))
	f.Fuzz(func(t *testing.T, rep []byte) {
		given := bytes.Clone(rep)
		var b, again store.Batch
		err := b.Load(rep)
		if !bytes.Equal(rep, given) {
			t.Fatal("load changed its argument")
		}
		if err != nil {
			if !errors.Is(err, store.ErrInvalidArgument) && !errors.Is(err, store.ErrTooLarge) || b.Len() != 0 {
				t.Fatalf("load: %v, %d changes", err, b.Len())
			}
			return
		}
		n, empty := 0, 0
		must(t, b.Each(func(r store.Record) error {
			n++
			switch r.Kind {
			case store.KindPut:
				return again.Put(r.Key, r.Value)
			case store.KindDelete:
				return again.Delete(r.Key)
			}
			if (store.KeyRange{Start: r.Key, End: r.End}).Empty() {
				empty++
			}
			return again.DeleteRange(r.Key, r.End)
		}))
		if n != b.Len() || again.Len() != n-empty {
			t.Fatalf("%d changes, %d read, %d made again, %d of them empty ranges", b.Len(), n, again.Len(), empty)
		}
		if again.Size() > b.Size() || again.HasOpenRange() != b.HasOpenRange() {
			t.Fatalf("made again: size %d after %d, open range %v after %v", again.Size(), b.Size(), again.HasOpenRange(), b.HasOpenRange())
		}
		var twice store.Batch
		must(t, twice.Load(again.Encoded()))
		if got, want := records(t, &twice), records(t, &again); !reflect.DeepEqual(got, want) {
			t.Fatalf("loaded again: %v, want %v", got, want)
		}
	})
}

// FuzzBatchChanges: changes come back as they went in.
func FuzzBatchChanges(f *testing.F) {
	f.Add([]byte("a"), []byte("b"), []byte("c"), false)
	f.Add([]byte{}, []byte{}, []byte{}, true)
	f.Fuzz(func(t *testing.T, x, y, z []byte, open bool) {
		end := y
		if open {
			end = nil
		}
		r := store.KeyRange{Start: x, End: end}
		var b store.Batch
		must(t, b.Put(x, y))
		err := b.DeleteRange(x, end)
		if errors.Is(err, store.ErrInvalidArgument) != r.Reversed() || err != nil && !r.Reversed() {
			t.Fatalf("delete range %v: %v", r, err)
		}
		must(t, b.Delete(z))
		want := []string{fmt.Sprintf("put %q %q", x, y)}
		if !r.Empty() {
			want = append(want, fmt.Sprintf("delete range %q %s", x, show(end)))
		}
		want = append(want, fmt.Sprintf("delete %q", z))
		var loaded store.Batch
		must(t, loaded.Load(b.Encoded()))
		for _, b := range []*store.Batch{&b, &loaded} {
			if got := records(t, b); !reflect.DeepEqual(got, want) || b.Len() != len(want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}
