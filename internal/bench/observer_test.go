package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// watch writes down what it is told.
type watch struct {
	t     *testing.T
	calls []string
	ticks map[string]int64
}

func (w *watch) note(format string, args ...any) {
	w.calls = append(w.calls, fmt.Sprintf(format, args...))
}

func (w *watch) RunStarted(rec *Record) {
	w.note("run")
	w.encode(rec)
	if len(rec.Engines) != 2 || rec.Environment.Cores == 0 || rec.Config.Reads < 0 || rec.Tool.Go == "" {
		w.t.Errorf("the record begins as %+v", rec)
	}
}

func (w *watch) CellStarted(c Cell) {
	w.note("start %s %s %d/%d round %d/%d cell %d/%d", c.Engine, c.Workload, c.Position, c.Positions, c.Round, c.Rounds, c.Index, c.Cells)
	w.ticks = map[string]int64{}
}

func (w *watch) Tick(c Cell, p Progress) {
	if last := w.ticks[c.Workload]; p.Ops < last || p.Ops > c.Ops || p.Elapsed <= 0 {
		w.t.Errorf("%s: %d of %d after %d, %v", c.Workload, p.Ops, c.Ops, last, p.Elapsed)
	}
	w.ticks[c.Workload] = p.Ops
}

func (w *watch) CellFinished(rec *Record, i int) {
	w.note("finish %s %s %s", rec.Results[i].Engine, rec.Results[i].Workload, rec.Results[i].Status)
	w.encode(rec)
}

func (w *watch) CellRevised(rec *Record, i int) {
	w.note("revise %s %s", rec.Results[i].Engine, rec.Results[i].Workload)
}

func (w *watch) Warned(rec *Record, i int) {
	if rec.Warnings[i].Code == WarnNothingToDo {
		w.note("warn %s", rec.Warnings[i].Code)
	}
}

// encode checks that the record can be written at any time.
func (w *watch) encode(rec *Record) {
	data, err := json.Marshal(rec)
	if err != nil {
		w.t.Error(err)
	}
	for _, key := range []string{"schema", "tool", "environment", "engines", "config", "results", "summary", "warnings"} {
		if !strings.Contains(string(data), `"`+key+`":`) || strings.Contains(string(data), `"`+key+`":null`) {
			w.t.Errorf("%s is missing", key)
		}
	}
}

func TestObserver(t *testing.T) {
	cfg := smallConfig(t, "fillseq", "compact")
	cfg.Engines, cfg.Num = []string{"beta", "alpha"}, 2000
	w := &watch{t: t}
	a, b := newFake("alpha"), newFake("beta")
	b.wrap = func(db store.DB) store.DB {
		return &tables{slow{db}, [][]store.Table{{{Number: 1, Bytes: 5}}, {{Number: 1, Bytes: 5}}}}
	}
	a.wrap = func(db store.DB) store.DB {
		return &tables{slow{db}, [][]store.Table{{{Number: 1, Bytes: 5}}, {{Number: 2, Bytes: 3}}}}
	}
	rec := mustRun(t, cfg, w, a.engine(), b.engine())
	want := []string{
		"run",
		"start beta fillseq 1/2 round 1/1 cell 0/4", "finish beta fillseq ok",
		"start beta compact 2/2 round 1/1 cell 1/4", "warn nothing-rewritten", "finish beta compact ok", "revise beta fillseq",
		"start alpha fillseq 1/2 round 1/1 cell 2/4", "finish alpha fillseq ok",
		"start alpha compact 2/2 round 1/1 cell 3/4", "finish alpha compact ok", "revise alpha fillseq",
	}
	if !slices.Equal(w.calls, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(w.calls, "\n"), strings.Join(want, "\n"))
	}
	if r := rec.Results[1]; !r.DidNothing() || r.Bytes != 0 {
		t.Errorf("beta: %+v", r)
	}
	if r := rec.Results[3]; r.DidNothing() || *r.BytesWritten != 3 || r.Bytes != 8 {
		t.Errorf("alpha: %+v", r)
	}
}

// tables lists tables, each call the next list.
type tables struct {
	slow
	lists [][]store.Table
}

func (db *tables) Tables() ([]store.Table, error) {
	list := db.lists[0]
	db.lists = db.lists[1:]
	return list, nil
}

func TestRewritten(t *testing.T) {
	figures := func(read, written uint64) store.Metrics {
		return store.Metrics{CompactionReadBytes: store.Known(read), CompactionWriteBytes: store.Known(written)}
	}
	for _, c := range []struct {
		name          string
		before, after layout
		read, written int64
		ok            bool
	}{
		{"nothing is known", layout{}, layout{}, 0, 0, false},
		{"counters only", layout{metrics: figures(5, 6)}, layout{metrics: figures(15, 26)}, 10, 20, true},
		{"only a flush", layout{metrics: figures(0, 0), tables: map[uint64]uint64{1: 9}},
			layout{metrics: figures(0, 7), tables: map[uint64]uint64{1: 9, 2: 7}}, 0, 0, true},
		{"coarse counters", layout{metrics: figures(0, 0), tables: map[uint64]uint64{1: 9}},
			layout{metrics: figures(0, 0), tables: map[uint64]uint64{2: 7}}, 9, 7, true},
		{"tables between", layout{metrics: figures(0, 0), tables: map[uint64]uint64{1: 9}},
			layout{metrics: figures(30, 40), tables: map[uint64]uint64{4: 7}}, 30, 40, true},
	} {
		read, written, ok := rewritten(c.before, c.after)
		if read != c.read || written != c.written || ok != c.ok {
			t.Errorf("%s: %d, %d, %v", c.name, read, written, ok)
		}
	}
}

func TestSetTimeIsFinite(t *testing.T) {
	r := Result{Ops: 5, Bytes: 10, Threads: 2}
	if r.setTime(0); r.OpsPerSec != 5e9 || r.Seconds <= 0 {
		t.Errorf("no time: %+v", r)
	}
	if r.setTime(time.Second); r.OpsPerSec != 5 || r.MicrosPerOp != 4e5 {
		t.Errorf("a second: %+v", r)
	}
	r = Result{Threads: 1}
	if r.setTime(0); r.OpsPerSec != 0 || r.MicrosPerOp != 0 || r.MBPerSec != 0 {
		t.Errorf("nothing: %+v", r)
	}
}
