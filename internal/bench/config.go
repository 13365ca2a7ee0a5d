package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// Profile says how the engines' options are chosen.
type Profile string

const (
	// ProfileEqual sets alike what both engines can set.
	ProfileEqual Profile = "equal"
	// ProfileStock leaves each engine as its upstream ships it.
	ProfileStock Profile = "stock"
)

// KeyFormat says how a key number becomes a key.
type KeyFormat string

const (
	// KeyDecimal is the number in decimal digits, padded with zeros in front to
	// the key size, as LevelDB's db_bench writes keys.
	KeyDecimal KeyFormat = "decimal"
	// KeyBigEndian is the number in 8 bytes, big endian, padded with '0' behind to
	// the key size, as RocksDB's db_bench writes keys.
	KeyBigEndian KeyFormat = "bigendian"
	// KeyPlain is the number in decimal digits without padding, as the levelup
	// benchmark writes keys: their lengths and their order differ.
	KeyPlain KeyFormat = "plain"
)

// Config is everything that decides what a run does. Its JSON form is the
// record's "config": one field a flag, resolved. DefaultConfig gives the values
// that the flags have when they are not set; Resolve checks them and fills in
// what follows from others.
//
// Pointers that are nil leave the choice to the profile.
type Config struct {
	// Engines are the names of the engines to run, the first being the baseline
	// of comparisons.
	Engines []string `json:"engines"`
	// Preset is the name of the preset that the list comes from; empty when
	// Workloads was given.
	Preset string `json:"preset,omitempty"`
	// Workloads is the list, in order. Resolve fills it from Preset when empty,
	// and replaces aliases by names.
	Workloads []string `json:"workloads"`

	// Num is the number of keys, and of operations of the writing workloads.
	Num int64 `json:"num"`
	// Reads is the number of operations of the reading workloads; negative means
	// Num. Without keys there is nothing to read.
	Reads int64 `json:"reads"`
	// Threads is the number of workers that share the operations of a workload.
	// (db_bench does all of them in each thread.)
	Threads int `json:"threads"`
	// BatchSize is the number of entries of a batch, and of keys of a MultiGet.
	BatchSize int `json:"batch_size"`
	// SeekNexts is the number of steps after each seek of seekrandom.
	SeekNexts int `json:"seek_nexts"`
	// ScanLength is the number of entries of each scan of scanrange.
	ScanLength int `json:"scan_length"`
	// RangeLength is the number of keys of each range of deleterange.
	RangeLength int64 `json:"range_length"`
	// Pattern is the glob pattern of find.
	Pattern string `json:"pattern"`
	// ReadPercent is the share of reads in readrandomwriterandom.
	ReadPercent int `json:"read_percent"`
	// WriteRate is the number of writes a second of the writer of
	// readwhilewriting; 0 is as many as it can.
	WriteRate int64 `json:"write_rate"`
	// Duration, if not 0, is how long each workload runs, whatever the number of
	// its operations; it goes through its keys again and again. Workloads that
	// are one call (compact, flush, settle …) and open don't heed it.
	Duration Duration `json:"duration"`
	// Warmup is how long random keys are read before each workload that reads;
	// it never writes.
	Warmup Duration `json:"warmup"`
	// Settle waits after each writing workload until compaction has nothing left
	// to do, and measures that too.
	Settle bool `json:"settle"`
	// Rounds is the number of passes for each engine.
	Rounds int `json:"rounds"`
	// Seed is the base of the workers' seeds: worker k of a pass has Seed+k.
	Seed int64 `json:"seed"`
	// Generator names the generator of random key numbers, which follows from
	// Num: "lehmer31" gives those of db_bench.
	Generator string `json:"generator"`
	// Sync makes every write a synced one (fillsync does without it).
	Sync bool `json:"sync"`

	// Latency times each operation, or one in some where operations are short.
	Latency bool `json:"latency"`
	// Rate, if not 0, is an open loop: this many operations a second begin, on
	// schedule, over all workers. It goes with Latency.
	Rate float64 `json:"rate"`
	// Interval, if not 0, is the time after which operations, and with Latency
	// the p99, are noted again and again.
	Interval Duration `json:"interval"`

	// KeySize is the length of a key, its prefix included.
	KeySize int `json:"key_size"`
	// KeyPrefix stands before every key.
	KeyPrefix string `json:"key_prefix"`
	// KeyFormat is how the number is written.
	KeyFormat KeyFormat `json:"key_format"`
	// ValueSize is the length of values, fixed or drawn from a distribution.
	ValueSize Sizes `json:"value_size"`
	// Payloads are several value sizes (--value-size A,B,C), for each of which
	// the list of the preset is run; empty means ValueSize alone. See SizeAt.
	Payloads []Sizes `json:"payloads,omitempty"`
	// CompressionRatio is what a value is meant to shrink to: 0.5 is half.
	CompressionRatio float64 `json:"compression_ratio"`

	// Profile is where options come from that are not set here.
	Profile Profile `json:"profile"`
	// Compression of table blocks; empty leaves it to the profile.
	Compression store.Compression `json:"compression,omitempty"`
	// CacheSize is the capacity of the block cache in bytes.
	CacheSize *int64 `json:"cache_size,omitempty"`
	// WriteBufferSize is the size of a memtable in bytes.
	WriteBufferSize *int64 `json:"write_buffer_size,omitempty"`
	// BlockSize is the uncompressed size of a table block in bytes.
	BlockSize *int64 `json:"block_size,omitempty"`
	// MaxFileSize is the size of a table file in bytes.
	MaxFileSize *int64 `json:"max_file_size,omitempty"`
	// BloomBits is the number of filter bits a key; 0 writes no filters.
	BloomBits *int `json:"bloom_bits,omitempty"`
	// OpenFiles bounds the open files; -1 is as many as the engine can have.
	OpenFiles *int `json:"open_files,omitempty"`
	// VerifyChecksums checks each block that is read.
	VerifyChecksums *bool `json:"verify_checksums,omitempty"`

	// DB is the folder of the stores, one subfolder an engine. A folder that is
	// itself a store is that store. Empty means a temporary folder that is
	// removed at the end.
	DB string `json:"db,omitempty"`
	// UseExistingDB keeps the stores that are there: nothing is replaced, and
	// fresh workloads are skipped.
	UseExistingDB bool `json:"use_existing_db"`
	// KeysFromDB makes the reading workloads look up keys that are in the store,
	// whoever made them: a sample of them is taken before the clock starts.
	KeysFromDB bool `json:"keys_from_db"`
	// KeepDB keeps a temporary folder. Stores in DB are always kept.
	KeepDB bool `json:"keep_db"`
}

