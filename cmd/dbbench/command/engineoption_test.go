package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store"
)

// Each key changes the option of its engine, as it's opened and as it's shown,
// and that of no other.
func TestEngineOptions(t *testing.T) {
	for option, want := range map[string]string{
		"write_buffer_size=8MiB": "8388608", "max_file_size=4MiB": "4194304", "cache_size=1MiB": "1048576", "block_size=8KiB": "8192",
		"restart_interval=8": "8", "bloom-bits=10": "10", "open_files=500": "500", "compression=none": "none",
		"verify_checksums=false": "false", "paranoid_checks=false": "false",
	} {
		d := Deps{Engines: fakeEngines()}
		opened := map[string]store.Options{}
		for i := range d.Engines {
			name, open := d.Engines[i].Name, d.Engines[i].Open
			d.Engines[i].Open = func(path string, o store.Options) (store.DB, error) {
				opened[name] = o
				return open(path, o)
			}
		}
		got, rec := toolWith(t, d, "--workloads", "fillseq", "--num", "10", "--rounds", "1", "--engine-option", "rocksdb:"+option)
		if got.code != exitOK {
			t.Fatalf("%s: code %d: %s", option, got.code, got.err)
		}
		key, _, _ := strings.Cut(strings.ReplaceAll(option, "-", "_"), "=")
		a, _ := rec.Engines[0].Options.Get(key)
		b, _ := rec.Engines[1].Options.Get(key)
		if b.Text() != want || a.Text() == want {
			t.Errorf("%s: the record has %s and %s, want the second to be %s", option, a.Text(), b.Text(), want)
		}
		if opened["leveldb"] == opened["rocksdb"] {
			t.Errorf("%s: both were opened with %+v", option, opened["leveldb"])
		}
	}
}

// An option that the engine would make another of is refused before any store
// is touched.
func TestEngineOptionsThatEnginesCannotHave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	for _, option := range []string{
		"leveldb:write_buffer_size=2GiB", "leveldb:open_files=10", "leveldb:compression=zstd", "leveldb:block_size=1",
		"rocksdb:open_files=1", "rocksdb:write_buffer_size=1",
	} {
		execute(t, Deps{Engines: Engines()}, "run", "--db", dir, "--num", "10", "--engine-option", option).fails(t, exitUsage, "--engine-option "+option)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
}

// The real engines take options of their own.
func TestEngineOptionsForReal(t *testing.T) {
	rec := good(t, "--workloads", "fillseq,readrandom", "--num", "100", "--rounds", "1",
		"--engine-option", "leveldb:bloom_bits=10", "--engine-option", "rocksdb:compression=none")
	for i, want := range []struct{ key, value string }{{bench.OptBloomBits, "10"}, {bench.OptCompression, "none"}} {
		if got, _ := rec.Engines[i].Options.Get(want.key); got.Text() != want.value {
			t.Errorf("%s is %s, want %s", want.key, got.Text(), want.value)
		}
	}
}

// With statistics, which RocksDB alone has, its rows have the hit rate of the
// cache; other options of the same engine stay in force, whichever comes first.
func TestStatisticsOption(t *testing.T) {
	hitRate := func(options ...string) (rates []*float64, rec *bench.Record) {
		args := []string{"--workloads", "fillseq,compact,readrandom,readrandom", "--num", "2000", "--rounds", "1", "--cache-size", "8MiB"}
		for _, o := range options {
			args = append(args, "--engine-option", o)
		}
		rec = good(t, args...)
		for i := range rec.Results {
			if r := &rec.Results[i]; r.Engine == "rocksdb" && r.Workload == "readrandom" {
				rates = append(rates, r.CacheHitRate)
			} else if r.Engine == "leveldb" && r.CacheHitRate != nil {
				t.Errorf("LevelDB has a hit rate of %v", *r.CacheHitRate)
			}
		}
		return rates, rec
	}
	for _, options := range [][]string{
		{"rocksdb:statistics=true", "rocksdb:bloom_bits=10"}, {"rocksdb:bloom_bits=10", "rocksdb:statistics=true"},
	} {
		rates, rec := hitRate(options...)
		if len(rates) != 2 || rates[0] == nil || rates[1] == nil || *rates[0] > 1 || *rates[1] < 0.99 {
			t.Errorf("%v: hit rates %v", options, rates)
		}
		bits, _ := rec.Engines[1].Options.Get(bench.OptBloomBits)
		on, _ := rec.Engines[1].Options.Get(bench.OptStatistics)
		if bits.Text() != "10" || on.Text() != "true" {
			t.Errorf("%v: the record has %s and %s", options, bits.Text(), on.Text())
		}
	}
	rates, rec := hitRate("rocksdb:statistics=false")
	if len(rates) != 2 || rates[0] != nil || rates[1] != nil || !strings.Contains(rec.Engines[1].NotTold["cache_hit_rate"], "statistics=true") {
		t.Errorf("without: hit rates %v, because %q", rates, rec.Engines[1].NotTold["cache_hit_rate"])
	}
	for _, wrong := range []string{"rocksdb:statistics=much", "leveldb:statistics=true"} {
		execute(t, Deps{Engines: Engines()}, "run", "--num", "10", "--engine-option", wrong).fails(t, exitUsage, "--engine-option "+wrong)
	}
}
