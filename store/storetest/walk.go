package storetest

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/lsmkit/lsmkit/store"
)

// Long walks that turn round anywhere, step by step against a reference.
// Engines fetch several entries at a time, in chunks that grow and are bounded
// in bytes; values of very different sizes put the borders of chunks in all
// places.
func walkCases() []testCase {
	return []testCase{
		{name: "TurnAnywhere", run: turnAnywhere},
		{name: "TurnAmongLargeValues", run: turnAmongLargeValues},
		{name: "ChunkBorders", run: chunkBorders},
		{name: "RandomWalks", run: randomWalks},
		{name: "RandomWalksLargeValues", run: randomWalksLargeValues},
		{name: "WalkPastDeletions", run: walkPastDeletions},
	}
}

// reference is an iterator over rows in memory that is too simple to be wrong.
type reference struct {
	rows     []row
	pos      int // index in rows; meaningful if on
	on       bool
	keysOnly bool
}

type opcode int

const (
	opFirst opcode = iota
	opLast
	opSeekGE
	opSeekLT
	opNext
	opPrev
)

type move struct {
	op  opcode
	key []byte
}

func (m move) String() string {
	name := [...]string{"First", "Last", "SeekGE", "SeekLT", "Next", "Prev"}[m.op]
	if m.op == opSeekGE || m.op == opSeekLT {
		return name + "(" + show(m.key) + ")"
	}
	return name
}

func (r *reference) apply(m move) bool {
	// at is the number of rows with a lesser key.
	at := sort.Search(len(r.rows), func(i int) bool { return bytes.Compare(r.rows[i].k, m.key) >= 0 })
	switch m.op {
	case opFirst:
		r.pos, r.on = 0, true
	case opLast:
		r.pos, r.on = len(r.rows)-1, true
	case opSeekGE:
		r.pos, r.on = at, true
	case opSeekLT:
		r.pos, r.on = at-1, true
	case opNext:
		r.pos++
	case opPrev:
		r.pos--
	}
	r.on = r.on && r.pos >= 0 && r.pos < len(r.rows)
	return r.on
}

func apply(it store.Iterator, m move) bool {
	switch m.op {
	case opFirst:
		return it.First()
	case opLast:
		return it.Last()
	case opSeekGE:
		return it.SeekGE(m.key)
	case opSeekLT:
		return it.SeekLT(m.key)
	case opNext:
		return it.Next()
	}
	return it.Prev()
}

// step makes the same move on both and ends the test if they differ.
func (t *env) step(it store.Iterator, ref *reference, m move, what string) {
	t.Helper()
	found, want := apply(it, m), ref.apply(m)
	if found != want || it.Valid() != want || it.Err() != nil {
		t.Fatalf("%s: %v found %v, valid %v, key %s, err %v, want %v (reference at %d of %d)",
			what, m, found, it.Valid(), show(it.Key()), it.Err(), want, ref.pos, len(ref.rows))
	}
	var e row
	if ref.on {
		e = ref.rows[ref.pos]
	}
	if ref.keysOnly {
		e.v = nil
	}
	if !same(it.Key(), e.k) || !same(it.Value(), e.v) {
		t.Fatalf("%s: %v: at %s=%s, want %v (row %d of %d)",
			what, m, show(it.Key()), show(it.Value()), e, ref.pos, len(ref.rows))
	}
}

// turns walks n steps from an end, turns round for back steps, turns again, for
// every n.
func (t *env) turns(db store.DB, all []row) {
	t.Helper()
	next, prev := move{op: opNext}, move{op: opPrev}
	for _, dir := range []struct {
		start, on, back move
	}{{move{op: opFirst}, next, prev}, {move{op: opLast}, prev, next}} {
		for n := range len(all) + 1 {
			back := 1 + n%5
			what := fmt.Sprintf("%v, %d times %v, then %d times %v", dir.start, n, dir.on, back, dir.back)
			it := t.iterator(db, nil)
			ref := &reference{rows: all}
			t.step(it, ref, dir.start, what)
			for range n {
				t.step(it, ref, dir.on, what)
			}
			for range back {
				t.step(it, ref, dir.back, what)
			}
			for range back + 3 {
				t.step(it, ref, dir.on, what)
			}
			t.closeIter(it)
		}
	}
}

func turnAnywhere(t *env) {
	db := t.fresh()
	all := numbered(150)
	t.fill(db, all)
	t.turns(db, all)
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.turns(db, all)
}

func turnAmongLargeValues(t *env) {
	db := t.fresh()
	rng := newRandom(3)
	sizes := []int{0, 10, 1 << 20, 0, 300, 16 << 10, 1, 64 << 10, 64<<10 - 1, 5, 4 << 10, 100 << 10, 0, 0, 30 << 10, 70}
	var all []row
	for i := range 2 * len(sizes) {
		all = append(all, row{fmt.Appendf(nil, "k%03d", i), rng.fill(sizes[i%len(sizes)])})
	}
	t.fill(db, all)
	t.turns(db, all)
}