// Defaults of the flags.
const (
	DefaultPreset    = "leveldb"
	DefaultNum       = 1_000_000
	DefaultRounds    = 5
	DefaultSeed      = 1000
	DefaultKeySize   = 16
	DefaultValueSize = 100
	DefaultBatchSize = 1000

	DefaultScanLength  = 100
	DefaultRangeLength = 100
	DefaultReadPercent = 90
	DefaultPattern     = "*"
)

// Limits of what a run accepts.
const (
	MaxNum       = 1_000_000_000_000
	MaxThreads   = 1 << 16
	MaxRounds    = 10_000
	MaxBatchSize = 1 << 24
)

// DefaultConfig returns the configuration of a run without any flag, without
// engines.
func DefaultConfig() Config {
	return Config{
		Num:              DefaultNum,
		Reads:            -1,
		Threads:          1,
		BatchSize:        DefaultBatchSize,
		Rounds:           DefaultRounds,
		Seed:             DefaultSeed,
		KeySize:          DefaultKeySize,
		KeyFormat:        KeyDecimal,
		ValueSize:        FixedSize(DefaultValueSize),
		CompressionRatio: 0.5,
		Profile:          ProfileEqual,
		ScanLength:       DefaultScanLength,
		RangeLength:      DefaultRangeLength,
		Pattern:          DefaultPattern,
		ReadPercent:      DefaultReadPercent,
	}
}

// ConfigError says that a setting has a value that can't be used. Flag is the
// setting's flag, without dashes.
type ConfigError struct {
	Flag string
	Msg  string
}

func (e *ConfigError) Error() string { return "--" + e.Flag + ": " + e.Msg }

func badConfig(flag, format string, args ...any) error {
	return &ConfigError{Flag: flag, Msg: fmt.Sprintf(format, args...)}
}

// Resolve returns c with everything filled in that follows from other
// settings: the workload list of the preset, names for aliases, Reads. It
// touches no file. Any setting that can't be used is a *ConfigError.
func (c Config) Resolve() (Config, error) {
	if len(c.Workloads) == 0 {
		if c.Preset == "" {
			c.Preset = DefaultPreset
		}
		p, ok := FindPreset(c.Preset)
		if !ok {
			return c, badConfig("preset", "unknown preset %q", c.Preset)
		}
		c.Workloads = slices.Repeat(p.Workloads, max(1, len(c.Payloads)))
	}
	names := make([]string, len(c.Workloads))
	for i, name := range c.Workloads {
		w, ok := FindWorkload(name)
		if !ok {
			return c, badConfig("workloads", "unknown workload %q", name)
		}
		names[i] = w.Name
	}
	c.Workloads = names
	if c.Reads < 0 || c.Num == 0 {
		c.Reads = c.Num
	}
	c.Generator = generatorFor(c.Num)
	for _, check := range []func(Config) error{checkCounts, checkTimes, checkShapes, checkKeys, checkValues, checkPayloads, checkOptions} {
		if err := check(c); err != nil {
			return c, err
		}
	}
	return c, nil
}

