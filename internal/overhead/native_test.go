package overhead

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseRow(t *testing.T) {
	for _, c := range []struct {
		line string
		want Cell
		ok   bool
	}{
		{"fillseq      :       2.156 micros/op;   51.3 MB/s", Cell{Workload: "fillseq", Micros: 2.156}, true},
		{"fillsync     :     412.000 micros/op;    0.3 MB/s (1000 ops)", Cell{Workload: "fillsync", Micros: 412, Ops: 1000}, true},
		{"readrandom   :       4.439 micros/op; (259666 of 300000 found)", Cell{Workload: "readrandom", Micros: 4.439, Found: 259666, Lookups: 300000}, true},
		{"compact      :  572043.000 micros/op;", Cell{Workload: "compact", Micros: 572043}, true},
		{"readseq      :       0.134 micros/op;  825.6 MB/s", Cell{Workload: "readseq", Micros: 116 / (825.6 * 1.048576)}, true},
		{"readseq      :       0.134 micros/op;   12.0 MB/s", Cell{Workload: "readseq", Micros: 0.134}, true}, // other entries
		{"readseq      :       0.125 micros/op 8000000 ops/sec 0.125 seconds 1000000 operations;  885.1 MB/s", Cell{Workload: "readseq", Micros: 0.125, Ops: 1_000_000}, true},
		{"readrandom   :       7.497 micros/op 133387 ops/sec 2.249 seconds 300000 operations;   12.7 MB/s (7 of 9 found)", Cell{Workload: "readrandom", Micros: 1e6 / 133387.0, Ops: 300_000, Found: 7, Lookups: 9}, true},
		{"fill100K     :     202.123 micros/op 4947 ops/sec 0.202 seconds 1000 operations;  471.9 MB/s (1000 ops)", Cell{Workload: "fill100K", Micros: 202.123, Ops: 1000}, true},
		{"Keys:       16 bytes each", Cell{}, false},
		{"DB path: [/x/readseq : 1.0]", Cell{}, false},
		{"fillseq : 1.2.3 micros/op", Cell{}, false},
		{"", Cell{}, false},
	} {
		got, ok := parseRow(c.line)
		if math.Abs(got.Micros-c.want.Micros) > 1e-9 || ok != c.ok {
			t.Errorf("%q gives %+v, %v", c.line, got, ok)
		}
		if got.Micros = c.want.Micros; got != c.want {
			t.Errorf("%q gives %+v", c.line, got)
		}
	}
}

// No line from outside brings the parser down, or makes a row that is no row.
func FuzzParseRow(f *testing.F) {
	f.Add("readseq      :       0.134 micros/op;  825.6 MB/s")
	f.Add("readrandom   :       7.497 micros/op 133387 ops/sec 2.249 seconds 300000 operations; (7 of 9 found)")
	f.Fuzz(func(t *testing.T, line string) {
		c, ok := parseRow(line)
		if ok && (c.Workload == "" || c.Micros < 0 || math.IsNaN(c.Micros) || c.Ops < 0) || !ok && c != (Cell{}) {
			t.Errorf("%q gives %+v, %v", line, c, ok)
		}
	})
}

func TestLastLine(t *testing.T) {
	if got := lastLine("a\n... finished 100 ops\ropen error: x \n"); got != "open error: x" {
		t.Errorf("last line %q", got)
	}
	if got := lastLine(""); got == "" {
		t.Error("an empty text has no last line, and says so")
	}
}

// Both programs are told what the sides in Go do, RocksDB's also to write a
// thousandth in its slow workloads.
func TestNativeArgs(t *testing.T) {
	c := DefaultConfig()
	for engine, want := range map[string][]string{
		"leveldb": {"--max_file_size=67108864", "--open_files=50000"},
		"rocksdb": {"--target_file_size_base=67108864", "--open_files=-1", "--writes=0", "--seed=1000", "--key_size=16"},
	} {
		args := nativeArgs(&c, engine, "/x")
		want = append(want, "--db=/x", "--num=1000000", "--cache_size=33554432",
			"--benchmarks=fillseq,fillsync,fillrandom,overwrite,readrandom,readrandom,readseq,readreverse,compact,readrandom,readseq,readreverse,fill100K")
		for _, arg := range want {
			if !slices.Contains(args, arg) {
				t.Errorf("%s is not told %s: %q", engine, arg, args)
			}
		}
	}
}

