package bench

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

func TestResolve(t *testing.T) {
	c, err := DefaultConfig().Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if c.Preset != DefaultPreset || len(c.Workloads) != 13 || c.Reads != c.Num || c.Generator != "lehmer31" {
		t.Errorf("%+v", c)
	}
	c = DefaultConfig()
	c.Preset, c.Num = "core", 1<<32
	if c, err = c.Resolve(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"fillsync", "fillseq", "readrandom", "compact", "fillbatch"}; !slices.Equal(c.Workloads, want) {
		t.Errorf("core is %v", c.Workloads)
	}
	if c.Generator != "splitmix64" {
		t.Errorf("the generator of %d keys is %s", c.Num, c.Generator)
	}
	if p, _ := FindPreset("core"); p.Workloads[4] != "batch" {
		t.Error("resolving has changed the preset")
	}
}

func ptr[T any](v T) *T { return &v }

// Each setting that can't be used is refused with its flag's name, and no file
// is touched.
func TestBadConfig(t *testing.T) {
	for _, c := range []struct {
		flag   string
		change func(*Config)
	}{
		{"preset", func(c *Config) { c.Workloads, c.Preset = nil, "none" }},
		{"workloads", func(c *Config) { c.Workloads = []string{"fillseq", "fill"} }},
		{"engines", func(c *Config) { c.Engines = []string{"gamma"} }},
		{"engines", func(c *Config) { c.Engines = nil }},
		{"compression", func(c *Config) { c.Compression = store.Zstd }},
		{"num", func(c *Config) { c.Num = -1 }},
		{"num", func(c *Config) { c.Num = MaxNum + 1 }},
		{"reads", func(c *Config) { c.Reads = MaxNum + 1 }},
		{"threads", func(c *Config) { c.Threads = 0 }},
		{"batch-size", func(c *Config) { c.BatchSize = 0 }},
		{"batch-size", func(c *Config) { c.BatchSize, c.ValueSize = 3, FixedSize(1<<30) }},
		{"seek-nexts", func(c *Config) { c.SeekNexts = -1 }},
		{"rounds", func(c *Config) { c.Rounds = 0 }},
		{"seed", func(c *Config) { c.Seed = -1 }},
		{"key-size", func(c *Config) { c.KeySize = 0 }},
		{"key-size", func(c *Config) { c.KeySize = 2 }},
		{"key-size", func(c *Config) { c.KeySize = store.MaxKeySize + 1 }},
		{"key-size", func(c *Config) { c.KeyFormat, c.KeySize = KeyBigEndian, 1 }},
		{"key-prefix", func(c *Config) { c.KeyPrefix = "0123456789abcdef" }},
		{"key-format", func(c *Config) { c.KeyFormat = "hex" }},
		{"value-size", func(c *Config) { c.ValueSize = FixedSize(-1) }},
		{"value-size", func(c *Config) { c.ValueSize = FixedSize(1 << 32) }},
		{"value-size", func(c *Config) { c.ValueSize = Sizes{} }},
		{"compression-ratio", func(c *Config) { c.CompressionRatio = 0 }},
		{"compression-ratio", func(c *Config) { c.CompressionRatio = 1.1 }},
		{"profile", func(c *Config) { c.Profile = "fast" }},
		{"compression", func(c *Config) { c.Compression = "brotli" }},
		{"cache-size", func(c *Config) { c.CacheSize = ptr[int64](0) }},
		{"write-buffer-size", func(c *Config) { c.WriteBufferSize = ptr[int64](-1) }},
		{"block-size", func(c *Config) { c.BlockSize = ptr[int64](0) }},
		{"max-file-size", func(c *Config) { c.MaxFileSize = ptr[int64](0) }},
		{"bloom-bits", func(c *Config) { c.BloomBits = ptr(-1) }},
		{"open-files", func(c *Config) { c.OpenFiles = ptr(0) }},
		{"open-files", func(c *Config) { c.OpenFiles = ptr(-2) }},
		{"duration", func(c *Config) { c.Duration = -1 }},
		{"warmup", func(c *Config) { c.Warmup = -1 }},
		{"interval", func(c *Config) { c.Interval = 1 }},
		{"rate", func(c *Config) { c.Latency, c.Rate = true, -1 }},
		{"rate", func(c *Config) { c.Latency, c.Rate = true, math.NaN() }},
		{"rate", func(c *Config) { c.Rate = 10 }},
		{"write-rate", func(c *Config) { c.WriteRate = -1 }},
		{"scan-length", func(c *Config) { c.ScanLength = 0 }},
		{"range-length", func(c *Config) { c.RangeLength = 0 }},
		{"read-percent", func(c *Config) { c.ReadPercent = 101 }},
		{"pattern", func(c *Config) { c.Pattern = "[" }},
		{"keys-from-db", func(c *Config) { c.KeysFromDB = true }},
		{"value-size", func(c *Config) { c.Payloads = []Sizes{FixedSize(1), FixedSize(2)} }},
		{"value-size", func(c *Config) { c.Workloads, c.Preset, c.Payloads = nil, "core", []Sizes{FixedSize(-1)} }},
		{"use-existing-db", func(c *Config) { c.UseExistingDB, c.DB = true, "" }},
	} {
		cfg := smallConfig(t, "fillseq")
		db := cfg.DB
		c.change(&cfg)
		rec, err := Run(context.Background(), cfg, []Engine{newFake("alpha").engine()}, nil)
		var bad *ConfigError
		if !errors.As(err, &bad) || bad.Flag != c.flag || rec != nil {
			t.Errorf("%s: %v", c.flag, err)
		}
		if _, err := os.Stat(filepath.Dir(db)); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(db); err == nil {
			t.Errorf("%s: the folder was made", c.flag)
		}
	}
}

