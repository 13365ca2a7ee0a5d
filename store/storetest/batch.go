package storetest

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// What batches do: order, atomicity, ranges inside them, and reuse.
func batchCases() []testCase {
	return []testCase{
		{name: "BatchOrder", run: batchOrder},
		{name: "A22_BatchReuse", run: batchReuse, crash: true},
		{name: "EmptyWrite", run: emptyWrite, crash: true},
		{name: "BatchDeleteRange", run: batchDeleteRange},
		{name: "BatchOpenRange", run: batchOpenRange},
		{name: "BatchAppendAndLoad", run: batchAppendAndLoad},
		{name: "LargeBatch", run: largeBatch},
		{name: "AtomicVisibility", run: atomicVisibility},
		{name: "ConcurrentWriters", run: concurrentWriters},
	}
}

// batchOf makes a batch of changes: "+k=v", "-k" and "-k..e" with an empty e
// for no end.
func (t *env) batchOf(changes ...string) *store.Batch {
	t.Helper()
	b := store.NewBatch(0)
	for _, c := range changes {
		rest := []byte(c[1:])
		if k, v, ok := bytes.Cut(rest, []byte("=")); ok && c[0] == '+' {
			t.must(b.Put(k, v), "batch put")
		} else if k, e, ok := bytes.Cut(rest, []byte("..")); ok {
			if len(e) == 0 {
				e = nil
			}
			t.must(b.DeleteRange(k, e), "batch delete range")
		} else {
			t.must(b.Delete(rest), "batch delete")
		}
	}
	return b
}

func batchOrder(t *env) {
	for _, c := range []struct {
		changes []string
		want    []row
	}{
		{[]string{"+a=1", "+a=2", "+a=3"}, rows("a", "3", "old", "x")},
		{[]string{"+a=1", "-a"}, rows("old", "x")},
		{[]string{"-a", "+a=1"}, rows("a", "1", "old", "x")},
		{[]string{"-old", "+old=y", "-old", "+old=z"}, rows("old", "z")},
		{[]string{"+b=1", "+a=2", "-none", "+c=3", "-b"}, rows("a", "2", "c", "3", "old", "x")},
		{[]string{"+=empty", "+\xff=top", "+a="}, rows("", "empty", "a", "", "old", "x", "\xff", "top")},
	} {
		db := t.fresh()
		t.put(db, "old", "x")
		t.must(db.Write(t.batchOf(c.changes...), store.Sync), "write")
		t.wantContents(db, c.want, fmt.Sprintf("after %q", c.changes))
		t.close(db)
	}
}

// Write leaves a batch as it is: written again it applies again, together with
// what was added; Reset empties it.
func batchReuse(t *env) {
	db := t.fresh()
	b := t.batchOf("+a=1")
	encoded := bytes.Clone(b.Encoded())
	t.must(db.Write(b, nil), "write")
	if b.Len() != 1 || !bytes.Equal(b.Encoded(), encoded) {
		t.Errorf("write changed the batch: %d changes, encoding %x, was %x", b.Len(), b.Encoded(), encoded)
	}
	t.must(db.Delete([]byte("a"), nil), "delete")
	t.must(b.Put([]byte("b"), []byte("2")), "put after write")
	t.must(db.Write(b, nil), "second write")
	t.wantContents(db, rows("a", "1", "b", "2"), "written again")
	b.Reset()
	t.must(db.Write(b, nil), "write after reset")
	t.wantContents(db, rows("a", "1", "b", "2"), "after an empty write")
	t.must(b.Put([]byte("c"), []byte("3")), "put after reset")
	t.must(b.DeleteRange([]byte("a"), nil), "delete range")
	t.must(b.Put([]byte("d"), []byte("4")), "put")
	for range 3 {
		t.must(db.Write(b, store.Sync), "write")
		if b.Len() != 3 || !b.HasOpenRange() {
			t.Errorf("write changed the batch: %d changes, open range %v", b.Len(), b.HasOpenRange())
		}
		t.wantContents(db, rows("d", "4"), "batch with a range")
	}
	t.close(db)
	t.wantKind(db.Write(b, nil), store.ErrClosed, "write after close")
	b.Reset()
	t.wantKind(db.Write(b, nil), store.ErrClosed, "empty write after close")
	t.must(b.Put([]byte("e"), nil), "put after all")
}

