package report

import (
	"github.com/lsmkit/lsmkit/internal/bench"
)

func ptr[T any](x T) *T { return &x }

// sample is a record of two engines with all kinds of rows: measured, failed,
// skipped and interrupted ones, a workload that occurs twice, a compaction that
// had nothing to do.
func sample() *bench.Record {
	rec := &bench.Record{
		Schema: bench.Schema,
		Tool:   bench.Tool{Name: "dbbench", Version: "v0.1.0", Go: "go1.26.0"},
		Environment: bench.Environment{
			OS: "linux", Arch: "amd64", Kernel: "6.12.0", CPU: "An Example CPU @ 2.50GHz", Cores: 2,
			MemoryBytes: ptr(int64(8 << 30)), CgroupCPUs: ptr(1.5), Filesystem: "ext4", Device: "/dev/vda1",
			FreeBytes: ptr(int64(20 << 30)), FsyncMicros: ptr(412.0), Load: ptr(0.25),
		},
		Engines: []bench.EngineInfo{
			{Name: "leveldb", LibraryVersion: "1.23", Options: options("4/8/12", 1<<30),
				Requested: bench.OptionList{{Name: bench.OptWriteBufferSize, Value: int64(3 << 30)}},
				Notes:     map[string]string{bench.OptL0Triggers: "files in level 0 that begin a compaction, slow writes and stop writes; LevelDB's are fixed"}},
			{Name: "rocksdb", LibraryVersion: "9.10.0", Options: options("4/20/36", 3<<30)},
		},
		Config: config("fillseq", "readrandom", "readrandom", "compact", "fill100K", "fillsync"),
	}
	for round := 1; round <= 5; round++ {
		for k, engine := range rec.Config.Engines {
			rec.Results = append(rec.Results, pass(engine, round, 1+0.01*float64(round)+0.5*float64(k))...)
		}
	}
	rec.Summary = []bench.Summary{
		summary("fillseq", 1, "leveldb", 949668), compared(summary("fillseq", 1, "rocksdb", 512113), 0.5393, 0.0079, bench.VerdictSlower),
		summary("readrandom", 2, "leveldb", 251003), compared(summary("readrandom", 2, "rocksdb", 750499), 2.99, 0.0079, bench.VerdictFaster),
		summary("readrandom", 3, "leveldb", 251003), compared(summary("readrandom", 3, "rocksdb", 260000), 1.0358, 0.31, bench.VerdictNoDifference),
		summary("compact", 4, "leveldb", 0.5), notCompared(summary("compact", 4, "rocksdb", 12.3), "leveldb rewrote nothing"),
		summary("fill100K", 5, "leveldb", 2555), notCompared(summary("fill100K", 5, "rocksdb", 1720), "leveldb has failed"),
		summary("fillsync", 6, "leveldb", 2174), notCompared(bench.Summary{Workload: "fillsync", Position: 6, Engine: "rocksdb"}, "rocksdb was skipped"),
	}
	rec.Warnings = []bench.Warning{
		{Code: bench.WarnFitsRAM, Text: "the data (110.6 MiB) fits in memory"},
		{Code: bench.WarnClipped, Text: "leveldb clips write_buffer_size from 3 GiB to 1 GiB"},
	}
	return rec
}

func config(workloads ...string) bench.Config {
	c := bench.DefaultConfig()
	c.Engines = []string{"leveldb", "rocksdb"}
	c.Workloads = workloads
	c.WriteBufferSize = ptr(int64(3 << 30))
	c.Reads = c.Num
	c.Generator = "lehmer31"
	return c
}

func options(triggers string, writeBuffer int64) bench.OptionList {
	return bench.OptionList{
		{Name: bench.OptWriteBufferSize, Value: writeBuffer},
		{Name: bench.OptCacheSize, Value: int64(32 << 20)},
		{Name: bench.OptCompression, Value: "snappy"},
		{Name: bench.OptOpenFiles, Value: int64(-1)},
		{Name: bench.OptVerifyChecksums, Value: true},
		{Name: bench.OptL0Triggers, Value: triggers},
	}
}

