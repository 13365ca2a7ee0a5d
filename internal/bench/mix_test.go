package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// spy counts what reaches the store.
type spy struct {
	store.DB
	mu             sync.Mutex
	puts, gets     int
	rangesDeleted  int
	seen           map[string]bool
	beforeFirstPut int // gets
}

func (db *spy) Put(k, v []byte, o *store.WriteOptions) error {
	db.mu.Lock()
	if db.puts == 0 {
		db.beforeFirstPut = db.gets
	}
	db.puts++
	db.mu.Unlock()
	return db.DB.Put(k, v, o)
}

func (db *spy) AppendGet(dst, k []byte) ([]byte, error) {
	db.mu.Lock()
	db.gets++
	if db.seen != nil {
		db.seen[string(k)] = true
	}
	db.mu.Unlock()
	return db.DB.AppendGet(dst, k)
}

func (db *spy) DeleteRange(start, end []byte, o *store.WriteOptions) error {
	db.rangesDeleted++
	return db.DB.DeleteRange(start, end, o)
}

// spied is a fake engine whose stores are watched by one spy.
func spied() (*fakeDisk, *spy) {
	f, s := newFake("alpha"), &spy{}
	f.wrap = func(db store.DB) store.DB { s.DB = db; return s }
	return f, s
}

func TestMixPerOperation(t *testing.T) {
	for _, c := range []struct {
		workload      string
		change        func(*Config)
		gets, puts    int
		off           int // how far gets and puts may be off
		opsAreLookups bool
	}{
		{"updaterandom", nil, 2000, 2000, 0, true},
		{"readrandomwriterandom", nil, 1800, 200, 60, false},
		{"readrandomwriterandom", func(c *Config) { c.ReadPercent = 0 }, 0, 2000, 0, false},
		{"readrandomwriterandom", func(c *Config) { c.ReadPercent = 100 }, 2000, 0, 0, true},
		{"ycsb-a", nil, 1000, 1000, 120, false},
		{"ycsb-b", nil, 1900, 100, 50, false},
		{"ycsb-c", nil, 2000, 0, 0, true},
		{"ycsb-d", nil, 1900, 100, 50, false},
		{"ycsb-e", nil, 0, 100, 50, false},
		{"ycsb-f", nil, 2000, 1000, 120, true},
	} {
		for _, threads := range []int{1, 3} {
			f, s := spied()
			cfg := smallConfig(t, "load", c.workload)
			cfg.Num, cfg.Threads = 2000, threads
			if c.change != nil {
				c.change(&cfg)
			}
			rec := mustRun(t, cfg, nil, f.engine())
			wantOK(t, rec)
			row := rec.Results[1]
			gets, puts := s.gets, s.puts-2000 // those of load
			if gets < c.gets-c.off || gets > c.gets+c.off || puts < c.puts-c.off || puts > c.puts+c.off || row.Ops != 2000 {
				t.Errorf("%s with %d threads: %d gets, %d puts, %d operations", c.workload, threads, gets, puts, row.Ops)
			}
			if c.opsAreLookups && *row.Lookups != row.Ops {
				t.Errorf("%s: %d lookups", c.workload, *row.Lookups)
			}
			if c.workload != "ycsb-e" && *row.Found != *row.Lookups {
				t.Errorf("%s with %d threads: found %d of %d, and all are there", c.workload, threads, *row.Found, *row.Lookups)
			}
			if c.puts > 0 && (row.VerifiedKeys == nil || *row.VerifiedKeys == 0) {
				t.Errorf("%s: nothing was verified", c.workload)
			}
		}
	}
}

// What a mixed workload's puts lose is found.
func TestReadBackOfMixes(t *testing.T) {
	for _, workload := range []string{"updaterandom", "readrandomwriterandom", "readwhilewriting", "ycsb-a", "ycsb-d", "ycsb-e", "ycsb-f"} {
		f := newFake("alpha")
		f.wrap = func(db store.DB) store.DB {
			return &liar{DB: db, put: func(n int, k, v []byte) ([]byte, []byte) {
				if n > 2000 {
					return append([]byte("lost"), k...), v
				}
				return k, v
			}}
		}
		cfg := smallConfig(t, "load", workload)
		cfg.Num, cfg.ValueSize = 2000, Sizes{SizeUniform, 50, 5000}
		if workload == "readwhilewriting" {
			cfg.Duration = Duration(time.Second) // so that the writer has its turn
		}
		rec := mustRun(t, cfg, nil, f.engine())
		row := rec.Results[len(rec.Results)-1]
		if row.Status != StatusFailed || !strings.HasPrefix(row.Error, "read back: ") {
			t.Errorf("%s: %s %s", workload, row.Status, row.Error)
		}
	}
}

