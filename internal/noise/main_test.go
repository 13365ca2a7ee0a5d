package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// record is of an engine against itself, in as many rows; the first of them show
// a difference.
func record(t *testing.T, rows, shown, rounds int, engines ...string) string {
	t.Helper()
	rec := &bench.Record{Schema: bench.Schema, Config: bench.DefaultConfig()}
	rec.Config.Engines, rec.Config.Rounds = engines, rounds
	for _, label := range rec.Config.EngineLabels() {
		rec.Engines = append(rec.Engines, bench.EngineInfo{Name: label})
	}
	for row := range rows {
		rec.Config.Workloads = append(rec.Config.Workloads, "fillseq")
		for round := range rounds {
			for k, e := range rec.Engines {
				rate := float64(100 + (round*3+k)%rounds)
				if row < shown {
					rate += 10 * float64(k)
				}
				rec.Results = append(rec.Results, bench.Result{
					Engine: e.Name, Workload: "fillseq", Position: row + 1, Round: round + 1, Threads: 1, Status: bench.StatusOK, OpsPerSec: rate,
				})
			}
		}
	}
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

func TestRun(t *testing.T) {
	quiet, loud := record(t, 20, 1, 5, "rocksdb", "rocksdb"), record(t, 20, 2, 5, "rocksdb", "rocksdb")
	for _, c := range []struct {
		name  string
		paths []string
		code  int
		want  string
	}{
		{"one in twenty", []string{quiet}, 0, "1 of 20 rows (5.0 %)"},
		{"one in ten", []string{loud}, 1, "2 of 20 rows (10.0 %)"},
		{"both", []string{quiet, loud}, 1, "3 of 40 rows (7.5 %)"},
		{"nothing", nil, 2, "no rows"},
		{"too few rounds", []string{record(t, 20, 1, 3, "rocksdb", "rocksdb")}, 2, "no rows"},
		{"two engines", []string{record(t, 20, 1, 5, "leveldb", "rocksdb")}, 2, "not of an engine against itself"},
		{"one engine alone", []string{record(t, 20, 1, 5, "rocksdb")}, 2, "not of an engine against itself"},
		{"no file", []string{filepath.Join(t.TempDir(), "none")}, 2, "no such file"},
		{"no record", []string{os.Args[0]}, 2, "not a record"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(c.paths, &stdout, &stderr); code != c.code || !strings.Contains(stdout.String()+stderr.String(), c.want) {
			t.Errorf("%s: code %d\n%s%s", c.name, code, &stdout, &stderr)
		}
		if rows := strings.Count(stdout.String(), "(position "); c.code < 2 && rows == 0 {
			t.Errorf("%s: no row is named:\n%s", c.name, &stdout)
		}
	}
}
