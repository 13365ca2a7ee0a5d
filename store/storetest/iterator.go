package storetest

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// What iterators show: bounds, prefixes and seeks in both directions, the state
// at creation, and nothing where there is nothing.
func iteratorCases() []testCase {
	return []testCase{
		{name: "A04_NotPositioned", run: notPositioned, crash: true},
		{name: "A08_Prefixes", run: prefixes},
		{name: "A09_ReverseSeeks", run: reverseSeeks},
		{name: "A10_StateAtCreation", run: stateAtCreation},
		{name: "A11_KeptSlices", run: keptSlices, crash: true},
		{name: "A12_BoundsReused", run: boundsReused, crash: true},
		{name: "BoundsAndSeeks", run: boundsAndSeeks},
		{name: "EmptyUpperBound", run: emptyUpperBound},
		{name: "SeekBeyondBounds", run: seekBeyondBounds},
		{name: "KeysOnly", run: keysOnly},
		{name: "StaysOffTheEnds", run: staysOffTheEnds},
		{name: "ReadOptions", run: readOptions},
		{name: "ManyIterators", run: manyIterators},
		{name: "IteratorClose", run: iteratorClose, crash: true},
		{name: "Helpers", run: helpers},
	}
}

// nowhere checks that it stands on no entry and has met no error.
func (t *env) nowhere(it store.Iterator, what string) {
	t.Helper()
	if it.Valid() || it.Key() != nil || it.Value() != nil || it.Err() != nil {
		t.Errorf("%s: valid %v, key %s, value %s, err %v, want nowhere and no error",
			what, it.Valid(), show(it.Key()), show(it.Value()), it.Err())
	}
}

// stands checks that it stands on the entry.
func (t *env) stands(it store.Iterator, key, value, what string) {
	t.Helper()
	if !it.Valid() || !same(it.Key(), []byte(key)) || !same(it.Value(), []byte(value)) || it.Err() != nil {
		t.Errorf("%s: valid %v, at %s=%s, err %v, want %q=%q",
			what, it.Valid(), show(it.Key()), show(it.Value()), it.Err(), key, value)
	}
}

func notPositioned(t *env) {
	db := t.fresh()
	for _, contents := range [][]row{nil, rows("a", "1", "b", "2")} {
		t.fill(db, contents)
		it := t.iterator(db, nil)
		t.nowhere(it, "new")
		if it.Next() || it.Prev() || it.Next() {
			t.Error("a new iterator moved without being positioned")
		}
		t.nowhere(it, "moved while new")
		found := it.Last()
		if found != (len(contents) > 0) {
			t.Errorf("last: %v with %d rows", found, len(contents))
		}
		for range 3 {
			if it.Next() {
				t.Error("moved on behind the last entry")
			}
			t.nowhere(it, "behind the last entry")
		}
		if it.Prev() {
			t.Error("came back from behind the last entry")
		}
		it.First()
		for range 3 {
			if it.Prev() {
				t.Error("moved back before the first entry")
			}
			t.nowhere(it, "before the first entry")
		}
		t.closeIter(it)
	}
}

