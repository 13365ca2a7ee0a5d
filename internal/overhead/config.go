package overhead

import (
	"fmt"
	"os"
	"slices"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// Side is one of the three ways to use an engine.
type Side string

const (
	Native Side = "cpp"    // the engine's own db_bench
	Ours   Side = "lsmkit" // this library
	Plain  Side = "plain"  // levigo or grocksdb
)

// Title is what people call the side on an engine.
func (s Side) Title(engine string) string {
	switch {
	case s == Native:
		return "C++"
	case s == Plain && engine == leveldb.Engine:
		return "levigo"
	case s == Plain && engine == rocksdb.Engine:
		return "grocksdb"
	}
	return string(s)
}

// Config is all that decides what a comparison does.
type Config struct {
	Engines []string `json:"engines"`
	// Workloads are those that all sides have, in order; each side does the whole
	// list in one process. See Workloads.
	Workloads []string `json:"workloads"`
	// Extras adds what only the sides in Go have (batches, multi-gets, seeks),
	// and the harness alone.
	Extras bool `json:"extras"`
	// Num is the number of keys, and of operations of most workloads.
	Num int64 `json:"num"`
	// Rounds is the number of passes of each side.
	Rounds int `json:"rounds"`
	// Dir is where the stores go, in a folder that is gone afterwards; empty is
	// the system's temporary folder.
	Dir string `json:"db,omitempty"`
	// Native is the folder with the db_bench programs, or the one that has it as
	// its bin; empty looks for those of the libraries that the program is linked
	// with.
	Native string `json:"native,omitempty"`
}

// Limits of the configuration. The least that there can be of workloads that do
// a thousandth is one; the most is what counts can be foretold for.
const (
	MinNum    = 1000
	MaxNum    = 100_000_000
	MaxRounds = 1000
)

// Engines are the engines that can be compared.
func Engines() []string { return []string{leveldb.Engine, rocksdb.Engine} }

// Workloads are those that mean the same in both db_bench programs and here.
func Workloads() []string {
	return []string{
		"fillseq", "fillsync", "fillrandom", "overwrite", "fill100K", "compact",
		"readrandom", "readmissing", "readseq", "readreverse",
	}
}

// DefaultConfig is the list that LevelDB's db_bench itself has as its default.
func DefaultConfig() Config {
	preset, _ := bench.FindPreset(bench.DefaultPreset)
	return Config{
		Engines:   Engines(),
		Workloads: preset.Workloads,
		Extras:    true,
		Num:       bench.DefaultNum,
		Rounds:    bench.DefaultRounds,
	}
}

// Validate checks the configuration and touches nothing. What can't be used is a
// *bench.ConfigError.
func (c *Config) Validate() error {
	for i, e := range c.Engines {
		if !slices.Contains(Engines(), e) {
			return wrong("engines", "unknown engine %q", e)
		}
		if slices.Contains(c.Engines[:i], e) {
			return wrong("engines", "%s is named twice", e)
		}
	}
	for _, name := range c.Workloads {
		if !slices.Contains(Workloads(), name) {
			return wrong("workloads", "%q is none that all sides have", name)
		}
	}
	switch {
	case len(c.Engines) == 0:
		return wrong("engines", "no engine is named")
	case len(c.Workloads) == 0 && !c.Extras:
		return wrong("workloads", "there is nothing to measure")
	case c.Num < MinNum || c.Num > MaxNum:
		return wrong("num", "%d is not between %d and %d", c.Num, MinNum, MaxNum)
	case c.Rounds < 1 || c.Rounds > MaxRounds:
		return wrong("rounds", "%d is not between 1 and %d", c.Rounds, MaxRounds)
	}
	return nil
}

// checkDir tells whether stores can be made in Dir, as far as looking tells.
func (c *Config) checkDir() error {
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	switch {
	case err != nil:
		return wrong("db", "%v", err)
	case !info.IsDir():
		return wrong("db", "%s is no folder", c.Dir)
	}
	return nil
}

func wrong(flag, format string, args ...any) error {
	return &bench.ConfigError{Flag: flag, Msg: fmt.Sprintf(format, args...)}
}

// Options of all sides: those of the harness's equal profile.
const (
	writeBuffer = 64 << 20
	tableFile   = 64 << 20
	blockCache  = 32 << 20
	blockSize   = 4 << 10
	keySize     = bench.DefaultKeySize
	valueSize   = bench.DefaultValueSize
	batchSize   = 100
)

// openFiles returns how many files may be open: all on RocksDB, the most that
// there can be on LevelDB.
func openFiles(engine string) int {
	if engine == leveldb.Engine {
		return 50_000
	}
	return store.UnlimitedFiles
}

// verifies tells whether reads check checksums, with which the harness switches
// paranoid checks. LevelDB's db_bench does neither, RocksDB's both.
func verifies(engine string) bool { return engine == rocksdb.Engine }

// storeOptions are the options of the sides in Go.
func storeOptions(engine string) store.Options {
	o := store.Options{
		CreateIfMissing: true,
		WriteBufferSize: writeBuffer,
		MaxFileSize:     tableFile,
		BlockCacheSize:  blockCache,
		BlockSize:       blockSize,
		MaxOpenFiles:    openFiles(engine),
		VerifyChecksums: store.Off,
		ParanoidChecks:  store.Off,
	}
	if verifies(engine) {
		o.VerifyChecksums, o.ParanoidChecks = store.On, store.On
	}
	return o
}

// benchConfig makes the harness do one pass over the engine with the same
// options and, on RocksDB, with keys as its db_bench writes them.
func benchConfig(c *Config, engine string) bench.Config {
	b := bench.DefaultConfig()
	b.Engines = []string{engine}
	b.Num = c.Num
	b.Rounds = 1
	o := storeOptions(engine)
	verify := verifies(engine)
	b.WriteBufferSize, b.MaxFileSize = &o.WriteBufferSize, &o.MaxFileSize
	b.CacheSize, b.BlockSize = &o.BlockCacheSize, &o.BlockSize
	b.OpenFiles, b.VerifyChecksums = &o.MaxOpenFiles, &verify
	if engine == rocksdb.Engine {
		b.KeyFormat = bench.KeyBigEndian
	}
	return b
}

// differences are what the sides do differently on an engine although their
// options are alike, as far as it can show in the figures.
func differences(engine string) []string {
	all := []string{
		"db_bench makes the values in the clock, about 2 ms a workload: 2 µs an operation of 1,000 (fillsync, fill100K); the sides in Go make them before it",
		"the sides in Go read back what they have written, outside the clock",
	}
	if engine == rocksdb.Engine {
		return append(all,
			"RocksDB's db_bench draws keys with a generator of its own, and those of fillsync and fill100K from num/1000 numbers; the sides in Go from num",
			"--writes=0 makes its fillsync and fill100K write num/1000 entries, as LevelDB's do; without it they write num",
		)
	}
	return all
}