// pass is one engine's rows in one round; slow stretches all times.
func pass(engine string, round int, slow float64) []bench.Result {
	row := func(workload string, position int, ops int64, micros float64, bytes int64) bench.Result {
		r := bench.Result{
			Engine: engine, Workload: workload, Position: position, Round: round, Threads: 1, Status: bench.StatusOK,
			Ops: ops, Bytes: bytes, MicrosPerOp: micros * slow, Seconds: micros * slow * float64(ops) / 1e6,
		}
		r.OpsPerSec = float64(ops) / r.Seconds
		r.MBPerSec = float64(bytes) / (1 << 20) / r.Seconds
		return r
	}
	rows := []bench.Result{
		row("fillseq", 1, 1e6, 1.053, 116e6), row("readrandom", 2, 1e6, 4, 100263800), row("readrandom", 3, 1e6, 3.9, 100263800),
		row("compact", 4, 1, 1.8e6, 0), row("fill100K", 5, 1000, 380, 100016000), row("fillsync", 6, 1000, 450, 116000),
	}
	rows[0].VerifiedKeys, rows[0].DiskBytes = ptr(int64(1000)), ptr(int64(64e6))
	for i := 1; i <= 2; i++ {
		rows[i].Lookups, rows[i].Found = ptr(int64(1e6)), ptr(int64(864322))
	}
	rows[3].FilesPerLevelBefore, rows[3].FilesPerLevelAfter = []int{2, 4, 11, 0}, []int{0, 0, 16, 0}
	rows[3].BytesWritten = ptr(int64(64e6))
	if engine == "leveldb" {
		rows[3].BytesWritten, rows[3].FilesPerLevelAfter = ptr(int64(0)), []int{2, 4, 11, 0}
		if round == 3 {
			rows[4] = bench.Result{
				Engine: engine, Workload: "fill100K", Position: 5, Round: 3, Threads: 1, Status: bench.StatusFailed,
				Error: "leveldb: put /data/leveldb: no space left: IO error: 000012.log:\nNo space left on device",
			}
		}
	}
	switch {
	case engine == "rocksdb":
		rows[5] = bench.Result{
			Engine: engine, Workload: "fillsync", Position: 6, Round: round, Threads: 1, Status: bench.StatusSkipped,
			Error: "would renew the store, which --use-existing-db keeps",
		}
	case round == 5:
		rows[5].Status, rows[5].Error, rows[5].Ops = bench.StatusInterrupted, "interrupted", 412
	}
	return rows
}

func summary(workload string, position int, engine string, median float64) bench.Summary {
	return bench.Summary{
		Workload: workload, Position: position, Engine: engine, Rounds: 5, MedianOpsPerSec: ptr(median),
		Low: ptr(median * 0.97), High: ptr(median * 1.12), Confidence: ptr(0.9375), MedianMicrosPerOp: ptr(1e6 / median), MedianMBPerSec: ptr(105.1),
	}
}

func compared(s bench.Summary, factor, p float64, v bench.Verdict) bench.Summary {
	s.Baseline, s.Factor, s.ChangePercent, s.P, s.Verdict = "leveldb", &factor, ptr((factor-1)*100), &p, v
	return s
}

func notCompared(s bench.Summary, note string) bench.Summary {
	s.Baseline, s.Verdict, s.Note = "leveldb", bench.VerdictNotCompared, note
	return s
}

// alone is the part of a record that one engine has.
func alone(rec *bench.Record, engine string) *bench.Record {
	out := *rec
	out.Config.Engines, out.Engines, out.Results, out.Summary = []string{engine}, nil, nil, nil
	for _, e := range rec.Engines {
		if e.Name == engine {
			out.Engines = append(out.Engines, e)
		}
	}
	for _, r := range rec.Results {
		if r.Engine == engine {
			out.Results = append(out.Results, r)
		}
	}
	for _, s := range rec.Summary {
		if s.Engine == engine {
			s.Baseline, s.Factor, s.ChangePercent, s.P, s.Verdict, s.Note = "", nil, nil, nil, "", ""
			out.Summary = append(out.Summary, s)
		}
	}
	return &out
}

// withStats is a record with a row that has text and no figures.
func withStats() *bench.Record {
	rec := alone(sample(), "rocksdb")
	rec.Results = append(rec.Results, bench.Result{
		Engine: "rocksdb", Workload: "stats", Position: 7, Round: 5, Threads: 1, Status: bench.StatusOK,
		Text: "** Compaction Stats [default] **\n  L0   2/0\n\nUptime(secs): 5.0 total\x1b[2J\n",
	})
	return rec
}

// three is the sample with a third engine that does as the second.
func three() *bench.Record {
	rec := sample()
	third := alone(rec, "rocksdb")
	rec.Config.Engines = append(rec.Config.Engines, "memstore")
	rec.Engines = append(rec.Engines, bench.EngineInfo{Name: "memstore", LibraryVersion: "1", Options: options("-", 0)})
	for _, r := range third.Results {
		r.Engine = "memstore"
		rec.Results = append(rec.Results, r)
	}
	for _, s := range sample().Summary {
		if s.Engine == "rocksdb" {
			s.Engine = "memstore"
			rec.Summary = append(rec.Summary, s)
		}
	}
	return rec
}
