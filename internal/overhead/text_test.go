package overhead

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
)

// sample is a result with all kinds of rows: slower and faster ones, one that
// isn't shown to be either, one that has failed.
func sample() *Result {
	c := DefaultConfig()
	c.Num, c.Rounds = 1_000_000, 5
	r := newResult(c)
	r.Tool = bench.Tool{Name: "dbbench", Version: "v1.0.0", Go: "go1.26.8"}
	memory, load, fsync := int64(8<<30), 0.25, 412.0
	r.Environment = bench.Environment{
		OS: "linux", Arch: "amd64", Kernel: "6.18", CPU: "Example CPU", Cores: 2, MemoryBytes: &memory, Filesystem: "ext4",
		Device: "/dev/vda1", Load: &load, FsyncMicros: &fsync,
	}
	stock := Build{Kind: "stock", Compiler: "g++ x86_64-linux-gnu 12.2.0", Key: "leveldb-1.23-rocksdb-9.10.0-0123"}
	tuned := Build{Kind: "tuned", Compiler: stock.Compiler, Key: "tuned-0123"}
	for _, engine := range Engines() {
		e := &Engine{Name: engine, Version: "9.10.0", Build: stock, Differs: differences(engine)}
		e.Native = &Program{Build: stock, Command: engine + "_db_bench " + strings.Join(nativeArgs(&c, engine, "DIR"), " ")}
		e.Options = bench.OptionList{{Name: bench.OptWriteBufferSize, Value: int64(64 << 20)}, {Name: bench.OptVerifyChecksums, Value: verifies(engine)}}
		r.Engines = append(r.Engines, e)
	}
	r.Engines[0].Version = "1.23"
	r.Engines[1].Build, r.Engines[1].OptionDiff = tuned, []string{}
	base := map[string]float64{"fillsync": 400, "compact": 900_000, "fill100K": 300, "readseq": 0.134, "readreverse": 0.21}
	for _, p := range c.passes() {
		var cells []Cell
		for i, row := range r.RowsOf(p.Engine, p.Part) {
			micros := base[row.Workload]
			if micros == 0 {
				micros = 2.5
			}
			slower := map[Side]float64{Native: 1, Ours: 1 + 0.01*float64(i-3), Plain: 1.5}[p.Side]
			noise := 1 + 0.004*float64((p.Round*7)%5)
			if row.Workload == "fillsync" {
				noise *= 1 + 0.3*float64((p.Round*3+len(p.Side))%5)
			}
			cell := Cell{Workload: row.Workload, Micros: micros * slower * noise, CPU: 0.5}
			if e := row.Expected; e != nil {
				cell.Ops, cell.Lookups, cell.Found = e.Ops, e.Lookups, e.Found
				if p.Side == Native && p.Engine == rocksdb.Engine && e.Tolerance > 0 {
					cell.Found += 321
				}
			}
			cells = append(cells, cell)
		}
		if p.Engine == rocksdb.Engine && p.Part == PartCommon && p.Side == Ours && p.Round == 3 {
			cells[9].Found--
		}
		use := PassUse{Engine: p.Engine, Side: p.Side, Part: p.Part, Round: p.Round, Seconds: 20 + float64(p.Round), Usage: Usage{15, 2.5}}
		if p.Side != Native {
			use.CPUClockedSeconds = 14
		}
		r.Passes = append(r.Passes, use)
		r.add(p, cells, nil)
	}
	return r
}

func TestText(t *testing.T) {
	for name, header := range map[string]bool{"text.out": true, "quiet.out": false} {
		var b strings.Builder
		if err := WriteText(&b, sample(), header); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > 80 && len(strings.Fields(line)) > 1 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

// The fields of a record, by their names.
func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := WriteJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal([]byte(b.String()), &record); err != nil {
		t.Fatal(err)
	}
	for path, fields := range map[string]string{
		"":                  "overhead tool environment config engines rows geometric_means passes",
		"config":            "engines workloads extras num rounds",
		"engines":           "name version build native options option_diff differs",
		"engines/build":     "kind compiler key",
		"engines/native":    "path build command",
		"rows":              "engine workload position part expected sides comparisons",
		"rows/expected":     "ops about tolerance",
		"rows/sides/cpp":    "micros_per_op time least",
		"rows/sides/lsmkit": "micros_per_op ops time least",
		"rows/comparisons":  "of to factor least_factor latency_percent throughput_percent verdict p",
		"geometric_means":   "engine part of to factor least_factor rows",
		"passes":            "engine side part round seconds cpu_user_seconds cpu_system_seconds",
	} {
		at := any(record)
		for step := range strings.SplitSeq(path, "/") {
			if step != "" {
				at = at.(map[string]any)[step]
			}
			if list, ok := at.([]any); ok {
				at = list[0]
			}
		}
		for field := range strings.FieldsSeq(fields) {
			if _, ok := at.(map[string]any)[field]; !ok {
				t.Errorf("%q has no %s", path, field)
			}
		}
	}
}

// Times are compared by their medians and by the least, and a series that has
// failed not at all.
func TestCompare(t *testing.T) {
	series := func(times ...float64) *Series {
		r := &Row{Sides: map[Side]*Series{Ours: {Micros: times}}}
		r.summarize()
		return r.Sides[Ours]
	}
	a, b := series(9, 2, 4), series(1, 2, 100)
	c, ok := compare(a, b)
	if !ok || c.Factor != 2 || c.Least != 2 || c.LatencyPercent != 100 || c.ThroughputPercent != -50 || c.Shown() {
		t.Errorf("%+v", c)
	}
	slow, fast := series(2, 2.1, 2.2, 2.3), series(1, 1.1, 1.2, 1.3)
	if c, _ := compare(slow, fast); c.Verdict != bench.VerdictSlower || !c.Shown() {
		t.Errorf("slower: %+v", c)
	}
	if c, _ := compare(fast, slow); c.Verdict != bench.VerdictFaster {
		t.Errorf("faster: %+v", c)
	}
	failed := series(1, 2, 3)
	failed.Error = "round 2: x"
	for _, other := range []*Series{nil, {}, failed, series(0, 0)} {
		if _, ok := compare(a, other); ok {
			t.Errorf("compared with %+v", other)
		}
		if _, ok := compare(other, a); ok {
			t.Errorf("%+v is compared", other)
		}
	}
}

// The mean leaves failed rows out, and says over how many rows it is.
func TestMeans(t *testing.T) {
	r := sample()
	m, ok := r.Mean(leveldb.Engine, PartCommon, Plain, Native)
	if !ok || m.Rows != 13 || m.Factor < 1.4 || m.Factor > 1.6 || m.Least < 1.4 || m.Least > 1.6 {
		t.Errorf("%+v", m)
	}
	if m, _ := r.Mean(rocksdb.Engine, PartCommon, Ours, Native); m.Rows != 12 {
		t.Errorf("a failed row counts: %+v", m)
	}
	if m, _ := r.Mean(rocksdb.Engine, PartCommon, Plain, Native); m.Rows != 13 {
		t.Errorf("the other sides of a failed row don't count: %+v", m)
	}
}
