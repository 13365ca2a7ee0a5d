package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lsmkit/lsmkit/store"
)

// Every workload runs, reads back what it wrote, and gives finite figures.
func TestEveryWorkload(t *testing.T) {
	for _, threads := range []int{1, 3} {
		c := smallConfig(t, "fillrandom")
		for _, w := range Workloads() {
			if !w.noFigures { // the fake engine has no texts
				c.Workloads = append(c.Workloads, w.Name)
			}
		}
		c.Threads = threads
		f := newFake("alpha")
		rec := mustRun(t, c, nil, f.engine())
		wantOK(t, rec)
		checkFinite(t, rec)
		if f.open != 0 {
			t.Errorf("%d stores are still open", f.open)
		}
		for _, r := range rec.Results {
			w, _ := FindWorkload(r.Workload)
			if w.Fresh && r.VerifiedKeys == nil && r.Workload != "fill100K" {
				t.Errorf("%d threads: %s at %d was not verified", threads, r.Workload, r.Position)
			}
			if w.Reads != (r.Found != nil) || w.Reads != (r.Lookups != nil) {
				t.Errorf("%s: lookups %v, found %v", r.Workload, r.Lookups, r.Found)
			}
			if want := map[bool]int{true: 1, false: threads}[w.Single || r.Workload == WriterRow]; r.Threads != want {
				t.Errorf("%s has %d threads, want %d", r.Workload, r.Threads, want)
			}
		}
	}
}

// checkFinite fails the test for numbers that JSON can't hold, and for records
// that don't come back as they went.
func checkFinite(t *testing.T, rec *Record) {
	t.Helper()
	data, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	var again Record
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rec, &again, cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Note" // in "notes"
	}, cmp.Ignore())); diff != "" {
		t.Errorf("the record changes on its way through JSON:\n%s", diff)
	}
	for _, r := range rec.Results {
		for _, x := range []float64{r.Seconds, r.OpsPerSec, r.MicrosPerOp, r.MBPerSec} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Errorf("%s: %v", r.Workload, r)
			}
		}
		if r.Ops > 0 && (r.OpsPerSec <= 0 || r.MicrosPerOp <= 0) {
			t.Errorf("%s: %d operations at %v/s", r.Workload, r.Ops, r.OpsPerSec)
		}
	}
}

// Settings of keys, values and batches work together with all workloads that
// they concern.
func TestSettings(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"big endian":          func(c *Config) { c.KeyFormat = KeyBigEndian },
		"short big endian":    func(c *Config) { c.KeyFormat, c.KeySize = KeyBigEndian, 2 },
		"prefix":              func(c *Config) { c.KeyPrefix, c.KeySize = "user:", 8 },
		"keys of the digits":  func(c *Config) { c.KeySize = 3 },
		"long keys":           func(c *Config) { c.KeySize = 200 },
		"empty values":        func(c *Config) { c.ValueSize = FixedSize(0) },
		"values of a MiB":     func(c *Config) { c.ValueSize, c.Num, c.BatchSize = FixedSize(1<<20), 20, 7 },
		"drawn values":        func(c *Config) { c.ValueSize = Sizes{SizeZipf, 10, 4000} },
		"incompressible":      func(c *Config) { c.CompressionRatio = 1 },
		"one batch":           func(c *Config) { c.BatchSize = 5000 },
		"batches of one":      func(c *Config) { c.BatchSize = 1 },
		"steps after a seek":  func(c *Config) { c.SeekNexts = 50 },
		"synced":              func(c *Config) { c.Sync, c.Num = true, 50 },
		"fewer reads":         func(c *Config) { c.Reads = 10 },
		"more reads":          func(c *Config) { c.Reads = 5000 },
		"more threads than n": func(c *Config) { c.Threads, c.Num = 7, 5 },
		"one key":             func(c *Config) { c.Num = 1 },
		"no key":              func(c *Config) { c.Num = 0 },
	} {
		cfg := smallConfig(t, "fillrandom", "fillbuffered", "fillbatch", "readrandom", "multireadrandom", "seekrandom", "seekordered",
			"readseq", "readmissing", "readhot", "filluniquerandom", "readreverse", "overwrite", "readkeys", "deleterandom", "fillsync")
		change(&cfg)
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		checkFinite(t, rec)
		for _, r := range rec.Results {
			if r.Status != StatusOK {
				t.Errorf("%s: %s: %s: %s", name, r.Workload, r.Status, r.Error)
			}
			// The store is full from fillbatch on: what is asked for is there.
			reads := rec.Config.Reads
			want := map[string]int64{
				"readrandom": reads, "multireadrandom": reads, "seekrandom": reads, "seekordered": reads, "readhot": reads,
				"readmissing": 0, "readseq": min(reads, cfg.Num), "readreverse": min(reads, cfg.Num), "readkeys": min(reads, cfg.Num),
			}
			if n, ok := want[r.Workload]; ok && (*r.Found != n || *r.Lookups != reads) {
				t.Errorf("%s: %s found %d of %d, want %d of %d", name, r.Workload, *r.Found, *r.Lookups, n, reads)
			}
		}
	}
}

