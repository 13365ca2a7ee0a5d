package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// output is what a command left.
type output struct {
	out, err string
	code     int
}

// execute runs the program with arguments, in this process and without a
// terminal.
func execute(t *testing.T, d Deps, args ...string) output {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), args, &out, &errs, d)
	return output{out.String(), errs.String(), code}
}

// fakeEngines is a table of in-memory engines under the real names.
func fakeEngines() []bench.Engine {
	return []bench.Engine{fakeEngine("leveldb", "1.23"), fakeEngine("rocksdb", "9.10.0")}
}

func fakeEngine(name, version string) bench.Engine {
	disk := memstore.NewDisk()
	return bench.Engine{
		Name:     name,
		Version:  func() string { return version },
		Open:     func(path string, o store.Options) (store.DB, error) { return disk.Open(path, &o) },
		Destroy:  func(string) error { disk = memstore.NewDisk(); return nil },
		InMemory: true,
		Effective: func(o store.Options) (store.Options, bench.OptionList, error) {
			return o, bench.OptionList{{Name: bench.OptReads, Value: "memory"}}, nil
		},
		CompactInterruptible: true,
	}
}

// untouched fails the test when a store is opened.
func untouched(t *testing.T) Deps {
	engines := fakeEngines()
	for i := range engines {
		engines[i].Open = func(string, store.Options) (store.DB, error) {
			t.Error("a store was opened")
			return memstore.New(), nil
		}
	}
	return Deps{Engines: engines}
}

// record is a record with all kinds of rows.
func record(t *testing.T) *bench.Record {
	t.Helper()
	f, err := os.Open("../../../internal/report/testdata/pair.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := report.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// replay is a measuring core that plays a record back to the observer.
func replay(rec *bench.Record, err error) Deps {
	return Deps{
		Engines: fakeEngines(),
		Run: func(_ context.Context, _ bench.Config, _ []bench.Engine, o bench.Observer) (*bench.Record, error) {
			now := *rec
			now.Results, now.Summary, now.Warnings = nil, nil, nil
			o.RunStarted(&now)
			for i, r := range rec.Results {
				c := bench.Cell{
					Engine: r.Engine, Workload: r.Workload, Position: r.Position, Positions: len(rec.Config.Workloads),
					Round: r.Round, Rounds: rec.Config.Rounds, Index: i, Cells: len(rec.Results), Threads: r.Threads, Ops: r.Ops,
				}
				o.CellStarted(c)
				o.Tick(c, bench.Progress{Ops: r.Ops / 2})
				now.Results = append(now.Results, r)
				o.CellFinished(&now, i)
			}
			for i, w := range rec.Warnings {
				now.Warnings = append(now.Warnings, w)
				o.Warned(&now, i)
			}
			now.Summary = rec.Summary
			return &now, err
		},
	}
}

// fails checks that a command ended with a code and one line on stderr that
// says want, and nothing on stdout.
func (o output) fails(t *testing.T, code int, want string) {
	t.Helper()
	if o.code != code || o.out != "" || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
		t.Errorf("code %d, stdout %q, stderr %q; want code %d and one line with %q", o.code, o.out, o.err, code, want)
	}
}

// terminal is a writer that Deps.Terminal takes for a terminal.
type terminal struct{ io.Writer }

func fakeTerminal(w io.Writer) bool {
	_, ok := w.(terminal)
	return ok
}
