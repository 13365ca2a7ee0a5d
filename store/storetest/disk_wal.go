package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lsmkit/lsmkit/store"
)

// A process is killed that has writes in its own memory: in a log that is
// buffered, or in a store.Buffered. Which ones are lost is up to the moment; what
// is left has no hole, and all that was handed to the system before.
func walCases() []diskCase {
	return []diskCase{
		{"Killed/WALBuffered", func(t *diskEnv) { t.killedWith((*diskEnv).writeWALBuffered) }, false},
		{"Killed/WALBufferedGoroutines", func(t *diskEnv) { t.killedWith((*diskEnv).writeWALBufferedAtOnce) }, false},
		{"Killed/WALBufferedLost", walBufferedLost, false},
		{"Killed/Buffered", func(t *diskEnv) { t.killedWith((*diskEnv).writeBuffered) }, false},
	}
}

// killedWith runs a writer in a process that dies, and looks at what is left. The
// writer says, for each of its goroutines, how many of its puts have to be there,
// and how many it has made.
func (t *diskEnv) killedWith(write func(t *diskEnv, path string)) {
	if arg, helper := HelperArg(); helper {
		write(t, arg)
		if !t.Failed() {
			Die()
		}
		return
	}
	path := t.path()
	lines := RunHelper(t.T, path)
	if len(lines) != 1 {
		t.Fatalf("the writer said %q", lines)
	}
	if lines[0] == refused {
		return
	}
	db := t.openO(path, smallBuffers)
	for g, text := range strings.Fields(lines[0]) {
		var least, most int
		_, err := fmt.Sscanf(text, "%d-%d", &least, &most)
		t.must(err, "parse")
		left := 0
		for n := range most {
			v, err := db.Get(orderedKey(g, n))
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if t.must(err, "get"); string(v) != string(ackedValue(n)) {
				t.Errorf("goroutine %d: put %d has another value", g, n)
			}
			if left++; left != n+1 {
				t.Fatalf("goroutine %d: put %d is there, and one before it is not", g, n)
			}
		}
		t.Logf("goroutine %d: %d of %d puts are left, %d had to be", g, left, most, least)
		if left < least {
			t.Errorf("goroutine %d: only %d of the %d puts are left that were with the system", g, left, least)
		}
	}
	t.close(db)
}

// refused is what a writer says for a store that can't do it.
const refused = "refused"

func orderedKey(g, n int) []byte { return fmt.Appendf(nil, "g%d/%06d", g, n) }

// openWAL opens a store whose log can be buffered. For an engine without such
// stores it checks that such a write is refused.
func (t *diskEnv) openWAL(path string, o store.Options) (store.DB, store.WALFlusher) {
	o.CreateIfMissing = true
	if t.engine.OpenWALBuffer == nil {
		db := t.openO(path, o)
		t.wantKind(db.Put(orderedKey(0, 0), nil, store.WALBuffered), store.ErrNotSupported, "put")
		t.wantContents(db, nil, "after a refused put")
		t.close(db)
		Say(refused)
		return nil, nil
	}
	db, err := t.engine.OpenWALBuffer(t.T, path, o)
	t.must(err, "open")
	return db, db.(store.WALFlusher)
}

// writeWALBuffered makes puts of every durability, over many memtables. Each that
// is not buffered takes those before it along, and so does FlushWAL.
func (t *diskEnv) writeWALBuffered(path string) {
	db, log := t.openWAL(path, smallBuffers)
	if db == nil {
		return
	}
	rng := t.random()
	least, most := 0, 3000
	for n := range most {
		o := store.WALBuffered
		switch {
		case n > most-30: // the last ones are in memory still, if ever
		case rng.chance(100):
			o = store.NoSync
		case rng.chance(300):
			o = store.Sync
		}
		t.must(db.Put(orderedKey(0, n), ackedValue(n), o), "put")
		if o != store.WALBuffered {
			least = n + 1
		}
		if n < most-30 && rng.chance(100) {
			t.must(log.FlushWAL(rng.chance(2)), "flush wal")
			least = n + 1
		}
	}
	Say("%d-%d", least, most)
}

// writeWALBufferedAtOnce is the same with several goroutines.
func (t *diskEnv) writeWALBufferedAtOnce(path string) {
	db, log := t.openWAL(path, smallBuffers)
	if db == nil {
		return
	}
	var least, most [racers]atomic.Int64
	enough := make(chan struct{})
	var total atomic.Int64
	var wg sync.WaitGroup
	for g := range racers {
		wg.Go(func() {
			for n := 0; ; n++ {
				o := &store.WriteOptions{WALBuffered: n%50 != g, Sync: n%50 == g && g == 0}
				most[g].Store(int64(n + 1))
				if err := db.Put(orderedKey(g, n), ackedValue(n), o); err != nil {
					t.Errorf("put: %v", err)
					return
				}
				if n%70 == g {
					if err := log.FlushWAL(false); err != nil {
						t.Errorf("flush wal: %v", err)
					}
					o = store.NoSync
				}
				if !o.Buffered() {
					least[g].Store(int64(n + 1))
				}
				if total.Add(1) == 4000 {
					close(enough)
				}
			}
		})
	}
	<-enough
	// What is said first holds at the kill too, or more does.
	var said []string
	for g := range racers {
		low := least[g].Load()
		said = append(said, fmt.Sprintf("%d-%d", low, most[g].Load()+1000))
	}
	Say("%s", strings.Join(said, " "))
	Die()
}

// A write that may stay in the process does: otherwise the durability would be
// but a name.
func walBufferedLost(t *diskEnv) {
	const flushed, buffered = 50, 10
	arg, helper := HelperArg()
	if !helper {
		path := t.path()
		if lines := RunHelper(t.T, path); len(lines) == 1 && lines[0] == refused {
			return
		}
		db := t.openO(path, store.Options{})
		for n := range flushed + buffered {
			there, err := db.Has(orderedKey(0, n))
			t.must(err, "has")
			if there != (n < flushed) {
				t.Errorf("put %d of %d that were flushed and %d that were not is there: %v", n, flushed, buffered, there)
			}
		}
		t.close(db)
		return
	}
	db, log := t.openWAL(arg, store.Options{})
	if db == nil {
		return
	}
	for n := range flushed + buffered {
		t.must(db.Put(orderedKey(0, n), ackedValue(n), store.WALBuffered), "put")
		if n+1 == flushed {
			t.must(log.FlushWAL(false), "flush wal")
		}
	}
	if !t.Failed() {
		Die()
	}
}

// writeBuffered puts through a store.Buffered with small batches.
func (t *diskEnv) writeBuffered(path string) {
	db := t.openO(path, smallBuffers)
	b := t.buffered(db, &store.BufferedOptions{BatchSize: 10 << 10})
	rng := t.random()
	least, most := 0, 3000
	for n := range most {
		t.must(b.Put(nil, orderedKey(0, n), ackedValue(n)), "put")
		if n < most-30 && rng.chance(100) {
			t.must(b.Flush(t.Context()), "flush")
			least = n + 1
		}
	}
	Say("%d-%d", least, most)
}
