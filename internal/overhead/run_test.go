package overhead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
)

func TestPartFails(t *testing.T) {
	for _, p := range []part{{What: "nothing"}, {What: PartCommon, Config: DefaultConfig(), Engine: leveldb.Engine, Dir: "/dev/null/x"}} {
		out, err := spawn(context.Background(), p)
		failed := err != nil
		for _, c := range out.Cells {
			failed = failed || c.Error != ""
		}
		if !failed {
			t.Errorf("%+v gave %+v", p, out)
		}
	}
	if err := ServePart(context.Background(), strings.NewReader("x"), os.Stdout); err == nil {
		t.Error("nonsense was measured")
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"--engines: unknown engine \"bolt\"":                   func(c *Config) { c.Engines = []string{"bolt"} },
		"--engines: no engine":                                 func(c *Config) { c.Engines = nil },
		"--engines: leveldb is named twice":                    func(c *Config) { c.Engines = []string{"leveldb", "leveldb"} },
		"--workloads: \"readhot\" is none that all sides have": func(c *Config) { c.Workloads = []string{"readhot"} },
		"--workloads: there is nothing":                        func(c *Config) { c.Workloads, c.Extras = nil, false },
		"--num: 999 is":                                        func(c *Config) { c.Num = 999 },
		"--num: 100000001 is":                                  func(c *Config) { c.Num = 100_000_001 },
		"--rounds: 0 is":                                       func(c *Config) { c.Rounds = 0 },
		"--native: no program leveldb_db_bench":                func(c *Config) { c.Native = t.TempDir() },
		"--db: ":                                               func(c *Config) { c.Workloads, c.Dir = nil, filepath.Join(t.TempDir(), "none") },
	} {
		c := DefaultConfig()
		change(&c)
		r, err := Run(context.Background(), c, nil)
		if config := (*bench.ConfigError)(nil); !errors.As(err, &config) || !strings.HasPrefix(err.Error(), want) || r != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The sides take turns, and nobody is always first.
func TestPasses(t *testing.T) {
	c := DefaultConfig()
	c.Rounds, c.Extras = 2, false
	var order []string
	for i, p := range c.passes() {
		order = append(order, fmt.Sprintf("%s %s %d", p.Engine, p.Side, p.Round))
		if p.Index != i || p.Passes != 12 || p.Part != PartCommon {
			t.Errorf("pass %d is %+v", i, p)
		}
	}
	want := "leveldb cpp 1, leveldb lsmkit 1, leveldb plain 1, rocksdb cpp 1, rocksdb lsmkit 1, rocksdb plain 1, " +
		"leveldb plain 2, leveldb lsmkit 2, leveldb cpp 2, rocksdb plain 2, rocksdb lsmkit 2, rocksdb cpp 2"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("%s", got)
	}
	c.Extras = true
	if n := len(c.passes()); n != 2*(2*(3+2)+1) {
		t.Errorf("%d passes", n)
	}
}

// A small comparison on both engines runs to its end, with counts and options
// alike on all sides.
func TestRun(t *testing.T) {
	c := DefaultConfig()
	c.Num, c.Rounds, c.Dir = 2000, 2, t.TempDir()
	native := true
	if _, err := (&places{linked: linkedPrefix(), getenv: os.Getenv}).find(leveldb.Engine); err != nil {
		native, c.Workloads = false, []string{}
	}
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range r.Failures() {
		t.Error(failure)
	}
	for _, row := range r.Rows {
		for side, s := range row.Sides {
			if len(s.Micros) != 2 || s.Time == nil {
				t.Errorf("%s %s %s: %+v", row.Engine, r.Label(row), side, s)
			}
		}
		want := map[Part]int{PartCommon: 3, PartExtras: 2, PartHarness: 1}[row.Part]
		if len(row.Sides) != want || len(row.Comparisons) != want*(want-1)/2 {
			t.Errorf("%s %s has %d sides and %d comparisons", row.Engine, r.Label(row), len(row.Sides), len(row.Comparisons))
		}
	}
	for _, e := range r.Engines {
		if native && (e.Native == nil || e.Native.Build.Key == "" || !e.SameBuild() || len(e.Options) == 0) {
			t.Errorf("%s is not described: %+v, %+v", e.Name, e, e.Native)
		}
		if native && (e.Name == rocksdb.Engine) != (e.OptionDiff != nil) || len(e.OptionDiff) > 0 {
			t.Errorf("%s: options differ, or were not compared: %q", e.Name, e.OptionDiff)
		}
		if _, ok := r.Mean(e.Name, PartCommon, Ours, Native); ok != native {
			t.Errorf("%s: a mean against C++: %v", e.Name, ok)
		}
	}
	for _, p := range r.Passes {
		if p.Seconds <= 0 || p.CPUUserSeconds+p.CPUSystemSeconds <= 0 {
			t.Errorf("%+v", p)
		}
	}
	var text, record strings.Builder
	if err := errors.Join(WriteText(&text, r, true), WriteJSON(&record, r)); err != nil {
		t.Fatal(err)
	}
	if native && !strings.Contains(strings.Join(strings.Fields(text.String()), " "), "is alike for C++ and Go") {
		t.Errorf("the options are not told:\n%s", &text)
	}
	var back Result
	if err := json.Unmarshal([]byte(record.String()), &back); err != nil || len(back.Rows) != len(r.Rows) {
		t.Errorf("the record can't be read back: %v", err)
	}
	if rest, _ := os.ReadDir(c.Dir); len(rest) != 0 {
		t.Errorf("left behind: %v", rest)
	}
}

// fakeNative makes a db_bench that prints what it is told to, and ends with a
// status.
func fakeNative(t *testing.T, rows []string, status int) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncat <<'END'\nLevelDB: version 1.23\n" + strings.Join(rows, "\n") + "\nEND\n"
	script += fmt.Sprintf("echo 'put error: no space' >&2\nexit %d\n", status)
	writeFile(t, filepath.Join(dir, "leveldb_db_bench"), script, 0o755)
	return dir
}

