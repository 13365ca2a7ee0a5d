package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// The tests run in bubbles of package synctest, with a clock of their own: time
// passes when all goroutines wait, and a goroutine that is left behind fails the
// test.

// recorder is a store.Writer that notes the batches that it is given, and lets
// each through only when it is told to, if gate is not nil.
type recorder struct {
	store.Writer
	gate chan error // each Write takes one and returns it

	mu      sync.Mutex
	batches [][]string
	options []store.WriteOptions
}

func (r *recorder) Write(b *store.Batch, o *store.WriteOptions) error {
	var changes []string
	err := b.Each(func(rec store.Record) error {
		if rec.Kind == store.KindDelete {
			changes = append(changes, "-"+string(rec.Key))
		} else {
			changes = append(changes, fmt.Sprintf("%s=%.10s", rec.Key, rec.Value))
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.batches = append(r.batches, changes)
	r.options = append(r.options, *o)
	r.mu.Unlock()
	if r.gate != nil {
		return <-r.gate
	}
	return nil
}

// want checks which batches were begun, each as its changes with spaces between.
func (r *recorder) want(t *testing.T, batches ...string) {
	t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var got []string
	for _, b := range r.batches {
		got = append(got, strings.Join(b, " "))
	}
	if !slices.Equal(got, batches) {
		t.Errorf("the store was given %q, want %q", got, batches)
	}
}

// never is a delay that doesn't end in a test.
const never = math.MaxInt64

func newBuffered(t *testing.T, w store.Writer, o *store.BufferedOptions) *store.Buffered {
	t.Helper()
	b, err := store.NewBuffered(w, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(t *testing.T, b *store.Buffered, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if err := b.Put(nil, []byte(k), []byte("v")); err != nil {
			t.Fatalf("put %s: %v", k, err)
		}
	}
}

func wantKind(t *testing.T, err, kind error, what string) {
	t.Helper()
	var e *store.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Errorf("%s: got %v, want a *store.Error that is %v", what, err, kind)
	}
}

// Nothing is committed before a batch is full, the delay is over, or Flush or
// Close ask for it.
func TestBufferedWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := newBuffered(t, r, &store.BufferedOptions{BatchSize: 60, Delay: time.Second, Write: store.Sync})
		put(t, b, "a")
		must(t, b.Delete(nil, []byte("b")))
		r.want(t)
		must(t, b.Flush(t.Context()))
		r.want(t, "a=v -b")
		must(t, b.Flush(nil)) // nothing to do
		put(t, b, "c")
		time.Sleep(time.Second - 1) // of the bubble's clock
		r.want(t, "a=v -b")
		time.Sleep(time.Nanosecond) // of the bubble's clock
		r.want(t, "a=v -b", "c=v")
		// The delay of a batch is its own, whatever was before it.
		put(t, b, "d")
		time.Sleep(time.Second / 2) // of the bubble's clock
		must(t, b.Flush(nil))
		put(t, b, "e")
		time.Sleep(time.Second - 1) // of the bubble's clock
		r.want(t, "a=v -b", "c=v", "d=v")
		time.Sleep(time.Nanosecond) // of the bubble's clock
		r.want(t, "a=v -b", "c=v", "d=v", "e=v")
		put(t, b, "01234567890123456789", "01234567890123456789") // each 24 bytes, after a header of 12
		r.want(t, "a=v -b", "c=v", "d=v", "e=v", "01234567890123456789=v 01234567890123456789=v")
		put(t, b, "f")
		must(t, b.Close())
		r.want(t, "a=v -b", "c=v", "d=v", "e=v", "01234567890123456789=v 01234567890123456789=v", "f=v")
		for i, o := range r.options {
			if !o.Sync {
				t.Errorf("batch %d was not synced", i)
			}
		}
	})
}

// One batch is committed and one filled; with both full, writers wait, and none
// of them is let in when its context ends or the Buffered is closed.
func TestBufferedBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{gate: make(chan error)}
		b := newBuffered(t, r, &store.BufferedOptions{BatchSize: 1, Delay: never})
		put(t, b, "a") // is being committed
		r.want(t, "a=v")
		put(t, b, "b") // is full
		r.want(t, "a=v")

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := b.Put(ctx, []byte("late"), nil)
		wantKind(t, err, store.ErrTimeout, "put without room")
		wantKind(t, err, context.DeadlineExceeded, "put without room")
		wantKind(t, b.Put(ctx, []byte("late"), nil), store.ErrTimeout, "put with a done context")
		wantKind(t, b.Flush(ctx), store.ErrTimeout, "flush with a done context")

		waited := make(chan error)
		go func() { waited <- b.Put(nil, []byte("c"), []byte("v")) }()
		r.want(t, "a=v")
		r.gate <- nil
		r.want(t, "a=v", "b=v")
		must(t, <-waited)
		go func() { waited <- b.Put(t.Context(), []byte("closed out"), nil) }()
		closed := make(chan error)
		synctest.Wait()
		go func() { closed <- b.Close() }()
		wantKind(t, <-waited, store.ErrClosed, "put that waits while the Buffered is closed")
		r.gate <- nil
		r.gate <- nil
		must(t, <-closed)
		r.want(t, "a=v", "b=v", "c=v")
	})
}

