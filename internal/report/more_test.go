package report

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// measured is the sample without its bad rows, and with all that can be
// measured of a row: latencies as measured and corrected, intervals, resources,
// settling, and readwhilewriting with its writer.
func measured() *bench.Record {
	rec := &bench.Record{Schema: bench.Schema, Tool: bench.Tool{Name: "dbbench"}, Config: config("fillseq", "readwhilewriting")}
	rec.Config.Latency, rec.Config.Rate, rec.Config.Settle = true, 20000, true
	rec.Config.Interval, rec.Config.WriteRate = bench.Duration(1e9), 1000
	rec.Engines = sample().Engines
	rec.Engines[0].NotTold = map[string]string{"pending_compaction_bytes": "LevelDB doesn't tell", "cache_hit_rate": "LevelDB doesn't count"}
	for round := 1; round <= 5; round++ {
		for k, engine := range rec.Config.Engines {
			for i, workload := range []string{"fillseq", "readwhilewriting", bench.WriterRow} {
				rec.Results = append(rec.Results, fullRow(engine, workload, min(i+1, 2), round, int64(k+1)*int64(i+1)))
			}
		}
	}
	rec.Summary = bench.Summarize(rec)
	return rec
}

func fullRow(engine, workload string, position, round int, slow int64) bench.Result {
	ns := 700 * slow * int64(100+round) / 100
	r := bench.Result{
		Engine: engine, Workload: workload, Position: position, Round: round, Threads: 1, Status: bench.StatusOK,
		Ops: 1e6, Bytes: 116e6, Seconds: float64(ns) / 1e3, OpsPerSec: 1e9 / float64(ns), MicrosPerOp: float64(ns) / 1e3, MBPerSec: 110.6 / (float64(ns) / 1e3),
		LatencyNS: latency(ns, 1), LatencyCorrectedNS: latency(ns, 3), SampleEvery: 16,
		CPUUserSeconds: ptr(1.25 * float64(slow)), CPUSystemSeconds: ptr(0.5), RSSPeakBytes: ptr(int64(200 << 20)), RSSGrowthBytes: ptr(int64(64 << 20)),
		DiskBytes: ptr(int64(64 << 20)), BytesWritten: ptr(int64(350 << 20)),
	}
	p99 := 30 * ns
	for i := range 3 {
		r.Intervals = append(r.Intervals, bench.Interval{T: float64(i+1) * 0.25, Ops: 1e6 / 4 / slow, P99NS: &p99})
	}
	if workload == "fillseq" {
		r.WriteAmplification, r.SpaceAmplification = ptr(3.16), ptr(0.58)
		r.SettleSeconds, r.SettledOpsPerSec = ptr(0.3), ptr(r.OpsPerSec/2)
	}
	if engine == "rocksdb" {
		r.PendingCompactionBytes, r.CacheHitRate, r.StallSeconds = ptr(int64(5<<20)), ptr(0.875), ptr(0.125)
	}
	return r
}

func latency(ns, times int64) *bench.Latency {
	return &bench.Latency{
		Count: 62500, Min: ns / 3, P50: ns * times, P90: 2 * ns * times, P95: 3 * ns * times, P99: 30 * ns * times,
		P999: 400 * ns * times, P9999: 2000 * ns * times, Max: 9000 * ns * times, Mean: 1.3 * float64(ns*times),
	}
}

// many is a run with many workers; one engine doesn't count its calls.
func many() *bench.Record {
	rec := measured()
	rec.Config.Threads = 4096
	for i := range rec.Results {
		r := &rec.Results[i]
		r.Threads = rec.Config.Threads
		if r.Workload == bench.WriterRow {
			r.Threads = 1
		}
		r.OSThreads = ptr(int64(9 + r.Round))
		if r.Engine == "rocksdb" {
			r.GroupSize, r.CallsWaiting = ptr(1900.25), ptr(3811.5)
		}
	}
	return rec
}

