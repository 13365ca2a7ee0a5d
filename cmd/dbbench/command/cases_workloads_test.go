package command

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// The tests of this file hold the mixed workloads, the presets and the ways of
// timing to the required behaviours whose numbers they bear, on both engines.

// mixed are the workloads that read and write, and range ones.
const mixed = "fillseq,updaterandom,readrandomwriterandom,readwhilewriting,scanrange,find,ycsb-a,ycsb-b,ycsb-c,ycsb-d,ycsb-e,ycsb-f,deleterange,settle"

// Few keys, or none, crash nothing and make finite numbers; what doesn't divide
// is done all the same.
func TestA23A24MixedWorkloadsOfFewKeys(t *testing.T) {
	for _, num := range []int64{0, 1, 10, 101} {
		for _, threads := range []string{"1", "3"} {
			rec := good(t, "--workloads", mixed, "--num", itoa(num), "--threads", threads, "--rounds", "1", "--latency")
			for _, r := range rec.Results {
				if r.Status != bench.StatusOK {
					t.Errorf("num %d, threads %s: %s %s: %s %s", num, threads, r.Engine, r.Workload, r.Status, r.Error)
				}
				switch r.Workload {
				case "fillseq", "updaterandom", "readrandomwriterandom", "readwhilewriting", "ycsb-a", "ycsb-f":
					if r.Ops != num {
						t.Errorf("num %d, threads %s: %s %s did %d operations", num, threads, r.Engine, r.Workload, r.Ops)
					}
				}
			}
			text := execute(t, Deps{Engines: Engines()}, "report", savedRecord(t, rec))
			if text.code != exitOK || strings.Contains(text.out, "NaN") || strings.Contains(text.out, "Inf") {
				t.Errorf("num %d, threads %s: code %d:\n%s", num, threads, text.code, text.out)
			}
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// savedRecord writes a record to a file.
func savedRecord(t *testing.T, rec *bench.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := report.JSON(f, rec); err != nil {
		t.Fatal(err)
	}
	return path
}

// Of a full store everything is found, and both engines find the same.
func TestA25MixedWorkloadsFind(t *testing.T) {
	rec := good(t, "--workloads", "fillseq,updaterandom,readrandomwriterandom,readwhilewriting,ycsb-c", "--num", "2000", "--rounds", "1")
	n := 0
	for _, r := range rec.Results {
		if r.Workload == "fillseq" || r.Workload == bench.WriterRow {
			continue
		}
		n++
		if r.Lookups == nil || r.Found == nil || *r.Lookups == 0 || *r.Found != *r.Lookups {
			t.Errorf("%s %s found %v of %v", r.Engine, r.Workload, value64(r.Found), value64(r.Lookups))
		}
	}
	if n != 8 {
		t.Errorf("%d rows", n)
	}
}

func value64(n *int64) any {
	if n == nil {
		return "nothing"
	}
	return *n
}

// The workloads that read only remove nothing, and keys that others made can be
// read.
func TestA26ReadingMakesNoChange(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		fill(t, engine, dir, 500, 10)
		for _, more := range [][]string{nil, {"--use-existing-db"}, {"--use-existing-db", "--keys-from-db"}} {
			rec := good(t, append([]string{"--engines", engine, "--db", dir, "--workloads", "scanrange,find,readrandom,ycsb-c", "--num", "500",
				"--rounds", "1", "--warmup", "1ms"}, more...)...)
			for _, r := range rec.Results {
				if r.Status != bench.StatusOK || r.Found == nil || *r.Found == 0 {
					t.Errorf("%v: %s: %s, found %v", more, r.Workload, r.Status, value64(r.Found))
				}
			}
			if n := len(keys(t, engine, dir)); n != 500 {
				t.Errorf("%v: %d keys are left", more, n)
			}
		}
	})
}

// Tables of latencies, intervals and resources keep to stdout, without escape
// codes, and CSV parses.
func TestA27MeasuredOutput(t *testing.T) {
	args := []string{"run", "--workloads", "fillrandom,readwhilewriting", "--num", "3000", "--rounds", "1", "--latency", "--rate", "20_000", "--interval", "20ms", "--settle"}
	text := execute(t, Deps{Engines: Engines()}, args...)
	for _, want := range []string{"latency", "- corrected", "until s", "to settle", bench.WriterRow, "processor, memory", "open loop of 20.00k ops/s"} {
		if !strings.Contains(text.out, want) || strings.Contains(text.err, want) && want != bench.WriterRow {
			t.Errorf("no %q on stdout, or on stderr too", want)
		}
	}
	if text.code != exitOK || strings.ContainsAny(text.out+text.err, "\x1b\r") {
		t.Errorf("code %d, stderr %s, stdout:\n%s", text.code, text.err, text.out)
	}
	rows := execute(t, Deps{Engines: Engines()}, append(args, "--format", "csv")...)
	if parsed, err := csv.NewReader(strings.NewReader(rows.out)).ReadAll(); err != nil || len(parsed) != 1+2*3 {
		t.Errorf("%d lines of CSV: %v", len(parsed), err)
	}
}

// An engine that fails has no factor and no winner in a preset's table.
func TestA29PresetsWithALockedStore(t *testing.T) {
	for _, preset := range []string{"levelup", "lisk", "ycsb"} {
		t.Run(preset, func(t *testing.T) {
			dir := t.TempDir()
			startHolding(t, "rocksdb", filepath.Join(dir, "rocksdb"))
			got := execute(t, Deps{Engines: Engines()}, "run", "--db", dir, "--preset", preset, "--num", "50", "--duration", "1ms",
				"--value-size", "100", "--rounds", "4", "--progress", "never")
			if got.code != exitFailed || !strings.Contains(got.out, "failed") || strings.Contains(got.out, "x)") && preset != "levelup" ||
				strings.Contains(got.out, "faster") {
				t.Errorf("code %d, stderr %s, stdout:\n%s", got.code, got.err, got.out)
			}
		})
	}
}

// A workload that runs for a time, or on a schedule, ends on a signal like any
// other.
func TestA32InterruptTimedRuns(t *testing.T) {
	for _, c := range [][]string{
		{"--workloads", "fillseq,readwhilewriting", "--duration", "5m"},
		{"--workloads", "fillrandom", "--latency", "--rate", "2000"},
		{"--preset", "lisk", "--duration", "5m"},
	} {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			dir := t.TempDir()
			cmd := child(t, "dbbench", append([]string{"run", "--num", "1e6", "--engines", "rocksdb", "--db", dir, "--key-size", "16"}, c...)...)
			var sent time.Time
			stop := interrupt(t, filepath.Join(dir, "rocksdb", "CURRENT"), syscall.SIGINT)
			got := ended(t, cmd, func(p *os.Process) {
				stop(p)
				sent = time.Now()
			})
			if took := time.Since(sent); got.code != exitInterrupted || took > 4*time.Second || !strings.Contains(got.out, "interrupted") {
				t.Errorf("code %d after %v, stderr %s, stdout:\n%s", got.code, took, got.err, got.out)
			}
			keys(t, "rocksdb", filepath.Join(dir, "rocksdb")) // it opens again
		})
	}
}

// Each table of the presets, by one command.
func TestPresetsForReal(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--preset", "levelup", "--num", "500", "--rounds", "4"},
			[]string{"get ReadStream", "get keyStream", "get find", " ms", "Mean of 4 runs"}},
		{[]string{"--preset", "lisk", "--num", "50", "--duration", "2ms", "--rounds", "4", "--value-size", "1000,2000"},
			[]string{"Payload 1,000 bytes", "Payload 2,000 bytes", "Winner", "%", "±", "del"}},
		{[]string{"--preset", "ycsb", "--num", "300", "--rounds", "4"}, []string{"ycsb-a", "ycsb-f", "winner", "geometric mean"}},
		{[]string{"--engines", "rocksdb,rocksdb", "--preset", "core", "--num", "1000", "--rounds", "4"},
			[]string{"rocksdb#2", "noise floor: rocksdb against itself"}},
	} {
		got := execute(t, Deps{Engines: Engines()}, append([]string{"run", "--progress", "never"}, c.args...)...)
		if got.code != exitOK {
			t.Errorf("%v: code %d: %s", c.args, got.code, got.err)
		}
		for _, want := range c.want {
			if !strings.Contains(got.out, want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, got.out)
			}
		}
	}
}
