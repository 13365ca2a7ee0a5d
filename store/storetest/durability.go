package storetest

import (
	"context"
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// The third durability, where there is one, and the view of write stalls.
func durabilityCases() []testCase {
	return []testCase{
		{name: "WALBuffered", run: walBuffered},
		{name: "FlushWAL", run: flushWAL},
		{name: "Stalls", run: stalls, whole: true},
	}
}

// WALBuffered writes are there at once, and after a Close too. Where the store
// can't do them, nothing is written.
func walBuffered(t *env) {
	path := t.path()
	db := t.open(path)
	t.put(db, "k", "old")
	for _, c := range []struct {
		o    *store.WriteOptions
		want error
	}{
		{&store.WriteOptions{Sync: true, WALBuffered: true}, store.ErrInvalidArgument},
		{store.WALBuffered, store.ErrNotSupported},
	} {
		if c.o == store.WALBuffered && t.variant.WALBuffer {
			continue
		}
		t.wantKind(db.Put([]byte("k"), nil, c.o), c.want, "put")
		t.wantKind(db.Delete([]byte("k"), c.o), c.want, "delete")
		t.wantKind(db.DeleteRange(nil, nil, c.o), c.want, "delete range")
		t.wantKind(db.Write(t.batchOf("-k"), c.o), c.want, "write")
		t.wantContents(db, rows("k", "old"), "after refused writes")
		b, err := store.NewBuffered(db, &store.BufferedOptions{Write: c.o})
		if err == nil {
			t.must(b.Put(nil, []byte("k"), nil), "put into a buffer")
			err = b.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("buffered: got %v, want %v", err, c.want)
		}
		t.wantContents(db, rows("k", "old"), "after refused buffered writes")
	}
	want := rows("k", "old")
	if t.variant.WALBuffer {
		want = rows("a", "1", "b", "2", "z", "26")
		t.must(db.Put([]byte("z"), []byte("26"), store.WALBuffered), "put")
		t.must(db.Delete([]byte("k"), store.WALBuffered), "delete")
		t.must(db.Write(t.batchOf("+a=1", "+b=2", "+c=3"), store.WALBuffered), "write")
		t.must(db.DeleteRange([]byte("c"), []byte("d"), store.WALBuffered), "delete range")
		t.wantContents(db, want, "written")
	}
	t.close(db)
	db = t.open(path)
	t.wantContents(db, want, "reopened")
	t.close(db)
}

func flushWAL(t *env) {
	db := t.open(t.path())
	f, ok := db.(store.WALFlusher)
	if !ok {
		if t.variant.WALBuffer {
			t.Error("the log can be buffered, and not flushed")
		}
		t.close(db)
		return
	}
	for _, sync := range []bool{false, true} {
		t.must(f.FlushWAL(sync), "flush of an empty log")
	}
	t.put(db, "k", "v")
	for _, sync := range []bool{false, true} {
		t.must(f.FlushWAL(sync), "flush")
	}
	t.wantContents(db, rows("k", "v"), "flushed")
	t.close(db)
	t.wantKind(f.FlushWAL(false), store.ErrClosed, "closed")
}

// A store that has nothing to do holds no writes back, and every engine can say
// whether it does.
func stalls(t *env) {
	db := t.fresh()
	t.fill(db, numbered(100))
	s, ok := db.(store.Staller)
	if !ok {
		t.Fatal("the store is no store.Staller")
	}
	t.must(s.WaitWritable(nil), "wait without a context")
	t.must(s.WaitWritable(t.Context()), "wait")
	st, err := s.Stalls()
	t.must(err, "stalls")
	held, told := st.Held()
	if st.State != store.StallNone || !st.Count.Known() || !told || held < 0 {
		t.Errorf("stalls: %+v", st)
	}
	m, err := db.Metrics()
	t.must(err, "metrics")
	if m.Stalls.State != st.State || m.Stalls.Count.Known() != st.Count.Known() {
		t.Errorf("metrics have %+v, stalls were %+v", m.Stalls, st)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	err = s.WaitWritable(canceled)
	t.wantKind(err, store.ErrTimeout, "wait with a done context")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("wait with a done context: %v", err)
	}
}
