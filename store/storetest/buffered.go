package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// A store.Buffered on the engine: what it says is committed is there, each
// goroutine's changes in their order, and a store that goes away is an error.
func bufferedCases() []testCase {
	return []testCase{
		{name: "Buffered", run: buffered},
		{name: "BufferedDelay", run: bufferedDelay},
		{name: "BufferedGoroutines", run: bufferedGoroutines},
		{name: "BufferedBesideOthers", run: bufferedBesideOthers},
		{name: "BufferedStoreClosed", run: bufferedStoreClosed, crash: true},
		{name: "BufferedCloseRaces", run: bufferedCloseRaces, crash: true},
	}
}

// forever is a delay that does not end in a test.
const forever = time.Duration(1<<63 - 1)

func (t *env) buffered(db store.Writer, o *store.BufferedOptions) *store.Buffered {
	t.Helper()
	b, err := store.NewBuffered(db, o)
	t.must(err, "new buffered")
	return b
}

// Changes are there after Flush and Close, and not before.
func buffered(t *env) {
	db := t.fresh()
	t.fill(db, rows("a", "old", "b", "old"))
	for _, wo := range []*store.WriteOptions{nil, store.Sync, {Context: t.Context()}} {
		b := t.buffered(db, &store.BufferedOptions{Delay: forever, Write: wo})
		t.must(b.Put(t.Context(), []byte("a"), []byte("new")), "put")
		t.must(b.Delete(nil, []byte("b")), "delete")
		t.must(b.Put(nil, nil, nil), "put of the empty key")
		t.wantContents(db, rows("a", "old", "b", "old"), "not flushed")
		t.must(b.Flush(t.Context()), "flush")
		t.wantContents(db, rows("", "", "a", "new"), "flushed")
		t.must(b.Write(nil, t.batchOf("-", "+a=old", "+b=old", "+c=1", "-c")), "write")
		t.wantContents(db, rows("", "", "a", "new"), "not closed")
		t.must(b.Close(), "close")
		t.wantContents(db, rows("a", "old", "b", "old"), "closed")
	}
	b := t.buffered(db, nil)
	long := make([]byte, store.MaxKeySize+1)
	if err := b.Put(nil, long, nil); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("put of a large key: %v", err)
	}
	t.must(b.Close(), "close after a refused put")
	t.wantContents(db, rows("a", "old", "b", "old"), "after a refused put")
}

// What is neither flushed nor closed is there some time after the delay.
func bufferedDelay(t *env) {
	db := t.fresh()
	b := t.buffered(db, &store.BufferedOptions{Delay: time.Millisecond})
	for i := range 3 {
		k := fmt.Appendf(nil, "k%d", i)
		t.must(b.Put(nil, k, k), "put")
		t.bounded("the delay's end", func() {
			for there := false; !there; runtime.Gosched() {
				var err error
				if there, err = db.Has(k); err != nil {
					t.Errorf("has: %v", err)
					return
				}
			}
		})
	}
	t.must(b.Close(), "close")
}

// Many goroutines make random changes, each to keys of its own, through one
// Buffered with small batches. Whenever one has flushed, and at the end, its keys
// are as they have to be.
func bufferedGoroutines(t *env) {
	path := t.path()
	db := t.open(path)
	b := t.buffered(db, &store.BufferedOptions{BatchSize: 2 << 10, Delay: time.Millisecond})
	seed := t.random().seed
	changes := 2000
	if testing.Short() {
		changes /= 4
	}
	models := make([]map[string][]byte, 2*racers)
	var wg sync.WaitGroup
	for g := range models {
		models[g] = map[string][]byte{}
		wg.Go(func() {
			if err := changeAtRandom(t.Context(), db, b, models[g], g, changes, newRandom(seed+uint64(g))); err != nil {
				t.Errorf("seed %d, goroutine %d: %v", seed, g, err)
			}
		})
	}
	t.bounded("the goroutines", wg.Wait)
	t.must(b.Close(), "close")
	total := 0
	for i := range 2 {
		for g, m := range models {
			if err := hasAll(db, m, g); err != nil {
				t.Errorf("seed %d, goroutine %d, opened %d times: %v", seed, g, i+1, err)
			}
			total += len(m)
		}
		t.close(db)
		db = t.open(path)
	}
	if n := len(t.forward(db, nil)); 2*n != total {
		t.Errorf("seed %d: the store has %d entries, the goroutines %d", seed, n, total/2)
	}
	t.close(db)
}