func prefixes(t *env) {
	db := t.fresh()
	all := rows("a", "1", "a\xff", "2", "a\xff\xff", "3", "a\xff\xff\x01", "4",
		"b", "5", "\xff", "6", "\xff\xff", "7", "\xff\xff\xff", "8")
	t.fill(db, all)
	for _, c := range []struct {
		prefix []byte
		want   []row
	}{
		{[]byte("a"), all[:4]}, {[]byte("a\xff"), all[1:4]}, {[]byte("\xff\xff"), all[6:]},
		{[]byte{}, all}, {nil, all}, {[]byte("\xff"), all[5:]}, {[]byte("\xff\xff\xff"), all[7:]},
		{[]byte("\xff\xff\xff\xff"), nil}, {[]byte("a\xff\xff\x01"), all[3:4]}, {[]byte("c"), nil}, {[]byte("aa"), nil},
	} {
		for _, reverse := range []bool{false, true} {
			o := &store.IterOptions{Prefix: c.prefix, Reverse: reverse}
			t.wantRows(db, o, c.want, fmt.Sprintf("prefix %s, reverse %v", show(c.prefix), reverse))
			r := store.PrefixRange(c.prefix)
			t.wantRows(db, &store.IterOptions{Lower: r.Start, Upper: r.End, Reverse: reverse}, c.want,
				fmt.Sprintf("bounds of prefix %s, reverse %v", show(c.prefix), reverse))
		}
	}
	// Prefix and bounds together show what both allow.
	t.wantRows(db, &store.IterOptions{Prefix: []byte("a"), Lower: []byte("a\xff\x00"), Upper: []byte("b")}, all[2:4], "prefix and bounds")
	t.wantRows(db, &store.IterOptions{Prefix: []byte("a"), Lower: []byte("b")}, nil, "prefix below the lower bound")
	t.wantRows(db, &store.IterOptions{Prefix: []byte("\xff"), Upper: []byte("\xff\xff\xff")}, all[5:7], "prefix of 0xFF with an upper bound")
}

func reverseSeeks(t *env) {
	for _, c := range []struct {
		contents []row
		from     string
		want     []row
	}{
		{rows("b", "1", "d", "2", "f", "3"), "e", rows("d", "2", "b", "1")},
		{rows("b", "1", "d", "2", "f", "3"), "z", rows("f", "3", "d", "2", "b", "1")},
		{rows("b", "1", "d", "2", "f", "3"), "d", rows("b", "1")},
		{rows("b", "1", "d", "2", "f", "3"), "d\x00", rows("d", "2", "b", "1")},
		{rows("b", "1", "d", "2", "f", "3"), "a", nil},
		{rows("b", "1", "d", "2", "f", "3"), "b", nil},
		{rows("b", "1", "d", "2", "f", "3"), "", nil},
		{nil, "e", nil}, {nil, "z", nil}, {nil, "", nil},
	} {
		db := t.fresh()
		t.fill(db, c.contents)
		for _, flushed := range []bool{false, true} {
			seek := func(it store.Iterator) bool { return it.SeekLT([]byte(c.from)) }
			got := t.walk(db, &store.IterOptions{Reverse: true}, seek, store.Iterator.Prev)
			t.sameRows(got, c.want, fmt.Sprintf("back from %q in %v, flushed %v", c.from, c.contents, flushed))
			t.must(db.Flush(), "flush")
		}
		t.close(db)
	}
}

// The state is that of the iterator's creation, not of its first move.
func stateAtCreation(t *env) {
	db := t.fresh()
	old := rows("k1", "a", "k2", "b")
	t.fill(db, old)
	s := t.snapshot(db)
	its := []store.Iterator{
		t.iterator(db, nil), t.iterator(db, &store.IterOptions{Lower: []byte("k"), Upper: []byte("l")}),
		t.iterator(db, &store.IterOptions{Prefix: []byte("k"), Reverse: true}),
		t.iterator(s, nil), t.iterator(db, &store.IterOptions{Snapshot: s}),
	}
	t.put(db, "k1", "z")
	t.must(db.Delete([]byte("k2"), nil), "delete")
	t.put(db, "k0", "new")
	t.put(db, "k3", "new")
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	for i, it := range its {
		var got []row
		for k, v := range store.All(it) {
			got = append(got, row{bytes.Clone(k), bytes.Clone(v)})
		}
		t.must(it.Err(), "walk")
		t.sameRows(got, old, fmt.Sprintf("iterator %d made before the writes", i))
		t.closeIter(it)
	}
	t.wantContents(s, old, "snapshot")
	t.wantMissing(s, "k0")
	t.release(s)
	t.wantContents(db, rows("k0", "new", "k1", "z", "k3", "new"), "new state")
}

