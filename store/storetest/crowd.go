package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// Many more goroutines than an engine lets in at a time: all get through, the
// system's threads stay few, and Close and contexts end the waiting.
func crowdCases() []testCase {
	return []testCase{
		{name: "ManyGoroutines", run: manyGoroutines, crash: true},
		{name: "WaitingHoldsNothing", run: waitingHoldsNothing, crash: true},
		{name: "CloseWithWritersQueued", run: closeWithWritersQueued, crash: true},
		{name: "GivingUpInACrowd", run: givingUpInACrowd, crash: true},
		{name: "OversizedInACrowd", run: oversizedInACrowd, crash: true},
	}
}

// goThreads are the threads that Go may make beyond GOMAXPROCS, whatever the
// number of goroutines. The engine's own are not among them.
const goThreads = 32

// fewThreads ends the process when Go makes more threads than it may.
func (t *env) fewThreads() {
	if t.cfg.InMemory {
		return // no C, no thread held; and this process is not the test's own
	}
	debug.SetMaxThreads(runtime.GOMAXPROCS(0) + goThreads)
}

// crowd is a number of goroutines: twenty thousand, but where the race detector,
// which ends at 8,128, or a short test bounds it.
func (t *env) crowd() int {
	if raceEnabled || asanEnabled || t.cfg.InMemory {
		return 5_000
	}
	return 20_000
}

func crowdKey(g int) []byte { return fmt.Appendf(nil, "crowd/%06d", g) }

func crowdValue(g int) []byte { return fmt.Appendf(nil, "value of %d", g) }

// below returns a key that begins with another one.
func below(key []byte, rest string) []byte { return []byte(string(key) + rest) }

// Each goroutine writes, some with sync, some in batches, and reads its own and
// others' keys; some walk, flush and compact. An iterator and a snapshot are open
// all the while.
func manyGoroutines(t *env) {
	t.fewThreads()
	db := t.fresh()
	t.fill(db, numbered(1000))
	it, snap := t.iterator(db, nil), t.snapshot(db)
	if !it.First() {
		t.Fatalf("first: %v", it.Err())
	}
	n := t.crowd()
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for g := range n {
		wg.Go(func() {
			<-begin
			if err := t.inACrowd(db, snap, g); err != nil {
				t.Errorf("goroutine %d: %v", g, err)
			}
		})
	}
	close(begin)
	t.bounded("the crowd", wg.Wait)
	for g := range n {
		v, err := db.Get(crowdKey(g))
		if err != nil || string(v) != string(crowdValue(g)) {
			t.Fatalf("key of goroutine %d: %s, %v", g, show(v), err)
		}
	}
	t.sameRows(t.forward(snap, nil), numbered(1000), "snapshot of before")
	t.closeIter(it)
	t.release(snap)
	t.wantNoCalls(db, "when the crowd has gone")
	t.close(db)
	t.wantNoCalls(db, "after close")
}

// wantNoCalls checks that the store, if it counts them, has no call under way.
func (t *env) wantNoCalls(db store.DB, what string) {
	t.Helper()
	if x, ok := db.(*tenant); ok {
		db = x.levels[0] // which does the calls
	}
	c, ok := db.(store.CallCounter)
	if !ok {
		if !t.cfg.InMemory {
			t.Error("the engine does not count its calls")
		}
		return
	}
	if inFlight, waiting := c.Calls(); inFlight != 0 || waiting != 0 {
		t.Errorf("%s: %d calls in flight, %d waiting", what, inFlight, waiting)
	}
}

// inACrowd is what one goroutine does.
func (t *env) inACrowd(db store.DB, snap store.Snapshot, g int) (err error) {
	key, value := crowdKey(g), crowdValue(g)
	o := store.NoSync
	if g%10 == 0 {
		o = store.Sync
	}
	if g%100 == 2 { // holds a thread in C for long
		if err := db.Flush(); err != nil {
			return err
		}
	}
	switch {
	case g%100 == 0:
		var b store.Batch
		err = errors.Join(b.Put(below(key, "/gone"), value), b.DeleteRange(below(key, "/"), below(key, "0")), b.Put(key, value), db.Write(&b, o))
	case g%5 == 0:
		var b store.Batch
		err = errors.Join(b.Put(below(key, "/2"), value), b.Put(key, value), db.Write(&b, o))
	default:
		err = db.Put(key, value, o)
	}
	if err != nil {
		return err
	}
	v, err := db.AppendGet(nil, key)
	if err != nil || string(v) != string(value) {
		return fmt.Errorf("its own key is %s, %w", show(v), err)
	}
	if found, err := snap.Has(key); found || err != nil {
		return fmt.Errorf("its key is in the snapshot: %v, %w", found, err)
	}
	switch {
	case g%4000 == 1:
		return db.Compact(nil, store.KeyRange{})
	case g%1000 == 3:
		if _, err := db.ApproximateSizes([]store.KeyRange{{}}); err != nil {
			return err
		}
		_, err = db.Metrics()
		return err
	case g%50 == 4:
		it, err := db.NewIterator(&store.IterOptions{Prefix: []byte("key")})
		if err != nil {
			return err
		}
		rows := 0
		for ok := it.First(); ok; ok = it.Next() {
			rows++
		}
		if err := it.Err(); err != nil || rows != 1000 {
			return fmt.Errorf("walked over %d rows, %w", rows, err)
		}
		return it.Close()
	}
	return nil
}