// A23: the number of synced and large writes is num/1000, at least one of what
// is there, whatever the threads; the store has the keys that were written.
func TestA23SlowWritesCount(t *testing.T) {
	for _, threads := range []int{1, 4} {
		for _, c := range []struct{ num, want int64 }{{0, 0}, {1, 1}, {10, 1}, {999, 1}, {1000, 1}, {1001, 1}, {5999, 5}} {
			for _, workload := range []string{"fillsync", "fill100K"} {
				cfg := smallConfig(t, workload)
				cfg.Num, cfg.Threads = c.num, threads
				f := newFake("alpha")
				rec := mustRun(t, cfg, nil, f.engine())
				wantOK(t, rec)
				checkFinite(t, rec)
				if got := rec.Results[0].Ops; got != c.want {
					t.Errorf("%s of %d with %d threads: %d operations, want %d", workload, c.num, threads, got, c.want)
				}
				if got := entryCount(t, f, filepath.Join(cfg.DB, "alpha")); got > c.want || got == 0 && c.want > 0 {
					t.Errorf("%s of %d: the store has %d entries", workload, c.num, got)
				}
			}
		}
	}
}

// A24: remainders and short batches are written.
func TestA24EveryKeyIsWritten(t *testing.T) {
	for _, c := range []struct {
		workload       string
		num            int64
		threads, batch int
	}{
		{"fillseq", 100, 3, 1000}, {"fillbatch", 100, 3, 7}, {"fillbatch", 100, 1, 7}, {"fillbatch", 1, 1, 1000},
		{"filluniquerandom", 100, 3, 1000}, {"fillseq", 2, 8, 1000}, {"batch", 1001, 4, 250}, {"fillseq", 0, 3, 1000},
		{"fillbuffered", 100, 3, 1}, {"fillbuffered", 30_001, 1, 1}, {"fillbuffered", 30_001, 4, 1}, {"fillbuffered", 0, 2, 1},
	} {
		cfg := smallConfig(t, c.workload)
		cfg.Num, cfg.Threads, cfg.BatchSize = c.num, c.threads, c.batch
		f := newFake("alpha")
		rec := mustRun(t, cfg, nil, f.engine())
		wantOK(t, rec)
		row := rec.Results[0]
		left := entryCount(t, f, filepath.Join(cfg.DB, "alpha"))
		if row.Ops != c.num || left != c.num {
			t.Errorf("%+v: %d operations and %d keys", c, row.Ops, left)
		}
		if want := c.num * 116; row.Bytes != want {
			t.Errorf("%+v: %d bytes, want %d", c, row.Bytes, want)
		}
	}
}

// A25: what is found is what was written, the same on every engine, and bytes
// are those returned.
func TestA25FoundCounts(t *testing.T) {
	cfg := smallConfig(t, "readrandom", "fillseq", "readrandom", "fillrandom", "readrandom", "readmissing", "readhot", "readseq")
	cfg.Engines = []string{"alpha", "beta"}
	rec := mustRun(t, cfg, nil, newFake("alpha").engine(), newFake("beta").engine())
	wantOK(t, rec)
	checkFinite(t, rec)
	n := len(cfg.Workloads)
	for i := range n {
		a, b := rec.Results[i], rec.Results[n+i]
		if a.Found != nil && (*a.Found != *b.Found || *a.Lookups != *b.Lookups) {
			t.Errorf("%s: found %d and %d", a.Workload, *a.Found, *b.Found)
		}
	}
	for _, c := range []struct {
		row               int
		lookups, lo, high int64
	}{
		{0, 1000, 0, 0}, {2, 1000, 1000, 1000}, {4, 1000, 580, 690}, {5, 1000, 0, 0}, {6, 1000, 100, 1000}, {7, 1000, 600, 670},
	} {
		r := rec.Results[c.row]
		if *r.Lookups != c.lookups || *r.Found < c.lo || *r.Found > c.high {
			t.Errorf("%s at %d: %d of %d", r.Workload, r.Position, *r.Found, *r.Lookups)
		}
		size := int64(100)
		if r.Workload == "readseq" {
			size = 116
		}
		if r.Bytes != *r.Found*size {
			t.Errorf("%s: %d bytes for %d entries", r.Workload, r.Bytes, *r.Found)
		}
	}
	for _, w := range rec.Warnings {
		if w.Code == WarnFoundDiffers {
			t.Error(w.Text)
		}
	}
}

