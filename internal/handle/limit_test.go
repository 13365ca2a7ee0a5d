package handle

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func limitedTo(n int) *Guard {
	g := &Guard{}
	g.Init(n)
	return g
}

// Whatever the limit, that many calls and no more are in at a time, though many
// more come than there is room for, and some of them give up; all others come in
// in the end, and the guard is empty then.
func TestGuardLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 5, 7, 8, 15, 16, 17, 23, 31, 32, 33, 63, 100} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			g := limitedTo(limit)
			var inside, most, entered, gaveUp atomic.Int64
			const goroutines, each = 200, 50
			var wg sync.WaitGroup
			for n := range goroutines {
				wg.Go(func() {
					for i := range each {
						ctx, cancel := context.WithCancel(context.Background())
						if (n+i)%7 == 0 {
							go cancel()
						}
						s, err := g.EnterContext(ctx)
						if err != nil {
							gaveUp.Add(1)
							cancel()
							continue
						}
						now := inside.Add(1)
						for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
						}
						runtime.Gosched()
						inside.Add(-1)
						g.Exit(s)
						cancel()
						entered.Add(1)
					}
				})
			}
			wg.Wait()
			if most.Load() > int64(limit) {
				t.Errorf("%d at a time", most.Load())
			}
			if entered.Load()+gaveUp.Load() != goroutines*each {
				t.Errorf("%d entered, %d gave up", entered.Load(), gaveUp.Load())
			}
			wantEmpty(t, g)
			fill(t, g, limit)
		})
	}
}

func wantEmpty(t *testing.T, g *Guard) {
	t.Helper()
	if g.InFlight() != 0 || g.Waiting() != 0 || g.crowd.shut {
		t.Errorf("%d in flight, %d waiting, shut %v at the end", g.InFlight(), g.Waiting(), g.crowd.shut)
	}
}

// fill takes all places, which there must be without waiting.
func fill(t *testing.T, g *Guard, limit int) []*Stripe {
	t.Helper()
	var places []*Stripe
	for range limit {
		s, over := g.EnterOrOver()
		if over {
			t.Fatalf("full with %d of %d places taken", len(places), limit)
		}
		places = append(places, s)
	}
	if s, over := g.EnterOrOver(); !over {
		t.Fatalf("one more than %d was let in", limit)
	} else {
		g.Exit(s)
	}
	return places
}

// Those that wait come in in their order, one for each that leaves; who comes
// later waits behind them, and who gives up leaves no gap.
func TestGuardOrder(t *testing.T) {
	const limit, waiting = 5, 20
	g := limitedTo(limit)
	places := fill(t, g, limit)
	type entry struct {
		n     int
		place *Stripe
	}
	entered, gaveUp := make(chan entry), make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	for n := range waiting {
		go func() {
			if n%4 == 3 {
				_, err := g.EnterContext(ctx)
				gaveUp <- err
				return
			}
			entered <- entry{n, g.Enter()}
		}()
		for g.Waiting() != n+1 {
			runtime.Gosched()
		}
	}
	cancel()
	for range waiting / 4 {
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Fatalf("gave up with %v", err)
		}
	}
	next := 0
	for range waiting - waiting/4 {
		if next%4 == 3 {
			next++
		}
		g.Exit(places[0])
		e := <-entered
		if e.n != next {
			t.Fatalf("%d came in where %d was due", e.n, next)
		}
		places = append(places[1:], e.place)
		next++
	}
	for _, s := range places {
		g.Exit(s)
	}
	wantEmpty(t, g)
}

// A call beyond the limit neither waits nor makes room.
func TestGuardOver(t *testing.T) {
	const limit = 4
	g := limitedTo(limit)
	places := fill(t, g, limit)
	over := g.EnterOver()
	in := make(chan *Stripe)
	go func() { in <- g.Enter() }()
	for g.Waiting() != 1 {
		runtime.Gosched()
	}
	another := g.EnterOver() // while somebody waits
	if n := g.InFlight(); n != limit+2 {
		t.Errorf("%d in flight, want %d", n, limit+2)
	}
	g.Exit(over)
	g.Exit(another)
	select {
	case <-in:
		t.Fatal("let in though all places are taken")
	default:
	}
	g.Exit(places[0])
	g.Exit(<-in)
	for _, s := range places[1:] {
		g.Exit(s)
	}
	wantEmpty(t, g)
}

