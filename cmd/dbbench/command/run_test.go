package command

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
)

// Each format's stdout and stderr, of a run whose figures are known.
func TestRunGolden(t *testing.T) {
	for _, format := range report.Formats() {
		t.Run(format, func(t *testing.T) {
			got := execute(t, replay(record(t), nil), "run", "--format", format)
			golden(t, "run."+format+".out", got.out)
			golden(t, "run."+format+".err", got.err)
			if got.code != exitFailed {
				t.Errorf("code %d with a failed row", got.code)
			}
		})
	}
	t.Run("quiet", func(t *testing.T) {
		got := execute(t, replay(record(t), nil), "run", "--quiet")
		golden(t, "run.quiet.out", got.out)
		golden(t, "run.quiet.err", got.err)
	})
}

// In-memory engines through the whole of the tool.
func TestRunForReal(t *testing.T) {
	d := Deps{Engines: fakeEngines()}
	got := execute(t, d, "run", "--num", "1000", "--rounds", "4", "--workloads", "fillseq,readrandom,fillbatch,readseq", "--format", "json")
	if got.code != exitOK {
		t.Fatalf("code %d: %s", got.code, got.err)
	}
	rec, err := report.Read(strings.NewReader(got.out))
	if err != nil {
		t.Fatal(err)
	}
	if n := 4 * 2 * 4; len(rec.Results) != n {
		t.Errorf("%d rows, want %d", len(rec.Results), n)
	}
	for _, r := range rec.Results {
		if r.Status != bench.StatusOK || r.Ops != 1000 || r.OpsPerSec <= 0 {
			t.Errorf("%+v", r)
		}
	}
}

// The fields that a record must have, by their names, and no number that JSON
// can't say.
func TestRecordFields(t *testing.T) {
	d := Deps{Engines: fakeEngines()}
	for i := range d.Engines {
		d.Engines[i].Build = func() string { return "stock g++ 12.2.0 -O2" }
	}
	got := execute(t, d, "run", "--num", "100", "--rounds", "1", "--workloads", "fillseq,readrandom,compact", "--format", "json")
	if got.code != exitOK {
		t.Fatal(got.err)
	}
	var rec map[string]any
	if err := json.Unmarshal([]byte(got.out), &rec); err != nil {
		t.Fatal(err)
	}
	has := func(what string, m any, fields ...string) {
		t.Helper()
		object, ok := m.(map[string]any)
		if !ok {
			t.Fatalf("%s is %T", what, m)
		}
		for _, f := range fields {
			if _, ok := object[f]; !ok {
				t.Errorf("%s has no %s", what, f)
			}
		}
	}
	has("record", rec, "schema", "tool", "environment", "engines", "config", "results", "summary", "warnings")
	has("tool", rec["tool"], "name", "go")
	has("environment", rec["environment"], "os", "cores")
	has("config", rec["config"], "engines", "workloads", "num", "reads", "threads", "batch_size", "rounds", "seed", "sync",
		"key_size", "key_prefix", "key_format", "value_size", "compression_ratio", "profile", "use_existing_db", "keep_db")
	for _, e := range rec["engines"].([]any) {
		has("engine", e, "name", "library_version", "build", "options")
		has("build", e.(map[string]any)["build"], "kind", "flags")
	}
	for _, r := range rec["results"].([]any) {
		has("row", r, "engine", "workload", "position", "round", "threads", "status", "ops", "bytes", "seconds",
			"ops_per_sec", "micros_per_op", "mb_per_sec")
	}
	for _, s := range rec["summary"].([]any) {
		has("summary", s, "workload", "position", "engine")
	}
}

func TestRunGobenchReadsBack(t *testing.T) {
	got := execute(t, Deps{Engines: fakeEngines()}, "run", "--num", "100", "--rounds", "2", "--workloads", "fillseq,readrandom", "--format", "gobench")
	r := benchfmt.NewReader(strings.NewReader(got.out), "stdout")
	n := 0
	for r.Scan() {
		switch res := r.Result().(type) {
		case *benchfmt.Result:
			n++
		case *benchfmt.SyntaxError:
			t.Error(res)
		}
	}
	if n != 2*2*2 {
		t.Errorf("%d lines of results in:\n%s", n, got.out)
	}
}

