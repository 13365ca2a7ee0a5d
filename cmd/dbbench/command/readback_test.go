package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store"
)

// What the libraries say is what this project says of them, at the versions that
// it stands on: of each option that can be set, at its default and at others, and
// of each fact that can't.
func TestReadBackAgrees(t *testing.T) {
	for name, o := range map[string]store.Options{
		"defaults": {},
		"others": {
			WriteBufferSize: 3 << 20, MaxFileSize: 5 << 20, BlockCacheSize: 7 << 20, BlockSize: 8 << 10, BlockRestartInterval: 8,
			BloomBits: 12, Compression: store.NoCompression, MaxOpenFiles: 300, ParanoidChecks: store.On, VerifyChecksums: store.Off,
		},
		"clipped": {WriteBufferSize: 1, MaxFileSize: 1, BlockSize: 64 << 20, MaxOpenFiles: 1, ParanoidChecks: store.Off},
		"all":     {MaxOpenFiles: store.UnlimitedFiles, Compression: store.Snappy},
	} {
		for _, e := range Engines() {
			told, err := e.ReadBack(o)
			if err != nil {
				t.Fatalf("%s, %s: %v", e.Name, name, err)
			}
			if !slices.Contains(told.Codecs, string(store.Snappy)) {
				t.Errorf("%s has the codecs %q", e.Name, told.Codecs)
			}
			known := describe(t, e, o)
			for _, option := range told.Options {
				want, ok := known[option.Name]
				got := option.Value
				if text, is := got.(string); is && strings.Contains(option.Name, "checksum") {
					got, _, _ = strings.Cut(text, " (") // and by what it is computed
				}
				if !ok || got != want {
					t.Errorf("%s, %s: %s is %v (%T), and should be %v (%T)", e.Name, name, option.Name, got, got, want, want)
				}
			}
			if e.Name == "rocksdb" && len(told.Options) < len(known)-3 { // verification is of reads, seek compaction a fact, bits see there
				t.Errorf("only %d of %d options are read back: %v", len(told.Options), len(known), told.Options)
			}
		}
	}
}

// describe is what the table says of an engine that is opened with o, by names.
func describe(t *testing.T, e bench.Engine, o store.Options) map[string]any {
	t.Helper()
	e.ReadBack = nil
	e.Open = func(string, store.Options) (store.DB, error) { return nil, store.ErrNotSupported }
	effective := e.Effective
	e.Effective = func(store.Options) (store.Options, bench.OptionList, error) { return effective(o) }
	cfg := bench.DefaultConfig()
	cfg.Engines, cfg.Workloads, cfg.Num, cfg.Rounds, cfg.DB = []string{e.Name}, []string{"fillseq"}, 1, 1, t.TempDir()
	rec, err := bench.Run(t.Context(), cfg, []bench.Engine{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]any{}
	for _, option := range rec.Engines[0].Options {
		known[option.Name] = option.Value
	}
	return known
}

// An OPTIONS file that is not understood is an error, not a guess.
func TestReadBackOfOddOptions(t *testing.T) {
	whole := map[string]string{
		ofFamily + "write_buffer_size": "1", ofFamily + "target_file_size_base": "2", ofFamily + "compression": "kZlibCompression",
		ofFamily + "level0_file_num_compaction_trigger": "4", ofFamily + "level0_slowdown_writes_trigger": "20",
		ofFamily + "level0_stop_writes_trigger": "36", ofFamily + "max_bytes_for_level_base": "5",
		ofFamily + "level_compaction_dynamic_level_bytes": "false",
		ofTable + "block_size":                            "3", ofTable + "block_restart_interval": "16", ofTable + "filter_policy": "nullptr", ofTable + "checksum": "kXXH3",
		ofDB + "max_open_files": "-1", ofDB + "paranoid_checks": "true", ofDB + "max_background_jobs": "8", ofDB + "max_background_flushes": "-1",
		ofDB + "max_background_compactions": "-1", ofDB + "use_direct_reads": "false", ofDB + "allow_mmap_reads": "true", ofDB + "use_fsync": "true",
	}
	const log = "1 2 \tkZSTD supported: 1\n1 2 \tkZSTDNotFinalCompression supported: 1\n\tkLZ4Compression supported: 0\n\tkSnappyCompression supported: 1\nFast CRC32 supported: Not supported on x86\n"
	r := &rocksOptions{values: whole, log: log, cache: "77"}
	list, err := r.list()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		bench.OptCompression: "zlib", bench.OptBloomBits: int64(0), bench.OptLevelSizes: "fixed", bench.OptBackgroundThreads: "2 flush + 6 compaction",
		bench.OptReads: "mmap", bench.OptSync: "fsync", bench.OptChecksum: "xxh3", bench.OptLogChecksum: checksumSoftware, bench.OptCacheSize: int64(77),
	} {
		if got, _ := list.Get(name); got.Value != want {
			t.Errorf("%s is %v, want %v", name, got.Value, want)
		}
	}
	if got := strings.Join(r.codecs(), " "); got != "snappy zstd" {
		t.Errorf("codecs %q", got)
	}
	for name := range whole {
		for _, odd := range []string{"", "what?"} {
			values := map[string]string{}
			for k, v := range whole {
				values[k] = v
			}
			if values[name] = odd; odd == "" {
				delete(values, name)
			}
			_, err := (&rocksOptions{values: values, cache: "77"}).list()
			words := strings.Contains(name, "compression") && !strings.Contains(name, "level") || strings.HasPrefix(name, ofFamily+"level0") || strings.HasSuffix(name, "checksum") || strings.HasSuffix(name, "filter_policy")
			if err == nil && (odd == "" || !words) {
				t.Errorf("%s = %q is taken", name, odd)
			}
		}
	}
}