// Close turns away those that wait, with and without a context, and waits for
// those that are in and for what is held.
func TestGuardCloseTurnsAway(t *testing.T) {
	const limit = 3
	g := limitedTo(limit)
	places := fill(t, g, limit)
	over := g.EnterOver()
	g.Hold()
	results := make(chan *Stripe, 20)
	for n := range 20 {
		go func() {
			if n%2 == 0 {
				results <- g.Enter()
				return
			}
			s, err := g.EnterContext(context.Background())
			if err != nil {
				t.Errorf("error %v", err)
			}
			results <- s
		}()
	}
	for g.Waiting() != 20 {
		runtime.Gosched()
	}
	closed := make(chan bool)
	go func() { closed <- g.Close() }()
	for range 20 {
		if s := <-results; s != nil {
			t.Error("let in by Close")
		}
	}
	if s, over := g.EnterOrOver(); s != nil || over {
		t.Error("let in after Close")
	}
	if g.EnterOver() != nil {
		t.Error("let in beyond the limit after Close")
	}
	leave := []func(){func() { g.Exit(over) }, g.Unhold}
	for _, s := range places {
		leave = append(leave, func() { g.Exit(s) })
	}
	for i, f := range leave {
		select {
		case <-closed:
			t.Fatalf("closed with %d calls left", len(leave)-i)
		default:
		}
		f()
	}
	if !<-closed {
		t.Error("Close returned false")
	}
}

// leaveInC is what the boundaries' C code does with a call's place.
func leaveInC(s *Stripe) Left {
	if atomic.AddInt64(s.Counter(), -1) >= 0 {
		return DepartedFull
	}
	return Departed
}

// A place that C has left is free before the goroutine comes back; who waited for it
// gets it when the goroutine does. Calls that C has not left keep theirs until then.
func TestGuardLeave(t *testing.T) {
	const limit = 3
	g := limitedTo(limit)
	places := fill(t, g, limit)
	if left := leaveInC(places[0]); left != Departed {
		t.Errorf("left with %d while nobody waits", left)
	}
	again, over := g.EnterOrOver()
	if over {
		t.Error("the place that C has left is not free")
	}
	g.Leave(places[0], Departed)
	places[0] = again
	in := make(chan *Stripe)
	go func() { in <- g.Enter() }()
	for g.Waiting() != 1 {
		runtime.Gosched()
	}
	left := leaveInC(places[0])
	if left != DepartedFull {
		t.Errorf("left with %d while somebody waits", left)
	}
	g.Leave(places[0], left)
	places[0] = <-in
	for i, s := range places {
		if g.InFlight() != limit-i {
			t.Errorf("%d in flight, want %d", g.InFlight(), limit-i)
		}
		g.Leave(s, Inside)
	}
	wantEmpty(t, g)
	if (*Stripe)(nil).Counter() != nil {
		t.Error("no stripe has a counter")
	}
}

// Close waits for calls until C has left them.
func TestGuardCloseAndLeave(t *testing.T) {
	for range 100 {
		g := limitedTo(2)
		var inside, calls atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for s := g.Enter(); s != nil; s = g.Enter() {
					inside.Add(1)
					calls.Add(1)
					runtime.Gosched()
					inside.Add(-1)
					left := leaveInC(s)
					runtime.Gosched()
					g.Leave(s, left)
				}
			})
		}
		for calls.Load() < 10 {
			runtime.Gosched()
		}
		if !g.Close() {
			t.Fatal("not closed")
		}
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d inside after Close", n)
		}
		wg.Wait()
		wantEmptyCounters(t, g)
	}
}

func wantEmptyCounters(t *testing.T, g *Guard) {
	t.Helper()
	if g.InFlight() != 0 || g.Waiting() != 0 {
		t.Errorf("%d in flight, %d waiting at the end", g.InFlight(), g.Waiting())
	}
}

// Close races with calls of all kinds: it returns, and nobody is left waiting.
func TestGuardCloseRaces(t *testing.T) {
	for round := range 50 {
		g := limitedTo(2)
		var inside, calls atomic.Int64
		var wg sync.WaitGroup
		for n := range 30 {
			wg.Go(func() {
				for {
					var s *Stripe
					switch n % 4 {
					case 0:
						s = g.EnterOver()
					case 1:
						s, _ = g.EnterOrOver()
					case 2:
						ctx, cancel := context.WithCancel(context.Background())
						go cancel()
						var err error
						if s, err = g.EnterContext(ctx); err != nil {
							continue
						}
					default:
						s = g.Enter()
					}
					if s == nil {
						return
					}
					inside.Add(1)
					calls.Add(1)
					if n%5 == 0 {
						runtime.Gosched() // others come meanwhile
					}
					if n%3 == 0 {
						g.Hold()
						g.Exit(s)
						inside.Add(-1)
						g.Unhold()
						continue
					}
					inside.Add(-1)
					g.Exit(s)
				}
			})
		}
		for calls.Load() < int64(round) {
			runtime.Gosched()
		}
		if !g.Close() {
			t.Fatal("not closed")
		}
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d inside after Close", n)
		}
		wg.Wait()
		if g.Waiting() != 0 {
			t.Fatalf("%d waiting at the end", g.Waiting())
		}
	}
}

// The limit of an option.
func TestMaxCalls(t *testing.T) {
	for asked, want := range map[int]int{0: max(24, runtime.GOMAXPROCS(0)), 1: 2, 2: 2, 3: 3, 1000: 1000} {
		if got := MaxCalls(asked); got != want {
			t.Errorf("%d gives %d, want %d", asked, got, want)
		}
	}
}