// A wrong flag, value or name is one line on stderr and exit code 2, and no
// store is opened.
func TestRunUsageErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"--nmu 5", "unknown flag --nmu; did you mean --num?"},
		{"-x", "unknown shorthand"},
		{"extra", "unexpected argument extra"},
		{"--num", "needs an argument"},
		{"--num abc", "--num abc: not a number"},
		{"--num -1", "--num: -1"},
		{"--num 1.5", "not a whole number"},
		{"--num 3G", "no unit"},
		{"--reads -5", "--reads"},
		{"--threads 0", "--threads: 0"},
		{"--batch-size 0", "--batch-size: 0"},
		{"--rounds 0", "--rounds: 0"},
		{"--seed -3", "--seed: -3"},
		{"--key-size 0", "--key-size: 0"},
		{"--key-size 3", "--key-size"},
		{"--key-format hex", "--key-format hex: is not one of decimal, bigendian, plain"},
		{"--value-size 1.5", "--value-size 1.5: not a whole number"},
		{"--value-size uniform:5", "--value-size uniform:5"},
		{"--value-size uniform:9-5", "--value-size uniform:9-5"},
		{"--value-size gauss:1-5", "--value-size gauss:1-5"},
		{"--value-size 3G", "--value-size 3G"},
		{"--compression-ratio 0", "--compression-ratio"},
		{"--compression-ratio NaN", "--compression-ratio"},
		{"--compression-ratio x", "--compression-ratio x: not a number"},
		{"--compression zip", "--compression zip: is not one of"},
		{"--cache-size 0", "--cache-size: 0"},
		{"--cache-size 99999999999999999999", "--cache-size 99999999999999999999: does not fit into 64 bits"},
		{"--bloom-bits -1", "--bloom-bits: -1"},
		{"--open-files 0", "--open-files: 0"},
		{"--verify-checksums=maybe", "--verify-checksums maybe: neither true nor false"},
		{"--sync=2", "--sync 2: neither true nor false"},
		{"--workloads fillseq --value-size 10,20", "--value-size"},
		{"--value-size 10,10 --preset lisk", "named twice"},
		{"--value-size 10,,20 --preset lisk", "not a number"},
		{"--duration 5", "--duration 5: "},
		{"--duration -5s", "--duration: -5s"},
		{"--warmup x", "--warmup x: "},
		{"--interval 1ms", "--interval: 1ms"},
		{"--rate 1000", "--rate: needs --latency"},
		{"--latency --rate 0", "--rate 0: is not positive"},
		{"--latency --rate -3", "--rate -3: is not positive"},
		{"--latency --rate 1.5", "not a whole number"},
		{"--latency=perhaps", "neither true nor false"},
		{"--workloads readwhilewriting --write-rate -1", "--write-rate: -1"},
		{"--write-rate 100", "--write-rate: no workload of the list heeds it, only readwhilewriting"},
		{"--workloads readrandomwriterandom --read-percent 101", "--read-percent: 101"},
		{"--read-percent 50", "only readrandomwriterandom"},
		{"--workloads seekrandom --seek-nexts -1", "--seek-nexts: -1"},
		{"--seek-nexts 5", "only seekrandom"},
		{"--workloads scanrange --scan-length 0", "--scan-length: 0"},
		{"--scan-length 5", "only scanrange, ycsb-e"},
		{"--workloads deleterange --range-length 0", "--range-length: 0"},
		{"--range-length 5", "only deleterange"},
		{"--workloads find --pattern [a", "--pattern: "},
		{"--pattern a*", "only find"},
		{"--keys-from-db", "needs --use-existing-db"},
		{"--engine-option bloom_bits=1", "is not of the form ENGINE:KEY=VALUE"},
		{"--engine-option leveldb:bloom_bits", "is not of the form ENGINE:KEY=VALUE"},
		{"--engine-option rocksbd:bloom_bits=1", "engine rocksbd doesn't run; did you mean rocksdb?"},
		{"--engines leveldb --engine-option rocksdb:bloom_bits=1", "engine rocksdb doesn't run"},
		{"--engine-option leveldb:bloom_bit=1", "unknown key bloom_bit; did you mean bloom_bits?"},
		{"--engine-option leveldb:bloom_bits=-1", "is less than 0"},
		{"--engine-option leveldb:cache_size=0", "is not a size"},
		{"--engine-option leveldb:cache_size=1.5", "not a whole number"},
		{"--engine-option leveldb:cache_size=99999999999999999999", "does not fit into 64 bits"},
		{"--engine-option leveldb:compression=zip", "is not one of none, snappy"},
		{"--engine-option leveldb:verify_checksums=maybe", "neither true nor false"},
		{"--engine-option leveldb:bloom_bits=1 --engine-option leveldb:bloom-bits=2", "is given twice"},
		{"--profile fair", "--profile fair: is not one of equal, stock"},
		{"--engines", "needs an argument"},
		{"--engines rocksbd", "unknown engine rocksbd; did you mean rocksdb?"},
		{"--engines leveldb,,rocksdb", "an empty name"},
		{"--workloads fillsqe", "unknown workload fillsqe; did you mean fillseq?"},
		{"--workloads ,", "an empty name"},
		{"--preset big", "unknown preset big"},
		{"--preset core --workloads fillseq", "exclude each other"},
		{"--use-existing-db", "--use-existing-db"},
		{"--format xml", "--format xml: is not one of"},
		{"--format jsno", "did you mean json?"},
		{"--progress always", "--progress always: is not one of auto, never"},
		{"--json " + dir, "--json " + dir + ": is a directory"},
		{"--json " + dir + "/no/such/r.json", "no such file or directory"},
		{"--json " + dir + "/r --csv " + dir + "/r", "same file"},
		{"--json " + dir + "/new.json --csv " + dir, "is a directory"},
		{"--db " + dir + "/d --json " + dir + "/d/../d/r.json", "in the folder of the stores"},
		{"--db=", "--db is empty"},
	} {
		t.Run(c.args, func(t *testing.T) {
			d := untouched(t)
			d.Run = func(context.Context, bench.Config, []bench.Engine, bench.Observer) (*bench.Record, error) {
				t.Error("the run began")
				return nil, errors.New("it should not have begun")
			}
			got := execute(t, d, append([]string{"run"}, strings.Fields(c.args)...)...)
			got.fails(t, exitUsage, c.want)
			if !strings.Contains(got.err, "dbbench run: ") || !strings.Contains(got.err, "dbbench run --help") {
				t.Errorf("stderr names no command or no help: %s", got.err)
			}
		})
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files left by refused runs: %v", left)
	}
}

