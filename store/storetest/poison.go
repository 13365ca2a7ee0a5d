//go:build lsmkitdebug

package storetest

import (
	"bytes"
	"fmt"

	"github.com/lsmkit/lsmkit/store"
)

const debugBuild = true

// In a build with the tag lsmkitdebug, a slice of an iterator that was kept
// without a copy shows it: its bytes are overwritten by the next move.
func poisonCases() []testCase {
	return []testCase{{name: "A11_Poison", run: poison, crash: true}}
}

func poison(t *env) {
	db := t.fresh()
	all := numbered(50)
	all[20].v = newRandom(8).fill(100_000)
	t.fill(db, all)
	for _, m := range []move{
		{op: opNext}, {op: opPrev}, {op: opFirst}, {op: opLast},
		{opSeekGE, []byte("key000030")}, {opSeekLT, []byte("key000030")}, {opSeekGE, []byte("z")},
	} {
		for i := 2; i < len(all); i++ {
			it := t.iterator(db, nil)
			if !it.SeekGE(all[i-2].k) || !it.Next() || !it.Next() {
				t.Fatalf("no row %d: %v", i, it.Err())
			}
			t.spoiled(it, func() { apply(it, m) }, fmt.Sprintf("row %d, %v", i, m))
			t.closeIter(it)
		}
	}
	it := t.iterator(db, nil)
	it.First()
	t.spoiled(it, func() { t.closeIter(it) }, "close")
	for o := range 2 { // every step of a walk, in both directions
		t.poisonedWalk(db, all, o == 1)
	}
}

// spoiled keeps the key and value that it stands on, calls move, and checks
// that both have changed.
func (t *env) spoiled(it store.Iterator, move func(), what string) {
	t.Helper()
	k, v := it.Key(), it.Value()
	oldKey, oldValue := bytes.Clone(k), bytes.Clone(v)
	move()
	if bytes.Equal(k, oldKey) || bytes.Equal(v, oldValue) {
		t.Errorf("%s: a kept key or value still holds the old bytes: %s=%s", what, show(k), show(v))
	}
}

func (t *env) poisonedWalk(db store.DB, all []row, reverse bool) {
	t.Helper()
	it := t.iterator(db, &store.IterOptions{Reverse: reverse})
	start, next := it.First, it.Next
	if reverse {
		start, next = it.Last, it.Prev
	}
	n := 0
	for ok := start(); ok; n++ {
		want := all[n]
		if reverse {
			want = all[len(all)-1-n]
		}
		if !same(it.Key(), want.k) || !same(it.Value(), want.v) {
			t.Fatalf("row %d is %s=%s, want %v", n, show(it.Key()), show(it.Value()), want)
		}
		t.spoiled(it, func() { ok = next() }, fmt.Sprintf("walk, reverse %v, row %d", reverse, n))
	}
	if n != len(all) || it.Err() != nil {
		t.Errorf("%d rows, %v", n, it.Err())
	}
	t.closeIter(it)
}
