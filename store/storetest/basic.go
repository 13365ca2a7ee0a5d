package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// What single reads and writes do: each way to write and read agrees on any
// bytes, empty is not missing, and errors are typed.
func basicCases() []testCase {
	return []testCase{
		{name: "PutGetDelete", run: putGetDelete},
		{name: "A05_EmptyKeysAndValues", run: emptyKeysAndValues, crash: true},
		{name: "A06_EmptyIsNotMissing", run: emptyIsNotMissing},
		{name: "BinaryKeys", run: binaryKeys},
		{name: "ValueSizes", run: valueSizes},
		{name: "GetReturnsACopy", run: getReturnsACopy},
		{name: "AppendGet", run: appendGet},
		{name: "MultiGet", run: multiGet, crash: true},
		{name: "MultiGetMany", run: multiGetMany},
		{name: "WriteContext", run: writeContext},
		{name: "FlushKeepsAll", run: flushKeepsAll},
		{name: "Property", run: property, crash: true},
	}
}

func putGetDelete(t *env) {
	db := t.fresh()
	t.wantMissing(db, "k")
	t.must(db.Delete([]byte("k"), nil), "delete of a missing key")
	for _, o := range []*store.WriteOptions{nil, store.NoSync, store.Sync, {Context: context.Background()}} {
		t.must(db.Put([]byte("k"), []byte("one"), o), "put")
		t.wantGet(db, "k", "one")
		t.must(db.Put([]byte("k"), []byte("two"), o), "put")
		t.wantContents(db, rows("k", "two"), "after replacing")
		t.must(db.Delete([]byte("k"), o), "delete")
		t.wantMissing(db, "k")
		t.wantContents(db, nil, "after deleting")
		t.must(db.DeleteRange(nil, nil, o), "delete range in an empty store")
	}
}

// Direct writes and batches must agree, for nil and for empty slices.
func emptyKeysAndValues(t *env) {
	type change struct {
		del        bool
		key, value []byte
		want       []row // contents afterwards
	}
	changes := []change{
		{key: []byte("k"), value: nil, want: rows("k", "")},
		{key: []byte("k2"), value: []byte{}, want: rows("k", "", "k2", "")},
		{key: []byte{}, value: []byte("v"), want: rows("", "v", "k", "", "k2", "")},
		{del: true, key: []byte{}, want: rows("k", "", "k2", "")},
		{key: nil, value: []byte("w"), want: rows("", "w", "k", "", "k2", "")},
		{del: true, key: nil, want: rows("k", "", "k2", "")},
		{key: nil, value: nil, want: rows("", "", "k", "", "k2", "")},
	}
	direct, batched := t.fresh(), t.fresh()
	for i, c := range changes {
		var b store.Batch
		if c.del {
			t.must(direct.Delete(c.key, nil), "delete")
			t.must(b.Delete(c.key), "batch delete")
		} else {
			t.must(direct.Put(c.key, c.value, nil), "put")
			t.must(b.Put(c.key, c.value), "batch put")
		}
		t.must(batched.Write(&b, nil), "write")
		t.wantContents(direct, c.want, "direct, change "+string(rune('1'+i)))
		t.wantContents(batched, c.want, "batch, change "+string(rune('1'+i)))
	}
	it := t.iterator(direct, nil)
	if !it.SeekGE(nil) || !same(it.Key(), []byte{}) || !same(it.Value(), []byte{}) {
		t.Errorf("SeekGE(nil): got %s=%s, want the empty key", show(it.Key()), show(it.Value()))
	}
	if it.SeekLT(nil) || it.SeekLT([]byte{}) || it.Err() != nil {
		t.Errorf("SeekLT of the empty key found %s, %v", show(it.Key()), it.Err())
	}
	t.closeIter(it)
}

func emptyIsNotMissing(t *env) {
	db := t.fresh()
	t.put(db, "k", "")
	t.wantContents(db, rows("k", ""), "empty value")
	t.wantMissing(db, "missing")
	if v, err := db.AppendGet(nil, []byte("k")); len(v) != 0 || err != nil {
		t.Errorf("append get of an empty value: got %s, %v", show(v), err)
	}
	t.must(db.Delete([]byte("k"), nil), "delete")
	t.wantMissing(db, "k")
	t.must(db.Put([]byte("k"), nil, nil), "put nil")
	t.wantContents(db, rows("k", ""), "nil value")
	t.must(db.Flush(), "flush")
	t.wantContents(db, rows("k", ""), "nil value after a flush")
	t.wantMissing(db, "missing")
}