func emptyWrite(t *env) {
	db := t.fresh()
	t.put(db, "k", "v")
	for _, b := range []*store.Batch{nil, {}, store.NewBatch(100), t.batchOf("-a..a")} {
		for _, o := range []*store.WriteOptions{nil, store.NoSync, store.Sync} {
			t.must(db.Write(b, o), "empty write")
		}
	}
	t.wantContents(db, rows("k", "v"), "after empty writes")
}

// A range in a batch deletes what the store holds and what the batch itself put
// before, and nothing that it puts after.
func batchDeleteRange(t *env) {
	for _, c := range []struct {
		changes []string
		want    []row
	}{
		{[]string{"-b..d"}, rows("a", "0", "d", "0", "e", "0")},
		{[]string{"+bb=1", "-b..d"}, rows("a", "0", "d", "0", "e", "0")},
		{[]string{"-b..d", "+bb=1"}, rows("a", "0", "bb", "1", "d", "0", "e", "0")},
		{[]string{"+c=1", "-c..c\x00", "+c=2", "+f=3"}, rows("a", "0", "b", "0", "c", "2", "d", "0", "e", "0", "f", "3")},
		{[]string{"-a..b", "-c..d", "+a=1", "-b..c"}, rows("a", "1", "d", "0", "e", "0")},
		{[]string{"-..b"}, rows("b", "0", "c", "0", "d", "0", "e", "0")},
		{[]string{"+=1", "-..\x00"}, rows("a", "0", "b", "0", "c", "0", "d", "0", "e", "0")},
		{[]string{"-x..z"}, rows("a", "0", "b", "0", "c", "0", "d", "0", "e", "0")},
	} {
		for _, flush := range []bool{false, true} {
			db := t.fresh()
			t.fill(db, rows("a", "0", "b", "0", "c", "0", "d", "0", "e", "0"))
			if flush {
				t.must(db.Flush(), "flush")
			}
			t.must(db.Write(t.batchOf(c.changes...), nil), "write")
			t.wantContents(db, c.want, fmt.Sprintf("after %q, flushed %v", c.changes, flush))
			t.must(db.Flush(), "flush")
			t.wantContents(db, c.want, fmt.Sprintf("after %q and a flush", c.changes))
			t.close(db)
		}
	}
}

// A range without an end covers every key there is at the write, with those of
// the batch itself; also in an empty store, and with keys of 0xFF bytes.
func batchOpenRange(t *env) {
	top := "\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	for _, c := range []struct {
		old     []row
		changes []string
		want    []row
	}{
		{rows("a", "0", "b", "0", top, "0"), []string{"-b.."}, rows("a", "0")},
		{rows("a", "0", "b", "0", top, "0"), []string{"-.."}, nil},
		{rows("", "0", "b", "0"), []string{"-..", "+c=1"}, rows("c", "1")},
		{rows("a", "0"), []string{"+" + top + "=1", "-b.."}, rows("a", "0")},
		{rows("a", "0"), []string{"+b=1", "-b..", "+c=2", "-c..", "+d=3"}, rows("a", "0", "d", "3")},
		{nil, []string{"-.."}, nil},
		{nil, []string{"+a=1", "-..", "+b=2"}, rows("b", "2")},
		{rows("a", "0"), []string{"-b.."}, rows("a", "0")},
	} {
		db := t.fresh()
		t.fill(db, c.old)
		t.must(db.Write(t.batchOf(c.changes...), nil), "write")
		t.wantContents(db, c.want, fmt.Sprintf("%v after %q", c.old, c.changes))
		t.put(db, "later", "1") // the range is over
		t.wantGet(db, "later", "1")
		t.close(db)
	}
}