// changeAtRandom makes changes to the keys of goroutine g.
func changeAtRandom(ctx context.Context, db store.DB, b *store.Buffered, model map[string][]byte, g, changes int, rng *random) error {
	key := func() []byte { return append(fmt.Appendf(nil, "%02d/", g), rng.key()...) }
	for range changes {
		k, v := key(), rng.value()
		var err error
		switch n := rng.IntN(100); {
		case n < 60:
			err = b.Put(ctx, k, v)
			model[string(k)] = bytes.Clone(v)
		case n < 85:
			err = b.Delete(ctx, k)
			delete(model, string(k))
		case n < 98:
			var batch store.Batch
			k2 := key()
			err = errors.Join(batch.Put(k, v), batch.Delete(k2), b.Write(ctx, &batch))
			model[string(k)] = bytes.Clone(v)
			delete(model, string(k2))
		default:
			if err = b.Flush(ctx); err == nil {
				err = hasAll(db, model, g)
			}
		}
		if err != nil {
			return err
		}
		clear(k) // they may be reused
		clear(v)
	}
	return nil
}

// hasAll checks that the keys of goroutine g are those of the model.
func hasAll(db store.Reader, model map[string][]byte, g int) error {
	n := 0
	found, errf := store.Scan(db, store.PrefixRange(fmt.Appendf(nil, "%02d/", g)))
	for k, v := range found {
		n++
		if want, ok := model[string(k)]; !ok || !bytes.Equal(v, want) {
			return fmt.Errorf("the store has %s=%s, the model %s, %v", show(k), show(v), show(want), ok)
		}
	}
	if err := errf(); err != nil {
		return err
	}
	if n != len(model) {
		return fmt.Errorf("the store has %d keys, the model %d", n, len(model))
	}
	return nil
}

// Writes of every kind and durability go on beside those of a Buffered.
func bufferedBesideOthers(t *env) {
	db := t.fresh()
	b := t.buffered(db, &store.BufferedOptions{BatchSize: 1 << 10, Write: store.Sync})
	const each = 200
	var want []row
	for g := range 3 {
		for i := range each {
			want = append(want, row{fmt.Appendf(nil, "%d/%03d", g, i), fmt.Appendf(nil, "%d", i)})
		}
	}
	var wg sync.WaitGroup
	for g, put := range []func(e row) error{
		func(e row) error { return b.Put(t.Context(), e.k, e.v) },
		func(e row) error { return db.Put(e.k, e.v, store.Sync) },
		func(e row) error { return db.Write(t.batchOf("+"+string(e.k)+"="+string(e.v)), nil) },
	} {
		wg.Go(func() {
			for _, e := range want[g*each : (g+1)*each] {
				if err := put(e); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	wg.Wait()
	t.must(b.Close(), "close")
	t.wantContents(db, want, "all written")
}

// A store that is closed beneath a Buffered is an error of whatever comes next,
// and nothing hangs.
func bufferedStoreClosed(t *env) {
	db := t.open(t.path())
	b := t.buffered(db, &store.BufferedOptions{BatchSize: 100, Delay: forever})
	t.must(b.Put(nil, []byte("k"), nil), "put")
	t.close(db)
	t.bounded("the Buffered of a closed store", func() {
		var err error
		for i := 0; err == nil && i < 1000; i++ {
			err = b.Put(nil, []byte("key"), []byte("value"))
		}
		t.wantKind(err, store.ErrClosed, "put")
		t.wantKind(b.Flush(t.Context()), store.ErrClosed, "flush")
		t.wantKind(b.Close(), store.ErrClosed, "close")
	})
}

// The store and the Buffered are closed while goroutines write. What was
// committed before is there, and is what came first.
func bufferedCloseRaces(t *env) {
	for round := range 20 {
		path := t.path()
		db := t.open(path)
		b := t.buffered(db, &store.BufferedOptions{BatchSize: 200 + 100*(round%5)})
		begun := make(chan struct{}, 1000)
		accepted := make([]int, racers)
		var wg sync.WaitGroup
		for g := range racers {
			wg.Go(func() {
				for i := 0; ; i++ {
					err := b.Put(t.Context(), fmt.Appendf(nil, "%d/%06d", g, i), nil)
					if err != nil {
						if !errors.Is(err, store.ErrClosed) {
							t.Errorf("round %d: put: %v", round, err)
						}
						return
					}
					accepted[g] = i + 1
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			})
		}
		for range round * 10 {
			<-begun
		}
		whole := round%2 == 0 // nothing is lost
		t.bounded("the closing", func() {
			if whole {
				t.must(b.Close(), "close")
				t.close(db)
			} else {
				t.close(db)
				if err := b.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
					t.Errorf("round %d: close: %v", round, err)
				}
			}
			wg.Wait()
		})
		db = t.open(path)
		for g, n := range accepted {
			found := t.forward(db, &store.IterOptions{Prefix: fmt.Appendf(nil, "%d/", g)})
			if whole && len(found) != n || len(found) > n {
				t.Errorf("round %d, goroutine %d: %d of %d puts are there", round, g, len(found), n)
			}
			for i, e := range found {
				if want := fmt.Sprintf("%d/%06d", g, i); string(e.k) != want {
					t.Fatalf("round %d, goroutine %d: entry %d of %d is %s", round, g, i, len(found), e.k)
				}
			}
		}
		t.close(db)
	}
}
