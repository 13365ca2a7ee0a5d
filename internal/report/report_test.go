package report

import (
	"bytes"
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"github.com/lsmkit/lsmkit/internal/bench"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func written(t *testing.T, rec *bench.Record, f Format, s Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, rec, f, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	tooFew := sample()
	for i := range tooFew.Summary {
		if s := &tooFew.Summary[i]; s.Baseline != "" {
			s.Verdict, s.Note = bench.VerdictTooFew, ""
		}
	}
	for name, c := range map[string]struct {
		rec    *bench.Record
		format Format
		style  Style
	}{
		"pair.txt":     {rec: sample(), format: FormatText},
		"bold.txt":     {sample(), FormatText, Style{Bold: true}},
		"quiet.txt":    {sample(), FormatText, Style{NoHeader: true}},
		"single.txt":   {rec: alone(sample(), "leveldb"), format: FormatText},
		"stats.txt":    {rec: withStats(), format: FormatText},
		"three.txt":    {rec: three(), format: FormatText},
		"toofew.txt":   {rec: tooFew, format: FormatText},
		"empty.txt":    {rec: &bench.Record{}, format: FormatText},
		"pair.md":      {rec: sample(), format: FormatMarkdown},
		"pair.csv":     {rec: sample(), format: FormatCSV},
		"pair.json":    {rec: sample(), format: FormatJSON},
		"pair.gobench": {rec: sample(), format: FormatGobench},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, written(t, c.rec, c.format, c.style)) })
	}
}

// Text fits a terminal of 80 columns, and has no escape codes unless asked.
func TestTextFits80Columns(t *testing.T) {
	long := sample()
	for i := range long.Results {
		long.Results[i].Workload = strings.ReplaceAll(long.Results[i].Workload, "readrandom", "readrandomwriterandom")
	}
	for i := range long.Summary {
		long.Summary[i].Workload = strings.ReplaceAll(long.Summary[i].Workload, "readrandom", "readrandomwriterandom")
	}
	for name, rec := range map[string]*bench.Record{"pair": sample(), "three": three(), "single": alone(sample(), "rocksdb"), "long": long} {
		text := written(t, rec, FormatText, Style{})
		for line := range strings.Lines(text) {
			// A line of db_bench's form is as long as its name and its message.
			if n := utf8.RuneCountInString(line) - 1; n > 80 && !strings.Contains(line, "micros/op;") {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
		if strings.ContainsAny(text, "\x1b\r") {
			t.Errorf("%s: escape codes in plain text", name)
		}
	}
}

func TestJSONReadsBack(t *testing.T) {
	rec := sample()
	text := written(t, rec, FormatJSON, Style{})
	again, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := written(t, again, FormatJSON, Style{}); got != text {
		t.Error(cmp.Diff(text, got))
	}
	if got, want := written(t, again, FormatText, Style{}), written(t, rec, FormatText, Style{}); got != want {
		t.Errorf("a record that was read renders otherwise (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "not JSON": "fillseq", "array": "[]", "other schema": `{"schema": 2}`, "no schema": "{}",
		"cut": `{"schema": 1, "results": [`, "two": `{"schema": 1} {"schema": 1}`, "wrong type": `{"schema": 1, "results": 3}`,
		"garbage behind": `{"schema": 1}}`, "no engine": `{"schema": 1, "results": [{}]}`,
		"no such place":  `{"schema": 1, "results": [{"engine": "a", "workload": "b", "status": "ok", "position": 1, "round": 1, "threads": 1}]}`,
		"unknown status": `{"schema": 1, "results": [{"engine": "a", "workload": "b", "status": "fine"}]}`,
	} {
		if rec, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: read as %+v", name, rec)
		}
	}
}

func TestJSONRefusesWhatIsNotFinite(t *testing.T) {
	rec := sample()
	rec.Results[0].OpsPerSec = math.Inf(1)
	if err := JSON(&bytes.Buffer{}, rec); err == nil {
		t.Error("an infinite rate was written")
	}
}

func TestCSVParses(t *testing.T) {
	rec := sample()
	rows, err := csv.NewReader(strings.NewReader(written(t, rec, FormatCSV, Style{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(rec.Results) {
		t.Errorf("%d lines for %d rows", len(rows), len(rec.Results))
	}
}

// benchfmt, which benchstat stands on, reads each measured row with its
// figures.
func TestGobenchReadsBack(t *testing.T) {
	rec := sample()
	r := benchfmt.NewReader(strings.NewReader(written(t, rec, FormatGobench, Style{})), "gobench")
	var got []*benchfmt.Result
	for r.Scan() {
		switch res := r.Result().(type) {
		case *benchfmt.Result:
			got = append(got, res.Clone())
		case *benchfmt.SyntaxError:
			t.Error(res)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	i := 0
	for k := range rec.Results {
		row := &rec.Results[k]
		if row.Status != bench.StatusOK {
			continue
		}
		if i == len(got) {
			t.Fatalf("only %d lines read", len(got))
		}
		res := got[i]
		i++
		nsPerOp, ok := res.Value("sec/op")
		if !ok || math.Abs(nsPerOp*1e6-row.MicrosPerOp) > row.MicrosPerOp/1000 || res.Iters != int(row.Ops) {
			t.Errorf("%s: %v s/op in %d operations, want %v µs in %d", res.Name, nsPerOp, res.Iters, row.MicrosPerOp, row.Ops)
		}
		base, parts := res.Name.Parts()
		if want := "/engine=" + row.Engine; len(parts) < 2 || string(parts[0]) != want || !strings.EqualFold(string(base), row.Workload) {
			t.Errorf("name is %s", res.Name)
		}
		if res.GetConfig("leveldb-version") != "1.23" {
			t.Errorf("%s: LevelDB's version is %q", res.Name, res.GetConfig("leveldb-version"))
		}
	}
	if i != len(got) {
		t.Errorf("%d lines for %d rows", len(got), i)
	}
}

// Whatever a file holds that reads as a record, no renderer fails on it.
func FuzzRenderers(f *testing.F) {
	var b bytes.Buffer
	small := sample()
	small.Results = small.Results[:8]
	if err := JSON(&b, small); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema": 1, "summary": [{"engine": "a", "rounds": 9, "low": 1}], "engines": [{"name": "a"}], "config": {"workloads": ["b"]},
		"results": [{"engine": "a", "workload": "b", "status": "ok", "position": 1, "round": 1, "threads": 1, "found": 1, "text": "\u001b[2J"}]}`))
	f.Add([]byte(`{"schema": 1, "engines": [{}, {"options": {"cache_size": 1e30, "l1_size": null}}], "warnings": [{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, format := range Formats() {
			var out bytes.Buffer
			if err := Write(&out, rec, Format(format), Style{}); err != nil {
				t.Errorf("%s: %v", format, err)
			}
			if format == string(FormatText) && bytes.ContainsAny(out.Bytes(), "\x1b\r\x07") {
				t.Errorf("control characters: %q", out.String())
			}
		}
	})
}
