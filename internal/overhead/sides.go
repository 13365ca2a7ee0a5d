package overhead

import (
	"context"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/nullstore"
	"github.com/lsmkit/lsmkit/internal/plain"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// engineOf returns the engine's descriptor with this library, or the plain
// binding, behind it.
func engineOf(engine string, s Side) bench.Engine {
	e := bench.Engine{Name: engine, Detect: dir.Detect}
	switch engine {
	case leveldb.Engine:
		e.Version, e.Destroy = versionOf(leveldb.Version), leveldb.Destroy
		e.Open = func(path string, o store.Options) (store.DB, error) {
			return leveldb.Open(path, &leveldb.Options{Options: o})
		}
		if s == Plain {
			e.Open = plain.OpenLevelDB
		}
		e.Effective = func(o store.Options) (store.Options, bench.OptionList, error) {
			eff, err := (&leveldb.Options{Options: o}).Effective()
			if err != nil {
				return o, nil, err
			}
			return eff.Options, nil, nil
		}
	case rocksdb.Engine:
		e.Version, e.Destroy = versionOf(rocksdb.Version), rocksdb.Destroy
		e.Open = func(path string, o store.Options) (store.DB, error) {
			return rocksdb.Open(path, &rocksdb.Options{Options: o})
		}
		if s == Plain {
			e.Open = plain.OpenRocksDB
		}
		e.Effective = func(o store.Options) (store.Options, bench.OptionList, error) {
			eff, err := (&rocksdb.Options{Options: o}).Effective()
			if err != nil {
				return o, nil, err
			}
			return eff.Options, nil, nil
		}
	}
	return e
}

func versionOf(version func() (string, error)) func() string {
	return func() string {
		v, err := version()
		if err != nil {
			return "unknown"
		}
		return v
	}
}

// nullEngine does nothing: what is left is the harness.
func nullEngine(entries int64) bench.Engine {
	shape := nullstore.Shape{Entries: entries, KeySize: keySize, ValueSize: valueSize}
	return bench.Engine{
		Name:      "null",
		Version:   func() string { return "" },
		Open:      func(string, store.Options) (store.DB, error) { return nullstore.New(shape), nil },
		Effective: func(o store.Options) (store.Options, bench.OptionList, error) { return o, nil, nil },
		InMemory:  true,
		Discards:  true,
	}
}

// runCommon makes a pass of the common workloads on a side in Go.
func runCommon(ctx context.Context, c *Config, engine string, s Side, dir string) (answer, error) {
	b := benchConfig(c, engine)
	b.Workloads = c.Workloads
	b.DB = dir
	return runBench(ctx, b, engineOf(engine, s))
}

// nullWorkloads are what the harness alone does.
var nullWorkloads = []string{"fillseq", "fillrandom", "readseq", "readreverse"}

// runNull measures the harness alone. It does ten times as much as the others,
// since it does nothing.
func runNull(ctx context.Context, c *Config) (answer, error) {
	b := bench.DefaultConfig()
	b.Engines = []string{"null"}
	b.Rounds = 1
	b.Num = 10 * c.Num
	b.Workloads = nullWorkloads
	return runBench(ctx, b, nullEngine(b.Num))
}