// The files hold the record as it is after each row.
func TestOutputFilesFollowTheRun(t *testing.T) {
	dir := t.TempDir()
	jsonPath, csvPath := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.csv")
	d := Deps{Engines: fakeEngines()}
	rows := 0
	d.Run = func(_ context.Context, _ bench.Config, _ []bench.Engine, o bench.Observer) (*bench.Record, error) {
		rec := record(t)
		all := rec.Results
		rec.Results = nil
		o.RunStarted(rec)
		for i := range all[:5] {
			rec.Results = all[:i+1]
			o.CellFinished(rec, i)
			f, err := os.Open(jsonPath)
			if err != nil {
				t.Fatal(err)
			}
			got, err := report.Read(f)
			f.Close()
			if err != nil || len(got.Results) != i+1 {
				t.Errorf("after row %d the file holds %v, %v", i, got, err)
			}
			text, _ := os.ReadFile(csvPath)
			if lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil || len(lines) != i+2 {
				t.Errorf("after row %d the CSV file has %d lines, %v", i, len(lines), err)
			}
			rows++
		}
		return rec, nil
	}
	got := execute(t, d, "run", "--json", jsonPath, "--csv", csvPath, "--quiet")
	if got.code != exitOK || rows != 5 {
		t.Errorf("code %d, %d rows: %s", got.code, rows, got.err)
	}
}

// A record that can't be kept is an error, and the results are printed all the
// same.
func TestOutputFileThatBreaks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "r.json")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	rec := record(t)
	d := replay(rec, nil)
	run := d.Run
	d.Run = func(ctx context.Context, c bench.Config, e []bench.Engine, o bench.Observer) (*bench.Record, error) {
		os.RemoveAll(filepath.Dir(path))
		return run(ctx, c, e, o)
	}
	got := execute(t, d, "run", "--json", path)
	if got.code != exitFailed || !strings.Contains(got.err, "--json") || !strings.Contains(got.out, "fillseq") {
		t.Errorf("code %d, stderr %s", got.code, got.err)
	}
}