// The golden counts come out of the whole machinery, at a smaller size, as the
// generators alone say.
func TestGoldenCountsOfRun(t *testing.T) {
	preset, _ := FindPreset("leveldb")
	cfg := smallConfig(t, preset.Workloads...)
	cfg.Num = 20_000
	rec := mustRun(t, cfg, nil, newFake("alpha").engine())
	wantOK(t, rec)
	m := newModel()
	m.config.Num, m.config.Reads = cfg.Num, cfg.Num
	m.run(t, preset.Workloads...)
	var found []int64
	for _, r := range rec.Results {
		if r.Workload == "readrandom" {
			found = append(found, *r.Found)
		}
	}
	if !slices.Equal(found, m.found) {
		t.Errorf("found %v, want %v", found, m.found)
	}
}

// Workloads without workers take no number of the seed sequence: the reads
// after them find the same.
func TestSeedsOfWorkloadsThatTakeNone(t *testing.T) {
	found := func(workloads ...string) int64 {
		cfg := smallConfig(t, workloads...)
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		return *rec.Results[len(rec.Results)-1].Found
	}
	plain := found("fillrandom", "readrandom")
	if got := found("fillrandom", "flush", "stats", "readrandom"); got != plain {
		t.Errorf("after flush and stats %d are found, want %d", got, plain)
	}
	if got := found("fillrandom", "compact", "readrandom"); got == plain {
		t.Errorf("compact took no number")
	}
}

// Rounds are interleaved, one engine open at a time, each pass on a fresh store.
func TestRoundsInterleave(t *testing.T) {
	a, b := newFake("alpha"), newFake("beta")
	both := func(own, other *fakeDisk) func() error {
		return func() error {
			if own.open+other.open > 0 {
				return errors.New("another store is open")
			}
			return nil
		}
	}
	a.failOpen, b.failOpen = both(a, b), both(b, a)
	cfg := smallConfig(t, "overwrite", "readrandom", "fillseq")
	cfg.Engines, cfg.Rounds, cfg.Num = []string{"alpha", "beta"}, 3, 100
	rec := mustRun(t, cfg, nil, a.engine(), b.engine())
	wantOK(t, rec)
	var order []string
	for _, r := range rec.Results {
		if r.Workload == "overwrite" {
			order = append(order, fmt.Sprint(r.Engine, r.Round))
		}
		if r.Workload == "readrandom" && *r.Found != *rec.Results[1].Found {
			t.Errorf("%s round %d finds %d, the first %d: not the same store", r.Engine, r.Round, *r.Found, *rec.Results[1].Found)
		}
	}
	want := []string{"alpha1", "beta1", "beta2", "alpha2", "alpha3", "beta3"}
	if !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// A workload that is fresh renews the store; the others go on with it.
func TestFreshOnlyWhereSaid(t *testing.T) {
	f := newFake("alpha")
	mustRun(t, smallConfig(t, "fillseq", "overwrite", "readseq", "fillrandom", "deleteseq"), nil, f.engine())
	want := "destroy open close destroy open close"
	if got := strings.Join(f.calls, " "); got != want {
		t.Errorf("calls: %s, want %s", got, want)
	}
}

// A29: an engine that can't be opened is failed with its reason, the other one
// is measured, and nothing is compared.
func TestA29OneEngineFails(t *testing.T) {
	for _, broken := range []string{"alpha", "beta"} {
		a, b := newFake("alpha"), newFake("beta")
		locked := func() error { return &store.Error{Engine: broken, Op: "open", Kind: store.ErrLocked} }
		if broken == "alpha" {
			a.failOpen = locked
		} else {
			b.failOpen = locked
		}
		cfg := smallConfig(t, "fillseq", "readrandom")
		cfg.Engines, cfg.Rounds = []string{"alpha", "beta"}, 4
		rec := mustRun(t, cfg, nil, a.engine(), b.engine())
		if !rec.Failed() {
			t.Error("the record does not say that it failed")
		}
		for _, r := range rec.Results {
			if bad := r.Engine == broken; bad != (r.Status == StatusFailed) || bad != strings.Contains(r.Error, "locked") {
				t.Errorf("%s %s: %s: %s", r.Engine, r.Workload, r.Status, r.Error)
			}
		}
		for _, s := range rec.Summary {
			if s.Factor != nil || s.P != nil || s.Engine == "beta" && s.Verdict != VerdictNotCompared {
				t.Errorf("%s is compared: %+v", s.Workload, s)
			}
		}
	}
}

// A13: a walk that ends with an error is a failed row.
func TestA13ErrorEndsWalk(t *testing.T) {
	for _, workload := range []string{"readseq", "readreverse", "readkeys", "seekrandom", "seekordered"} {
		f := newFake("alpha")
		f.wrap = func(db store.DB) store.DB { return &brokenReads{DB: db} }
		cfg := smallConfig(t, "fillseq", workload)
		rec := mustRun(t, cfg, nil, f.engine())
		row := rec.Results[1]
		if row.Status != StatusFailed || !strings.Contains(row.Error, "corruption") {
			t.Errorf("%s: %s: %q", workload, row.Status, row.Error)
		}
	}
}

// brokenReads has iterators that end at the 500th entry with an error.
type brokenReads struct{ store.DB }

func (db *brokenReads) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	it, err := db.DB.NewIterator(o)
	return &brokenIterator{Iterator: it}, err
}

