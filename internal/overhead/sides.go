package main

import (
	"context"
	"fmt"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/nullstore"
	"github.com/lsmkit/lsmkit/internal/plain"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// A cell is one workload of one pass.
type cell struct {
	Workload       string
	Micros         float64 // per operation
	Found, Lookups int64   // Found is -1 where it isn't told
}

// engineOf returns the engine's descriptor with this library, or the plain
// binding, behind it.
func engineOf(engine string, s side) bench.Engine {
	e := bench.Engine{Name: engine, Detect: dir.Detect}
	switch engine {
	case leveldb.Engine:
		e.Version, e.Destroy = versionOf(leveldb.Version), leveldb.Destroy
		e.Open = func(path string, o store.Options) (store.DB, error) {
			return leveldb.Open(path, &leveldb.Options{Options: o})
		}
		if s == sidePlain {
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
		if s == sidePlain {
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

// runBench makes one pass of the harness and returns its rows.
func runBench(ctx context.Context, b bench.Config, e bench.Engine) ([]cell, error) {
	rec, err := bench.Run(ctx, b, []bench.Engine{e}, nil)
	if err != nil {
		return nil, err
	}
	cells := make([]cell, 0, len(rec.Results))
	for _, r := range rec.Results {
		if r.Status != bench.StatusOK {
			return nil, fmt.Errorf("%s: %s: %s", r.Workload, r.Status, r.Error)
		}
		c := cell{Workload: r.Workload, Micros: r.MicrosPerOp, Found: -1}
		if r.Found != nil && r.Lookups != nil {
			c.Found, c.Lookups = *r.Found, *r.Lookups
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// runCommon makes a pass of the common workloads on a side in Go.
func runCommon(ctx context.Context, c *config, engine string, s side, dir string) ([]cell, error) {
	b := benchConfig(c, engine)
	b.Workloads = c.Workloads
	b.DB = dir
	return runBench(ctx, b, engineOf(engine, s))
}

// runNull measures the harness alone. It does ten times as much as the others,
// since it does nothing.
func runNull(ctx context.Context, c *config) ([]cell, error) {
	b := bench.DefaultConfig()
	b.Engines = []string{"null"}
	b.Rounds = 1
	b.Num = 10 * c.Num
	b.Workloads = []string{"fillseq", "fillrandom", "readseq", "readreverse"}
	return runBench(ctx, b, nullEngine(b.Num))
}
