package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// ErrInterrupted says that the run's context ended before the run did.
var ErrInterrupted = errors.New("interrupted")

// How long after the interrupt a call in flight, and then closing the stores,
// may take. Together with what remains to be done they stay within 2 seconds.
const (
	callPatience  = 1000 * time.Millisecond
	closePatience = 1600 * time.Millisecond
)

// Run measures what cfg says, with the engines of the table that cfg names, and
// returns the record. The observer may be nil.
//
// A complete run returns no error, also when rows have failed: see
// Record.Failed. The errors are:
//
//   - *ConfigError: a setting can't be used; no file was touched.
//   - ErrRefused: a folder holds something else; no file was touched.
//   - ErrInterrupted: ctx ended. The record has the rows until then, the running
//     one marked interrupted. The stores are closed, unless a warning
//     WarnNotClosed says that a call into an engine did not return: then the
//     program should end.
//   - any other: the temporary folder could not be made.
//
// With the last two the record is not nil.
func Run(ctx context.Context, cfg Config, engines []Engine, obs Observer) (*Record, error) {
	cfg, err := cfg.Resolve()
	if err != nil {
		return nil, err
	}
	if obs == nil {
		obs = NopObserver{}
	}
	r := &runner{ctx: ctx, cfg: cfg, obs: obs, opened: map[string]bool{}}
	if r.engines, err = choose(cfg, engines); err != nil {
		return nil, err
	}
	if r.infos, r.settings, err = effectiveOptions(&cfg, r.engines); err != nil {
		return nil, err
	}
	if r.place, err = findPlace(&cfg, r.engines, engines); err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { r.ended.Store(time.Now().UnixNano()) })
	defer release()
	return r.run()
}

// choose returns the engines that the configuration names, in its order.
func choose(cfg Config, table []Engine) ([]Engine, error) {
	if len(cfg.Engines) == 0 {
		return nil, badConfig("engines", "no engine is named")
	}
	var chosen []Engine
	labels := cfg.EngineLabels()
	for i, name := range cfg.Engines {
		found := false
		for _, e := range table {
			if e.Name == name {
				e.label = labels[i]
				chosen, found = append(chosen, e), true
			}
		}
		if !found {
			return nil, badConfig("engines", "unknown engine %q", name)
		}
	}
	return chosen, nil
}

// runner is one run.
type runner struct {
	ctx      context.Context
	cfg      Config
	engines  []Engine
	infos    []EngineInfo
	settings []store.Options
	place    *place
	obs      Observer
	rec      *Record
	cells    int             // begun so far
	opened   map[string]bool // stores that passes which don't write have opened

	notReadBack []string // warnings about options

	packed []packing  // of each store that was read back
	busy   *busyTimes // of the machine, when the run began
	cpu    *cpuTimes  // of this process then

	values, largeValues *values
	payload             *values // of the size payloadSize
	payloadSize         Sizes

	ended     atomic.Int64 // when ctx ended, in ns; 0 before
	abandoned bool         // a call did not return; its store is not to be touched
}

func (r *runner) run() (*Record, error) {
	if err := r.place.make(r.engines); err != nil {
		return nil, err
	}
	r.rec = &Record{
		Schema:      Schema,
		Tool:        ThisTool(),
		Environment: ReadEnvironment(r.ctx, r.place.root),
		Engines:     r.infos,
		Config:      r.cfg,
		Results:     []Result{},
		Summary:     []Summary{},
		Warnings:    []Warning{},
	}
	r.readBackOptions()
	r.busy, r.cpu = readBusy(), readCPU()
	r.obs.RunStarted(r.rec)
	r.warnBefore()
	r.values = newValues(r.cfg.ValueSize, r.cfg.CompressionRatio, r.cfg.Seed)
	for round := 1; round <= r.cfg.Rounds && !r.over(); round++ {
		for k := range r.engines {
			if r.over() {
				break
			}
			r.pass(turn(round, k, len(r.engines)), round)
		}
	}
	r.rec.Summary = Summarize(r.rec)
	r.warnOfPacking()
	r.warnOfOthers()
	r.warnAfter()
	r.cleanUp()
	if r.ctx.Err() != nil {
		return r.rec, fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(r.ctx))
	}
	return r.rec, nil
}

// turn returns which of the engines is the k-th of a round: A B, B A, A B … so
// that what changes on the machine meets all of them alike.
func turn(round, k, engines int) int {
	if round%2 == 0 {
		return engines - 1 - k
	}
	return k
}

// over tells whether nothing more is to be begun.
func (r *runner) over() bool { return r.abandoned || r.ctx.Err() != nil }

// cleanUp removes the temporary folder, or says where it is.
func (r *runner) cleanUp() {
	if !r.place.temporary {
		return
	}
	if r.cfg.KeepDB {
		r.warn(WarnKept, fmt.Sprintf("the stores are in %s", r.place.root))
		return
	}
	if err := r.place.remove(); err != nil {
		r.warn(WarnKept, fmt.Sprintf("%s could not be removed: %v", r.place.root, err))
	}
}

// errNotReturned says that a call was left behind.
var errNotReturned = errors.New("the engine did not return in time")

// await calls fn, which may enter an engine, outside the clock. When the run
// is interrupted it waits no longer than limit after that; then the call is
// left behind, and errNotReturned returned.
func (r *runner) await(limit time.Duration, fn func() error) error {
	result := make(chan error, 1)
	go func() { result <- fn() }()
	select {
	case err := <-result:
		return err
	case <-r.ctx.Done():
	}
	select {
	case err := <-result:
		return err
	case <-time.After(r.patience(limit)):
		r.abandoned = true
		return errNotReturned
	}
}

// patience returns what is left of limit, counted from the interrupt.
func (r *runner) patience(limit time.Duration) time.Duration {
	at := r.ended.Load()
	if at == 0 { // it ended just now
		return limit
	}
	return max(0, limit-time.Since(time.Unix(0, at)))
}

// ThisTool describes the running program, as the build recorded it.
func ThisTool() Tool {
	t := Tool{Name: "dbbench", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		t.Version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			t.Commit = s.Value
		}
	}
	return t
}

// debugBuild returns what makes this build slower than others; empty if
// nothing does.
func debugBuild() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return debugFlags(info.Settings)
}

func debugFlags(settings []debug.BuildSetting) string {
	var found []string
	for _, s := range settings {
		switch {
		case (s.Key == "-race" || s.Key == "-asan" || s.Key == "-msan" || s.Key == "-cover") && s.Value == "true":
			found = append(found, s.Key)
		case s.Key == "-gcflags" && strings.Contains(s.Value, "-N"):
			found = append(found, "-gcflags="+s.Value)
		case s.Key == "-tags" && (strings.Contains(s.Value, "debug") || strings.Contains(s.Value, "asan")):
			found = append(found, "-tags="+s.Value)
		}
	}
	return strings.Join(found, " ")
}