// Key and value stay as they are until the iterator moves, whatever else is
// done meanwhile; copies stay for good.
func keptSlices(t *env) {
	db := t.fresh()
	want := rows("a", "short", "bb", "a longer value", "ccc", string(bytes.Repeat([]byte("long"), 20_000)))
	t.fill(db, want)
	it := t.iterator(db, nil)
	var copies []row
	i := 0
	for ok := it.First(); ok; ok = it.Next() {
		k, v := it.Key(), it.Value()
		copies = append(copies, row{bytes.Clone(k), bytes.Clone(v)})
		t.put(db, "a", "overwritten")
		t.must(db.Delete([]byte("ccc"), nil), "delete")
		_, err := db.Get([]byte("bb"))
		t.must(err, "get")
		other := t.iterator(db, nil)
		other.Last()
		t.closeIter(other)
		t.must(db.Flush(), "flush")
		runtime.GC()
		if !same(k, want[i].k) || !same(v, want[i].v) || !same(it.Key(), k) || !same(it.Value(), v) {
			t.Errorf("entry %d changed before the iterator moved: %s=%s", i, show(k), show(v))
		}
		i++
	}
	t.must(it.Err(), "walk")
	t.closeIter(it)
	t.close(db)
	t.sameRows(copies, want, "copies")
}

// Bounds are copied: they may be overwritten, or collected, at once.
func boundsReused(t *env) {
	db := t.fresh()
	var all []row
	for p := 1; p <= 3; p++ {
		for i := range 10_000 / 3 {
			all = append(all, row{fmt.Appendf(nil, "db%d%05d", p, i), []byte{byte(i)}})
		}
	}
	var b store.Batch
	for _, e := range all {
		t.must(b.Put(e.k, e.v), "batch put")
	}
	t.must(db.Write(&b, nil), "write")
	for p := 1; p <= 3; p++ {
		lower, upper := fmt.Appendf(nil, "db%d", p), fmt.Appendf(nil, "db%d", p+1)
		prefix := bytes.Clone(lower)
		want := within(all, store.KeyRange{Start: bytes.Clone(lower), End: bytes.Clone(upper)})
		its := []store.Iterator{
			t.iterator(db, &store.IterOptions{Lower: lower, Upper: upper}),
			t.iterator(db, &store.IterOptions{Prefix: prefix}),
		}
		clear(lower)
		clear(upper)
		clear(prefix)
		runtime.GC()
		runtime.GC()
		for _, it := range its {
			var got []row
			for k, v := range store.All(it) {
				got = append(got, row{bytes.Clone(k), bytes.Clone(v)})
			}
			t.must(it.Err(), "walk")
			t.sameRows(got, want, fmt.Sprintf("db%d", p))
			got = got[:0]
			for k, v := range store.Backward(it) {
				got = append(got, row{bytes.Clone(k), bytes.Clone(v)})
			}
			t.must(it.Err(), "walk back")
			slices.Reverse(got)
			t.sameRows(got, want, fmt.Sprintf("db%d backward", p))
			t.closeIter(it)
		}
	}
}

// Every pair of bounds with every seek, against the definition.
func boundsAndSeeks(t *env) {
	db := t.fresh()
	all := rows("", "0", "\x00", "1", "a", "2", "a\x00", "3", "b", "4", "c\xff", "5", "\xff", "6", "\xff\xff", "7")
	t.fill(db, all[:4])
	t.must(db.Flush(), "flush")
	t.fill(db, all[4:])
	probes := [][]byte{nil}
	for _, e := range all {
		probes = append(probes, e.k, store.Successor(e.k))
	}
	probes = append(probes, []byte("aa"), []byte("c"), []byte("\xff\xff\xff"))
	for _, lower := range probes {
		for _, upper := range probes {
			o := &store.IterOptions{Lower: lower, Upper: upper}
			ref := &reference{rows: within(all, o.Range())}
			what := fmt.Sprintf("bounds %s to %s", show(lower), show(upper))
			it := t.iterator(db, o)
			t.step(it, ref, move{op: opFirst}, what)
			t.step(it, ref, move{op: opLast}, what)
			for _, key := range probes {
				t.step(it, ref, move{opSeekGE, key}, what)
				t.step(it, ref, move{op: opPrev}, what)
				t.step(it, ref, move{opSeekLT, key}, what)
				t.step(it, ref, move{op: opNext}, what)
			}
			t.closeIter(it)
		}
	}
}