func TestOptionDiff(t *testing.T) {
	write := func(options, log string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"OPTIONS-000005": "[DBOptions]\n max_open_files=7\n", "OPTIONS-000007": options, "LOG": log} {
			writeFile(t, filepath.Join(dir, name), text, 0o644)
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

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Where the programs are looked for, in this order: the configuration, the
// environment, the libraries in this program, LSMKIT_DEPS.
func TestFindProgram(t *testing.T) {
	dir := t.TempDir()
	at := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	for _, path := range []string{at("flat", "leveldb_db_bench"), at("prefix", "bin", "leveldb_db_bench"), at("own"), at("linked", "bin", "leveldb_db_bench")} {
		writeFile(t, path, "#!/bin/sh\n", 0o755)
	}
	writeFile(t, at("text", "leveldb_db_bench"), "no program", 0o644)
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	for _, c := range []struct {
		name         string
		native       string
		linked       string
		own, deps    string
		want, failed string
	}{
		{name: "folder", native: at("flat"), own: at("own"), linked: at("linked"), want: at("flat", "leveldb_db_bench")},
		{name: "prefix", native: at("prefix"), want: at("prefix", "bin", "leveldb_db_bench")},
		{name: "no such folder", native: at("none"), linked: at("linked"), failed: "no program leveldb_db_bench in"},
		{name: "not to be run", native: at("text"), failed: "no program"},
		{name: "variable", own: at("own"), linked: at("linked"), want: at("own")},
		{name: "wrong variable", own: at("none"), linked: at("linked"), failed: "which LSMKIT_DB_BENCH_LEVELDB names"},
		{name: "linked", linked: at("linked"), deps: at("prefix"), want: at("linked", "bin", "leveldb_db_bench")},
		{name: "LSMKIT_DEPS", linked: at("none"), deps: at("prefix"), want: at("prefix", "bin", "leveldb_db_bench")},
		{name: "system's libraries", failed: "scripts/build-deps.sh --from-source builds it"},
	} {
		env["LSMKIT_DB_BENCH_LEVELDB"], env["LSMKIT_DEPS"] = c.own, c.deps
		got, err := (&places{native: c.native, linked: c.linked, getenv: getenv}).find("leveldb")
		if got != c.want || (err == nil) != (c.failed == "") || err != nil && !strings.Contains(err.Error(), c.failed) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "with space", "leveldb-1.23-abc")
	writeFile(t, filepath.Join(prefix, "stamp"), "leveldb 1.23 sum\ncompiler g++ x86_64-linux-gnu 12.2.0\nleveldb-option -O3\n", 0o644)
	want := Build{Kind: "stock", Compiler: "g++ x86_64-linux-gnu 12.2.0", Key: "leveldb-1.23-abc"}
	if got := buildOf(filepath.Join(prefix, "bin", "leveldb_db_bench")); got != want {
		t.Errorf("%+v", got)
	}
	if got := prefixIn("-L/usr/lib \"-L" + prefix + "/lib\" -lleveldb"); got != prefix {
		t.Errorf("the libraries come from %q", got)
	}
	if got := prefixIn("-L/usr/lib -lleveldb"); got != "" {
		t.Errorf("the system's libraries come from %q", got)
	}
	if got := readBuild(""); got != (Build{Kind: "system"}) {
		t.Errorf("the system's build is %+v", got)
	}
	writeFile(t, filepath.Join(prefix, "stamp"), "build tuned\n", 0o644)
	if got := readBuild(prefix); got.Kind != "tuned" {
		t.Errorf("%+v", got)
	}
}
