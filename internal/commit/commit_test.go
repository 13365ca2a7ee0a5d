package commit

import (
	"context"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// log is an engine that keeps what it was given and sees whether two writes
// are in it at once.
type log struct {
	inside  atomic.Int32
	overlap atomic.Bool
	gate    chan struct{} // if not nil, each write takes one from it
	entered chan struct{} // if not nil, each write says that it is in

	groups []written
	err    error
}

// written is what one write has brought: its keys, in order.
type written struct {
	keys []string
	sync bool
}

// keys returns what has been written, in order.
func (l *log) keys() (all []string) {
	for _, w := range l.groups {
		all = append(all, w.keys...)
	}
	return all
}

// with returns the write that has brought the key.
func (l *log) with(t *testing.T, key string) written {
	t.Helper()
	for _, w := range l.groups {
		if slices.Contains(w.keys, key) {
			return w
		}
	}
	t.Fatalf("%.20q has not been written", key)
	return written{}
}

func (l *log) write(b *store.Batch, sync bool) error {
	if l.inside.Add(1) != 1 {
		l.overlap.Store(true)
	}
	defer l.inside.Add(-1)
	if l.entered != nil {
		l.entered <- struct{}{}
	}
	if l.gate != nil {
		<-l.gate
	}
	if l.err != nil {
		return l.err
	}
	w := written{sync: sync}
	err := b.Each(func(r store.Record) error {
		w.keys = append(w.keys, string(r.Key))
		return nil
	})
	l.groups = append(l.groups, w)
	return err
}

// newQueue makes a queue, with a guard that lets one more call in than the leader's.
func newQueue(write func(b *store.Batch, sync bool) error) *Queue {
	g := &handle.Guard{}
	g.Init(1)
	return New(g, write)
}

// put writes as an engine does.
func put(q *Queue, l *log, ctx context.Context, key []byte, sync bool) error {
	place := q.guard.EnterOver()
	if place == nil {
		return store.ErrClosed
	}
	if q.TryLead(sync) {
		var b store.Batch
		if err := b.Put(key, nil); err != nil {
			return err
		}
		defer q.Done(place)
		return l.write(&b, sync)
	}
	return q.Join(place, joined(ctx, key, sync))
}

func joined(ctx context.Context, key []byte, sync bool) Write {
	return Write{
		Add:  func(b *store.Batch) error { return b.Put(key, nil) },
		Size: len(key) + 16, Sync: sync, Context: ctx,
	}
}

// Every write is done once, no two at a time, and each goroutine's in its own
// order.
func TestEachOnceInOrder(t *testing.T) {
	l := &log{}
	q := newQueue(l.write)
	const writers, each = 64, 300
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				key := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(i))
				if err := put(q, l, nil, key, i%3 == 0); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	if l.overlap.Load() {
		t.Error("two writes at a time")
	}
	if n := len(l.keys()); n != writers*each {
		t.Errorf("%d writes done, want %d", n, writers*each)
	}
	grouped, largest := uint64(0), uint64(0)
	var groups uint64
	for _, w := range l.groups {
		if n := uint64(len(w.keys)); n > 1 {
			groups, grouped, largest = groups+1, grouped+n, max(largest, n)
		}
	}
	if n := told(q); n != [4]uint64{groups, grouped, largest, 0} {
		t.Errorf("told %v of %d groups with %d members, at most %d", n, groups, grouped, largest)
	}
	var next [writers]uint32
	for _, k := range l.keys() {
		w, i := binary.BigEndian.Uint32([]byte(k)), binary.BigEndian.Uint32([]byte(k[4:]))
		if i != next[w] {
			t.Fatalf("writer %d: write %d where %d was due", w, i, next[w])
		}
		next[w]++
	}
	if q.queued.Load() != 0 || q.open != nil || !q.lead.TryLock() {
		t.Error("the queue is not idle at the end")
	}
}

