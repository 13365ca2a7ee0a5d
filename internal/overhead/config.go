package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// A side is one of the three ways to use an engine.
type side string

const (
	sideNative side = "C++"
	sideOurs   side = "lsmkit"
	sidePlain  side = "plain"
)

// config is all that decides what a comparison does.
type config struct {
	Engines   []string `json:"engines"`
	Workloads []string `json:"workloads"` // those that C++ db_bench has too, in order
	Extras    bool     `json:"extras"`    // and those that only Go has
	Num       int64    `json:"num"`
	Rounds    int      `json:"rounds"`
	Dir       string   `json:"-"` // where the stores go; empty: the system's temporary folder
	Native    string   `json:"-"` // the prefix with the native benchmarks in its bin
}

// commonWorkloads mean the same in both db_bench programs and in ours.
var commonWorkloads = []string{
	"fillseq", "fillrandom", "overwrite", "compact", "readrandom", "readmissing", "readseq", "readreverse",
}

// defaultConfig fills, then compacts, so that the reads find the same store on
// all sides.
func defaultConfig() config {
	return config{
		Engines:   []string{leveldb.Engine, rocksdb.Engine},
		Workloads: []string{"fillseq", "fillrandom", "overwrite", "compact", "readrandom", "readseq", "readreverse"},
		Extras:    true,
		Num:       bench.DefaultNum,
		Rounds:    bench.DefaultRounds,
	}
}

// validate checks the configuration and touches nothing.
func (c *config) validate() error {
	known := defaultConfig().Engines
	for _, e := range c.Engines {
		if !slices.Contains(known, e) {
			return fmt.Errorf("-engine: unknown engine %q", e)
		}
	}
	for _, name := range c.Workloads {
		if !slices.Contains(commonWorkloads, name) {
			return fmt.Errorf("-workloads: %q is none that all sides have", name)
		}
	}
	switch {
	case len(c.Engines) == 0:
		return errors.New("-engine: no engine")
	case len(c.Workloads) == 0 && !c.Extras:
		return errors.New("-workloads: nothing to measure")
	case c.Num < 1000 || c.Num > 1_000_000_000:
		return fmt.Errorf("-num: %d is not between 1000 and 1000000000", c.Num)
	case c.Rounds < 1 || c.Rounds > 1000:
		return fmt.Errorf("-rounds: %d is not between 1 and 1000", c.Rounds)
	case c.Native == "" && len(c.Workloads) > 0:
		return errors.New("LSMKIT_DEPS is empty: only libraries that are built from source come with the native benchmarks")
	}
	for _, e := range c.Engines {
		if len(c.Workloads) == 0 {
			break
		}
		if _, err := os.Stat(c.program(e)); err != nil {
			return fmt.Errorf("no native benchmark: %w", err)
		}
	}
	return nil
}

// program is the engine's native benchmark.
func (c *config) program(engine string) string {
	return filepath.Join(c.Native, "bin", engine+"_db_bench")
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
func benchConfig(c *config, engine string) bench.Config {
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