// A count that is spoilt, a row too few and a program that breaks off fail their
// rows, which are compared with nothing; the others are.
func TestNativeFails(t *testing.T) {
	c := DefaultConfig()
	c.Engines, c.Workloads, c.Extras = []string{leveldb.Engine}, []string{"fillrandom", "readrandom"}, false
	c.Num, c.Rounds = 1000, 1
	found := expect(c.Workloads, c.Num)[1].Found
	fill := "fillrandom   :       2.156 micros/op;   51.3 MB/s"
	read := func(found int64) string {
		return fmt.Sprintf("readrandom   :       4.439 micros/op; (%d of 1000 found)", found)
	}
	for name, x := range map[string]struct {
		rows   []string
		status int
		want   string // empty: all is well
	}{
		"right":         {[]string{fill, read(found)}, 0, ""},
		"spoilt count":  {[]string{fill, read(found + 1)}, 0, fmt.Sprintf("leveldb readrandom, C++, round 1: it found %d of 1000 keys, and not %d", found+1, found)},
		"no count":      {[]string{fill, "readrandom : 1.000 micros/op;"}, 0, "it looked up 0 keys, and not 1000"},
		"breaks off":    {[]string{fill}, 1, "leveldb readrandom, C++, round 1: db_bench: exit status 1: put error: no space"},
		"a row too few": {[]string{fill}, 0, "db_bench gave 1 results for 2 workloads"},
		"another row":   {[]string{fill, fill}, 0, "db_bench's result 2 is of fillrandom, not readrandom"},
	} {
		c.Native = fakeNative(t, x.rows, x.status)
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		failures := strings.Join(r.Failures(), "\n")
		if (failures == "") != (x.want == "") || !strings.Contains(failures, x.want) || strings.Contains(failures, "\n") {
			t.Errorf("%s: failed %q", name, failures)
		}
		fillRow, readRow := r.Rows[0], r.Rows[1]
		if _, ok := readRow.Comparison(Ours, Native); ok != (x.want == "") {
			t.Errorf("%s: the row is compared: %v", name, ok)
		}
		if _, ok := fillRow.Comparison(Ours, Native); !ok {
			t.Errorf("%s: the good row is not compared", name)
		}
		if _, ok := readRow.Comparison(Plain, Ours); !ok {
			t.Errorf("%s: the sides in Go are not compared", name)
		}
	}
}

// stopping ends a run when a pass begins.
type stopping struct {
	nopObserver
	at   int
	stop func()
}

func (s *stopping) PassStarted(p Pass) {
	if p.Index == s.at {
		s.stop()
	}
}

// An interrupt keeps the passes until then, and leaves no store.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := DefaultConfig()
	c.Workloads, c.Num, c.Dir = []string{}, 1000, t.TempDir()
	r, err := Run(ctx, c, &stopping{at: 1, stop: cancel})
	if !errors.Is(err, bench.ErrInterrupted) || r == nil {
		t.Fatalf("%v", err)
	}
	if len(r.Passes) != 1 || r.Interrupted != "round 1, leveldb levigo, rows of Go alone" || len(r.Failures()) != 0 {
		t.Errorf("%d passes, interrupted in %q, failed %q", len(r.Passes), r.Interrupted, r.Failures())
	}
	if rest, _ := os.ReadDir(c.Dir); len(rest) != 0 {
		t.Errorf("left behind: %v", rest)
	}
	var text strings.Builder
	if err := WriteText(&text, r, true); err != nil || !strings.Contains(text.String(), "interrupted in round 1") {
		t.Errorf("%v\n%s", err, &text)
	}
}

// A db_bench that would run for ever ends with the run.
func TestInterruptedNative(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := DefaultConfig()
	c.Native = t.TempDir()
	for _, engine := range c.Engines {
		writeFile(t, filepath.Join(c.Native, engine+"_db_bench"), "#!/bin/sh\nexec sleep 600\n", 0o755)
	}
	began := time.Now()
	_, err := Run(ctx, c, &stopping{at: 0, stop: func() { time.AfterFunc(100*time.Millisecond, cancel) }})
	if took := time.Since(began); !errors.Is(err, bench.ErrInterrupted) || took > 30*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}