// An upper bound that is empty and not nil lies before every key.
func emptyUpperBound(t *env) {
	db := t.fresh()
	t.fill(db, rows("", "0", "a", "1"))
	for _, o := range []*store.IterOptions{
		{Upper: []byte{}}, {Lower: []byte{}, Upper: []byte{}}, {Upper: []byte{}, Reverse: true},
		{Lower: []byte("b"), Upper: []byte("a")}, {Lower: []byte("a"), Upper: []byte("a")},
		{Upper: []byte{}, Prefix: []byte("a")}, {Lower: []byte("b"), Upper: []byte{}},
	} {
		what := fmt.Sprintf("bounds %s to %s", show(o.Lower), show(o.Upper))
		t.wantRows(db, o, nil, what)
		it := t.iterator(db, o)
		if it.SeekGE(nil) || it.SeekGE([]byte("a")) || it.SeekLT([]byte("z")) || it.Next() || it.Prev() {
			t.Errorf("%s: found %s", what, show(it.Key()))
		}
		t.nowhere(it, what)
		t.closeIter(it)
	}
	t.wantRows(db, &store.IterOptions{Lower: []byte{}}, rows("", "0", "a", "1"), "empty lower bound")
}

func seekBeyondBounds(t *env) {
	db := t.fresh()
	t.fill(db, rows("a", "1", "c", "2", "e", "3", "g", "4", "i", "5"))
	it := t.iterator(db, &store.IterOptions{Lower: []byte("b"), Upper: []byte("h")})
	for _, key := range []string{"", "a", "b", "c"} {
		if !it.SeekGE([]byte(key)) {
			t.Errorf("SeekGE(%q) found nothing", key)
		}
		t.stands(it, "c", "2", fmt.Sprintf("SeekGE(%q)", key))
	}
	for _, key := range []string{"h", "i", "z", "\xff\xff"} {
		if it.SeekGE([]byte(key)) {
			t.Errorf("SeekGE(%q) found %s", key, show(it.Key()))
		}
		t.nowhere(it, fmt.Sprintf("SeekGE(%q)", key))
		if !it.SeekLT([]byte(key)) {
			t.Errorf("SeekLT(%q) found nothing", key)
		}
		t.stands(it, "g", "4", fmt.Sprintf("SeekLT(%q)", key))
	}
	for _, key := range []string{"", "a", "b", "c"} {
		if it.SeekLT([]byte(key)) {
			t.Errorf("SeekLT(%q) found %s", key, show(it.Key()))
		}
		t.nowhere(it, fmt.Sprintf("SeekLT(%q)", key))
	}
	t.closeIter(it)
}

func keysOnly(t *env) {
	db := t.fresh()
	all := rows("a", "1", "b", "", "c", string(bytes.Repeat([]byte("v"), 100_000)), "d", "4")
	t.fill(db, all)
	it := t.iterator(db, &store.IterOptions{KeysOnly: true})
	ref := &reference{rows: all, keysOnly: true}
	for _, op := range []opcode{opFirst, opNext, opNext, opPrev, opNext, opNext, opNext, opLast, opPrev, opPrev, opPrev, opPrev} {
		t.step(it, ref, move{op: op}, "keys only")
	}
	t.closeIter(it)
}