// All keys of one byte and many of two, in bytewise unsigned order.
func binaryKeys(t *env) {
	db := t.fresh()
	want := rows("", "empty")
	for a := range 256 {
		k := []byte{byte(a)}
		want = append(want, row{k, append([]byte("1:"), k...)})
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff} {
			k := []byte{byte(a), b}
			want = append(want, row{k, append([]byte("2:"), k...)})
		}
	}
	for i := range want { // not in order
		e := want[(i*7919)%len(want)]
		t.must(db.Put(e.k, e.v, nil), "put")
	}
	t.wantContents(db, want, "in the memtable")
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.wantContents(db, want, "in tables")
}

func valueSizes(t *env) {
	db := t.fresh()
	rng := newRandom(1)
	var want []row
	for i, n := range []int{0, 1, 127, 128, 4095, 4096, 16383, 16384, 16385, 65535, 65536, 1 << 20, 5<<20 + 3} {
		want = append(want, row{[]byte{'s', byte(i)}, rng.fill(n)})
	}
	want = append(want, row{bytes.Repeat([]byte("t"), 100_000), []byte("under a long key")})
	t.fill(db, want)
	t.wantContents(db, want, "in the memtable")
	t.must(db.Flush(), "flush")
	t.wantContents(db, want, "after a flush")
}

func getReturnsACopy(t *env) {
	db := t.fresh()
	t.put(db, "a", "value a")
	t.put(db, "b", "value b")
	a, err := db.Get([]byte("a"))
	t.must(err, "get")
	_ = append(a, "and more"...)
	b, err := db.Get([]byte("b"))
	t.must(err, "get")
	t.must(db.Delete([]byte("a"), nil), "delete")
	if string(a) != "value a" || string(b) != "value b" {
		t.Errorf("values changed: %q, %q", a, b)
	}
	clear(b)
	t.wantGet(db, "b", "value b")
}

func appendGet(t *env) {
	db := t.fresh()
	big := newRandom(1).fill(100_000)
	t.put(db, "small", "value")
	t.put(db, "empty", "")
	t.must(db.Put([]byte("big"), big, nil), "put")
	for _, c := range []struct {
		key, value string
	}{{"small", "value"}, {"empty", ""}, {"big", string(big)}} {
		for _, dst := range [][]byte{nil, {}, []byte("before "), make([]byte, 3, 200_000), make([]byte, 3, 7)} {
			before := bytes.Clone(dst)
			got, err := db.AppendGet(dst, []byte(c.key))
			if err != nil || !bytes.Equal(got, append(before, c.value...)) {
				t.Errorf("append get %q to %s: got %s, %v", c.key, show(dst), show(got), err)
			}
			if room := cap(dst) - len(dst); room > len(c.value) && len(c.value) > 0 && &dst[:1][0] != &got[0] {
				t.Errorf("append get %q with room for %d bytes moved the destination", c.key, room)
			}
		}
	}
	// What lies behind the destination's length in its array may be used, what
	// lies behind its capacity may not.
	array := []byte("0123456789")
	got, err := db.AppendGet(array[:2:4], []byte("small"))
	if err != nil || string(got) != "01value" || string(array[4:]) != "456789" {
		t.Errorf("append get: got %q, %v, array %q", got, err, array)
	}
}

