package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// saved writes the record of all kinds of rows to a file, as change has made
// it.
func saved(t *testing.T, change func(r *bench.Result)) string {
	t.Helper()
	rec := record(t)
	for i := range rec.Results {
		change(&rec.Results[i])
	}
	path := filepath.Join(t.TempDir(), "new.json")
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

// slower makes the rows of a workload slower by a share.
func slower(engine, workload string, share float64) func(*bench.Result) {
	return func(r *bench.Result) {
		if r.Engine == engine && r.Workload == workload {
			r.OpsPerSec *= 1 - share
		}
	}
}

// Only what is slower by more than is allowed, and shown to be, ends with the
// code of a regression.
func TestCompareExitCodes(t *testing.T) {
	noisy := func(r *bench.Result) { // slower by 20 % in the median, and all over the place
		if r.Engine == "rocksdb" && r.Workload == "fillseq" {
			r.OpsPerSec *= []float64{0.3, 1.5, 0.8, 1.4, 0.75}[r.Round-1]
		}
	}
	broken := func(r *bench.Result) {
		if r.Engine == "rocksdb" && r.Workload == "fillseq" && r.Round == 3 {
			r.Status, r.Error = bench.StatusFailed, "disk full"
		}
	}
	for _, c := range []struct {
		name   string
		change func(*bench.Result)
		limit  string
		code   int
		want   string
	}{
		{"the same", func(*bench.Result) {}, "5%", exitOK, ""},
		{"the same, nothing allowed", func(*bench.Result) {}, "0", exitOK, ""},
		{"slower", slower("rocksdb", "fillseq", 0.2), "5%", exitRegression, "1 of 12 rows are slower by more than 5 %"},
		{"slower, twice in the list", slower("leveldb", "readrandom", 0.2), "5", exitRegression, "2 of 12 rows"},
		{"slower, and allowed", slower("rocksdb", "fillseq", 0.2), "25%", exitOK, ""},
		{"slower, and not shown", noisy, "5%", exitOK, ""},
		{"slower, and nobody asks", slower("rocksdb", "fillseq", 0.9), "", exitOK, ""},
		{"faster", slower("rocksdb", "fillseq", -0.5), "5%", exitOK, ""},
		{"failed", broken, "5%", exitFailed, "1 of 12 rows were good in the old record"},
		{"failed, and nobody asks", broken, "", exitFailed, "not in the new one"},
	} {
		args := []string{"compare", recordFile, saved(t, c.change)}
		if c.limit != "" {
			args = append(args, "--max-regression", c.limit)
		}
		got := execute(t, untouched(t), args...)
		if got.code != c.code || !strings.Contains(got.err, c.want) || (got.err == "") != (c.code == exitOK) || !strings.Contains(got.out, "fillseq") {
			t.Errorf("%s: code %d, want %d; stderr %q, stdout:\n%s", c.name, got.code, c.code, got.err, got.out)
		}
		if strings.Contains(got.out, "regression: ") != (c.code == exitRegression) {
			t.Errorf("%s: stdout:\n%s", c.name, got.out)
		}
	}
}

func TestCompareGolden(t *testing.T) {
	path := saved(t, slower("rocksdb", "fillseq", 0.2))
	for _, format := range []string{"text", "markdown"} {
		got := execute(t, untouched(t), "compare", recordFile, path, "--max-regression", "5%", "--format", format)
		if got.code != exitRegression {
			t.Errorf("code %d", got.code)
		}
		// Where the name of a temporary file ends the line is not ours to say.
		table, _, _ := strings.Cut(got.out, "\nold: ")
		_, found, _ := strings.Cut(got.out, "regression: ")
		golden(t, "compare."+format+".out", table+"regression: "+found)
		golden(t, "compare."+format+".err", got.err)
	}
}

// What is no record, or not of the same kind of run, is said to be so.
func TestCompareWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	other := record(t)
	for i := range other.Results {
		other.Results[i].Engine += "x"
	}
	for i := range other.Engines {
		other.Engines[i].Name += "x"
	}
	other.Summary = nil // made again when it's missing
	foreign := filepath.Join(dir, "foreign.json")
	f, err := os.Create(foreign)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := report.JSON(f, other); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "which two files?"},
		{[]string{recordFile}, "which two files?"},
		{[]string{recordFile, recordFile, "c"}, "unexpected argument c"},
		{[]string{recordFile, filepath.Join(dir, "missing")}, "no such file"},
		{[]string{dir, recordFile}, "is a directory"},
		{[]string{recordFile, write("empty", "")}, "the file is empty"},
		{[]string{write("cut", string(whole[:len(whole)/2])), recordFile}, "not a record"},
		{[]string{recordFile, write("tail", string(whole)+"}")}, "something follows the record"},
		{[]string{recordFile, write("schema", `{"schema": 7}`)}, "schema 7, this program knows 1"},
		{[]string{recordFile, write("package.json", `{"name": "x", "results": []}`)}, "no record of dbbench"},
		{[]string{recordFile, write("text", "fillseq : 1.0 micros/op")}, "not a record"},
		{[]string{recordFile, write("negative", strings.Replace(string(whole), `"ops": 1000000`, `"ops": -1`, 1))}, "results[0]"},
		{[]string{recordFile, write("status", strings.Replace(string(whole), `"status": "ok"`, `"status": "fine"`, 1))}, "results[0]"},
		{[]string{recordFile, foreign}, "no row in common"},
		{[]string{recordFile, write("bare", `{"schema": 1}`)}, "no engines"},
		{[]string{recordFile, recordFile, "--max-regression", "much"}, "not a number of percent"},
		{[]string{recordFile, recordFile, "--max-regression", "-5"}, "is not between 0 and 100"},
		{[]string{recordFile, recordFile, "--max-regression", "NaN"}, "is not between 0 and 100"},
		{[]string{recordFile, recordFile, "--format", "csv"}, "is not one of text, markdown"},
	} {
		execute(t, untouched(t), append([]string{"compare"}, c.args...)...).fails(t, exitUsage, c.want)
	}
}
