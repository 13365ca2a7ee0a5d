package storetest

import (
	"bytes"

	"github.com/lsmkit/lsmkit/store"
)

// Arguments are only read, and only during the call: every slice that is given
// is overwritten when the call has returned, and what it was put into must hold
// what was meant.
func argumentCases() []testCase {
	return []testCase{
		{name: "ArgumentsOfWrites", run: argumentsOfWrites},
		{name: "ArgumentsOfReads", run: argumentsOfReads},
		{name: "ArgumentsOfIterators", run: argumentsOfIterators, crash: true},
		{name: "ArgumentsOfRanges", run: argumentsOfRanges},
	}
}

// lender hands out copies of slices as arguments, each with room behind it in
// its array that an append would write to.
type lender struct {
	t    *env
	lent []loan
}

type loan struct {
	array, before []byte
}

const loanMargin = 16

func (l *lender) lend(s string) []byte {
	array := append([]byte(s), bytes.Repeat([]byte{0xEE}, loanMargin)...)
	l.lent = append(l.lent, loan{array, bytes.Clone(array)})
	return array[:len(s)]
}

// spoil checks that nothing that was lent has been written to, and overwrites
// it.
func (l *lender) spoil(what string) {
	l.t.Helper()
	for _, n := range l.lent {
		if !bytes.Equal(n.array, n.before) {
			l.t.Errorf("%s: an argument was changed from %s to %s", what, show(n.before), show(n.array))
		}
		for i := range n.array {
			n.array[i] = 0xA5
		}
	}
	l.lent = l.lent[:0]
}

func argumentsOfWrites(t *env) {
	db := t.fresh()
	l := &lender{t: t}
	t.fill(db, rows("gone", "1", "r1", "1", "r2", "1", "s", "1"))
	t.must(db.Put(l.lend("key"), l.lend("value"), nil), "put")
	l.spoil("put")
	t.must(db.Put(l.lend("synced"), l.lend("too"), store.Sync), "put")
	l.spoil("put with sync")
	t.must(db.Delete(l.lend("gone"), nil), "delete")
	l.spoil("delete")
	t.must(db.DeleteRange(l.lend("r"), l.lend("s"), nil), "delete range")
	l.spoil("delete range")
	b := store.NewBatch(0)
	t.must(b.Put(l.lend("batch"), l.lend("put")), "batch put")
	l.spoil("batch put")
	t.must(b.Delete(l.lend("s")), "batch delete")
	l.spoil("batch delete")
	t.must(b.DeleteRange(l.lend("x"), l.lend("y")), "batch delete range")
	l.spoil("batch delete range")
	encoded := bytes.Clone(b.Encoded())
	var loaded store.Batch
	t.must(loaded.Load(encoded), "load")
	clear(encoded)
	t.must(db.Write(&loaded, nil), "write")
	loaded.Reset()
	t.must(loaded.Put(bytes.Repeat([]byte("z"), 40), []byte("over the old records")), "batch put")
	want := rows("batch", "put", "key", "value", "synced", "too")
	t.wantContents(db, want, "at once")
	t.must(db.Flush(), "flush")
	t.wantContents(db, want, "after a flush")
}

func argumentsOfReads(t *env) {
	db := t.fresh()
	l := &lender{t: t}
	t.fill(db, rows("a", "1", "b", "2"))
	v, err := db.Get(l.lend("a"))
	l.spoil("get")
	if string(v) != "1" || err != nil {
		t.Errorf("get: %q, %v", v, err)
	}
	_, err = db.Get(l.lend("missing"))
	l.spoil("get of a missing key")
	t.wantKind(err, store.ErrNotFound, "get of a missing key")
	ok, err := db.Has(l.lend("b"))
	l.spoil("has")
	if !ok || err != nil {
		t.Errorf("has: %v, %v", ok, err)
	}
	v, err = db.AppendGet([]byte("x"), l.lend("b"))
	l.spoil("append get")
	if string(v) != "x2" || err != nil {
		t.Errorf("append get: %q, %v", v, err)
	}
	var vs store.Values
	keys := [][]byte{l.lend("b"), l.lend("none"), l.lend("a")}
	t.must(db.MultiGet(keys, &vs), "multiget")
	if string(keys[0]) != "b" || string(keys[1]) != "none" || string(keys[2]) != "a" {
		t.Errorf("multiget changed its keys: %q", keys)
	}
	l.spoil("multiget")
	clear(keys)
	for i, want := range []string{"2", "", "1"} {
		if v, _ := vs.At(i); string(v) != want {
			t.Errorf("multiget %d: %q, want %q", i, v, want)
		}
	}
}

func argumentsOfIterators(t *env) {
	db := t.fresh()
	l := &lender{t: t}
	all := numbered(300)
	t.fill(db, all)
	o := &store.IterOptions{Lower: l.lend("key000010"), Upper: l.lend("key000250"), Prefix: l.lend("key0001")}
	it := t.iterator(db, o)
	l.spoil("new iterator")
	*o = store.IterOptions{}
	ref := &reference{rows: all[100:200]}
	for _, m := range []move{
		{op: opFirst}, {op: opPrev}, {op: opLast}, {op: opNext},
		{opSeekGE, []byte("key000150")}, {op: opNext}, {op: opPrev}, {op: opPrev},
		{opSeekLT, []byte("key000140")}, {op: opPrev}, {op: opNext}, {op: opNext},
	} {
		lent := m
		if m.key != nil {
			lent.key = l.lend(string(m.key))
		}
		found := apply(it, lent)
		l.spoil(m.String())
		if want := ref.apply(m); found != want {
			t.Fatalf("%v: %v, want %v", m, found, want)
		}
		if ref.on && !same(it.Key(), ref.rows[ref.pos].k) {
			t.Fatalf("%v: at %s, want %v", m, show(it.Key()), ref.rows[ref.pos])
		}
	}
	for range 30 { // on past the end of what one chunk may hold
		t.step(it, ref, move{op: opNext}, "after a seek with a reused key")
	}
	t.closeIter(it)
}

func argumentsOfRanges(t *env) {
	db := t.fresh()
	l := &lender{t: t}
	all := numbered(300)
	t.fill(db, all)
	t.must(db.Compact(nil, store.KeyRange{Start: l.lend("key000010"), End: l.lend("key000020")}), "compact")
	l.spoil("compact")
	rs := []store.KeyRange{{Start: l.lend("a"), End: l.lend("z")}, {Start: l.lend("key000100")}, {End: l.lend("b")}}
	_, err := db.ApproximateSizes(rs)
	t.must(err, "sizes")
	if string(rs[0].Start) != "a" || rs[1].End != nil || rs[2].Start != nil {
		t.Errorf("the ranges were changed: %v", rs)
	}
	l.spoil("sizes")
	t.wantContents(db, all, "afterwards")
}
