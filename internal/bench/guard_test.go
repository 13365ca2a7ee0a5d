package bench

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// Each of these tests commits a fault that makes figures mislead, and sees the
// warning.

func findWarning(rec *Record, code WarningCode) *Warning {
	for i := range rec.Warnings {
		if rec.Warnings[i].Code == code {
			return &rec.Warnings[i]
		}
	}
	return nil
}

func warned(rec *Record, code WarningCode) bool { return findWarning(rec, code) != nil }

// warnings runs only what warns of a machine.
func machineWarnings(e Environment) *Record {
	r := &runner{cfg: DefaultConfig(), obs: NopObserver{}, rec: &Record{Environment: e}}
	r.warnOfMachine(&r.rec.Environment)
	return r.rec
}

func TestGuardStoresInMemory(t *testing.T) {
	const shm = "/dev/shm"
	dir, err := os.MkdirTemp(shm, "dbbench-test-")
	if err != nil {
		t.Skip("no file system in memory is to be had")
	}
	defer os.RemoveAll(dir)
	cfg := smallConfig(t, "fillsync")
	cfg.DB = filepath.Join(dir, "db")
	rec := mustRun(t, cfg, nil, newFake("alpha").engine())
	if !warned(rec, WarnTmpfs) {
		t.Errorf("no warning of %s on %s", rec.Environment.Filesystem, rec.Environment.Mount)
	}
	if f := rec.Environment.FsyncMicros; f == nil || *f < 20 && !warned(rec, WarnSyncFree) {
		t.Errorf("fdatasync takes %v µs there, and there is no warning", f)
	}
}

func TestGuardSyncIsFree(t *testing.T) {
	if rec := machineWarnings(Environment{FsyncMicros: ptr(3.0)}); !warned(rec, WarnSyncFree) {
		t.Error("3 µs are no warning")
	}
	if rec := machineWarnings(Environment{FsyncMicros: ptr(30.0)}); warned(rec, WarnSyncFree) {
		t.Error("30 µs are a warning")
	}
}

func TestGuardOtherLoad(t *testing.T) {
	if rec := machineWarnings(Environment{Load: ptr(1.5), Cores: 2}); !warned(rec, WarnOtherLoad) {
		t.Error("a load of 1.5 on 2 cores is no warning")
	}
	if rec := machineWarnings(Environment{Load: ptr(0.2), Cores: 2}); warned(rec, WarnOtherLoad) {
		t.Error("a load of 0.2 on 2 cores is a warning")
	}
	before, after := parseBusy("cpu 100 0 50 1000 10 0 0 0 0 0\ncpu0 1"), parseBusy("cpu 300 0 150 1400 10 0 0 0 0 0\n")
	own := &cpuTimes{user: time.Second}
	if share, ok := othersShare(before, after, own, 2); !ok || share < 0.28 || share > 0.29 {
		t.Errorf("others had %v, %v", share, ok) // 300 ticks busy, 100 of them ours, of 700
	}
	if _, ok := othersShare(before, before, own, 2); ok {
		t.Error("no time shows something")
	}
	r := &runner{cfg: DefaultConfig(), obs: NopObserver{}, rec: &Record{Environment: Environment{Cores: 2}}}
	r.busy, r.cpu = &busyTimes{}, readCPU() // all that the machine has done is others' work
	now := readBusy()
	if now == nil {
		t.Skip("the machine doesn't tell")
	}
	r.busy.all = now.all - now.busy // as if it had never been idle
	if r.warnOfOthers(); !warned(r.rec, WarnOtherLoad) {
		t.Error("there is no warning of other programs")
	}
}

func TestGuardFitsInMemory(t *testing.T) {
	rec := mustRun(t, smallConfig(t, "fillseq"), nil, newFake("alpha").engine())
	if !warned(rec, WarnFitsRAM) || !warned(rec, WarnFitsCache) {
		t.Errorf("a thousand entries: %v", rec.Warnings)
	}
}

func TestGuardDebugBuild(t *testing.T) {
	for flags, want := range map[string]string{
		"-race=true": "-race", "-asan=true": "-asan", "-tags=lsmkitdebug": "-tags=lsmkitdebug", "-gcflags=all=-N -l": "-gcflags=all=-N -l",
		"-race=false": "", "-tags=netgo": "",
	} {
		key, value, _ := strings.Cut(flags, "=")
		if got := debugFlags([]debug.BuildSetting{{Key: key, Value: value}}); got != want {
			t.Errorf("%s: %q", flags, got)
		}
	}
}

func TestGuardTooFewRounds(t *testing.T) {
	cfg := smallConfig(t, "fillseq")
	cfg.Engines = []string{"alpha", "beta"}
	rec := mustRun(t, cfg, nil, newFake("alpha").engine(), newFake("beta").engine())
	if w := findWarning(rec, WarnTooFewRounds); w == nil || !strings.HasPrefix(w.Text, "with 1 round no") {
		t.Errorf("%v", w)
	}
}

// figures is a store that tells other figures of itself.
type figures struct {
	store.DB
	change func(*store.Metrics)
}

func (db *figures) Metrics() (store.Metrics, error) {
	m, err := db.DB.Metrics()
	db.change(&m)
	return m, err
}

func telling(name string, change func(*store.Metrics)) *fakeDisk {
	f := newFake(name)
	f.wrap = func(db store.DB) store.DB { return &figures{db, change} }
	return f
}

