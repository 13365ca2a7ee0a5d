package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/store"
)

// A log that ends in half a record, since a write to it has failed: what is
// acknowledged afterwards survives all the same. And a process that is killed
// among writes loses none that was acknowledged.
func tornCases() []diskCase {
	return []diskCase{
		{"TornLog/NoSync", func(t *diskEnv) { tornLog(t, store.NoSync) }, false},
		{"TornLog/Sync", func(t *diskEnv) { tornLog(t, store.Sync) }, false},
		{"TornLog/Concurrent", tornAmongWriters, false},
		{"KilledAmongWrites", killedAmongWrites, false},
	}
}

// The limit on the size of files tears a record wherever it is set, and can be
// lifted again: a disk that was full for a moment.
func tornLog(t *diskEnv, wo *store.WriteOptions) {
	arg, helper := HelperArg()
	if helper {
		t.tear(arg, wo)
		return
	}
	path := t.path()
	lines := RunHelper(t.T, path)
	if len(lines) != 2 {
		t.Fatalf("the writer said %q", lines)
	}
	t.Log(lines[0])
	db := t.openO(path, store.Options{})
	acked := parseSpans(lines[1])
	t.wantAcked(db, acked, "reopened after a kill")
	t.close(db)
}

// tear writes, fails once in the middle of a record, writes on, and dies.
func (t *diskEnv) tear(path string, wo *store.WriteOptions) {
	db := t.openO(path, store.Options{})
	var acked spans
	put := func(n int) error {
		err := db.Put(ackedKey(n), ackedValue(n), wo)
		if err == nil {
			acked.add(n)
		}
		return err
	}
	for n := range 100 {
		t.must(put(n), "put")
	}
	// The log is about 100 KiB long, so that a limit of one more KiB and a half
	// cuts the record after next.
	lift := LimitFiles(t.T, 100*1045+1500)
	failed := 0
	for n := 100; n < 110 && failed == 0; n++ {
		if err := put(n); err != nil {
			failed = n
			if !errors.Is(err, store.ErrIO) && !errors.Is(err, store.ErrNoSpace) {
				t.Errorf("put beyond the limit: %v", err)
			}
		}
	}
	lift()
	if failed == 0 {
		t.Fatal("no put failed")
	}
	refused := 0
	for n := 110; n < 310; n++ {
		if err := put(n); err != nil {
			refused++
		}
	}
	if t.engine.MendsLog && refused > 0 {
		t.Errorf("%d of 200 writes were refused after the log could be written again", refused)
	}
	t.wantAcked(db, acked, "before the kill")
	Say("put %d failed; of 200 later ones %d were refused", failed, refused)
	Say("%s", acked)
	if !t.Failed() {
		Die()
	}
}

// One of eight writers tears the log; the others may have overtaken it. Each
// has keys of its own.
func tornAmongWriters(t *diskEnv) {
	if arg, helper := HelperArg(); helper {
		t.tearAmongWriters(arg)
		return
	}
	path := t.path()
	lines := RunHelper(t.T, path)
	if len(lines) != racers+1 {
		t.Fatalf("the writers said %q", lines)
	}
	t.Log(lines[racers])
	db := t.openO(path, store.Options{})
	for g, text := range lines[:racers] {
		t.wantAcked(db, parseSpans(text), fmt.Sprintf("reopened after a kill, goroutine %d", g))
	}
	t.close(db)
}

func (t *diskEnv) tearAmongWriters(path string) {
	db := t.openO(path, store.Options{})
	var acked [racers]spans
	var total, failed atomic.Int64
	half, torn := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for g := range racers {
		wg.Go(func() {
			for i := range 500 {
				n := g*500 + i
				if err := db.Put(ackedKey(n), ackedValue(n), &store.WriteOptions{Sync: i%50 == g}); err == nil {
					acked[g].add(n)
				} else if failed.Add(1) == 1 {
					close(torn)
				}
				if total.Add(1) == racers*100 {
					close(half)
				}
			}
		})
	}
	<-half
	lift := LimitFiles(t.T, racers*200*1045)
	<-torn
	lift()
	wg.Wait()
	for g := range racers {
		t.wantAcked(db, acked[g], "before the kill")
		Say("%s", acked[g])
	}
	Say("%d of %d puts failed", failed.Load(), total.Load())
	if !t.Failed() {
		Die()
	}
}

// Eight goroutines write, singly and in batches, and the process dies among
// them.
func killedAmongWrites(t *diskEnv) {
	if arg, helper := HelperArg(); helper {
		t.writeUntilKilled(arg)
		return
	}
	path := t.path()
	lines := RunHelper(t.T, path)
	if len(lines) != 1 {
		t.Fatalf("the writer said %q", lines)
	}
	db := t.openO(path, smallBuffers)
	for g, text := range strings.Fields(lines[0]) {
		acked := 0
		_, err := fmt.Sscan(text, &acked)
		t.must(err, "parse")
		for i := range acked {
			t.wantGet(db, fmt.Sprintf("g%d/%06d", g, i), strings.Repeat(fmt.Sprint(i), 50))
		}
		// A batch has two keys: neither may be there alone.
		for i := range acked + 10 {
			a, err := db.Has(fmt.Appendf(nil, "g%d/%06d", g, i))
			t.must(err, "has")
			b, err := db.Has(fmt.Appendf(nil, "twin%d/%06d", g, i))
			t.must(err, "has")
			if a != b {
				t.Errorf("goroutine %d, batch %d: %v and %v, want both or none", g, i, a, b)
			}
		}
	}
	t.close(db)
}

func (t *diskEnv) writeUntilKilled(path string) {
	db := t.openO(path, smallBuffers)
	var acked [8]atomic.Int64
	enough := make(chan struct{})
	var total atomic.Int64
	var wg sync.WaitGroup
	for g := range acked {
		wg.Go(func() {
			b := store.NewBatch(0)
			for i := 0; ; i++ {
				b.Reset()
				v := strings.Repeat(fmt.Sprint(i), 50)
				err := b.Put(fmt.Appendf(nil, "g%d/%06d", g, i), []byte(v))
				if err == nil {
					err = b.Put(fmt.Appendf(nil, "twin%d/%06d", g, i), []byte(v))
				}
				if err == nil {
					err = db.Write(b, &store.WriteOptions{Sync: g == 0})
				}
				if err != nil {
					t.Errorf("write: %v", err)
					return
				}
				acked[g].Add(1)
				if total.Add(1) == 20_000 {
					close(enough)
				}
			}
		})
	}
	<-enough
	var counts []string
	for g := range acked {
		counts = append(counts, fmt.Sprint(acked[g].Load()))
	}
	Say("%s", strings.Join(counts, " "))
	Die()
}