// Inserts go on where the last ones ended, over all workloads of a pass.
func TestInsertsExtendTheKeys(t *testing.T) {
	for _, threads := range []int{1, 4} {
		f, s := spied()
		cfg := smallConfig(t, "load", "ycsb-d", "ycsb-e", "ycsb-d", "ycsb-c")
		cfg.Threads, cfg.KeySize = threads, 6
		rec := mustRun(t, cfg, nil, f.engine())
		wantOK(t, rec)
		if got := entryCount(t, f, filepath.Join(cfg.DB, "alpha")); got != int64(s.puts) || got <= 1100 {
			t.Errorf("%d threads: %d entries after %d puts", threads, got, s.puts)
		}
	}
}

func TestReadWhileWriting(t *testing.T) {
	cfg := smallConfig(t, "fillseq", "readwhilewriting", "readrandom", "fillseq")
	cfg.Num, cfg.Threads = 5000, 2
	f := newFake("alpha")
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	if len(rec.Results) != 5 {
		t.Fatalf("%d rows", len(rec.Results))
	}
	readers, writer := rec.Results[1], rec.Results[2]
	if readers.Ops != 5000 || *readers.Found != 5000 || readers.Bytes != 500_000 || readers.Threads != 2 {
		t.Errorf("readers: %+v", readers)
	}
	if writer.Workload != WriterRow || writer.Position != 2 || writer.Threads != 1 || writer.Bytes != writer.Ops*116 || writer.Found != nil {
		t.Errorf("writer: %+v", writer)
	}
	var names []string
	for _, s := range rec.Summary {
		names = append(names, fmt.Sprint(s.Position, s.Workload))
	}
	if want := []string{"1fillseq", "2readwhilewriting", "2" + WriterRow, "3readrandom", "4fillseq"}; !slices.Equal(names, want) {
		t.Errorf("summary of %v", names)
	}
}

// The writer keeps to its rate, and ends with the readers.
func TestWriteRate(t *testing.T) {
	f := newFake("alpha")
	cfg := smallConfig(t, "fillseq", "readwhilewriting")
	cfg.Duration, cfg.WriteRate = Duration(200*time.Millisecond), 100
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	writer := rec.Results[2]
	if writer.Ops < 1 || writer.Ops > 30 {
		t.Errorf("%d writes in 0.2 s at 100 a second", writer.Ops)
	}
}

// readwhilewriting takes one number of the seed sequence more than it has
// readers.
func TestSeedsOfReadWhileWriting(t *testing.T) {
	found := func(workloads ...string) int64 {
		cfg := smallConfig(t, append([]string{"fillrandom"}, workloads...)...)
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		return *rec.Results[len(rec.Results)-1].Found
	}
	if a, b := found("open", "open", "fillrandom", "readrandom"), found("readwhilewriting", "fillrandom", "readrandom"); a != b {
		t.Errorf("after two numbers %d are found, after readwhilewriting %d", a, b)
	}
}

func TestScansAndRanges(t *testing.T) {
	f, s := spied()
	cfg := smallConfig(t, "fillseq", "scanrange", "find", "deleterange", "readseq")
	cfg.ScanLength, cfg.RangeLength, cfg.Pattern = 7, 50, "*00"
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	if r := rec.Results[1]; r.Ops != 10 || *r.Lookups != 70 || *r.Found > 70 || *r.Found < 60 || r.Bytes != *r.Found*116 {
		t.Errorf("scanrange: %+v", r)
	}
	if r := rec.Results[2]; r.Ops != 10 || *r.Found != 10 || r.Bytes != 1160 {
		t.Errorf("find: %+v", r)
	}
	if r := rec.Results[3]; r.Ops != 20 || s.rangesDeleted != 20 || r.VerifiedKeys == nil || *r.VerifiedKeys != 1000 {
		t.Errorf("deleterange: %+v", r)
	}
	if r := rec.Results[4]; *r.Found != 0 {
		t.Errorf("%d entries are left", *r.Found)
	}
}

