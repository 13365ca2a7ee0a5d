package overhead

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/rocksdb"
)

// Pass is one side's way through a part.
type Pass struct {
	Engine string
	Side   Side
	Part   Part
	// Round from 1, of Rounds.
	Round, Rounds int
	// Index of the pass in the run, from 0, of Passes.
	Index, Passes int
}

// Observer watches a comparison. All methods are called by the goroutine that
// called Run. The result that they get is the one being made: it may be read
// during the call, and not be kept.
type Observer interface {
	PassStarted(p Pass)
	// PassTicked is called about ten times a second while a pass runs.
	PassTicked(p Pass, elapsed time.Duration)
	// PassFinished is called when the pass's figures, and in r.Passes what it has
	// used, have been added.
	PassFinished(r *Result, p Pass)
}

// Run makes all passes and returns what was measured. The observer may be nil.
//
// A complete run returns no error, also when rows have failed: see
// Result.Failures. The errors are:
//
//   - *bench.ConfigError: a setting can't be used, or there is no db_bench to
//     compare with; no file was touched.
//   - bench.ErrInterrupted: ctx ended. The result has the passes until then.
//   - any other: the folder of the stores could not be made.
//
// With the first and the last the result is nil.
func Run(ctx context.Context, c Config, obs Observer) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	linked := linkedPrefix()
	programs, err := c.programs(&places{native: c.Native, linked: linked, getenv: os.Getenv})
	if err != nil {
		return nil, err
	}
	if err := c.checkDir(); err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(c.Dir, "overhead-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	if obs == nil {
		obs = nopObserver{}
	}
	r := &runner{config: c, programs: programs, root: root, obs: obs, result: newResult(c), noted: map[Side]map[string]string{}}
	r.result.Environment = bench.ReadEnvironment(ctx, root)
	for _, engine := range c.Engines {
		r.result.Engines = append(r.result.Engines, r.describe(engine, linked))
	}
	return r.result, r.run(ctx)
}

type nopObserver struct{}

func (nopObserver) PassStarted(Pass)               {}
func (nopObserver) PassTicked(Pass, time.Duration) {}
func (nopObserver) PassFinished(*Result, Pass)     {}

// programs finds the db_bench of each engine, if they are needed.
func (c *Config) programs(p *places) (map[string]string, error) {
	found := map[string]string{}
	for _, engine := range c.Engines {
		if len(c.Workloads) == 0 {
			break
		}
		path, err := p.find(engine)
		if err != nil {
			return nil, err
		}
		found[engine] = path
	}
	return found, nil
}

// passes lists what is to be done: in odd rounds C++, this library, the plain
// binding, and the other way round in even ones.
func (c *Config) passes() []Pass {
	var all []Pass
	for round := 1; round <= c.Rounds; round++ {
		sides := []Side{Native, Ours, Plain}
		if round%2 == 0 {
			slices.Reverse(sides)
		}
		for _, engine := range c.Engines {
			for _, side := range sides {
				p := Pass{Engine: engine, Side: side, Round: round, Rounds: c.Rounds}
				if len(c.Workloads) > 0 {
					p.Part = PartCommon
					all = append(all, p)
				}
				if c.Extras && side != Native {
					p.Part = PartExtras
					all = append(all, p)
				}
			}
		}
		if c.Extras {
			all = append(all, Pass{Engine: Harness, Side: Ours, Part: PartHarness, Round: round, Rounds: c.Rounds})
		}
	}
	for i := range all {
		all[i].Index, all[i].Passes = i, len(all)
	}
	return all
}

type runner struct {
	config   Config
	programs map[string]string // by engine
	root     string
	obs      Observer
	result   *Result
	noted    map[Side]map[string]string // RocksDB's own notes of its options
}

func (r *runner) describe(engine, linked string) *Engine {
	e := &Engine{Name: engine, Version: engineOf(engine, Ours).Version(), Build: readBuild(linked), Differs: differences(engine)}
	if path := r.programs[engine]; path != "" {
		e.Native = &Program{
			Path: path, Build: buildOf(path),
			Command: filepath.Base(path) + " " + strings.Join(nativeArgs(&r.config, engine, "DIR"), " "),
		}
	}
	return e
}

func (r *runner) run(ctx context.Context) error {
	for _, p := range r.config.passes() {
		if ctx.Err() == nil {
			r.obs.PassStarted(p)
			r.pass(ctx, p)
		}
		if ctx.Err() != nil {
			r.result.Interrupted = fmt.Sprintf("round %d, %s", p.Round, p.Name())
			return fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Cause(ctx))
		}
		r.obs.PassFinished(r.result, p)
	}
	return nil
}

// tickEvery is the time between two calls of PassTicked.
const tickEvery = 100 * time.Millisecond

// pass makes a pass, on a store of its own that is gone afterwards, and adds its
// figures. Those of one that was interrupted don't count.
func (r *runner) pass(ctx context.Context, p Pass) {
	dir := filepath.Join(r.root, "stores")
	defer os.RemoveAll(dir)
	var out answer
	var err error
	began, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		out, err = r.measure(ctx, p, dir)
	}()
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-ticker.C:
			r.obs.PassTicked(p, time.Since(began))
		}
	}
	if ctx.Err() != nil {
		return
	}
	use := PassUse{Engine: p.Engine, Side: p.Side, Part: p.Part, Round: p.Round, Seconds: time.Since(began).Seconds(), Usage: out.use}
	for i := range out.Cells {
		use.CPUClockedSeconds += out.Cells[i].CPU
	}
	if err != nil {
		use.Error = err.Error()
	}
	r.result.Passes = append(r.result.Passes, use)
	r.noteOptions(p, out.Engine, filepath.Join(dir, p.Engine))
	r.result.add(p, out.Cells, err)
}

func (r *runner) measure(ctx context.Context, p Pass, dir string) (answer, error) {
	if p.Side == Native {
		return runNative(ctx, &r.config, r.programs[p.Engine], p.Engine, filepath.Join(dir, p.Engine))
	}
	out, err := spawn(ctx, part{p.Part, r.config, p.Engine, p.Side, dir})
	if err == nil && len(out.Cells) == 0 {
		err = errors.New("it has measured nothing")
	}
	return out, err
}

// noteOptions keeps the options of the sides in Go, and compares those that
// RocksDB has noted for the first stores of C++ and of this library.
func (r *runner) noteOptions(p Pass, info *bench.EngineInfo, path string) {
	e := r.result.Engine(p.Engine)
	if e == nil || p.Part != PartCommon {
		return
	}
	if p.Side == Ours && info != nil {
		e.Options = info.Options
	}
	if p.Engine != rocksdb.Engine || r.noted[p.Side] != nil {
		return
	}
	r.noted[p.Side] = rocksOptions(path)
	native, ours := r.noted[Native], r.noted[Ours]
	if len(native) > 0 && len(ours) > 0 {
		e.OptionDiff = append([]string{}, optionDiff(native, ours)...)
	}
}