func multiGet(t *env) {
	db := t.fresh()
	t.fill(db, rows("", "of the empty key", "a", "1", "b", "", "c", "3"))
	var vs store.Values
	keys := [][]byte{[]byte("c"), []byte("no"), {}, []byte("b"), []byte("c"), nil, []byte("a"), []byte("zz")}
	want := []string{"3", "-", "of the empty key", "", "3", "of the empty key", "1", "-"}
	for range 2 { // the second time with memory to reuse
		t.must(db.MultiGet(keys, &vs), "multiget")
		if vs.Len() != len(keys) {
			t.Fatalf("%d results, want %d", vs.Len(), len(keys))
		}
		for i := range keys {
			v, ok := vs.At(i)
			if want[i] == "-" && (ok || v != nil) || want[i] != "-" && (!ok || !same(v, []byte(want[i]))) {
				t.Errorf("result %d: got %s, %v, want %q", i, show(v), ok, want[i])
			}
		}
	}
	t.must(db.MultiGet([][]byte{[]byte("a")}, &vs), "multiget")
	if v, ok := vs.At(0); vs.Len() != 1 || !ok || string(v) != "1" {
		t.Errorf("destination used again: %d results, first %s, %v", vs.Len(), show(v), ok)
	}
	for _, none := range [][][]byte{nil, {}} {
		t.must(db.MultiGet(none, &vs), "multiget of no keys")
		if vs.Len() != 0 {
			t.Errorf("no keys: %d results", vs.Len())
		}
	}
	t.wantKind(db.MultiGet(keys, nil), store.ErrInvalidArgument, "multiget without a destination")
	t.wantKind(db.MultiGet(nil, nil), store.ErrInvalidArgument, "multiget without anything")
}

// Many keys at once, over memtable and tables, with large values among them.
func multiGetMany(t *env) {
	db := t.fresh()
	rng := t.random()
	want := numbered(2000)
	for i := range want {
		if rng.chance(50) {
			want[i].v = rng.fill(rng.IntN(50_000))
		}
	}
	t.fill(db, want[:1000])
	t.must(db.Flush(), "flush")
	t.fill(db, want[1000:])
	keys := make([][]byte, 5000)
	index := make([]int, len(keys))
	for i := range keys {
		if index[i] = rng.IntN(len(want)); rng.chance(4) {
			keys[i], index[i] = append(bytes.Clone(want[index[i]].k), '!'), -1
		} else {
			keys[i] = want[index[i]].k
		}
	}
	var vs store.Values
	t.must(db.MultiGet(keys, &vs), "multiget")
	for i, w := range index {
		v, ok := vs.At(i)
		if w < 0 && ok || w >= 0 && (!ok || !same(v, want[w].v)) {
			t.Fatalf("seed %d: result %d for %s: got %s, %v", rng.seed, i, show(keys[i]), show(v), ok)
		}
	}
}

// A context that is done refuses the write, and nothing is written.
func writeContext(t *env) {
	db := t.fresh()
	t.put(db, "k", "old")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		want error
	}{{canceled, context.Canceled}, {late, context.DeadlineExceeded}} {
		o := &store.WriteOptions{Context: c.ctx, Sync: true}
		var b store.Batch
		t.must(b.Put([]byte("k"), []byte("new")), "batch put")
		for what, err := range map[string]error{
			"put":          db.Put([]byte("k"), []byte("new"), o),
			"delete":       db.Delete([]byte("k"), o),
			"delete range": db.DeleteRange(nil, nil, o),
			"write":        db.Write(&b, o),
		} {
			var e *store.Error
			if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Engine != t.cfg.Name {
				t.Errorf("%s with a done context: got %v, want a *store.Error that is %v", what, err, c.want)
			}
		}
	}
	t.wantContents(db, rows("k", "old"), "after refused writes")
	t.must(db.Put([]byte("k"), []byte("new"), &store.WriteOptions{Context: t.Context()}), "put with a live context")
	t.wantGet(db, "k", "new")
}

func flushKeepsAll(t *env) {
	db := t.fresh()
	t.must(db.Flush(), "flush of an empty store")
	want := numbered(500)
	t.fill(db, want)
	t.must(db.Flush(), "flush")
	t.must(db.Flush(), "second flush")
	t.wantContents(db, want, "after flush")
	t.must(db.Compact(t.Context(), store.KeyRange{}), "compact")
	t.wantContents(db, want, "after compact")
	t.must(db.Delete(want[0].k, nil), "delete")
	t.must(db.Flush(), "flush of a deletion")
	t.wantContents(db, want[1:], "after flushing a deletion")
}

func property(t *env) {
	db := t.fresh()
	for _, name := range []string{"", "no.such.property", "leveldb", "rocksdb.", "with\x00nul", "%s%n"} {
		text, err := db.Property(name)
		t.wantKind(err, store.ErrNotFound, fmt.Sprintf("property %q", name))
		if text != "" {
			t.Errorf("property %q: got %q with an error", name, text)
		}
	}
}