// What is there with keys that are not padded is found, in their order.
func TestPlainKeys(t *testing.T) {
	cfg := smallConfig(t, "fillrandom", "fillbatch", "getseq", "readseq", "readmissing", "find", "overwrite", "deleterandom")
	cfg.KeyFormat, cfg.KeyPrefix, cfg.KeySize = KeyPlain, "k", 4
	rec := mustRun(t, cfg, nil, newFake("alpha").engine())
	wantOK(t, rec)
	for _, i := range []int{2, 3, 5} {
		if r := rec.Results[i]; *r.Found != 1000 {
			t.Errorf("%s found %d", r.Workload, *r.Found)
		}
	}
	cfg.Workloads = []string{"deleterange"}
	if _, err := cfg.Resolve(); err == nil {
		t.Error("deleterange takes keys in another order")
	}
}

// With a duration operations go on over their keys until the time is up; what
// they wrote is right.
func TestDuration(t *testing.T) {
	for _, threads := range []int{1, 3} {
		cfg := smallConfig(t, "load", "fillseq", "filluniquerandom", "fillbatch", "readseq", "readreverse", "find", "getseq", "overwrite",
			"ycsb-d", "deleteseq", "compact", "open")
		cfg.Num, cfg.Threads, cfg.Duration, cfg.BatchSize = 100, threads, Duration(30*time.Millisecond), 7
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		wantOK(t, rec)
		checkFinite(t, rec)
		for _, r := range rec.Results {
			switch r.Workload {
			case "load":
				if r.Ops != 100 {
					t.Errorf("load wrote %d", r.Ops)
				}
			case "compact", "open":
				if r.Ops != 1 {
					t.Errorf("%s: %d times", r.Workload, r.Ops)
				}
			default:
				if r.Ops <= 100 || r.Seconds <= 0 || r.Seconds > 5 { // a worker may begin late
					t.Errorf("%s: %d operations in %v s", r.Workload, r.Ops, r.Seconds)
				}
			}
		}
	}
}

// The presets run as they are, with their settings where flags don't say
// otherwise.
func TestPresets(t *testing.T) {
	for name, want := range map[string]struct {
		num  int64
		rows int
	}{"levelup": {50, 6}, "lisk": {50, 15}, "ycsb": {50, 7}} {
		p, _ := FindPreset(name)
		cfg := smallConfig(t)
		cfg.Workloads, cfg.Preset = nil, name
		p.Apply(&cfg, func(flag string) bool { return flag == "num" || flag == "rounds" })
		cfg.Num, cfg.Rounds = want.num, 1
		if name == "lisk" {
			cfg.Duration, cfg.Payloads = Duration(20*time.Millisecond), []Sizes{FixedSize(10), FixedSize(20), FixedSize(3000)}
		}
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		wantOK(t, rec)
		if len(rec.Results) != want.rows || p.Labels != nil && len(p.Labels) != len(p.Workloads) {
			t.Errorf("%s: %d rows", name, len(rec.Results))
		}
		for _, r := range rec.Results {
			if size := rec.Config.SizeAt(r.Position); name == "lisk" && (r.ValueSize != size.String() || r.Workload == "load" && r.Bytes != 50*(16+size.Min)) {
				t.Errorf("%s at %d: value size %s, %d bytes", r.Workload, r.Position, r.ValueSize, r.Bytes)
			}
		}
	}
	levelup, _ := FindPreset("levelup")
	cfg := DefaultConfig()
	levelup.Apply(&cfg, nil)
	if cfg.Num != 120_000 || cfg.BatchSize != 120_000 || cfg.ValueSize != FixedSize(29) || cfg.Rounds != 3 || cfg.KeyFormat != KeyPlain {
		t.Errorf("levelup: %+v", cfg)
	}
}

// Popular keys are as popular as the law says, and all are reached.
func TestZipfian(t *testing.T) {
	const n, draws = 1000, 200_000
	z, rng := newZipfian(n), splitmix(1)
	counts := make([]float64, n)
	for range draws {
		counts[z.rank(rng.unit())]++
	}
	sum := 0.0
	for k := range n {
		sum += math.Pow(float64(k+1), -zipfTheta)
	}
	for _, k := range []int{0, 1, 9, 99} {
		want := draws * math.Pow(float64(k+1), -zipfTheta) / sum
		if counts[k] < want*0.7 || counts[k] > want*1.4 {
			t.Errorf("rank %d: %v times, want %.0f", k, counts[k], want)
		}
	}
	if z := zeta(50_000); math.Abs(z-(zetaSum(50_000))) > 1e-6 {
		t.Errorf("zeta is %v", z)
	}
	for _, n := range []int64{0, 1, 2, 3} {
		z := newZipfian(n)
		for range 100 {
			if r := z.rank(rng.unit()); r >= uint64(max(n, 1)) {
				t.Errorf("rank %d of %d", r, n)
			}
		}
	}
}