// Once off an end, only positioning brings an iterator back.
func staysOffTheEnds(t *env) {
	db := t.fresh()
	t.fill(db, numbered(40))
	for _, o := range []*store.IterOptions{nil, {Lower: []byte("key000005"), Upper: []byte("key000020")}, {Prefix: []byte("key00003")}} {
		ref := &reference{rows: within(numbered(40), o.Range())}
		it := t.iterator(db, o)
		script := []move{{op: opLast}, {op: opNext}, {op: opPrev}, {op: opNext}, {op: opFirst}, {op: opPrev}, {op: opNext},
			{opSeekGE, []byte("z")}, {op: opPrev}, {op: opNext}, {opSeekLT, []byte("a")}, {op: opNext}, {op: opPrev},
			{opSeekGE, []byte("key00001")}, {op: opPrev}, {op: opPrev}, {op: opNext}, {op: opNext}}
		for _, m := range script {
			t.step(it, ref, m, "script")
		}
		t.closeIter(it)
	}
}

// Every combination of the read options shows the same rows.
func readOptions(t *env) {
	db := t.fresh()
	want := numbered(300)
	t.fill(db, want)
	t.must(db.Flush(), "flush")
	settings := []store.Setting{store.Default, store.On, store.Off}
	for _, cache := range settings {
		for _, verify := range settings {
			for _, reverse := range []bool{false, true} {
				o := &store.IterOptions{FillCache: cache, VerifyChecksums: verify, Reverse: reverse}
				t.wantRows(db, o, want, fmt.Sprintf("cache %d, verify %d, reverse %v", cache, verify, reverse))
			}
		}
	}
}

// Iterators that are open at once do not disturb each other.
func manyIterators(t *env) {
	db := t.fresh()
	want := numbered(200)
	t.fill(db, want)
	its := make([]store.Iterator, len(want))
	for i := range its {
		its[i] = t.iterator(db, nil)
		its[i].SeekGE(want[i].k)
	}
	for i, it := range its {
		t.stands(it, string(want[i].k), string(want[i].v), "own place")
		if i > 0 && it.Prev() {
			t.stands(it, string(want[i-1].k), string(want[i-1].v), "one back")
		}
	}
	for i := range its {
		t.closeIter(its[len(its)-1-i])
	}
}

func iteratorClose(t *env) {
	db := t.fresh()
	t.fill(db, numbered(10))
	it := t.iterator(db, nil)
	it.First()
	for range 3 {
		t.must(it.Close(), "close")
		t.closedIterator(it)
	}
}

// closedIterator checks that every method says that the iterator is closed.
func (t *env) closedIterator(it store.Iterator) {
	t.Helper()
	// Where it stood comes first: the moves may make it forget that.
	if it.Valid() || it.Key() != nil || it.Value() != nil || it.Next() || it.Prev() || it.First() || it.Last() ||
		it.SeekGE([]byte("a")) || it.SeekGE(nil) || it.SeekLT([]byte("z")) || it.SeekLT(nil) || it.Valid() || it.Key() != nil {
		t.Error("a closed iterator found something")
	}
	t.wantKind(it.Err(), store.ErrClosed, "err of a closed iterator")
}

// The helpers of package store work on this engine as on any.
func helpers(t *env) {
	db := t.fresh()
	all := rows("user/1", "a", "user/2", "b", "user/30", "c", "zoo", "d")
	t.fill(db, all)
	collect := func(seq func(func(k, v []byte) bool), errf func() error) []row {
		var out []row
		for k, v := range seq {
			out = append(out, row{bytes.Clone(k), bytes.Clone(v)})
		}
		t.must(errf(), "scan")
		return out
	}
	users := store.PrefixRange([]byte("user/"))
	t.sameRows(collect(store.Scan(db, users)), all[:3], "scan")
	back := slices.Clone(all[:3])
	slices.Reverse(back)
	t.sameRows(collect(store.ScanBackward(db, users)), back, "scan backward")
	t.sameRows(collect(store.Match(db, []byte("user/?"))), all[:2], "match")
	t.sameRows(collect(store.Match(db, []byte("*o*"))), all[3:], "match")
	n, err := store.DeleteRangePieces(t.Context(), db, users, 20, nil)
	if n != 3 || err != nil {
		t.Errorf("delete range in pieces: %d, %v", n, err)
	}
	t.wantContents(db, all[3:], "after deleting in pieces")
}
