package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

// probing makes a store in a folder of temporary files, hands it to look, closes it
// and removes it.
func probing(engine string, o store.Options, look func(db store.DB, path string) (bench.Told, error)) (told bench.Told, err error) {
	temp, err := os.MkdirTemp("", "dbbench-options-")
	if err != nil {
		return told, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	path := filepath.Join(temp, "db")
	o.CreateIfMissing = true
	db, err := engines.Open(engine, path, &o)
	if err != nil {
		return told, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return look(db, path)
}

// readBackRocksDB returns the options that RocksDB writes down when it opens a
// store with o: in its OPTIONS file or, where that leaves them out, in its log
// and its properties.
func readBackRocksDB(o store.Options) (bench.Told, error) {
	return probing("rocksdb", o, func(db store.DB, path string) (told bench.Told, err error) {
		written, err := dir.Options(path)
		if err != nil {
			return told, err
		}
		log, err := os.ReadFile(filepath.Join(path, "LOG"))
		if err != nil {
			return told, err
		}
		cache, err := db.Property("rocksdb.block-cache-capacity")
		if err != nil {
			return told, err
		}
		r := &rocksOptions{values: written, log: string(log), cache: cache}
		told.Codecs = r.codecs()
		told.Options, err = r.list()
		return told, err
	})
}

// rocksOptions is what RocksDB has written down.
type rocksOptions struct {
	values map[string]string // of the OPTIONS file
	log    string
	cache  string // capacity of the block cache
	err    error  // the first value that is not understood
}

// Sections of the OPTIONS file.
const (
	ofDB     = "DBOptions."
	ofFamily = "CFOptions default."
	ofTable  = "TableOptions/BlockBasedTable default."
)

func (r *rocksOptions) list() (bench.OptionList, error) {
	levels, sync := "fixed", "fdatasync"
	if r.flag(ofFamily + "level_compaction_dynamic_level_bytes") {
		levels = "dynamic"
	}
	if r.flag(ofDB + "use_fsync") {
		sync = "fsync"
	}
	list := bench.OptionList{
		{Name: bench.OptWriteBufferSize, Value: r.number(ofFamily + "write_buffer_size")},
		{Name: bench.OptMaxFileSize, Value: r.number(ofFamily + "target_file_size_base")},
		{Name: bench.OptCacheSize, Value: r.parse("block cache", r.cache)},
		{Name: bench.OptBlockSize, Value: r.number(ofTable + "block_size")},
		{Name: bench.OptRestartInterval, Value: r.number(ofTable + "block_restart_interval")},
		{Name: bench.OptCompression, Value: codecName(r.text(ofFamily + "compression"))},
		{Name: bench.OptOpenFiles, Value: r.number(ofDB + "max_open_files")},
		{Name: bench.OptParanoidChecks, Value: r.flag(ofDB + "paranoid_checks")},
		{Name: bench.OptL0Triggers, Value: strings.Join([]string{
			r.text(ofFamily + "level0_file_num_compaction_trigger"), r.text(ofFamily + "level0_slowdown_writes_trigger"),
			r.text(ofFamily + "level0_stop_writes_trigger"),
		}, "/")},
		{Name: bench.OptL1Size, Value: r.number(ofFamily + "max_bytes_for_level_base")},
		{Name: bench.OptLevelSizes, Value: levels},
		{Name: bench.OptBackgroundThreads, Value: r.threads()},
		{Name: bench.OptReads, Value: r.reads()},
		{Name: bench.OptSync, Value: sync},
		{Name: bench.OptChecksum, Value: strings.ToLower(strings.TrimPrefix(r.text(ofTable+"checksum"), "k"))},
	}
	if r.text(ofTable+"filter_policy") == "nullptr" {
		// A filter that was made through the C API is written down without its bits.
		list = append(list, bench.Option{Name: bench.OptBloomBits, Value: int64(0)})
	}
	if code := r.logChecksum(); code != "" {
		list = append(list, bench.Option{Name: bench.OptLogChecksum, Value: code})
	}
	return list, r.err
}

func (r *rocksOptions) text(name string) string {
	value, ok := r.values[name]
	if !ok {
		r.fail(name, "is missing")
	}
	return value
}

func (r *rocksOptions) fail(name, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("OPTIONS file: %s %s", name, what)
	}
}

func (r *rocksOptions) number(name string) int64 { return r.parse(name, r.text(name)) }

func (r *rocksOptions) parse(name, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.fail(name, fmt.Sprintf("is %q", text))
	}
	return n
}