// aa is a run of an engine against itself.
func aa() *bench.Record {
	rec := sample()
	rec.Config.Engines = []string{"rocksdb", "rocksdb"}
	for i := range rec.Engines {
		rec.Engines[i].Name = map[string]string{"leveldb": "rocksdb", "rocksdb": "rocksdb#2"}[rec.Engines[i].Name]
	}
	rec.Results = nil
	rec.Config.Workloads = []string{"fillseq", "readrandom", "readseq"}
	for round := 1; round <= 5; round++ {
		for i, workload := range rec.Config.Workloads {
			for k, engine := range rec.Config.EngineLabels() {
				r := fullRow(engine, workload, i+1, round, 1)
				r.OpsPerSec *= 1 + 0.002*float64((round*3+k*(i+1)*5)%7)
				rec.Results = append(rec.Results, bench.Result{
					Engine: engine, Workload: workload, Position: i + 1, Round: round, Threads: 1, Status: bench.StatusOK,
					Ops: r.Ops, Bytes: r.Bytes, Seconds: r.Seconds, OpsPerSec: r.OpsPerSec, MicrosPerOp: r.MicrosPerOp, MBPerSec: r.MBPerSec,
				})
			}
		}
	}
	rec.Summary, rec.Warnings = bench.Summarize(rec), nil
	return rec
}

func TestMeasuredGolden(t *testing.T) {
	golden(t, "measured.txt", written(t, measured(), FormatText, Style{}))
	golden(t, "measured.md", written(t, measured(), FormatMarkdown, Style{}))
	golden(t, "measured.csv", written(t, measured(), FormatCSV, Style{}))
	golden(t, "measured.gobench", written(t, measured(), FormatGobench, Style{}))
	golden(t, "single-measured.txt", written(t, alone(measured(), "rocksdb"), FormatText, Style{}))
	golden(t, "many.txt", written(t, many(), FormatText, Style{}))
	golden(t, "aa.txt", written(t, aa(), FormatText, Style{}))
}