// How errors of the core become exit codes.
func TestRunExitCodes(t *testing.T) {
	good := record(t)
	good.Results = good.Results[:4]
	for name, c := range map[string]struct {
		rec  *bench.Record
		err  error
		code int
		want string
	}{
		"good":        {good, nil, exitOK, ""},
		"failed row":  {record(t), nil, exitFailed, "1 of 60 rows failed; the first: leveldb fill100K, round 3"},
		"interrupted": {record(t), fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Canceled), exitInterrupted, ""},
	} {
		got := execute(t, replay(c.rec, c.err), "run", "--progress", "never")
		if got.code != c.code || !strings.Contains(got.err, c.want) || !strings.Contains(got.out, "fillseq") {
			t.Errorf("%s: code %d, stderr %s", name, got.code, got.err)
		}
	}
	path := filepath.Join(t.TempDir(), "r.json")
	for name, c := range map[string]struct {
		err  error
		code int
	}{
		"usage":   {&bench.ConfigError{Flag: "db", Msg: "is empty"}, exitUsage},
		"refused": {fmt.Errorf("%w: /x holds no store", bench.ErrRefused), exitFailed},
		"other":   {errors.New("no temporary folder"), exitFailed},
	} {
		d := Deps{Engines: fakeEngines(), Run: func(context.Context, bench.Config, []bench.Engine, bench.Observer) (*bench.Record, error) {
			return nil, c.err
		}}
		got := execute(t, d, "run", "--json", path)
		got.fails(t, c.code, c.err.Error())
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: an empty file was left behind", name)
		}
	}
}

// The second interrupt ends the program whatever the core does.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	signals := make(chan os.Signal, 2)
	blocked := make(chan struct{})
	defer close(blocked)
	d := Deps{
		Engines:    fakeEngines(),
		Interrupts: func() (<-chan os.Signal, func()) { return signals, func() {} },
		Run: func(context.Context, bench.Config, []bench.Engine, bench.Observer) (*bench.Record, error) {
			signals <- os.Interrupt
			signals <- os.Interrupt
			<-blocked
			return nil, nil
		},
	}
	got := execute(t, d, "run")
	if got.code != exitInterrupted || !strings.Contains(got.err, "again to end at once") {
		t.Errorf("code %d, stderr %s", got.code, got.err)
	}
}

// On a terminal the winner is bold, unless NO_COLOR says otherwise; elsewhere
// there are no escape codes.
func TestEscapeCodes(t *testing.T) {
	env := map[string]string{}
	d := replay(record(t), nil)
	d.Terminal = fakeTerminal
	d.Getenv = func(name string) string { return env[name] }
	for _, c := range []struct {
		onTerminal    bool
		noColor, term string
		want          bool
	}{{true, "", "xterm", true}, {true, "1", "xterm", false}, {true, "", "dumb", false}, {false, "", "xterm", false}} {
		env["NO_COLOR"], env["TERM"] = c.noColor, c.term
		var out, errs bytes.Buffer
		code := 0
		if c.onTerminal {
			code = Main(t.Context(), []string{"run", "--progress", "never"}, terminal{&out}, &errs, d)
		} else {
			code = Main(t.Context(), []string{"run"}, &out, &errs, d)
		}
		if got := strings.ContainsAny(out.String()+errs.String(), "\x1b\r"); got != c.want || code != exitFailed {
			t.Errorf("%+v: escape codes %v, code %d", c, got, code)
		}
	}
}

// An error with control characters from a file name or an engine can't drive
// the terminal.
func TestErrorsAreOneLine(t *testing.T) {
	engines := fakeEngines()
	engines[0].Open = func(string, store.Options) (store.DB, error) {
		return nil, errors.New("first line\nsecond \x1b[2J line")
	}
	got := execute(t, Deps{Engines: engines}, "run", "--num", "10", "--rounds", "1", "--workloads", "fillseq")
	if got.code != exitFailed || strings.Contains(got.out+got.err, "\x1b") || strings.Contains(got.out+got.err, "\nsecond") {
		t.Errorf("code %d, stdout %q, stderr %q", got.code, got.out, got.err)
	}
}