// chunkBorders walks from every start over rows of one size, for sizes around
// those that chunks are likely to be bounded by, and turns at powers of two.
func chunkBorders(t *env) {
	rng := newRandom(4)
	for _, size := range []int{0, 1000, 8<<10 - 40, 16 << 10, 32<<10 + 1} {
		db := t.fresh()
		all := numbered(40)
		for i := range all {
			all[i].v = rng.fill(size)
		}
		t.fill(db, all)
		it := t.iterator(db, nil)
		ref := &reference{rows: all}
		for start := range all {
			for _, n := range []int{1, 2, 3, 4, 7, 8, 15, 16, 31} {
				what := fmt.Sprintf("values of %d bytes, from row %d, %d steps", size, start, n)
				t.step(it, ref, move{opSeekGE, all[start].k}, what)
				for range n {
					t.step(it, ref, move{op: opNext}, what)
				}
				t.step(it, ref, move{op: opPrev}, what)
				t.step(it, ref, move{opSeekLT, all[start].k}, what)
				for range n {
					t.step(it, ref, move{op: opPrev}, what)
				}
				t.step(it, ref, move{op: opNext}, what)
			}
		}
		t.closeIter(it)
		t.close(db)
	}
}

// drawMove mostly walks on in one direction, so that chunks grow, and now and
// then turns or jumps.
func (r *random) drawMove(last move, keys []row) move {
	if (last.op == opNext || last.op == opPrev) && !r.chance(6) {
		return last
	}
	m := move{op: opcode(r.IntN(6))}
	if m.op == opSeekGE || m.op == opSeekLT {
		switch {
		case len(keys) > 0 && r.chance(2):
			m.key = keys[r.IntN(len(keys))].k
		case len(keys) > 0 && r.chance(2):
			m.key = store.Successor(keys[r.IntN(len(keys))].k)
		default:
			m.key = r.key()
		}
	}
	return m
}

// walkAtRandom walks over db, which holds all, with many iterators.
func (t *env) walkAtRandom(db store.DB, all []row, walks, steps int) {
	t.Helper()
	rng := t.random()
	for w := range walks {
		o := rng.iterOptions()
		ref := &reference{rows: within(all, o.Range()), keysOnly: o != nil && o.KeysOnly}
		it := t.iterator(db, o)
		last := move{op: opFirst}
		for s := range steps {
			last = rng.drawMove(last, all)
			t.step(it, ref, last, fmt.Sprintf("seed %d, walk %d with %+v, step %d", rng.seed, w, o, s))
		}
		t.closeIter(it)
	}
}

// distinct returns up to n rows with random keys, in order.
func (r *random) distinct(n int, value func(i int) []byte) []row {
	byKey := make(map[string][]byte)
	for i := range n {
		byKey[string(r.key())] = value(i)
	}
	all := make([]row, 0, len(byKey))
	for k, v := range byKey {
		all = append(all, row{[]byte(k), v})
	}
	sort.Slice(all, func(i, j int) bool { return bytes.Compare(all[i].k, all[j].k) < 0 })
	return all
}

func randomWalks(t *env) {
	rng := t.random()
	db := t.fresh()
	all := rng.distinct(800, func(int) []byte { return rng.value() })
	for i, n := range rng.Perm(len(all)) {
		t.must(db.Put(all[n].k, all[n].v, nil), "put")
		if i == len(all)/2 {
			t.must(db.Flush(), "flush")
		}
	}
	t.walkAtRandom(db, all, 100, 150)
}

func randomWalksLargeValues(t *env) {
	rng := t.random()
	db := t.fresh()
	all := rng.distinct(60, func(i int) []byte {
		return rng.fill([]int{0, 20, 3 << 10, 17 << 10, 70 << 10, 1 << 20}[min(rng.IntN(6), rng.IntN(8))])
	})
	t.fill(db, all)
	t.walkAtRandom(db, all, 20, 150)
}

// Tombstones and overwritten entries in several places of the store are never
// shown, in either direction.
func walkPastDeletions(t *env) {
	db := t.fresh()
	all := numbered(600)
	t.fill(db, all)
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.must(db.DeleteRange(all[100].k, all[300].k, nil), "delete range")
	t.must(db.Flush(), "flush")
	for i := 0; i < len(all); i += 3 {
		t.must(db.Delete(all[i].k, nil), "delete")
	}
	t.must(db.Put(all[150].k, []byte("again"), nil), "put")
	var want []row
	for i, e := range all {
		switch {
		case i == 150:
			want = append(want, row{e.k, []byte("again")})
		case i%3 != 0 && (i < 100 || i >= 300):
			want = append(want, e)
		}
	}
	t.wantContents(db, want, "past deletions")
	t.walkAtRandom(db, want, 30, 100)
}