type brokenIterator struct {
	store.Iterator
	moves int
}

func (it *brokenIterator) Next() bool           { return it.move() && it.Iterator.Next() }
func (it *brokenIterator) Prev() bool           { return it.move() && it.Iterator.Prev() }
func (it *brokenIterator) SeekGE(k []byte) bool { return it.Iterator.SeekGE(k) && it.at(k) }

func (it *brokenIterator) at(key []byte) bool {
	if string(key) > "0000000000000500" {
		it.moves = 500
	}
	return it.moves < 500
}

func (it *brokenIterator) move() bool { it.moves++; return it.moves < 500 }

func (it *brokenIterator) Err() error {
	if it.moves >= 500 {
		return &store.Error{Engine: "alpha", Op: "iterate", Kind: store.ErrCorruption}
	}
	return it.Iterator.Err()
}

// A write that fails is a failed row; what needs its data is not run, what
// begins anew is.
func TestFailedWriteSpoilsWhatFollows(t *testing.T) {
	f := newFake("alpha")
	failing := true
	f.wrap = func(db store.DB) store.DB {
		if !failing {
			return db
		}
		failing = false
		return &fullDisk{DB: db}
	}
	cfg := smallConfig(t, "fillseq", "readrandom", "compact", "fillrandom", "readrandom")
	rec := mustRun(t, cfg, nil, f.engine())
	want := []Status{StatusFailed, StatusSkipped, StatusSkipped, StatusOK, StatusOK}
	for i, r := range rec.Results {
		if r.Status != want[i] {
			t.Errorf("%s: %s: %s", r.Workload, r.Status, r.Error)
		}
	}
	if got := rec.Results[0].Ops; got != 300 {
		t.Errorf("the failed row has %d operations, 300 were done", got)
	}
}

// fullDisk has room for 300 entries.
type fullDisk struct {
	store.DB
	puts int
}

func (db *fullDisk) Put(k, v []byte, o *store.WriteOptions) error {
	if db.puts == 300 {
		return &store.Error{Engine: "alpha", Op: "put", Kind: store.ErrNoSpace}
	}
	db.puts++
	return db.DB.Put(k, v, o)
}

// Every field of the configuration is in the record, under its flag's name.
func TestConfigTags(t *testing.T) {
	typ := reflect.TypeFor[Config]()
	for i := range typ.NumField() {
		field := typ.Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.ReplaceAll(tag, "_", "") != strings.ToLower(field.Name) {
			t.Errorf("%s is %q in JSON", field.Name, tag)
		}
	}
}