func TestWorkloadTable(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Workloads() {
		for _, name := range append([]string{w.Name}, w.Aliases...) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
			if got, ok := FindWorkload(name); !ok || got.Name != w.Name {
				t.Errorf("%s is not found", name)
			}
		}
		if w.Description == "" || w.plan == nil || w.Fresh && !w.Writes {
			t.Errorf("%+v", w)
		}
	}
	for _, p := range Presets() {
		for _, name := range p.Workloads {
			if !seen[name] {
				t.Errorf("preset %s has %q", p.Name, name)
			}
		}
	}
}

// What was asked for reaches the engine; what it clips is shown beside it.
func TestEffectiveOptions(t *testing.T) {
	var got store.Options
	f := newFake("alpha")
	e := f.engine()
	open := e.Open
	e.Open = func(path string, o store.Options) (store.DB, error) { got = o; return open(path, o) }
	cfg := smallConfig(t, "fillseq")
	cfg.CacheSize, cfg.BlockSize, cfg.BloomBits = ptr[int64](3<<30), ptr[int64](8<<20), ptr(10)
	cfg.VerifyChecksums = ptr(false)
	rec := mustRun(t, cfg, nil, e)
	if got.BlockCacheSize != 3<<30 || got.WriteBufferSize != 64<<20 || got.BloomBits != 10 || got.VerifyChecksums != store.Off {
		t.Errorf("opened with %+v", got)
	}
	info := rec.Engines[0]
	for name, want := range map[string]any{
		OptCacheSize: int64(3 << 30), OptBlockSize: int64(4 << 20), OptVerifyChecksums: false, OptCompression: "snappy",
		OptParanoidChecks: false, OptReads: "alpha",
	} {
		if o, _ := info.Options.Get(name); o.Value != want {
			t.Errorf("%s is %v, want %v", name, o.Value, want)
		}
	}
	if len(info.Requested) != 1 || info.Requested[0].Value != int64(8<<20) || info.Requested[0].Name != OptBlockSize {
		t.Errorf("requested: %v", info.Requested)
	}
	if info.Notes[OptReads] != "as it is" {
		t.Errorf("notes: %v", info.Notes)
	}

	cfg = smallConfig(t, "fillseq")
	cfg.Profile = ProfileStock
	mustRun(t, cfg, nil, e)
	if got.WriteBufferSize != 4<<20 || got.VerifyChecksums != store.Default {
		t.Errorf("stock: opened with %+v", got)
	}
}

// The lengths of keys, without and with a prefix: plain ones by counting them.
func TestKeyLengths(t *testing.T) {
	for _, num := range []int64{1, 9, 10, 11, 100, 1234, 120_000} {
		for _, prefix := range []string{"", "user:"} {
			c := DefaultConfig()
			c.Num, c.KeyFormat, c.KeyPrefix = num, KeyPlain, prefix
			keys := newKeyMaker(&c, "")
			least, most, sum := 1<<30, 0, 0
			for n := range num {
				l := len(keys.at(uint64(n)))
				least, most, sum = min(least, l), max(most, l), sum+l
			}
			a, b, mean := c.KeyLengths()
			if a != least || b != most || math.Abs(mean-float64(sum)/float64(num)) > 1e-9 {
				t.Errorf("%d keys, prefix %q: %d to %d, mean %v; want %d to %d, %v", num, prefix, a, b, mean, least, most, float64(sum)/float64(num))
			}
		}
	}
	c := DefaultConfig()
	if a, b, mean := c.KeyLengths(); a != 16 || b != 16 || mean != 16 {
		t.Errorf("%d to %d, mean %v", a, b, mean)
	}
}