// held starts a queue whose leader is in the engine until open is called, and
// waits until n writers have joined behind it.
func held(t *testing.T) (q *Queue, l *log, open func()) {
	l = &log{gate: make(chan struct{}), entered: make(chan struct{}, 100)}
	q = newQueue(l.write)
	led := make(chan error)
	go func() { led <- put(q, l, nil, []byte("first"), false) }()
	<-l.entered
	return q, l, func() {
		close(l.gate)
		if err := <-led; err != nil && l.err == nil {
			t.Errorf("leader: %v", err)
		}
	}
}

// waiters returns when n writers wait in the queue.
func waiters(q *Queue, n int) {
	for told(q)[3] < uint64(n) {
		runtime.Gosched()
	}
}

// Writers that come while one is in the engine are committed as one, and all
// get the group's error.
func TestGroupSharesOutcome(t *testing.T) {
	for _, fault := range []error{nil, errors.New("disk full")} {
		q, l, open := held(t)
		errs := make(chan error, 20)
		for i := range 20 {
			go func() { errs <- put(q, l, nil, []byte{byte(i)}, false) }()
		}
		waiters(q, 20)
		l.err = fault
		open()
		for range 20 {
			if err := <-errs; err != fault {
				t.Errorf("got %v, want %v", err, fault)
			}
		}
		if n := len(l.groups); fault == nil && (n != 2 || len(l.groups[1].keys) != 20) {
			t.Errorf("%d groups, want one and one of 20", n)
		}
	}
}

// A synced writer is never committed by a group that is not synced, nor a group
// larger than its bound.
func TestGroupBounds(t *testing.T) {
	q, l, open := held(t)
	errs := make(chan error, 5)
	add := func(n int, key []byte, sync bool) {
		go func() { errs <- put(q, l, nil, key, sync) }()
		waiters(q, n)
	}
	add(1, []byte("a"), false)
	add(2, []byte("b"), true)
	add(3, []byte("c"), false)
	add(4, make([]byte, MaxGroupSize), false)
	add(5, []byte("d"), false)
	open()
	for range 5 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	big := string(make([]byte, MaxGroupSize))
	for _, want := range []written{
		{[]string{"a"}, false}, {[]string{"b", "c"}, true}, {[]string{big}, false}, {[]string{"d"}, false},
	} {
		if got := l.with(t, want.keys[0]); !reflect.DeepEqual(got, want) {
			t.Errorf("%d keys in a group, synced %v, want %d, %v", len(got.keys), got.sync, len(want.keys), want.sync)
		}
	}
}

// What is to be done alone is, and divides those that come before it from those
// that come after.
func TestDoAlone(t *testing.T) {
	q, l, open := held(t)
	errs := make(chan error, 3)
	done := 0
	go func() { errs <- put(q, l, nil, []byte("a"), false) }()
	waiters(q, 1)
	go func() {
		errs <- q.Join(q.guard.EnterOver(), Write{Do: func() error {
			if l.inside.Add(1) != 1 {
				t.Error("not alone")
			}
			done++
			l.inside.Add(-1)
			return nil
		}})
	}()
	waiters(q, 2)
	go func() { errs <- put(q, l, nil, []byte("b"), false) }()
	waiters(q, 3)
	open()
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if done != 1 || len(l.with(t, "a").keys) != 1 || len(l.with(t, "b").keys) != 1 {
		t.Errorf("done %d times; groups %v", done, l.groups)
	}
}