func (r *rocksOptions) flag(name string) bool {
	on, err := strconv.ParseBool(r.text(name))
	if err != nil {
		r.fail(name, fmt.Sprintf("is %q", r.values[name]))
	}
	return on
}

// threads are those that RocksDB shares its jobs out to, see
// DBImpl::GetBGJobLimits.
func (r *rocksOptions) threads() string {
	jobs, flushes, compactions := r.number(ofDB+"max_background_jobs"), r.number(ofDB+"max_background_flushes"), r.number(ofDB+"max_background_compactions")
	if flushes == -1 && compactions == -1 {
		flushes = max(1, jobs/4)
		compactions = max(1, jobs-flushes)
	}
	return fmt.Sprintf("%d flush + %d compaction", max(1, flushes), max(1, compactions))
}

func (r *rocksOptions) reads() string {
	switch {
	case r.flag(ofDB + "use_direct_reads"):
		return "pread, direct"
	case r.flag(ofDB + "allow_mmap_reads"):
		return "mmap"
	}
	return "pread"
}

// logChecksum is how the checksums of log records come about: RocksDB chooses the
// code when it is compiled, and its log tells. It is empty if that doesn't.
func (r *rocksOptions) logChecksum() string {
	_, how, ok := strings.Cut(r.log, "Fast CRC32 supported: ")
	switch {
	case !ok:
		return ""
	case strings.HasPrefix(how, "Supported"):
		return checksumHardware
	}
	return checksumSoftware
}

// supported is the log's line about a codec.
var supported = regexp.MustCompile(`\bk(\w+?)(?:Compression)? supported: 1\b`)

// codecs are those that the library was built with, of those that this project
// has names for.
func (r *rocksOptions) codecs() (names []string) {
	for _, m := range supported.FindAllStringSubmatch(r.log, -1) {
		if name := strings.ToLower(m[1]); slices.Contains(codecs, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// codecName is what this project calls a codec of RocksDB's.
func codecName(text string) string {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(text, "k"), "Compression"))
	if name == "no" {
		return string(store.NoCompression)
	}
	return name
}

// readBackLevelDB returns what a store of LevelDB's shows of the library: whether
// it was built with Snappy, without which it writes blocks as they are and says
// nothing, and which code computes its checksums. It has no words for its options.
func readBackLevelDB(o store.Options) (bench.Told, error) {
	asked := o.Compression
	o.Compression = store.Snappy
	return probing("leveldb", o, func(db store.DB, _ string) (told bench.Told, err error) {
		const size = 256 << 10
		if err := errors.Join(db.Put([]byte("k"), make([]byte, size), nil), db.Flush()); err != nil {
			return told, err
		}
		m, err := db.Metrics()
		if err != nil {
			return told, err
		}
		switch bytes, ok := m.TableBytes.Value(); {
		case ok && bytes < size/2:
			told.Codecs = []string{string(store.Snappy)}
		case ok && asked != store.NoCompression:
			told.Options = append(told.Options, bench.Option{
				Name: bench.OptCompression, Value: string(store.NoCompression), Note: "LevelDB was built without Snappy",
			})
		}
		if code := levelDBChecksum(leveldb.Build()); code != "" {
			told.Options = append(told.Options, bench.Option{Name: bench.OptChecksum, Value: code}, bench.Option{Name: bench.OptLogChecksum, Value: code})
		}
		return told, nil
	})
}
