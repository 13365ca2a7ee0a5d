package commit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// log is an engine that keeps what it was given and sees whether two writes
// are in it at once.
type log struct {
	inside  atomic.Int32
	overlap atomic.Bool
	gate    chan struct{} // if not nil, each write takes one from it
	entered chan struct{} // if not nil, each write says that it is in

	keys   []string
	groups []int
	syncs  []bool
	err    error
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
	l.groups = append(l.groups, b.Len())
	l.syncs = append(l.syncs, sync)
	return b.Each(func(r store.Record) error {
		l.keys = append(l.keys, string(r.Key))
		return nil
	})
}

// put writes as an engine does.
func put(q *Queue, l *log, ctx context.Context, key []byte, sync bool) error {
	if q.TryLead() {
		var b store.Batch
		if err := b.Put(key, nil); err != nil {
			return err
		}
		defer q.Done()
		return l.write(&b, sync)
	}
	return q.Join(joined(ctx, key, sync, func() {}))
}

func joined(ctx context.Context, key []byte, sync bool, release func()) Write {
	return Write{
		Add:  func(b *store.Batch) error { return b.Put(key, nil) },
		Size: len(key) + 16, Sync: sync, Context: ctx, Release: release,
	}
}

// Every write is done once, no two at a time, and each goroutine's in its own
// order.
func TestEachOnceInOrder(t *testing.T) {
	l := &log{}
	q := New(l.write)
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
	if len(l.keys) != writers*each {
		t.Errorf("%d writes done, want %d", len(l.keys), writers*each)
	}
	var next [writers]uint32
	for _, k := range l.keys {
		w, i := binary.BigEndian.Uint32([]byte(k)), binary.BigEndian.Uint32([]byte(k[4:]))
		if i != next[w] {
			t.Fatalf("writer %d: write %d where %d was due", w, i, next[w])
		}
		next[w]++
	}
	if q.state.Load() != idle || q.first != nil || q.last != nil {
		t.Error("the queue is not idle at the end")
	}
}

// held starts a queue whose leader is in the engine until open is called, and
// waits until n writers have joined behind it.
func held(t *testing.T) (q *Queue, l *log, open func()) {
	l = &log{gate: make(chan struct{}), entered: make(chan struct{}, 100)}
	q = New(l.write)
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
	for {
		q.mu.Lock()
		sum := 0
		for g := q.first; g != nil; g = g.next {
			sum += g.batch.Len()
			if g.do != nil {
				sum++
			}
		}
		q.mu.Unlock()
		if sum >= n {
			return
		}
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
		if fault == nil && (len(l.groups) != 2 || l.groups[1] != 20) {
			t.Errorf("groups of %v, want 1 and 20", l.groups)
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
	if fmt.Sprint(l.groups, l.syncs) != "[1 1 2 1 1] [false false true false false]" {
		t.Errorf("groups %v, synced %v", l.groups, l.syncs)
	}
}

// What is to be done alone is, in its place.
func TestDoAlone(t *testing.T) {
	q, l, open := held(t)
	errs := make(chan error, 3)
	go func() { errs <- put(q, l, nil, []byte("a"), false) }()
	waiters(q, 1)
	go func() {
		errs <- q.Join(Write{Release: func() {}, Do: func() error {
			if l.inside.Add(1) != 1 {
				t.Error("not alone")
			}
			l.keys = append(l.keys, "do")
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
	if fmt.Sprint(l.keys) != "[first a do b]" {
		t.Errorf("done: %v", l.keys)
	}
}

// A writer that gives up, as the one that was to lead or as another, is told
// that the outcome is unknown; the group is committed all the same, and each
// writer is released once, when it is.
func TestGiveUp(t *testing.T) {
	for _, leader := range []bool{true, false} {
		q, l, open := held(t)
		ctx, cancel := context.WithCancel(context.Background())
		errs, other := make(chan error, 1), make(chan error, 1)
		var released atomic.Int32
		release := func() { released.Add(1) }
		givesUp := func() { errs <- q.Join(joined(ctx, []byte("gives up"), true, release)) }
		stays := func() { other <- q.Join(joined(nil, []byte("stays"), true, release)) }
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
		for released.Load() != 2 || q.state.Load() != idle {
		}
		if len(l.groups) != 2 || l.groups[1] != 2 {
			t.Errorf("leader %v: groups of %v, want 1 and 2", leader, l.groups)
		}
	}
}

// A lone writer allocates nothing.
func TestLoneWriterAllocatesNothing(t *testing.T) {
	q := New(nil)
	n := testing.AllocsPerRun(1000, func() {
		if !q.TryLead() {
			t.Fatal("not the leader")
		}
		q.Done()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The cost for a lone writer.
func BenchmarkLone(b *testing.B) {
	q := New(nil)
	for b.Loop() {
		if q.TryLead() {
			q.Done()
		}
	}
}