func zetaSum(n int) (sum float64) {
	for k := 1; k <= n; k++ {
		sum += math.Pow(float64(k), -zipfTheta)
	}
	return sum
}

// The same engine twice is told apart in rows.
func TestSameEngineTwice(t *testing.T) {
	for _, workloads := range [][]string{{"fillseq", "readrandom"}, {"readrandom"}} {
		cfg := smallConfig(t, workloads...)
		cfg.Engines, cfg.Rounds = []string{"alpha", "alpha"}, 4
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		wantOK(t, rec)
		names := map[string]int{}
		for _, r := range rec.Results {
			names[r.Engine]++
		}
		if names["alpha"] != 4*len(workloads) || names["alpha#2"] != 4*len(workloads) || rec.Engines[1].Name != "alpha#2" {
			t.Errorf("%v", names)
		}
		if s := rec.Summary[1]; s.Engine != "alpha#2" || s.Baseline != "alpha" || s.Factor == nil {
			t.Errorf("%+v", s)
		}
	}
}

// Keys that this program has not made are sampled, and found; a warm-up only
// reads.
func TestKeysFromDB(t *testing.T) {
	f, s := spied()
	cfg := smallConfig(t, "readrandom", "readhot", "multireadrandom", "seekrandom", "getseq", "readmissing", "scanrange")
	db, err := f.openStore(filepath.Join(cfg.DB, "alpha"), store.Options{CreateIfMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if err := db.Put(fmt.Appendf(nil, "user/%d/%s", i*i, bytes.Repeat([]byte{'x'}, i%7)), []byte("v"), nil); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	s.puts, s.seen = 0, map[string]bool{}
	cfg.UseExistingDB, cfg.KeysFromDB, cfg.Warmup = true, true, Duration(2*time.Millisecond)
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	for _, r := range rec.Results {
		want := *r.Lookups
		switch r.Workload {
		case "readmissing":
			want = 0
		case "scanrange":
			continue
		}
		if *r.Found != want {
			t.Errorf("%s found %d of %d", r.Workload, *r.Found, *r.Lookups)
		}
	}
	if s.puts != 0 || len(s.seen) < 400 || slices.Contains(f.calls, "destroy") {
		t.Errorf("%d puts, %d different keys, %v", s.puts, len(s.seen), f.calls)
	}
}

// Where what is found depends on time, a difference is no warning.
func TestFoundThatDependsOnTime(t *testing.T) {
	r := &runner{cfg: Config{Threads: 2, Workloads: []string{
		"fillrandom", "readrandom", "updaterandom", "readrandom", "readwhilewriting", "readrandom", "fillseq", "readrandom",
	}}}
	want := []bool{true, true, false, true, false, false, true, true}
	for i, same := range want {
		if got := r.sameFound()[i+1]; got != same {
			t.Errorf("%s at %d: %v", r.cfg.Workloads[i], i+1, got)
		}
	}
	r.cfg.Duration = 1
	if r.sameFound()[1] {
		t.Error("with a duration all must find the same")
	}
}

// An interrupt while compaction is waited for is an interrupt.
func TestInterruptWhileSettling(t *testing.T) {
	f := newFake("alpha")
	cfg := smallConfig(t, "fillseq", "readseq")
	cfg.Settle = true
	ctx, cancel := context.WithCancel(context.Background())
	f.wrap = func(db store.DB) store.DB {
		return &figures{db, func(m *store.Metrics) {
			m.RunningCompactions = store.Known(1)
			m.Levels = []store.LevelMetrics{{}}
			time.AfterFunc(30*time.Millisecond, cancel)
		}}
	}
	rec, err := Run(ctx, cfg, []Engine{f.engine()}, nil)
	if !errors.Is(err, ErrInterrupted) || len(rec.Results) != 1 || rec.Results[0].Status != StatusInterrupted {
		t.Errorf("%v: %+v", err, rec.Results)
	}
}
