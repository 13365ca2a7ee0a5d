package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
)

// The program measures parts by calling itself, which is the test here.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == partFlag {
		os.Exit(servePart(context.Background(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestPartFails(t *testing.T) {
	for _, p := range []part{{What: "nothing"}, {What: partCommon, Config: defaultConfig(), Engine: leveldb.Engine, Dir: "/dev/null/x"}} {
		if cells, err := spawn(context.Background(), p); err == nil {
			t.Errorf("%+v gave %v", p, cells)
		}
	}
}

func TestParseRow(t *testing.T) {
	for _, c := range []struct {
		line string
		want cell
		ok   bool
	}{
		{"fillseq      :       2.156 micros/op;   51.3 MB/s", cell{Workload: "fillseq", Micros: 2.156, Found: -1}, true},
		{"readrandom   :       4.439 micros/op; (259666 of 300000 found)", cell{Workload: "readrandom", Micros: 4.439, Found: 259666, Lookups: 300000}, true},
		{"compact      :  572043.000 micros/op;", cell{Workload: "compact", Micros: 572043, Found: -1}, true},
		{"readseq      :       0.134 micros/op 8000000 ops/sec 0.125 seconds 1000000 operations;  885.1 MB/s", cell{Workload: "readseq", Micros: 0.125, Found: -1}, true},
		{"readrandom   :       7.497 micros/op 133333 ops/sec 2.249 seconds 300000 operations;   12.7 MB/s (7 of 9 found)", cell{Workload: "readrandom", Micros: 1e6 / 133333.0, Found: 7, Lookups: 9}, true},
		{"Keys:       16 bytes each", cell{}, false},
		{"DB path: [/x/readseq : 1.0]", cell{}, false},
	} {
		if got, ok := parseRow(c.line); got != c.want || ok != c.ok {
			t.Errorf("%q gives %+v, %v", c.line, got, ok)
		}
	}
}

func TestLastLine(t *testing.T) {
	if got := lastLine("a\n... finished 100 ops\ropen error: x \n"); got != "open error: x" {
		t.Errorf("last line %q", got)
	}
	if got := lastLine(""); got == "" {
		t.Error("an empty text has no last line, and says so")
	}
}

func TestOptionDiff(t *testing.T) {
	write := func(options, log string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"OPTIONS-000005": "[DBOptions]\n max_open_files=7\n", "OPTIONS-000007": options, "LOG": log} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	a := rocksOptions(write("[DBOptions]\n  max_open_files=-1\n  listeners={X}\n", "2026 block_cache_options:\n    high_pri_pool_ratio: 0.000\n"))
	b := rocksOptions(write("[DBOptions]\n  max_open_files=20\n  listeners={}\n", "    high_pri_pool_ratio: 0.500\n"))
	want := []string{"[DBOptions] max_open_files: -1 | 20", "block cache high_pri_pool_ratio: 0.000 | 0.500"}
	if got := optionDiff(a, b); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := optionDiff(a, a); got != nil {
		t.Errorf("the same differs: %q", got)
	}
	if got := rocksOptions(t.TempDir()); len(got) != 0 {
		t.Errorf("options of nothing: %v", got)
	}
}

func TestCheckFindsWrongCounts(t *testing.T) {
	var r result
	r.add(leveldb.Engine, sideNative, []cell{{Workload: "readrandom", Micros: 1, Found: 7, Lookups: 9}})
	r.add(leveldb.Engine, sideOurs, []cell{{Workload: "readrandom", Micros: 1, Found: 7, Lookups: 9}})
	r.add(rocksdb.Engine, sideNative, []cell{{Workload: "readrandom", Micros: 1, Found: 5, Lookups: 9}}) // draws other keys
	r.add(rocksdb.Engine, sideOurs, []cell{{Workload: "readrandom", Micros: 1, Found: 7, Lookups: 9}})
	if r.check(sameKeys); len(r.Faults) != 0 {
		t.Errorf("faults: %q", r.Faults)
	}
	r.add(leveldb.Engine, sideNative, []cell{{Workload: "readrandom", Micros: 1, Found: 8, Lookups: 9}})
	r.add(rocksdb.Engine, sidePlain, []cell{{Workload: "readrandom", Micros: 1, Found: 6, Lookups: 9}})
	if r.check(sameKeys); len(r.Faults) != 2 {
		t.Errorf("faults: %q", r.Faults)
	}
}

func TestRatios(t *testing.T) {
	a, b := &series{Micros: []float64{9, 2, 4}}, &series{Micros: []float64{1, 2, 100}}
	if got := ratio(a, b, median); got != 2 {
		t.Errorf("of medians %v", got)
	}
	if got := ratio(a, b, slices.Min); got != 2 {
		t.Errorf("of the least %v", got)
	}
	if got := ratio(a, nil, median); got != 0 {
		t.Errorf("unknown ratio %v", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median of four %v", got)
	}
}

func TestUsage(t *testing.T) {
	t.Setenv("LSMKIT_DEPS", "")
	for _, args := range [][]string{
		{"-engine", "bolt"}, {"-engine", ""}, {"-workloads", "fillsync"}, {"-num", "1"}, {"-rounds", "0"}, {"-unknown"}, {"x"},
		{}, // no native benchmarks
		{"-workloads", "none", "-extras=false"},
		{"-workloads", "none", "-json", filepath.Join(t.TempDir(), "no", "file")},
	} {
		var stdout, stderr bytes.Buffer
		if code := command(context.Background(), args, &stdout, &stderr); code != 2 || stderr.Len() == 0 || stdout.Len() != 0 {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr.String())
		}
	}
}

// A small comparison runs to its end, with counts and options alike on all
// sides.
func TestCommand(t *testing.T) {
	args := []string{"-num", "2000", "-rounds", "2", "-db", t.TempDir(), "-json", filepath.Join(t.TempDir(), "x.json")}
	native := os.Getenv("LSMKIT_DEPS") != ""
	if !native {
		args = append(args, "-workloads", "none")
	}
	var stdout, stderr bytes.Buffer
	if code := command(context.Background(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s\n%s", code, stderr.String(), stdout.String())
	}
	data, err := os.ReadFile(args[7])
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		for s, series := range row.Sides {
			if len(series.Micros) != 2 {
				t.Errorf("%s %s %s has %d rounds", row.Engine, row.Workload, s, len(series.Micros))
			}
		}
		if row.Engine != harness && (row.Sides[sideOurs] == nil || row.Sides[sidePlain] == nil) {
			t.Errorf("%s %s lacks a side", row.Engine, row.Workload)
		}
	}
	if native && len(r.OptionDiff) != 0 {
		t.Errorf("options differ: %q", r.OptionDiff)
	}
	if native && (r.OptionDiff == nil || !strings.Contains(stdout.String(), "are alike")) {
		t.Error("options were not compared")
	}
	if rest, _ := os.ReadDir(args[5]); len(rest) != 0 {
		t.Errorf("left behind: %v", rest)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := command(ctx, []string{"-num", "1000", "-workloads", "none"}, &stdout, &stderr); code != 130 {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
}