func TestGuardCompactionDebt(t *testing.T) {
	f := telling("alpha", func(m *store.Metrics) { m.PendingCompactionBytes = store.Known(5 << 20) })
	rec := mustRun(t, smallConfig(t, "fillseq", "readseq"), nil, f.engine())
	if w := findWarning(rec, WarnCompactionDebt); w == nil || len(w.Rows) != 1 {
		t.Errorf("%v", w)
	}
}

// Tables as large as the data: compression does nothing, on one engine or all.
func TestGuardCompression(t *testing.T) {
	tables := func(n uint64) func(*store.Metrics) {
		return func(m *store.Metrics) { m.TableBytes = store.Known(n) }
	}
	const raw = 1000 * 40_016
	for _, c := range []struct {
		alpha, beta              uint64
		uncompressed, onlyOneHas bool
	}{{raw, raw, true, false}, {raw, raw / 2, true, true}, {raw / 2, raw / 2, false, false}} {
		cfg := smallConfig(t, "fillseq")
		cfg.Engines, cfg.ValueSize = []string{"alpha", "beta"}, FixedSize(40_000)
		rec := mustRun(t, cfg, nil, telling("alpha", tables(c.alpha)).engine(), telling("beta", tables(c.beta)).engine())
		wantOK(t, rec)
		if got := warned(rec, WarnUncompressed); got != c.uncompressed {
			t.Errorf("%+v: uncompressed %v", c, got)
		}
		if w := findWarning(rec, WarnOneSided); (w != nil) != c.onlyOneHas || w != nil && w.Text != "beta has compressed the data and alpha has not" {
			t.Errorf("%+v: one-sided %v", c, w)
		}
	}
}

func TestGuardUnequalOptions(t *testing.T) {
	a, b := newFake("alpha").engine(), newFake("beta").engine()
	plain := b.Effective
	b.Effective = func(o store.Options) (store.Options, OptionList, error) {
		o, fixed, err := plain(o)
		return o, append(fixed, Option{Name: OptSync, Value: "none"}), err
	}
	cfg := smallConfig(t, "fillseq")
	cfg.Engines, cfg.BlockSize = []string{"alpha", "beta"}, ptr[int64](8<<20)
	rec := mustRun(t, cfg, nil, a, b)
	for _, code := range []WarningCode{WarnDurability, WarnOptionsDiffer, WarnClipped} {
		if !warned(rec, code) {
			t.Errorf("no warning %s", code)
		}
	}
}

// Reads faster than memory can be copied are not believed either.
func TestGuardBandwidth(t *testing.T) {
	r := &runner{cfg: DefaultConfig(), obs: NopObserver{}, engines: []Engine{{Name: "alpha"}}}
	r.rec = &Record{Environment: Environment{CopyMBPerSec: 100}, Results: []Result{
		{Engine: "alpha", Workload: "readseq", Threads: 2, MBPerSec: 300, Status: StatusOK},
		{Engine: "alpha", Workload: "readseq", Threads: 2, MBPerSec: 150, Status: StatusOK},
	}}
	r.warnOfRow(1)
	if warned(r.rec, WarnBandwidth) {
		t.Error("75 MB/s a worker are a warning")
	}
	r.warnOfRow(0)
	if !warned(r.rec, WarnBandwidth) {
		t.Error("150 MB/s of at most 100 a worker are no warning")
	}
}

func TestRecordCheck(t *testing.T) {
	cfg := smallConfig(t, "fillseq", "readwhilewriting")
	good := func() *Record { return mustRun(t, cfg, nil, newFake("alpha").engine()) }
	if err := good().Check(); err != nil {
		t.Error(err)
	}
	for name, damage := range map[string]func(*Record){
		"no schema":         func(r *Record) { r.Schema = 0 },
		"other schema":      func(r *Record) { r.Schema = 99 },
		"no engines":        func(r *Record) { r.Engines = nil },
		"engine twice":      func(r *Record) { r.Engines = append(r.Engines, r.Engines[0]) },
		"no workloads":      func(r *Record) { r.Config.Workloads = nil },
		"foreign engine":    func(r *Record) { r.Results[0].Engine = "x" },
		"no position":       func(r *Record) { r.Results[0].Position = 0 },
		"far position":      func(r *Record) { r.Results[0].Position = 3 },
		"other workload":    func(r *Record) { r.Results[0].Workload = "x" },
		"no status":         func(r *Record) { r.Results[0].Status = "" },
		"negative rate":     func(r *Record) { r.Results[0].OpsPerSec = -1 },
		"negative count":    func(r *Record) { r.Results[0].Ops = -1 },
		"warning of no row": func(r *Record) { r.Warnings = []Warning{{Rows: []int{9}}} },
		"summary elsewhere": func(r *Record) { r.Summary[0].Position = 7 },
	} {
		rec := good()
		if damage(rec); rec.Check() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// silent is a store that tells no figure and can't flush, as a binding's own.
type silent struct{ store.DB }

func (silent) Metrics() (store.Metrics, error) { return store.Metrics{}, nil }

func (silent) Flush() error { return store.ErrNotSupported }

// The weighing of tables needs nothing of an engine that doesn't tell their size.
func TestGuardCompressionNotTold(t *testing.T) {
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return silent{db} }
	cfg := smallConfig(t, "fillseq")
	cfg.ValueSize = FixedSize(40_000)
	rec := mustRun(t, cfg, nil, f.engine())
	wantOK(t, rec)
	if warned(rec, WarnUncompressed) {
		t.Error("uncompressed")
	}
}
