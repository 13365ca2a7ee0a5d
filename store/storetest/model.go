package storetest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// Random operations on the engine and on the model at once, with every result
// compared, and the engine closed and opened again in between.
func randomCases() []testCase {
	return []testCase{
		{name: "RandomOperations", run: func(t *env) { t.operate(2500, 0) }},
		{name: "RandomOperationsReopened", run: func(t *env) { t.operate(1500, 60) }},
	}
}

// pair is the engine's store and the model, with the snapshots taken of both
// at the same moments.
type pair struct {
	*env
	rng   *random
	path  string
	db    store.DB
	model *memstore.DB
	snaps []snapPair
	step  int
}

type snapPair struct{ db, model store.Snapshot }

// operate makes n random steps and, if reopen is not 0, opens the store again
// about every so many.
func (t *env) operate(n, reopen int) {
	p := &pair{env: t, rng: t.random(), path: t.path(), model: memstore.New()}
	if testing.Short() {
		n /= 4
	}
	p.db = t.open(p.path)
	for p.step = range n {
		p.once()
		if reopen > 0 && p.rng.chance(reopen) {
			p.reopen()
		}
		if t.Failed() {
			t.Fatalf("%s", p.where("stopped"))
		}
	}
	p.compare(p.db, p.model, "at the end")
	p.releaseAll()
	t.close(p.db)
	t.must(p.model.Close(), "model's close")
}

// where says how to come to this step again.
func (p *pair) where(what string) string {
	return fmt.Sprintf("seed %d, step %d: %s", p.rng.seed, p.step, what)
}

// agree checks that the engine's error is nil and the model's too.
func (p *pair) agree(got, want error, what string) {
	p.Helper()
	if got != nil || want != nil {
		p.Fatalf("%s: error %v, model's error %v", p.where(what), got, want)
	}
}

// once does one random thing.
func (p *pair) once() {
	rng := p.rng
	switch n := rng.IntN(100); {
	case n < 30:
		k, v, o := rng.key(), rng.value(), p.writeOptions()
		p.agree(p.db.Put(k, v, o), p.model.Put(k, v, nil), "put "+show(k))
	case n < 42:
		k, o := rng.key(), p.writeOptions()
		p.agree(p.db.Delete(k, o), p.model.Delete(k, nil), "delete "+show(k))
	case n < 46:
		r := rng.keyRange()
		if rng.chance(4) || len(r.Start) > 0 { // a range from the start takes most
			p.agree(p.db.DeleteRange(r.Start, r.End, nil), p.model.DeleteRange(r.Start, r.End, nil), "delete range "+describe(r))
		}
	case n < 58:
		b := p.batch()
		p.agree(p.db.Write(b, p.writeOptions()), p.model.Write(b, nil), fmt.Sprintf("write of %d changes", b.Len()))
	case n < 70:
		p.lookUp(p.db, p.model, "store")
	case n < 86:
		p.iterate(p.db, p.model, "store")
	case n < 90:
		p.snapshot()
	case n < 95 && len(p.snaps) > 0:
		s := p.snaps[rng.IntN(len(p.snaps))]
		p.lookUp(s.db, s.model, "snapshot")
		p.iterate(s.db, s.model, "snapshot")
	case n < 96:
		p.agree(p.db.Flush(), nil, "flush")
	case n < 97:
		r := rng.keyRange()
		p.agree(p.db.Compact(p.Context(), r), nil, "compact "+describe(r))
	default:
		p.compare(p.db, p.model, "store")
	}
}

func (p *pair) writeOptions() *store.WriteOptions {
	if p.variant.WALBuffer && p.rng.chance(2) {
		return store.WALBuffered
	}
	return []*store.WriteOptions{nil, store.NoSync, nil, store.NoSync, store.Sync}[p.rng.IntN(5)]
}

func (p *pair) batch() *store.Batch {
	b := store.NewBatch(0)
	for range p.rng.IntN(12) {
		var err error
		switch n := p.rng.IntN(20); {
		case n < 12:
			err = b.Put(p.rng.key(), p.rng.value())
		case n < 18:
			err = b.Delete(p.rng.key())
		default:
			r := p.rng.keyRange()
			err = b.DeleteRange(r.Start, r.End)
		}
		p.agree(err, nil, "batch")
	}
	return b
}

// lookUp compares single and multiple lookups of random keys.
func (p *pair) lookUp(got, want store.Reader, what string) {
	p.Helper()
	keys := make([][]byte, p.rng.IntN(10))
	var gots, wants store.Values
	for i := range keys {
		keys[i] = p.rng.key()
		w, werr := want.Get(keys[i])
		g, gerr := got.Get(keys[i])
		if gerr != werr || !same(g, w) {
			p.Fatalf("%s: get %s: %s, %v, want %s, %v", p.where(what), show(keys[i]), show(g), gerr, show(w), werr)
		}
		g, gerr = got.AppendGet([]byte("x"), keys[i])
		if gerr != werr || !bytes.Equal(g, append([]byte("x"), w...)) {
			p.Fatalf("%s: append get %s: %s, %v", p.where(what), show(keys[i]), show(g), gerr)
		}
		if ok, err := got.Has(keys[i]); err != nil || ok != (werr == nil) {
			p.Fatalf("%s: has %s: %v, %v", p.where(what), show(keys[i]), ok, err)
		}
	}
	p.agree(got.MultiGet(keys, &gots), want.MultiGet(keys, &wants), what+": multiget")
	for i := range keys {
		g, gok := gots.At(i)
		w, wok := wants.At(i)
		if gots.Len() != len(keys) || gok != wok || !same(g, w) {
			p.Fatalf("%s: multiget %s: %s, %v, want %s, %v", p.where(what), show(keys[i]), show(g), gok, show(w), wok)
		}
	}
}

// iterate compares a random walk with the same on a reference over the model's
// rows.
func (p *pair) iterate(got, want store.Reader, what string) {
	p.Helper()
	o := p.rng.iterOptions()
	all := p.forward(want, nil)
	ref := &reference{rows: within(all, o.Range()), keysOnly: o != nil && o.KeysOnly}
	it := p.iterator(got, o)
	last := move{op: opFirst}
	for range p.rng.IntN(60) {
		last = p.rng.drawMove(last, all)
		p.env.step(it, ref, last, p.where(fmt.Sprintf("%s with %+v", what, o)))
	}
	p.closeIter(it)
}

// compare compares all contents.
func (p *pair) compare(got, want store.Reader, what string) {
	p.Helper()
	p.wantContents(got, p.forward(want, nil), p.where(what))
}

func (p *pair) snapshot() {
	if len(p.snaps) >= 4 {
		i := p.rng.IntN(len(p.snaps))
		p.release(p.snaps[i].db)
		p.release(p.snaps[i].model)
		p.snaps = append(p.snaps[:i], p.snaps[i+1:]...)
	}
	p.snaps = append(p.snaps, snapPair{p.env.snapshot(p.db), p.env.snapshot(p.model)})
}

func (p *pair) releaseAll() {
	for _, s := range p.snaps {
		p.compare(s.db, s.model, "snapshot before its release")
		p.release(s.db)
		p.release(s.model)
	}
	p.snaps = p.snaps[:0]
}

func (p *pair) reopen() {
	p.releaseAll()
	p.close(p.db)
	p.db = p.open(p.path)
	p.compare(p.db, p.model, "reopened")
}