// Flush waits for what was accepted before it, and not for more.
func TestBufferedFlushIsABarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{gate: make(chan error)}
		b := newBuffered(t, r, &store.BufferedOptions{Delay: never})
		put(t, b, "a", "b")
		flushed := make(chan error, 1)
		flush := func() { flushed <- b.Flush(t.Context()) }
		go flush()
		r.want(t, "a=v b=v")
		put(t, b, "c")
		if len(flushed) > 0 {
			t.Error("flush has returned before the commit has")
		}
		r.gate <- nil
		must(t, <-flushed)
		r.want(t, "a=v b=v")
		go flush()
		r.gate <- nil
		must(t, <-flushed)
		r.want(t, "a=v b=v", "c=v")
		must(t, b.Close())
	})
}

// The first error is everybody's from then on, and nothing is committed behind
// it: what is in the store has no hole.
func TestBufferedError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{gate: make(chan error)}
		b := newBuffered(t, r, &store.BufferedOptions{BatchSize: 30, Delay: never})
		put(t, b, "a", "b", "c", "d")
		r.want(t, "a=v b=v c=v d=v")
		put(t, b, "e", "f", "g", "h") // full as well
		waited := make(chan error)
		go func() { waited <- b.Put(nil, []byte("i"), nil) }()
		synctest.Wait()
		r.gate <- &store.Error{Engine: "some", Op: "write", Path: "/there", Kind: store.ErrNoSpace, Err: fs.ErrPermission}
		for what, err := range map[string]error{
			"the put that waits": <-waited,
			"put":                b.Put(nil, []byte("j"), nil),
			"delete":             b.Delete(t.Context(), []byte("j")),
			"flush":              b.Flush(t.Context()),
			"close":              b.Close(),
		} {
			wantKind(t, err, store.ErrNoSpace, what)
			wantKind(t, err, fs.ErrPermission, what)
			for _, part := range []string{"some: ", "/there", "batch of 4 changes", "4 that waited were dropped"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: the error %q does not have %q", what, err, part)
				}
			}
		}
		wantKind(t, b.Put(nil, []byte("j"), nil), store.ErrNoSpace, "put after all")
		r.want(t, "a=v b=v c=v d=v")
	})
}

// An error of the store's that is not of this package's type is found again too.
func TestBufferedForeignError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{gate: make(chan error, 1)}
		r.gate <- fs.ErrInvalid
		b := newBuffered(t, r, nil)
		put(t, b, "a")
		wantKind(t, b.Flush(nil), fs.ErrInvalid, "flush")
		wantKind(t, b.Close(), store.ErrUnknown, "close")
	})
}

// What can't be committed isn't accepted, and does no harm to what is.
func TestBufferedRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := newBuffered(t, r, &store.BufferedOptions{Delay: never})
		put(t, b, "a")
		long := make([]byte, store.MaxKeySize+1)
		wantKind(t, b.Put(nil, long, nil), store.ErrTooLarge, "put of a long key")
		wantKind(t, b.Delete(nil, long), store.ErrTooLarge, "delete of a long key")
		var ranges store.Batch
		must(t, ranges.Put([]byte("x"), nil))
		must(t, ranges.DeleteRange([]byte("a"), []byte("b")))
		wantKind(t, b.Write(nil, &ranges), store.ErrNotSupported, "write with a range")
		must(t, b.Write(nil, nil))
		must(t, b.Write(nil, &store.Batch{}))
		r.want(t)
		put(t, b, "b")
		must(t, b.Close())
		r.want(t, "a=v b=v")
	})
}

// The changes of a Write stay together, also where they are more than a batch.
func TestBufferedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := newBuffered(t, r, &store.BufferedOptions{BatchSize: 20, Delay: never})
		var batch store.Batch
		for _, k := range []string{"b", "c", "d", "e"} {
			must(t, batch.Put([]byte(k), []byte("v")))
		}
		put(t, b, "a")
		must(t, b.Write(t.Context(), &batch))
		batch.Reset()
		must(t, batch.Delete([]byte("f")))
		must(t, b.Write(nil, &batch))
		must(t, b.Close())
		r.want(t, "a=v b=v c=v d=v e=v", "-f")
	})
}

func TestBufferedClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := newBuffered(t, r, nil)
		must(t, b.Close())
		var batch store.Batch
		must(t, batch.Put(nil, nil))
		wantKind(t, b.Put(nil, nil, nil), store.ErrClosed, "put")
		wantKind(t, b.Delete(nil, nil), store.ErrClosed, "delete")
		wantKind(t, b.Write(nil, &batch), store.ErrClosed, "write")
		wantKind(t, b.Flush(nil), store.ErrClosed, "flush")
		wantKind(t, b.Close(), store.ErrClosed, "close")
		r.want(t)
	})
}

func TestBufferedOptions(t *testing.T) {
	for _, o := range []*store.BufferedOptions{
		{BatchSize: -1}, {BatchSize: store.MaxBufferedSize + 1}, {Delay: -1},
	} {
		_, err := store.NewBuffered(&recorder{}, o)
		wantKind(t, err, store.ErrInvalidArgument, fmt.Sprintf("%+v", o))
	}
	_, err := store.NewBuffered(nil, nil)
	wantKind(t, err, store.ErrInvalidArgument, "no store")
}

// A Buffered that is forgotten keeps neither a goroutine nor a timer: when the
// bubble ends there are none.
func TestBufferedHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := newBuffered(t, r, nil)
		put(t, b, "a")
		must(t, b.Flush(nil))
		began := time.Now()
		put(t, b, "b")
		time.Sleep(time.Hour) // of the bubble's clock
		r.want(t, "a=v", "b=v")
		if d := time.Since(began); d != time.Hour {
			t.Errorf("%v have passed", d)
		}
	})
}

// With many goroutines, each one's changes are committed in its order, none is
// lost or doubled, and each batch holds what it may.
func TestBufferedManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const goroutines, each, size = 32, 500, 300
		r := &recorder{}
		b := newBuffered(t, r, &store.BufferedOptions{BatchSize: size})
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range each {
					if err := b.Put(t.Context(), fmt.Appendf(nil, "%02d/%03d", g, i), nil); err != nil {
						t.Errorf("put: %v", err)
					}
					if i%100 == 99 {
						if err := b.Flush(t.Context()); err != nil {
							t.Errorf("flush: %v", err)
						}
					}
				}
			})
		}
		wg.Wait()
		must(t, b.Close())
		var next [goroutines]int
		for _, batch := range r.batches {
			if len(batch) > size/9+1 {
				t.Errorf("a batch of %d bytes has %d changes", size, len(batch))
			}
			for _, c := range batch {
				var g, i int
				if _, err := fmt.Sscanf(c, "%d/%d=", &g, &i); err != nil {
					t.Fatal(err)
				}
				if i != next[g] {
					t.Fatalf("goroutine %d: change %d comes where %d should", g, i, next[g])
				}
				next[g]++
			}
		}
		for g, n := range next {
			if n != each {
				t.Errorf("goroutine %d: %d changes of %d", g, n, each)
			}
		}
	})
}

func ExampleNewBuffered() {
	db := memstore.New()
	defer db.Close()

	b, err := store.NewBuffered(db, nil)
	check(err)
	ctx := context.Background()
	for i := range 100_000 {
		check(b.Put(ctx, fmt.Appendf(nil, "key%06d", i), []byte("value")))
	}
	check(b.Close()) // all of it is in the store, or this is an error

	n := 0
	keys, errf := store.Keys(db, store.KeyRange{})
	for range keys {
		n++
	}
	check(errf())
	fmt.Println(n)
	// Output: 100000
}

// Flush is for the moments at which what was accepted has to be there.
func ExampleBuffered_Flush() {
	db := memstore.New()
	defer db.Close()

	b, err := store.NewBuffered(db, &store.BufferedOptions{Delay: time.Hour, Write: store.Sync})
	check(err)
	check(b.Put(nil, []byte("k"), []byte("v")))
	there, err := db.Has([]byte("k"))
	fmt.Println(there, err)

	check(b.Flush(context.Background()))
	there, err = db.Has([]byte("k"))
	fmt.Println(there, err)
	check(b.Close())
	// Output:
	// false <nil>
	// true <nil>
}

// A batch keeps together what belongs together.
func ExampleBuffered_Write() {
	db := memstore.New()
	defer db.Close()

	b, err := store.NewBuffered(db, nil)
	check(err)
	check(b.Put(nil, []byte("user/1"), []byte("ada")))
	var batch store.Batch
	check(batch.Put([]byte("user/2"), []byte("grace")))
	check(batch.Put([]byte("name/grace"), []byte("2")))
	check(b.Write(nil, &batch))
	check(b.Delete(nil, []byte("user/1")))
	check(b.Close())

	rows, errf := store.Scan(db, store.KeyRange{})
	for k, v := range rows {
		fmt.Printf("%s=%s\n", k, v)
	}
	check(errf())
	// Output:
	// name/grace=2
	// user/2=grace
}
