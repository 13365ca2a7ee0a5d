package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// Close and Release while other goroutines are in the middle of calls. Nothing
// sleeps: the closing begins when the others have done a number of calls.
func closeCases() []testCase {
	return []testCase{
		{name: "A03_CloseDuringPuts", run: closeDuringPuts, crash: true},
		{name: "CloseRaces", run: closeRaces, crash: true},
		{name: "CloseTwiceAtOnce", run: closeTwiceAtOnce, crash: true},
		{name: "ReleaseRaces", run: releaseRaces, crash: true},
	}
}

const racers = 8

// bounded fails the test if fn takes too long to be waiting for anything but a
// lock that nobody will release.
func (t *env) bounded(what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		panic(what + " does not return") // prints all stacks
	}
}

// Every put that was acknowledged before or during Close is there afterwards.
func closeDuringPuts(t *env) {
	for round := range 50 {
		path := t.path()
		db := t.open(path)
		acked := make([]int, racers)
		ready := make(chan struct{}, 1000)
		var wg sync.WaitGroup
		for g := range racers {
			wg.Go(func() {
				for i := 0; ; i++ {
					err := db.Put(fmt.Appendf(nil, "g%d/%06d", g, i), fmt.Appendf(nil, "%d", i), store.Sync)
					if err != nil {
						if !errors.Is(err, store.ErrClosed) {
							t.Errorf("round %d: put: %v", round, err)
						}
						return
					}
					acked[g] = i + 1
					select {
					case ready <- struct{}{}:
					default:
					}
				}
			})
		}
		for range round % 25 { // from no put at all to many
			<-ready
		}
		t.bounded("close during puts", func() {
			if err := db.Close(); err != nil {
				t.Errorf("round %d: close: %v", round, err)
			}
			wg.Wait()
		})
		db = t.open(path)
		for g, n := range acked {
			for i := range n {
				t.wantGet(db, fmt.Sprintf("g%d/%06d", g, i), fmt.Sprint(i))
			}
		}
		t.close(db)
		if t.Failed() {
			return
		}
	}
}

// closeRaces closes while goroutines make every kind of call, walk their own
// iterators and read a common snapshot. Each call works or says closed.
func closeRaces(t *env) {
	for round := range 10 {
		path := t.path()
		db := t.open(path)
		all := numbered(300)
		t.fill(db, all)
		snap := t.snapshot(db)
		var calls atomic.Int64
		enough := make(chan struct{})
		var wg sync.WaitGroup
		for g := range racers {
			wg.Go(func() {
				t.race(db, snap, g, func() {
					if calls.Add(1) == int64(20*round+1) {
						close(enough)
					}
				})
			})
		}
		<-enough
		t.bounded("close", func() {
			// The snapshot, at least, is open.
			t.wantKind(db.Close(), store.ErrLeaked, "close")
			wg.Wait()
		})
		t.allClosed(dbCalls(db), "after the race")
		t.wantKind(snap.Release(), store.ErrClosed, "release")
		db = t.open(path)
		t.sameRows(t.forward(db, &store.IterOptions{Prefix: []byte("key")}), all, "reopened")
		t.close(db)
		if t.Failed() {
			return
		}
	}
}

// race makes calls in turn until the store is closed. Goroutines differ in where
// they begin.
func (t *env) race(db store.DB, snap store.Snapshot, g int, called func()) {
	calls := append(dbCalls(db), readerCalls(snap)...)
	it, err := db.NewIterator(nil)
	if err == nil {
		defer func() {
			if err := it.Close(); !live(err) {
				t.Errorf("iterator's close: %v", err)
			}
		}()
	} else if !live(err) {
		t.Errorf("new iterator: %v", err)
	}
	for i := g * 3; ; i++ {
		c := calls[i%len(calls)]
		err := c.do()
		called()
		if !live(err) {
			t.Errorf("%s: %v", c.name, err)
			return
		}
		if it != nil && !t.walkWhileClosing(it, i) || errors.Is(err, store.ErrClosed) {
			return
		}
	}
}

// walkWhileClosing reads some entries and tells whether the store is still open.
func (t *env) walkWhileClosing(it store.Iterator, i int) bool {
	sum := 0
	ok := it.SeekGE(fmt.Appendf(nil, "key%06d", i%300))
	for n := 0; ok && n < 20; n++ {
		// The store may be closed between two calls: each of them gives nil then.
		for _, b := range it.Key() {
			sum += int(b)
		}
		for _, b := range it.Value() {
			sum += int(b)
		}
		ok = it.Next()
	}
	if err := it.Err(); err != nil {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("walk: %v (sum %d)", err, sum)
		}
		return false
	}
	return true
}

// Of many closes at once, one closes and the others say closed.
func closeTwiceAtOnce(t *env) {
	for range 10 {
		db := t.fresh()
		t.put(db, "k", "v")
		var closed, refused atomic.Int64
		var wg sync.WaitGroup
		for range racers {
			wg.Go(func() {
				switch err := db.Close(); {
				case err == nil:
					closed.Add(1)
				case errors.Is(err, store.ErrClosed):
					refused.Add(1)
				default:
					t.Errorf("close: %v", err)
				}
			})
		}
		t.bounded("closes", wg.Wait)
		if closed.Load() != 1 || refused.Load() != racers-1 {
			t.Errorf("%d closes worked, %d were refused; want 1 and %d", closed.Load(), refused.Load(), racers-1)
		}
	}
}

// A snapshot is released, by two goroutines, while others read it; the store
// goes on.
func releaseRaces(t *env) {
	db := t.fresh()
	all := numbered(100)
	t.fill(db, all)
	for range 8 {
		snap := t.snapshot(db)
		started := make(chan struct{}, racers)
		var wg sync.WaitGroup
		for g := range racers {
			wg.Go(func() {
				calls := readerCalls(snap)
				for i := g; ; i++ {
					c := calls[i%len(calls)]
					err := c.do()
					select {
					case started <- struct{}{}:
					default:
					}
					if !live(err) {
						t.Errorf("%s: %v", c.name, err)
					}
					if err != nil {
						return
					}
				}
			})
		}
		<-started
		for range 2 {
			wg.Go(func() {
				if err := snap.Release(); err != nil {
					t.Errorf("release: %v", err)
				}
			})
		}
		t.bounded("readers of a released snapshot", wg.Wait)
		t.allClosed(readerCalls(snap), "released snapshot")
	}
	t.wantContents(db, all, "after the races")
}