func TestMeasuredFits80Columns(t *testing.T) {
	long := measured()
	for i := range long.Results {
		long.Results[i].Workload = strings.Replace(long.Results[i].Workload, "fillseq", "readrandomwriterandom", 1)
	}
	for name, rec := range map[string]*bench.Record{"measured": measured(), "aa": aa(), "long": long, "many": many()} {
		for line := range strings.Lines(written(t, rec, FormatText, Style{})) {
			if n := utf8.RuneCountInString(line) - 1; n > 80 && !strings.Contains(line, "micros/op;") {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

// CSV has each percentile and interval under its name.
func TestCSVHasLatencies(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(written(t, measured(), FormatCSV, Style{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, name := range rows[0] {
		got[name] = rows[1][i]
	}
	for name, want := range map[string]string{
		"latency_ns_p99": "21210", "latency_corrected_ns_p99": "63630", "latency_ns_count": "62500", "sample_every": "16",
		"write_amplification": "3.16", "rss_peak_bytes": "209715200", "intervals": "0.25:250000:21210 0.5:250000:21210 0.75:250000:21210",
		"settle_seconds": "0.3", "cache_hit_rate": "", "stall_seconds": "",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

// No more intervals than fit are printed, and the text says so.
func TestManyIntervals(t *testing.T) {
	rec := alone(measured(), "rocksdb")
	for i := range rec.Results {
		rec.Results[i].Intervals = make([]bench.Interval, 1000)
	}
	text := written(t, rec, FormatText, Style{})
	if !strings.Contains(text, "940 more intervals") || strings.Count(text, "\n") > 400 {
		t.Errorf("%d lines", strings.Count(text, "\n"))
	}
}

// presetRecord is a record of a preset with a table of its own: rounds rows of
// each label for each engine, the second engine takes other times as long.
func presetRecord(preset bench.Preset, rounds int, payloads ...bench.Sizes) *bench.Record {
	rec := &bench.Record{Schema: bench.Schema, Config: config()}
	rec.Config.Preset, rec.Config.Payloads = preset.Name, payloads
	for range max(1, len(payloads)) {
		rec.Config.Workloads = append(rec.Config.Workloads, preset.Workloads...)
	}
	for _, engine := range rec.Config.Engines {
		rec.Engines = append(rec.Engines, bench.EngineInfo{Name: engine})
	}
	for round := 1; round <= rounds; round++ {
		for k, engine := range rec.Config.Engines {
			for i, workload := range rec.Config.Workloads {
				seconds := (0.2 + 0.1*float64(i)) * (1 + 0.01*float64(round))
				if k == 1 {
					seconds *= []float64{0.3344, 1.5, 1.001}[i%3]
				}
				rec.Results = append(rec.Results, bench.Result{
					Engine: engine, Workload: workload, Position: i + 1, Round: round, Threads: 1, Status: bench.StatusOK,
					Ops: 2000, Seconds: seconds, OpsPerSec: 2000 / seconds, MicrosPerOp: seconds * 500,
				})
			}
		}
	}
	rec.Summary = bench.Summarize(rec)
	return rec
}

var (
	levelup = bench.Preset{Name: "levelup", Workloads: []string{"fillseq", "fillbatch", "readseq"}, Labels: []string{"put", "batch", "get ReadStream"}}
	lisk    = bench.Preset{Name: "lisk", Workloads: []string{"readrandom", "fillseq", "deleteseq"}, Labels: []string{"get", "put", "del"}}
)

func TestPresetTables(t *testing.T) {
	var b strings.Builder
	for _, rounds := range []int{3, 5} {
		fmt.Fprintf(&b, "%d rounds\n\n", rounds)
		b.WriteString(newModel(presetRecord(levelup, rounds)).levelupTable(levelup).text(Style{}) + "\n")
	}
	broken := presetRecord(levelup, 5)
	broken.Results[0].Status, broken.Results[0].Error = bench.StatusFailed, "disk full"
	broken.Summary = bench.Summarize(broken)
	b.WriteString("a failed row\n\n" + newModel(broken).levelupTable(levelup).text(Style{}) + "\n")
	sections := newModel(presetRecord(lisk, 5, bench.FixedSize(15000), bench.FixedSize(150000))).liskTables(lisk, Style{})
	if len(sections) != 2 {
		t.Errorf("%d tables for two payloads", len(sections))
	}
	sections = append(sections, newModel(alone(presetRecord(lisk, 1, bench.FixedSize(100), bench.FixedSize(200)), "leveldb")).liskTables(lisk, Style{})...)
	for _, s := range sections {
		b.WriteString(s.text(Style{}) + "\n" + s.markdown() + "\n")
	}
	golden(t, "presets.txt", b.String())
}

// A failed row has no factor and no winner, and makes none.
func TestPresetTablesHideNoFailure(t *testing.T) {
	for _, preset := range []bench.Preset{levelup, lisk} {
		rec := presetRecord(preset, 5)
		for i := range rec.Results {
			if rec.Results[i].Engine == "rocksdb" {
				rec.Results[i].Status = bench.StatusFailed
			}
		}
		rec.Summary = bench.Summarize(rec)
		m := newModel(rec)
		text := m.levelupTable(preset).grid.text()
		if preset.Name == "lisk" {
			text = m.liskTable(preset, Style{}, m.compared).grid.text()
		}
		if strings.Count(text, "failed") != 3 || strings.Contains(text, "x)") || strings.Contains(text, "rocksdb  ") && strings.Contains(text, "+") {
			t.Errorf("%s:\n%s", preset.Name, text)
		}
	}
}

// The header and Go's form say which build of a library was measured.
func TestBuilds(t *testing.T) {
	rec := sample()
	rec.Engines[0].Build = &bench.Build{Kind: bench.BuildStock, Flags: "g++ 12.2.0 -O3"}
	rec.Engines[1].Build = &bench.Build{Kind: bench.BuildTuned, Flags: "g++ 12.2.0 -O2 -fprofile-use"}
	for format, want := range map[Format]string{
		FormatText:     "leveldb 1.23 (stock), rocksdb 9.10.0 (tuned)\n",
		FormatMarkdown: "leveldb 1.23 (stock), rocksdb 9.10.0 (tuned)\n",
		FormatGobench:  "\nrocksdb-build: tuned g++ 12.2.0 -O2 -fprofile-use\n",
	} {
		if text := written(t, rec, format, Style{}); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", format, want, text)
		}
	}
}
