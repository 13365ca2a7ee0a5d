package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// interruptAt cancels when a cell of the workload has begun to run.
type interruptAt struct {
	NopObserver
	workload string
	cancel   context.CancelFunc
	once     sync.Once
	at       time.Time
}

func (o *interruptAt) Tick(c Cell, p Progress) {
	if c.Workload == o.workload && p.Ops > 0 {
		o.stop()
	}
}

func (o *interruptAt) CellStarted(c Cell) {
	if c.Workload == o.workload && c.Workload == "compact" {
		time.AfterFunc(100*time.Millisecond, o.stop)
	}
}

func (o *interruptAt) stop() {
	o.once.Do(func() {
		o.at = time.Now()
		o.cancel()
	})
}

func interruptedRun(t *testing.T, c Config, workload string, f *fakeDisk) (*Record, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := &interruptAt{workload: workload, cancel: cancel}
	e := f.engine()
	rec, err := Run(ctx, c, []Engine{e}, o)
	if took := time.Since(o.at); o.at.IsZero() || took > 2*time.Second {
		t.Errorf("the run ended %v after the interrupt", took)
	}
	return rec, err
}

// A32: an interrupt ends a long fill soon. Finished rows stay, the running one
// is marked, the store is closed.
func TestA32InterruptedFill(t *testing.T) {
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &slow{DB: db} }
	cfg := smallConfig(t, "fillsync", "fillseq", "readrandom")
	cfg.Num, cfg.Rounds = 100_000, 3
	rec, err := interruptedRun(t, cfg, "fillseq", f)
	if !errors.Is(err, ErrInterrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(rec.Results) != 2 || !rec.Interrupted() || rec.Failed() {
		t.Fatalf("rows: %+v", rec.Results)
	}
	if r := rec.Results[0]; r.Status != StatusOK || r.Ops != 100 {
		t.Errorf("the finished row: %+v", r)
	}
	r := rec.Results[1]
	if r.Status != StatusInterrupted || r.Ops == 0 || r.Ops >= cfg.Num || r.OpsPerSec <= 0 || r.VerifiedKeys != nil {
		t.Errorf("the interrupted row: %+v", r)
	}
	if f.open != 0 {
		t.Error("the store is still open")
	}
	if n := entryCount(t, f, filepath.Join(cfg.DB, "alpha")); n != r.Ops {
		t.Errorf("the store has %d entries, the row says %d", n, r.Ops)
	}
	checkFinite(t, rec)
}

// slow takes a fifth of a millisecond a put.
type slow struct{ store.DB }

func (db *slow) Put(k, v []byte, o *store.WriteOptions) error {
	time.Sleep(200 * time.Microsecond) // the store is meant to be slow
	return db.DB.Put(k, v, o)
}

// A call that can't be interrupted is left behind, and the record says so.
func TestA32CompactionThatGoesOn(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &endless{DB: db, release: release} }
	cfg := smallConfig(t, "fillseq", "compact", "readrandom")
	rec, err := interruptedRun(t, cfg, "compact", f)
	if !errors.Is(err, ErrInterrupted) {
		t.Errorf("error %v", err)
	}
	if len(rec.Results) != 2 || rec.Results[1].Status != StatusInterrupted || rec.Results[1].Ops != 0 {
		t.Fatalf("rows: %+v", rec.Results)
	}
	found := false
	for _, w := range rec.Warnings {
		found = found || w.Code == WarnNotClosed
	}
	if !found {
		t.Errorf("no warning says that the store is open: %v", rec.Warnings)
	}
	checkFinite(t, rec)
}

type endless struct {
	store.DB
	release chan struct{}
}

func (db *endless) Compact(context.Context, store.KeyRange) error {
	<-db.release
	return nil
}

// A compaction that heeds its context is interrupted, not failed.
func TestCompactionThatHeedsItsContext(t *testing.T) {
	f := newFake("alpha")
	f.wrap = func(db store.DB) store.DB { return &obedient{DB: db} }
	cfg := smallConfig(t, "fillseq", "compact")
	rec, err := interruptedRun(t, cfg, "compact", f)
	if !errors.Is(err, ErrInterrupted) || f.open != 0 {
		t.Errorf("error %v, %d open", err, f.open)
	}
	if r := rec.Results[1]; r.Status != StatusInterrupted || r.Ops != 0 {
		t.Errorf("%+v", r)
	}
}

type obedient struct{ store.DB }

func (db *obedient) Compact(ctx context.Context, _ store.KeyRange) error {
	<-ctx.Done()
	return &store.Error{Engine: "alpha", Op: "compact", Kind: store.ErrBusy, Err: ctx.Err()}
}

// A run whose context has ended already measures nothing and leaves nothing.
func TestInterruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cfg := smallConfig(t, "fillseq")
	cfg.DB = ""
	t.Setenv("TMPDIR", t.TempDir())
	rec, err := Run(ctx, cfg, []Engine{newFake("alpha").engine()}, nil)
	if !errors.Is(err, ErrInterrupted) || len(rec.Results) != 0 {
		t.Errorf("%v, %+v", err, rec.Results)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