// A writer that gives up, as the one that was to lead or as another, is told
// that the outcome is unknown; the group is committed all the same.
func TestGiveUp(t *testing.T) {
	for _, leader := range []bool{true, false} {
		q, l, open := held(t)
		ctx, cancel := context.WithCancel(context.Background())
		errs, other := make(chan error, 1), make(chan error, 1)
		givesUp := func() { errs <- put(q, l, ctx, []byte("gives up"), true) }
		stays := func() { other <- put(q, l, nil, []byte("stays"), true) }
		first, second := stays, givesUp
		if leader {
			first, second = givesUp, stays
		}
		go first()
		waiters(q, 1)
		go second()
		waiters(q, 2)
		cancel()
		err := <-errs
		var gaveUp *GaveUp
		if !errors.As(err, &gaveUp) || !errors.Is(err, context.Canceled) {
			t.Errorf("leader %v: got %v", leader, err)
		}
		open()
		if err := <-other; err != nil {
			t.Errorf("leader %v: the other: %v", leader, err)
		}
		q.guard.Close() // waits for who leads in the place of who gave up
		if n := len(l.with(t, "stays").keys); n != 2 {
			t.Errorf("leader %v: a group of %d, want 2", leader, n)
		}
	}
}

// A leader can give up even while its group is being written.
func TestLeaderGivesUp(t *testing.T) {
	q, l, open := held(t)
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error, 1)
	go func() { errs <- put(q, l, ctx, []byte("gives up"), true) }()
	waiters(q, 1)
	l.gate <- struct{}{} // the first
	<-l.entered          // its turn
	cancel()
	var gaveUp *GaveUp
	if err := <-errs; !errors.As(err, &gaveUp) {
		t.Errorf("got %v", err)
	}
	open()
	q.guard.Close()
	l.with(t, "gives up")
}

// Close waits until all have been written that had come before it, by one leader
// after the other, and refuses those that come later.
func TestCloseDrains(t *testing.T) {
	q, l, open := held(t)
	errs := make(chan error, 30)
	for i := range 30 {
		key := []byte{byte(i)}
		if i%10 == 0 {
			key = make([]byte, MaxGroupSize+i) // makes a group of its own
		}
		go func() { errs <- put(q, l, nil, key, i%2 == 0) }()
		waiters(q, i+1)
	}
	closed := make(chan bool)
	go func() { closed <- q.guard.Close() }()
	for !q.guard.Closed() {
		runtime.Gosched()
	}
	if err := put(q, l, nil, []byte("late"), true); !errors.Is(err, store.ErrClosed) {
		t.Errorf("late: %v", err)
	}
	select {
	case <-closed:
		t.Fatal("closed before the writes were done")
	default:
	}
	open()
	<-closed
	if n := len(l.keys()); n != 31 {
		t.Errorf("%d writes done when Close has returned, want 31", n)
	}
	for range 30 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// While a group waits, lone writers that are not synced may go before it, but
// not for ever, and synced ones have to join it.
func TestPasses(t *testing.T) {
	q := newQueue(nil)
	q.queued.Store(1)
	if q.TryLead(true) {
		t.Error("a synced writer passed a group")
	}
	passed := 0
	for q.TryLead(false) {
		q.lead.Unlock()
		if passed++; passed > 10*maxPasses {
			t.Fatal("no end to the passing")
		}
	}
	if passed != maxPasses {
		t.Errorf("passed %d times, want %d", passed, maxPasses)
	}
}

// The outcome is told where there is one, though the context has ended too.
func TestOutcomeBeforeContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // select chooses at random
		g := newGroup(store.Batch{})
		g.err = store.ErrNoSpace
		close(g.done)
		if err := g.wait(ctx); err != store.ErrNoSpace {
			t.Fatalf("got %v", err)
		}
	}
}

// A lone writer allocates nothing.
func TestLoneWriterAllocatesNothing(t *testing.T) {
	q := newQueue(nil)
	n := testing.AllocsPerRun(1000, func() {
		place := q.guard.EnterOver()
		if !q.TryLead(false) {
			t.Fatal("not the leader")
		}
		q.Done(place)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The cost for a lone writer.
func BenchmarkLone(b *testing.B) {
	q := newQueue(nil)
	for b.Loop() {
		place := q.guard.EnterOver()
		if q.TryLead(false) {
			q.Done(place)
		}
	}
}
