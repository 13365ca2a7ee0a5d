package command

import (
	"bytes"
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
	"github.com/lsmkit/lsmkit/internal/overhead"
)

// fakeOverhead is a comparison of one pass, that of this library on LevelDB's
// fillseq, with an error at its end.
func fakeOverhead(err error) func(context.Context, overhead.Config, overhead.Observer) (*overhead.Result, error) {
	return func(_ context.Context, c overhead.Config, o overhead.Observer) (*overhead.Result, error) {
		p := overhead.Pass{Engine: "leveldb", Side: overhead.Ours, Part: overhead.PartCommon, Round: 1, Rounds: c.Rounds, Passes: 10}
		spread := bench.SpreadOf([]float64{2.5})
		r := &overhead.Result{
			Overhead: overhead.Form, Tool: bench.Tool{Name: "dbbench", Go: "go1.26"}, Config: c,
			Engines: []*overhead.Engine{{Name: "leveldb", Version: "1.23", Build: overhead.Build{Kind: "stock"}}},
			Rows: []*overhead.Row{{
				Engine: "leveldb", Workload: "fillseq", Position: 1, Part: overhead.PartCommon,
				Sides: map[overhead.Side]*overhead.Series{overhead.Ours: {Micros: []float64{2.5}, Time: &spread, Least: 2.5}},
			}},
			Passes: []overhead.PassUse{{Engine: "leveldb", Side: overhead.Ours, Part: overhead.PartCommon, Round: 1, Seconds: 3}},
		}
		o.PassStarted(p)
		o.PassTicked(p, time.Second)
		o.PassFinished(r, p)
		return r, err
	}
}

// Results, progress and the file are each where they belong.
func TestOverheadOutputs(t *testing.T) {
	d := Deps{Engines: fakeEngines(), Overhead: fakeOverhead(nil)}
	path := filepath.Join(t.TempDir(), "o.json")
	const line = "[1/10] leveldb lsmkit round 1/5: 3.0 s\n"
	for args, progress := range map[string]string{
		"overhead --json " + path:          line,
		"overhead --format json":           line,
		"overhead --quiet":                 "",
		"overhead --progress never":        "",
		"overhead --quiet --json " + path:  "",
		"overhead --rounds 5 --num 10_000": line,
	} {
		got := execute(t, d, strings.Fields(args)...)
		if got.code != exitOK || got.err != progress {
			t.Errorf("%s: code %d, stderr %q", args, got.code, got.err)
		}
		texts := []string{got.out}
		if strings.Contains(args, path) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		for i, text := range texts {
			var r overhead.Result
			isJSON := json.Unmarshal([]byte(text), &r) == nil
			if want := i == 1 || strings.Contains(args, "--format json"); isJSON != want || isJSON && len(r.Rows) != 1 {
				t.Errorf("%s: output %d is JSON: %v\n%s", args, i, isJSON, text)
			}
			if !isJSON && (!strings.Contains(text, "fillseq") || strings.Contains(text, "tool ") == strings.Contains(args, "--quiet")) {
				t.Errorf("%s: stdout\n%s", args, text)
			}
		}
	}
}

// A record of overhead is none that compare and report know, and they say so.
func TestOverheadRecordIsForeign(t *testing.T) {
	d := Deps{Engines: fakeEngines(), Overhead: fakeOverhead(nil)}
	path := filepath.Join(t.TempDir(), "o.json")
	if got := execute(t, d, "overhead", "--json", path); got.code != exitOK {
		t.Fatal(got.err)
	}
	execute(t, d, "report", path).fails(t, exitUsage, "this is no record of dbbench run")
	execute(t, d, "compare", path, path).fails(t, exitUsage, "this is no record of dbbench run")
}

func TestOverheadUsageErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"extra", "unexpected argument extra"},
		{"--nmu 5", "unknown flag --nmu; did you mean --num?"},
		{"--engines rocksbd", "unknown engine rocksbd; did you mean rocksdb?"},
		{"--engines leveldb,leveldb", "--engines: leveldb is named twice"},
		{"--engines leveldb,,", "an empty name"},
		{"--workloads fillsqe", "fillsqe is none that all sides have; did you mean fillseq?"},
		{"--workloads ycsb-a", "ycsb-a is none that all sides have"},
		{"--workloads none --extras=false", "nothing to measure"},
		{"--num 999", "--num: 999 is not between 1000 and 100000000"},
		{"--num 2e8", "--num: 200000000 is not"},
		{"--num 3G", "no unit"},
		{"--rounds 0", "--rounds: 0 is not between 1 and 1000"},
		{"--format csv", "--format csv: is not one of text, json"},
		{"--progress always", "is not one of auto, never"},
		{"--json=", "--json is empty"},
		{"--db=", "--db is empty"},
		{"--native=", "--native is empty"},
		{"--json " + dir, "is a directory"},
		{"--native " + dir + " --json " + dir + "/x.json", "--native: no program leveldb_db_bench in " + dir},
		{"--db " + dir + "/none --workloads none", "--db: stat " + dir + "/none: no such file or directory"},
	} {
		got := execute(t, untouched(t), append([]string{"overhead"}, strings.Fields(c.args)...)...)
		got.fails(t, exitUsage, c.want)
		if !strings.Contains(got.err, "(see dbbench overhead --help)") {
			t.Errorf("%s: no help is named: %s", c.args, got.err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files left by refused runs: %v", left)
	}
	execute(t, untouched(t), "overhead-part", "x").fails(t, exitUsage, "unexpected argument x")
	execute(t, untouched(t), "overhaed").fails(t, exitUsage, "did you mean overhead?")
}

// How errors of the comparison become exit codes.
func TestOverheadExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{nil, exitOK, ""},
		{fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Canceled), exitInterrupted, ""},
		{errors.New("no temporary folder"), exitFailed, "no temporary folder"},
	} {
		got := execute(t, Deps{Engines: fakeEngines(), Overhead: fakeOverhead(c.err)}, "overhead", "--progress", "never")
		if got.code != c.code || !strings.Contains(got.err, c.want) || !strings.Contains(got.out, "fillseq") {
			t.Errorf("%v: code %d, stderr %q", c.err, got.code, got.err)
		}
	}
	refused := Deps{Engines: fakeEngines(), Overhead: func(context.Context, overhead.Config, overhead.Observer) (*overhead.Result, error) {
		return nil, &bench.ConfigError{Flag: "native", Msg: "there is none"}
	}}
	path := filepath.Join(t.TempDir(), "o.json")
	execute(t, refused, "overhead", "--json", path).fails(t, exitUsage, "--native: there is none")
	if _, err := os.Stat(path); err == nil {
		t.Error("an empty file was left behind")
	}
}

// spoiltNative is a db_bench of LevelDB that has found more than there is.
func spoiltNative(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'fillrandom : 2.156 micros/op; 51.3 MB/s'\necho 'readrandom : 4.439 micros/op; (999 of 1000 found)'\n"
	if err := os.WriteFile(filepath.Join(dir, "leveldb_db_bench"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// On the real engine, in children of this program: a count that is spoilt is a
// failed row and exit code 1, and the rest is printed.
func TestOverheadSpoiltCount(t *testing.T) {
	got := execute(t, Deps{Engines: Engines()}, "overhead", "--engines", "leveldb", "--num", "1000", "--rounds", "1", "--extras=false",
		"--workloads", "fillrandom,readrandom", "--native", spoiltNative(t), "--db", t.TempDir())
	if got.code != exitFailed || !strings.Contains(got.err, "a row failed: leveldb readrandom, C++, round 1: it found 999 of 1000 keys") {
		t.Errorf("code %d, stderr %s", got.code, got.err)
	}
	for _, want := range []string{"fillrandom", "failed: leveldb readrandom, C++", "levigo"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in:\n%s", want, got.out)
		}
	}
}

// Ctrl-C in the middle of a pass in Go ends it soon: what is done is printed, and
// no store is left.
func TestOverheadInterrupt(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "dbbench", "overhead", "--engines", "leveldb", "--num", "1e6", "--workloads", "none", "--db", dir)
	var sent time.Time
	got := ended(t, cmd, func(p *os.Process) {
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
			if made, _ := filepath.Glob(filepath.Join(dir, "overhead-*", "stores", "leveldb", "CURRENT")); len(made) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond) // another process makes it
		}
		sent = time.Now()
		if err := p.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
	})
	if took := time.Since(sent); got.code != exitInterrupted || took > 8*time.Second {
		t.Errorf("code %d after %v, stderr %s", got.code, took, got.err)
	}
	if !strings.Contains(got.out, "interrupted in round 1, leveldb lsmkit") || !strings.Contains(got.err, "interrupted: stopping") {
		t.Errorf("stdout:\n%s\nstderr:\n%s", got.out, got.err)
	}
	if rest, _ := os.ReadDir(dir); len(rest) != 0 {
		t.Errorf("left behind: %v", rest)
	}
}

// On a terminal a bar counts the passes.
func TestOverheadBar(t *testing.T) {
	d := Deps{Engines: fakeEngines(), Overhead: fakeOverhead(nil), Terminal: fakeTerminal, Getenv: func(string) string { return "" }}
	var out, screen bytes.Buffer
	if code := Main(t.Context(), []string{"overhead"}, &out, terminal{&screen}, d); code != exitOK || !strings.Contains(out.String(), "fillseq") {
		t.Errorf("code %d\n%s\n%s", code, &out, &screen)
	}
}
