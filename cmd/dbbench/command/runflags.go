package command

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// addFlags adds the flags of run, in the order of the help.
func (o *runOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	o.addWorkFlags(f)
	o.addTimeFlags(f)
	o.addDataFlags(f)
	o.addEngineFlags(f)
	f.Var(choice(&o.format, report.Formats()...), "format", "form of the results on stdout: text, markdown, csv, json or gobench")
	f.StringVar(&o.jsonFile, "json", "", "`file` to write the record to")
	f.StringVar(&o.csvFile, "csv", "", "`file` to write all rows to")
	f.Var(choice(&o.progress, "auto", "never"), "progress", "progress on stderr: auto or never")
	f.BoolVar(&o.quiet, "quiet", false, "no header and no progress")
}

// addWorkFlags adds those that say what is done, and how much of it.
func (o *runOptions) addWorkFlags(f *pflag.FlagSet) {
	c := &o.config
	f.Var(list(&c.Engines), "engines", "engines to run, the first being the baseline; one named twice shows the noise")
	f.StringVar(&c.Preset, "preset", "", "`name` of a list of workloads (default \"leveldb\"; see dbbench list presets)")
	f.Var(list(&c.Workloads), "workloads", "workloads in order, instead of a preset (see dbbench list workloads)")
	f.Var(count(&c.Num), "num", "number of keys, and of operations of the writing workloads")
	f.Var(derivedCount(&c.Reads), "reads", "number of operations of the reading workloads (default --num)")
	f.Var(count(&c.Threads), "threads", "goroutines that share a workload's operations")
	f.Var(count(&c.BatchSize), "batch-size", "entries of a batch, and keys of a multi-get")
	f.Var(count(&c.ReadPercent), "read-percent", "share of gets in readrandomwriterandom, 0 to 100")
	f.Var(count(&c.SeekNexts), "seek-nexts", "steps after each seek of seekrandom")
	f.Var(count(&c.ScanLength), "scan-length", "entries of each scan of scanrange, and at most of ycsb-e")
	f.Var(count(&c.RangeLength), "range-length", "keys of each range of deleterange")
	f.StringVar(&c.Pattern, "pattern", c.Pattern, "glob `pattern` of find: *, ?, [a-z]")
	f.Var(count(&c.Rounds), "rounds", "passes on each engine; fewer than 4 show no difference")
	f.Var(count(&c.Seed), "seed", "base of the random numbers")
}

// addTimeFlags adds those that say how fast, how long, and what is timed.
func (o *runOptions) addTimeFlags(f *pflag.FlagSet) {
	c := &o.config
	f.DurationVar((*time.Duration)(&c.Duration), "duration", 0, "how long each workload runs, whatever --num and --reads (default until all is done)")
	f.DurationVar((*time.Duration)(&c.Warmup), "warmup", 0, "how long random keys are read before each workload that reads")
	f.BoolVar(&c.Latency, "latency", false, "measure how long operations take, and show percentiles")
	f.Var(rate(&c.Rate), "rate", "operations a second to begin on schedule, an open loop; needs --latency (default as many as can be)")
	f.Var(count(&c.WriteRate), "write-rate", "writes a second of readwhilewriting's writer; 0 is as many as it can")
	f.DurationVar((*time.Duration)(&c.Interval), "interval", 0, "show rates, and with --latency the p99, for each such time")
	f.BoolVar(&c.Settle, "settle", false, "wait for compaction after each workload that writes, and count that too")
}

// addDataFlags adds those about keys, values and where they are.
func (o *runOptions) addDataFlags(f *pflag.FlagSet) {
	c := &o.config
	f.Var(size(&c.KeySize), "key-size", "size of a key, its prefix included")
	f.StringVar(&c.KeyPrefix, "key-prefix", "", "`text` that each key begins with")
	f.Var(choice(&c.KeyFormat, string(bench.KeyDecimal), string(bench.KeyBigEndian), string(bench.KeyPlain)), "key-format",
		"how a key's number is written: decimal, bigendian or plain (without zeros in front)")
	f.Var(sizes(&c.ValueSize, &c.Payloads), "value-size", "size of a value, or a distribution such as uniform:50-200; several with commas run a preset for each")
	f.Var(fraction(&c.CompressionRatio), "compression-ratio", "what values can be compressed to: 0.5 is half")
	f.BoolVar(&c.Sync, "sync", false, "sync each write to the device")
	f.StringVar(&c.DB, "db", "", "`folder` of the stores (default a temporary one)")
	f.BoolVar(&c.UseExistingDB, "use-existing-db", false, "use the stores in --db, and replace nothing")
	f.BoolVar(&c.KeysFromDB, "keys-from-db", false, "read keys that are in the store, whoever wrote them; needs --use-existing-db")
	f.BoolVar(&c.KeepDB, "keep-db", false, "keep the temporary folder")
}

// addEngineFlags adds the engines' options.
func (o *runOptions) addEngineFlags(f *pflag.FlagSet) {
	c := &o.config
	f.Var(choice(&c.Profile, string(bench.ProfileEqual), string(bench.ProfileStock)), "profile",
		"where options come from: equal sets alike what both engines have, stock is what upstream ships")
	f.Var(choice(&c.Compression, codecs...), "compression", "codec of table blocks: none, snappy, lz4, zstd or zlib (default the profile's)")
	f.Var(optionalSize(&c.CacheSize), "cache-size", "size of the block cache (default the profile's)")
	f.Var(optionalSize(&c.WriteBufferSize), "write-buffer-size", "size of a memtable (default the profile's)")
	f.Var(optionalSize(&c.BlockSize), "block-size", "size of a table block (default the profile's)")
	f.Var(optionalCount(&c.BloomBits), "bloom-bits", "bits of the bloom filter for each key; 0 is no filter (default the profile's)")
	f.Var(optionalCount(&c.OpenFiles), "open-files", "limit of open files; -1 is none (default the profile's)")
	f.Var(optionalSize(&c.MaxFileSize), "max-file-size", "size of a table file (default the profile's)")
	f.Var(optionalBool(&c.VerifyChecksums), "verify-checksums", "check the checksum of each block read (default the profile's)")
	f.Lookup("verify-checksums").NoOptDefVal = "true"
	f.Var(texts(&o.engineOptions), "engine-option", "option of one engine, ENGINE:KEY=VALUE, over the flags for all; may be repeated")
}

// heeded are flags that only some workloads heed.
var heeded = []struct {
	flag      string
	workloads []string
}{
	{"read-percent", []string{"readrandomwriterandom"}},
	{"seek-nexts", []string{"seekrandom"}},
	{"scan-length", []string{"scanrange", "ycsb-e"}},
	{"range-length", []string{"deleterange"}},
	{"pattern", []string{"find"}},
	{"write-rate", []string{"readwhilewriting"}},
}