func checkCounts(c Config) error {
	switch {
	case c.Num < 0 || c.Num > MaxNum:
		return badConfig("num", "%d is not between 0 and %d", c.Num, int64(MaxNum))
	case c.Reads > MaxNum:
		return badConfig("reads", "%d is more than %d", c.Reads, int64(MaxNum))
	case c.Threads < 1 || c.Threads > MaxThreads:
		return badConfig("threads", "%d is not between 1 and %d", c.Threads, MaxThreads)
	case c.BatchSize < 1 || c.BatchSize > MaxBatchSize:
		return badConfig("batch-size", "%d is not between 1 and %d", c.BatchSize, MaxBatchSize)
	case c.SeekNexts < 0 || c.SeekNexts > math.MaxInt32:
		return badConfig("seek-nexts", "%d is not between 0 and %d", c.SeekNexts, math.MaxInt32)
	case c.Rounds < 1 || c.Rounds > MaxRounds:
		return badConfig("rounds", "%d is not between 1 and %d", c.Rounds, MaxRounds)
	case c.Seed < 0 || c.Seed > math.MaxInt64/2:
		return badConfig("seed", "%d is not between 0 and %d", c.Seed, int64(math.MaxInt64/2))
	case c.UseExistingDB && c.DB == "":
		return badConfig("use-existing-db", "needs --db")
	}
	return nil
}

func checkKeys(c Config) error {
	room := c.KeySize - len(c.KeyPrefix)
	switch {
	case c.KeySize < 1 || c.KeySize > store.MaxKeySize:
		return badConfig("key-size", "%d is not between 1 and %d", c.KeySize, store.MaxKeySize)
	case room < 1:
		return badConfig("key-prefix", "leaves no room for the number in %d bytes", c.KeySize)
	case c.KeyFormat != KeyDecimal && c.KeyFormat != KeyBigEndian && c.KeyFormat != KeyPlain:
		return badConfig("key-format", "%q is none of %q, %q and %q", c.KeyFormat, KeyDecimal, KeyBigEndian, KeyPlain)
	}
	if need := keyRoom(c.KeyFormat, c.space()); room < need {
		return badConfig("key-size", "%d keys need %d bytes behind the prefix, %d are left", c.space(), need, room)
	}
	return nil
}

// keyRoom returns the bytes that the greatest key number takes.
func keyRoom(f KeyFormat, num int64) int {
	base := int64(10)
	if f == KeyBigEndian {
		base = 256
	}
	n := 1
	for last := (num - 1) / base; last > 0; last /= base {
		n++
	}
	return n
}

func checkValues(c Config) error {
	if err := c.ValueSize.check(); err != nil {
		return badConfig("value-size", "%v", err)
	}
	if !(c.CompressionRatio > 0 && c.CompressionRatio <= 1) {
		return badConfig("compression-ratio", "%v is not above 0 and at most 1", c.CompressionRatio)
	}
	// 16 bytes are more than a record's tag and lengths.
	if size := int64(c.KeySize) + c.ValueSize.Max + 16; size > store.MaxBatchSize/int64(c.BatchSize) {
		return badConfig("batch-size", "%d entries of up to %d bytes are more than a batch can hold", c.BatchSize, size)
	}
	return nil
}

func checkOptions(c Config) error {
	if c.Profile != ProfileEqual && c.Profile != ProfileStock {
		return badConfig("profile", "%q is neither %q nor %q", c.Profile, ProfileEqual, ProfileStock)
	}
	sizes := []struct {
		flag string
		n    *int64
	}{
		{"cache-size", c.CacheSize}, {"write-buffer-size", c.WriteBufferSize},
		{"block-size", c.BlockSize}, {"max-file-size", c.MaxFileSize},
	}
	for _, s := range sizes {
		if s.n != nil && *s.n < 1 {
			return badConfig(s.flag, "%d is not a size", *s.n)
		}
	}
	if c.BloomBits != nil && (*c.BloomBits < 0 || *c.BloomBits > 1<<10) {
		return badConfig("bloom-bits", "%d is not between 0 and %d", *c.BloomBits, 1<<10)
	}
	if c.OpenFiles != nil && *c.OpenFiles != -1 && (*c.OpenFiles < 1 || *c.OpenFiles > 1<<30) {
		return badConfig("open-files", "%d is neither -1 (all) nor between 1 and %d", *c.OpenFiles, 1<<30)
	}
	o := store.Options{Compression: c.Compression}
	if err := o.Validate(); err != nil {
		return badConfig("compression", "unknown codec %q", c.Compression)
	}
	return nil
}
