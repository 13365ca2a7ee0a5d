package bench

import (
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// liar is a store that does something else than it says with some writes.
type liar struct {
	store.DB
	puts, deletes int
	put           func(n int, k, v []byte) (key, value []byte) // nil key: forget
	delete        func(n int) bool                             // false: forget
}

func (db *liar) Put(k, v []byte, o *store.WriteOptions) error {
	db.puts++
	if db.put != nil {
		if k, v = db.put(db.puts, k, v); k == nil {
			return nil
		}
	}
	return db.DB.Put(k, v, o)
}

func (db *liar) Delete(k []byte, o *store.WriteOptions) error {
	db.deletes++
	if db.delete != nil && !db.delete(db.deletes) {
		return nil
	}
	return db.DB.Delete(k, o)
}

func (db *liar) Write(b *store.Batch, o *store.WriteOptions) error {
	if db.put == nil {
		return db.DB.Write(b, o)
	}
	return b.Each(func(r store.Record) error { return db.Put(r.Key, r.Value, o) })
}

// Whatever a store does wrong with what it was given, the read-back finds it,
// and the row that wrote it has failed.
func TestReadBackFindsLies(t *testing.T) {
	forget := func(n int, k, v []byte) ([]byte, []byte) {
		if n%10 == 0 {
			return nil, nil
		}
		return k, v
	}
	forgetOne := func(n int, k, v []byte) ([]byte, []byte) {
		if n == 1500 {
			return nil, nil
		}
		return k, v
	}
	change := func(n int, k, v []byte) ([]byte, []byte) {
		if n%10 == 0 {
			v = append([]byte{'!'}, v[1:]...)
		}
		return k, v
	}
	old := func(n int, k, v []byte) ([]byte, []byte) {
		if n > 2000 { // the second workload's
			return nil, nil
		}
		return k, v
	}
	add := func(n int, k, v []byte) ([]byte, []byte) {
		if n == 1 {
			k = append([]byte{'x'}, k...)
		}
		return k, v
	}
	for _, c := range []struct {
		name      string
		workloads []string
		liar      liar
		want      string // in the error
		failed    []bool
	}{
		{"a tenth is forgotten", []string{"fillseq"}, liar{put: forget}, "is not there", []bool{true}},
		{"one is forgotten", []string{"fillseq"}, liar{put: forgetOne}, "", []bool{true}},
		{"a tenth of a batch is forgotten", []string{"fillbatch"}, liar{put: forget}, "is not there", []bool{true}},
		{"a tenth of buffered puts is forgotten", []string{"fillbuffered"}, liar{put: forget}, "is not there", []bool{true}},
		{"values are changed", []string{"fillrandom"}, liar{put: change}, "another value", []bool{true}},
		{"overwriting does nothing", []string{"filluniquerandom", "overwrite"}, liar{put: old}, "another value", []bool{false, true}},
		{"a key is another", []string{"fillseq"}, liar{put: add}, "", []bool{true}},
		{"deleting does nothing", []string{"fillseq", "deleterandom"}, liar{delete: func(n int) bool { return n%10 != 0 }}, "is there", []bool{false, true}},
		{"nothing is wrong", []string{"fillseq", "deleterandom", "overwrite"}, liar{}, "", []bool{false, false, false}},
	} {
		f := newFake("alpha")
		f.wrap = func(db store.DB) store.DB { l := c.liar; l.DB = db; return &l }
		cfg := smallConfig(t, c.workloads...)
		cfg.Num = 2000
		rec := mustRun(t, cfg, nil, f.engine())
		for i, r := range rec.Results {
			if failed := r.Status == StatusFailed; failed != c.failed[i] {
				t.Errorf("%s: %s is %s: %s", c.name, r.Workload, r.Status, r.Error)
			} else if failed && (!strings.Contains(r.Error, c.want) || !strings.HasPrefix(r.Error, "read back: ")) {
				t.Errorf("%s: %s: %q, want %q", c.name, r.Workload, r.Error, c.want)
			}
		}
	}
}

// Several workers write the same keys in an order that is not known: the last
// value of each is right, anything else is not.
func TestReadBackWithThreads(t *testing.T) {
	cfg := smallConfig(t, "fillrandom", "overwrite", "deleterandom", "overwrite")
	cfg.Num, cfg.Threads = 3000, 4
	cfg.ValueSize = Sizes{Kind: SizeUniform, Min: 0, Max: 300}
	f := newFake("alpha")
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	total := int64(0)
	for _, r := range rec.Results {
		total += *r.VerifiedKeys
	}
	if total < 500 {
		t.Errorf("%d keys were verified", total)
	}

	// The first value of a worker in place of its last is no longer right.
	e := &expected{}
	for w, v := range []string{"a1", "b1"} {
		e.by, e.values = append(e.by, w), append(e.values, []byte(v))
	}
	if !e.allows([]byte("a1")) || !e.allows([]byte("b1")) || e.allows([]byte("a0")) {
		t.Error("not the last value of each worker is allowed")
	}
}

// With an existing store only what this run has written can be checked.
func TestReadBackOfExistingStore(t *testing.T) {
	first := newFake("alpha")
	cfg := smallConfig(t, "fillseq")
	mustRun(t, cfg, nil, first.engine())
	second := newFake("alpha")
	first.keep(second)
	cfg.Workloads, cfg.UseExistingDB, cfg.Num = []string{"overwrite", "fillrandom", "readseq"}, true, 500
	rec := mustRun(t, cfg, nil, second.engine())
	if r := rec.Results[0]; r.Status != StatusOK || r.VerifiedKeys == nil || *r.VerifiedKeys == 0 {
		t.Errorf("overwrite: %s %s, verified %v", r.Status, r.Error, r.VerifiedKeys)
	}
	if r := rec.Results[1]; r.Status != StatusSkipped || r.Error == "" {
		t.Errorf("fillrandom: %s %s", r.Status, r.Error)
	}
	if r := rec.Results[2]; r.Status != StatusOK || *r.Found != 500 {
		t.Errorf("readseq: %s, found %v", r.Status, *r.Found)
	}
}

// A rate that no memory has is a failed row.
func TestImpossibleRate(t *testing.T) {
	e := &Engine{Name: "alpha"}
	w, _ := FindWorkload("fill100K")
	env := &Environment{CopyMBPerSec: 10_000}
	r := Result{Status: StatusOK, Threads: 2, MBPerSec: 19_000}
	if r.judge(e, w, env); r.Status != StatusOK {
		t.Errorf("two workers at 19,000 MB/s: %s", r.Error)
	}
	r.MBPerSec = 21_000
	if r.judge(e, w, env); r.Status != StatusFailed {
		t.Error("two workers at 21,000 MB/s of 10,000 each are possible")
	}
}

func TestBitmap(t *testing.T) {
	m := make(bitmap, 3)
	for _, i := range []uint64{0, 63, 64, 130, 130} {
		m.set(i, true)
	}
	if m.set(63, false); m.count() != 3 {
		t.Errorf("%d are set", m.count())
	}
}