// Open iterators and snapshots, many more than calls may be made at a time, keep
// nobody out.
func waitingHoldsNothing(t *env) {
	db := t.fresh()
	t.fill(db, numbered(300))
	const n = 200
	var its []store.Iterator
	var snaps []store.Snapshot
	for range n {
		it, snap := t.iterator(db, nil), t.snapshot(db)
		if !it.Last() {
			t.Fatalf("last: %v", it.Err())
		}
		its, snaps = append(its, it), append(snaps, snap)
	}
	t.bounded("calls beside open iterators and snapshots", func() {
		for i := range n {
			t.must(db.Put([]byte("k"), []byte("v"), store.Sync), "put")
			t.wantGet(snaps[i], "key000001", string(numbered(2)[1].v))
			if !its[i].Prev() {
				t.Fatalf("prev: %v", its[i].Err())
			}
		}
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				if err := errors.Join(its[i].Close(), snaps[i].Release()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	t.close(db)
}

// Close comes while hundreds of writers of all kinds are queued: each is told
// that its write is done, and then it is there, or that the store is closed.
func closeWithWritersQueued(t *env) {
	const writers = 300
	for round := range 5 {
		path := t.path()
		db := t.open(path)
		ctx, cancel := context.WithCancel(context.Background())
		acked := make([]bool, writers)
		ready := make(chan struct{}, writers)
		var wg sync.WaitGroup
		for g := range writers {
			wg.Go(func() {
				ready <- struct{}{}
				err := writeAs(db, g, ctx)
				if acked[g] = err == nil; !acked[g] {
					t.wantKind(err, store.ErrClosed, "write while closing")
				}
			})
		}
		for range writers / 5 * (round + 1) {
			<-ready
		}
		t.bounded("close with writers queued", func() {
			t.must(db.Close(), "close")
			wg.Wait()
		})
		cancel()
		db = t.open(path)
		for g, ok := range acked {
			if ok {
				t.wantGet(db, string(crowdKey(g)), string(crowdValue(g)))
			}
		}
		t.close(db)
		if t.Failed() {
			return
		}
	}
}

// writeAs writes the goroutine's key in one of several ways.
func writeAs(db store.DB, g int, ctx context.Context) error {
	key, value := crowdKey(g), crowdValue(g)
	o := &store.WriteOptions{Sync: g%3 != 0}
	if g%4 == 0 {
		o.Context = ctx
	}
	if g%5 > 1 {
		return db.Put(key, value, o)
	}
	var b store.Batch
	if err := b.Put(key, value); err != nil {
		return err
	}
	if g%5 == 1 { // which LevelDB's leader does by itself
		if err := b.DeleteRange(below(key, "/"), below(key, "0")); err != nil {
			return err
		}
	}
	return db.Write(&b, o)
}

// Writers whose contexts end while they wait are told so and harm nobody: all
// others' writes are done.
func givingUpInACrowd(t *env) {
	db := t.fresh()
	const writers = 400
	var wg sync.WaitGroup
	for g := range writers {
		ctx, cancel := context.WithCancel(context.Background())
		impatient := g%3 == 1
		wg.Go(func() {
			defer cancel()
			err := db.Put(crowdKey(g), crowdValue(g), &store.WriteOptions{Sync: g%2 == 0, Context: ctx})
			switch {
			case err == nil:
				t.wantGet(db, string(crowdKey(g)), string(crowdValue(g)))
			case !impatient:
				t.Errorf("writer %d: %v", g, err)
			case !errors.Is(err, context.Canceled):
				t.Errorf("impatient writer %d: %v", g, err)
			}
		})
		if impatient {
			wg.Go(cancel)
		}
	}
	t.bounded("writers that give up", wg.Wait)
	for g := range writers {
		if g%3 != 1 {
			t.wantGet(db, string(crowdKey(g)), string(crowdValue(g)))
		}
	}
	t.close(db)
}

// What is too large is refused by itself, and what is only larger than a group
// may be is written, while others are written in groups.
func oversizedInACrowd(t *env) {
	db := t.fresh()
	keys, values := oversized(t)
	large := make([]byte, 3<<20)
	const writers = 60
	var wg sync.WaitGroup
	for g := range writers {
		wg.Go(func() {
			key, value := crowdKey(g), crowdValue(g)
			switch g % 6 {
			case 1:
				t.wantKind(db.Put(keys[g%len(keys)], value, store.Sync), store.ErrTooLarge, "put of a large key")
			case 2:
				t.wantKind(db.Put(key, values[g%len(values)], store.Sync), store.ErrTooLarge, "put of a large value")
			case 3:
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				t.must2(db.Put(key, large, &store.WriteOptions{Sync: true, Context: ctx}), "put of a value larger than a group")
			case 4:
				var b store.Batch
				t.must2(errors.Join(b.Put(key, large), b.Put(below(key, "/2"), large), db.Write(&b, store.Sync)), "write of a batch larger than a group")
			default:
				t.must2(db.Put(key, value, store.Sync), "put")
			}
		})
	}
	t.bounded("writers beside large ones", wg.Wait)
	for g := range writers {
		switch g % 6 {
		case 1, 2:
			t.wantMissing(db, string(crowdKey(g)))
		case 3, 4:
			if v, err := db.Get(crowdKey(g)); err != nil || len(v) != len(large) {
				t.Errorf("large value of %d: %d bytes, %v", g, len(v), err)
			}
		default:
			t.wantGet(db, string(crowdKey(g)), string(crowdValue(g)))
		}
	}
	t.close(db)
}

// must2 is must for goroutines other than the test's own.
func (t *env) must2(err error, what string) {
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
