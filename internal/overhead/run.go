package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
)

// run makes all passes and returns what was measured, which is not nil once the
// configuration was right, also when a pass has failed. done is called after
// each pass, with a line about it.
func run(ctx context.Context, c config, done func(r *result, line string)) (*result, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(c.Dir, "overhead-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	r := &runner{config: c, root: root, done: done, noted: map[side]map[string]string{}, result: &result{
		Config: c, Go: runtime.Version(), Environment: bench.ReadEnvironment(ctx, root),
		Versions: map[string]string{}, Commands: map[string]string{}, Faults: []string{}, Rows: []*row{},
	}}
	for _, engine := range c.Engines {
		r.result.Versions[engine] = engineOf(engine, sideOurs).Version()
		if len(c.Workloads) > 0 {
			r.result.Commands[engine] = filepath.Base(c.program(engine)) + " " + strings.Join(nativeArgs(&c, engine, "DIR"), " ")
		}
	}
	for round := 1; round <= c.Rounds; round++ {
		if err := r.round(ctx, round); err != nil {
			return r.result, err
		}
	}
	return r.result, nil
}

// sameKeys tells whether a side draws the keys that ours does.
func sameKeys(engine string, s side) bool { return s != sideNative || engine == leveldb.Engine }

type runner struct {
	config
	root   string
	result *result
	done   func(r *result, line string)
	noted  map[side]map[string]string // RocksDB's own notes of its options
}

// harness stands for the engine in the rows of the harness alone.
const harness = "none"

// round lets each side make a pass on each engine: A B C in odd rounds, C B A in
// even ones.
func (r *runner) round(ctx context.Context, round int) error {
	sides := []side{sideNative, sideOurs, sidePlain}
	if round%2 == 0 {
		slices.Reverse(sides)
	}
	for _, engine := range r.Engines {
		for _, s := range sides {
			err := r.pass(ctx, round, engine, s)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", engine, s, err)
			}
		}
	}
	if !r.Extras {
		return nil
	}
	cells, err := spawn(ctx, part{What: partHarness, Config: r.config})
	if err != nil {
		return fmt.Errorf("harness alone: %w", err)
	}
	r.add(round, harness, sideOurs, cells)
	return nil
}

// pass makes one side's pass, on stores of its own that are gone afterwards.
func (r *runner) pass(ctx context.Context, round int, engine string, s side) error {
	dir := filepath.Join(r.root, "stores")
	defer os.RemoveAll(dir)
	if len(r.Workloads) > 0 {
		var cells []cell
		var err error
		path := filepath.Join(dir, engine)
		if s == sideNative {
			cells, err = runNative(ctx, &r.config, engine, path)
		} else {
			cells, err = spawn(ctx, part{partCommon, r.config, engine, s, dir})
		}
		if err != nil {
			return err
		}
		r.noteOptions(engine, s, path)
		r.add(round, engine, s, cells)
	}
	if !r.Extras || s == sideNative {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	cells, err := spawn(ctx, part{partExtras, r.config, engine, s, dir})
	if err != nil {
		return err
	}
	r.add(round, engine, s, cells)
	return nil
}

// noteOptions compares the options of the first stores of both sides.
func (r *runner) noteOptions(engine string, s side, path string) {
	if engine != rocksdb.Engine || r.noted[s] != nil {
		return
	}
	r.noted[s] = rocksOptions(path)
	native, ours := r.noted[sideNative], r.noted[sideOurs]
	if len(native) > 0 && len(ours) > 0 {
		r.result.OptionDiff = append([]string{}, optionDiff(native, ours)...)
	}
}

// add adds the cells of a pass to the result and tells of it.
func (r *runner) add(round int, engine string, s side, cells []cell) {
	r.result.add(engine, s, cells)
	r.result.check(sameKeys)
	var b strings.Builder
	fmt.Fprintf(&b, "round %d of %d, %s, %s:", round, r.Rounds, engine, s)
	for _, c := range cells {
		fmt.Fprintf(&b, " %s %.3f", c.Workload, c.Micros)
	}
	r.done(r.result, b.String())
}
