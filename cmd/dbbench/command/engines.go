package command

import (
	"maps"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/malloc"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

// Engines is the table of the engines that dbbench knows, the baseline first.
func Engines() []bench.Engine {
	return []bench.Engine{levelDB(), rocksDB()}
}

// Facts about both engines at the versions that scripts/build-deps.sh pins;
// neither lets them be set through store.Options.
const (
	noteL0 = "files in level 0 that begin a compaction, slow writes down, and stop them; LevelDB's are fixed"
	noteL1 = "the size of level 1, and ten times as much in each below; LevelDB's is fixed"

	noteLevels = "RocksDB fits them to the size of the last level, a tenth in each above"
	noteSums   = "LevelDB knows no other; RocksDB's are its default"
)

func levelDB() bench.Engine {
	return bench.Engine{
		Name:    "leveldb",
		Version: reported(leveldb.Version),
		Build:   leveldb.Build,
		Open:    opener("leveldb"),
		Destroy: leveldb.Destroy,
		Detect:  engines.Detect,
		// The library's default is to verify; upstream's is not to.
		Stock: store.Options{VerifyChecksums: store.Off},
		Effective: func(o store.Options) (store.Options, bench.OptionList, error) {
			e, err := (&leveldb.Options{Options: o}).Effective()
			if err != nil {
				return store.Options{}, nil, err
			}
			return e.Options, bench.OptionList{
				{Name: bench.OptL0Triggers, Value: "4/8/12", Note: noteL0},
				{Name: bench.OptL1Size, Value: int64(10 << 20), Note: noteL1},
				{Name: bench.OptLevelSizes, Value: "fixed", Note: noteLevels},
				{Name: bench.OptBackgroundThreads, Value: "1", Note: "LevelDB flushes and compacts in the same one"},
				{Name: bench.OptReads, Value: "mmap", Note: "how table files are read: the first 1000 that LevelDB opens are mapped"},
				{Name: bench.OptSeekCompaction, Value: true, Note: "reading can trigger a compaction in LevelDB"},
				{Name: bench.OptSync, Value: "fdatasync"},
				{Name: bench.OptChecksum, Value: "crc32c", Note: noteSums},
				{Name: bench.OptLogChecksum, Value: "crc32c", Note: "both have CRC32C; RocksDB computes it with the processor's instructions"},
			}, nil
		},
		ReadBack:       readBackLevelDB,
		Slow:           func() string { return linkedLevelDB.slow(flagsOf(leveldb.Build())) },
		Trim:           malloc.Trim,
		Stall:          stallTime,
		StatsProperty:  "leveldb.stats",
		TablesProperty: "leveldb.sstables",
		NotTold: map[string]string{
			"cache_hit_rate":           "LevelDB doesn't count hits",
			"pending_compaction_bytes": "LevelDB doesn't tell",
		},
	}
}

func rocksDB() bench.Engine {
	return bench.Engine{
		Name:    "rocksdb",
		Version: reported(rocksdb.Version),
		Build:   rocksdb.Build,
		Open:    opener("rocksdb"),
		Destroy: rocksdb.Destroy,
		Detect:  engines.Detect,
		Effective: func(o store.Options) (store.Options, bench.OptionList, error) {
			e, err := (&rocksdb.Options{Options: o}).Effective()
			if err != nil {
				return store.Options{}, nil, err
			}
			return e.Options, bench.OptionList{
				{Name: bench.OptL0Triggers, Value: "4/20/36", Note: noteL0},
				{Name: bench.OptL1Size, Value: int64(256 << 20), Note: noteL1},
				{Name: bench.OptLevelSizes, Value: "dynamic"},
				{Name: bench.OptBackgroundThreads, Value: "1 flush + 1 compaction"},
				{Name: bench.OptReads, Value: "pread"},
				{Name: bench.OptSeekCompaction, Value: false},
				{Name: bench.OptSync, Value: "fdatasync"},
				{Name: bench.OptChecksum, Value: "xxh3"},
				{Name: bench.OptLogChecksum, Value: "crc32c"},
			}, nil
		},
		ReadBack:       readBackRocksDB,
		Slow:           func() string { return linkedRocksDB.slow(flagsOf(rocksdb.Build())) },
		Trim:           malloc.Trim,
		Stall:          stallTime,
		StatsProperty:  "rocksdb.stats",
		TablesProperty: "rocksdb.sstables",
		NotTold: map[string]string{
			"cache_hit_rate": "RocksDB counts hits only with --engine-option rocksdb:statistics=true, which slows it down",
		},
		CompactInterruptible: true,
	}
}

// flagsOf returns the compiler and its flags out of what an engine's Build tells.
func flagsOf(build string) string {
	_, flags, _ := strings.Cut(build, " ")
	return flags
}

// withStatistics makes RocksDB count what it does, hits of its cache among it.
func withStatistics(e *bench.Engine) {
	e.Open = func(path string, o store.Options) (store.DB, error) {
		db, err := rocksdb.Open(path, &rocksdb.Options{Options: o, Statistics: true})
		if err != nil {
			return nil, err
		}
		return db, nil
	}
	effective := e.Effective
	e.Effective = func(o store.Options) (store.Options, bench.OptionList, error) {
		eff, fixed, err := effective(o)
		return eff, append(fixed, bench.Option{Name: bench.OptStatistics, Value: true, Note: "RocksDB counts what it does, which slows it down"}), err
	}
	e.NotTold = maps.Clone(e.NotTold)
	e.NotTold["cache_hit_rate"] = "no block was looked up"
}

// stallTime asks an engine of ours.
func stallTime(db store.DB) (time.Duration, bool) {
	s, ok := db.(store.Staller)
	if !ok {
		return 0, false
	}
	stalls, err := s.Stalls()
	if err != nil {
		return 0, false
	}
	return stalls.Held()
}

func opener(name string) func(string, store.Options) (store.DB, error) {
	return func(path string, o store.Options) (store.DB, error) { return engines.Open(name, path, &o) }
}

// reported is the version that a library tells, or why it tells none.
func reported(version func() (string, error)) func() string {
	return func() string {
		v, err := version()
		if err != nil {
			return "unknown (" + err.Error() + ")"
		}
		return v
	}
}