func batchAppendAndLoad(t *env) {
	db := t.fresh()
	t.put(db, "old", "x")
	b := t.batchOf("+a=1", "+b=2")
	t.must(b.Append(t.batchOf("-a", "+c=3")), "append")
	t.must(b.Append(b), "append itself")
	t.must(b.Append(nil), "append nil")
	var loaded store.Batch
	t.must(loaded.Load(b.Encoded()), "load")
	b.Reset()
	t.must(db.Write(&loaded, nil), "write")
	t.wantContents(db, rows("b", "2", "c", "3", "old", "x"), "appended and loaded")
}

func largeBatch(t *env) {
	db := t.fresh()
	all := numbered(20_000)
	b := store.NewBatch(0)
	for _, e := range all {
		t.must(b.Put(e.k, e.v), "batch put")
	}
	t.must(b.Put([]byte("large"), newRandom(5).fill(3<<20)), "batch put")
	t.must(db.Write(b, nil), "write")
	t.sameRows(t.forward(db, &store.IterOptions{Prefix: []byte("key")}), all, "large batch")
	b.Reset()
	for _, e := range all {
		t.must(b.Delete(e.k), "batch delete")
	}
	t.must(db.Write(b, nil), "write")
	t.sameRows(t.forward(db, &store.IterOptions{Prefix: []byte("key")}), nil, "all deleted")
}

// Readers see a batch as a whole or not at all, by every way to read.
func atomicVisibility(t *env) {
	db := t.fresh()
	write := func(i int) {
		v := fmt.Appendf(nil, "%d", i)
		b := store.NewBatch(0)
		t.must(b.DeleteRange([]byte("p"), []byte("q")), "batch delete range")
		t.must(b.Put([]byte("pa"), v), "batch put")
		t.must(b.Put([]byte("pb"), v), "batch put")
		t.must(db.Write(b, nil), "write")
	}
	write(0)
	done := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(done)
	for range 3 {
		wg.Go(func() {
			var vs store.Values
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := db.MultiGet([][]byte{[]byte("pa"), []byte("pb")}, &vs); err != nil {
					t.Errorf("multiget: %v", err)
					return
				}
				a, _ := vs.At(0)
				b, _ := vs.At(1)
				seq, errf := store.Scan(db, store.PrefixRange([]byte("p")))
				var got []string
				for _, v := range seq {
					got = append(got, string(v))
				}
				if errf() != nil || len(got) != 2 || got[0] != got[1] || a == nil || !bytes.Equal(a, b) {
					t.Errorf("half a batch is seen: multiget %q, %q, scan %q, %v", a, b, got, errf())
					return
				}
			}
		})
	}
	for i := range 300 {
		write(i + 1)
	}
}

// Writers at the same time lose nothing, and each one's own order holds.
func concurrentWriters(t *env) {
	db := t.fresh()
	var wg sync.WaitGroup
	const writers, each = 16, 60
	for w := range writers {
		wg.Go(func() {
			last := fmt.Appendf(nil, "last%02d", w)
			b := store.NewBatch(0)
			for i := range each {
				o := store.NoSync
				if i%20 == 0 {
					o = store.Sync
				}
				key, value := fmt.Appendf(nil, "w%02d/%04d", w, i), fmt.Appendf(nil, "%d", i)
				b.Reset()
				err := b.Put(last, value)
				if err == nil {
					err = db.Write(b, o)
				}
				if err == nil {
					err = db.Put(key, value, o)
				}
				if err == nil && i%3 == 0 {
					err = db.Delete(key, o)
				}
				if v, gerr := db.Get(last); err != nil || gerr != nil || !bytes.Equal(v, value) {
					t.Errorf("writer %d at %d: %v, own last write reads %q, %v", w, i, err, v, gerr)
					return
				}
			}
		})
	}
	wg.Wait()
	var want []row
	for w := range writers {
		want = append(want, row{fmt.Appendf(nil, "last%02d", w), fmt.Appendf(nil, "%d", each-1)})
	}
	for w := range writers {
		for i := range each {
			if i%3 != 0 {
				want = append(want, row{fmt.Appendf(nil, "w%02d/%04d", w, i), fmt.Appendf(nil, "%d", i)})
			}
		}
	}
	t.wantContents(db, want, "after all writers")
}
