package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pass is one engine's way through the workload list.
type pass struct {
	*runner
	session
	index int // of the engine
	round int
	seeds int64 // of the seed sequence taken so far

	// broken is why the store is not open; spoiled, the workload after whose
	// failure it doesn't have what others expect. Renewing the store mends both.
	broken  error
	spoiled string
}

// pass runs the list once on engine i, and leaves its store closed.
func (r *runner) pass(i, round int) {
	e := &r.engines[i]
	p := &pass{
		runner: r, index: i, round: round,
		session: session{engine: e, path: r.place.paths[e.Name], options: r.settings[i]},
	}
	p.broken = p.begin()
	for position, name := range r.cfg.Workloads {
		w, _ := FindWorkload(name)
		cell := p.cell(w, position+1)
		r.cells++
		if r.over() {
			break
		}
		r.obs.CellStarted(cell)
		p.work(w, cell)
	}
	p.end()
}

// writing tells whether the list changes stores.
func (r *runner) writing() bool {
	return slices.ContainsFunc(r.cfg.Workloads, func(name string) bool {
		w, _ := FindWorkload(name)
		return w.Writes
	})
}

// begin opens the pass's store: a new one if the list writes, unless existing
// stores are to be used; else the one that is there, or a new one.
func (p *pass) begin() error {
	switch {
	case p.cfg.UseExistingDB:
		return p.openStore(false)
	case p.writing():
		return p.replace()
	}
	fresh := !p.place.exists[p.engine.Name] && !p.opened[p.path]
	p.opened[p.path] = true
	return p.openStore(fresh)
}

// replace destroys what is in the pass's folder of a store, and opens a new one.
// It names what has gone and what has stayed.
func (p *pass) replace() error {
	if err := p.await(callPatience, p.destroy); err != nil {
		return err
	}
	if p.place.exists[p.engine.Name] {
		p.place.exists[p.engine.Name] = false
		p.warn(WarnReplaced, fmt.Sprintf("the store of %s in %s has been replaced", p.engine.title(), p.path))
	}
	if !p.engine.InMemory {
		if names, err := entries(p.path); err == nil && len(names) > 0 {
			p.warn(WarnForeignKept, fmt.Sprintf("left in %s: %s", p.path, strings.Join(names, ", ")))
		}
	}
	return p.openStore(true)
}

func (p *pass) openStore(fresh bool) error {
	p.options.CreateIfMissing = !p.cfg.UseExistingDB
	return p.await(callPatience, func() error { return p.open(fresh) })
}

func (p *pass) cell(w Workload, position int) Cell {
	c := Cell{
		Engine: p.engine.title(), Workload: w.Name,
		Position: position, Positions: len(p.cfg.Workloads),
		Round: p.round, Rounds: p.cfg.Rounds,
		Index: p.cells, Cells: p.cfg.Rounds * len(p.engines) * len(p.cfg.Workloads),
		Threads: p.cfg.Threads,
		Ops:     w.plan(&p.cfg).ops,
	}
	if w.Single {
		c.Threads = 1
	}
	return c
}

// work runs one workload and adds its row.
func (p *pass) work(w Workload, cell Cell) {
	row := Result{
		Engine: cell.Engine, Workload: cell.Workload, Position: cell.Position, Round: cell.Round,
		Threads: cell.Threads, Status: StatusOK,
	}
	if reason := p.reasonToSkip(w); reason != "" {
		row.Status, row.Error = StatusSkipped, reason
		p.add(row)
		return
	}
	if w.Fresh && !p.pristine() {
		p.broken = p.freshen()
		p.spoiled = ""
	}
	if p.broken != nil {
		row.fail(p.broken)
		if p.over() {
			row.Status = StatusInterrupted
		}
		p.add(row)
		return
	}
	plan := p.prepare(w, cell)
	out := p.measure(plan, w, cell, &row)
	row.settle(out)
	if out.err == nil && !out.interrupted {
		row.judge(p.engine, w, &p.rec.Environment)
	}
	if out.abandoned {
		p.warnNotClosed(w)
	}
	if w.Writes && !out.abandoned {
		p.history = append(p.history, &written{row: len(p.rec.Results), plan: plan, counts: out.byShare})
		if row.Status != StatusOK {
			p.known, p.spoiled = false, w.Name
		}
	}
	if !out.abandoned && p.db == nil {
		p.broken = out.err // open could not open it again
	}
	p.add(row)
}

func (p *pass) reasonToSkip(w Workload) string {
	switch {
	case p.cfg.UseExistingDB && w.Fresh:
		return "needs a fresh store, and existing stores are to be used"
	case w.Name == "open" && p.engine.Discards:
		return "the engine keeps nothing"
	case w.Name == "stats" && p.engine.StatsProperty == "":
		return "the engine has no statistics"
	case p.spoiled != "" && !w.Fresh:
		return p.spoiled + " has failed before"
	}
	return ""
}

// freshen reads back what was written, and makes the store new.
func (p *pass) freshen() error {
	p.readBack()
	if err := p.await(callPatience, p.close); err != nil {
		if p.abandoned {
			return err
		}
		p.failLast(err)
	}
	return p.replace()
}

// prepare makes the plan of a cell. It takes the workload's numbers of the seed
// sequence.
func (p *pass) prepare(w Workload, cell Cell) *plan {
	plan := w.plan(&p.cfg)
	plan.config, plan.values, plan.workers = &p.cfg, p.values, cell.Threads
	if w.large {
		if p.largeValues == nil {
			p.largeValues = newValues(FixedSize(largeValue), p.cfg.CompressionRatio, p.cfg.Seed)
		}
		plan.values = p.largeValues
	}
	if w.draws {
		plan.seed = p.cfg.Seed + p.seeds + 1
		p.seeds += int64(cell.Threads)
	}
	return plan
}

// measure runs the plan, with what has to be looked at before and after it.
func (p *pass) measure(plan *plan, w Workload, cell Cell, row *Result) outcome {
	if err := p.look(plan.before, row); err != nil {
		return outcome{err: err, abandoned: p.abandoned}
	}
	out := outcome{byShare: make([]int64, plan.workers)}
	if plan.ops > 0 {
		kernels, err := p.kernels(plan)
		if err != nil {
			return outcome{err: err, byShare: out.byShare}
		}
		out = p.drive(plan, kernels, cell)
	}
	if w.Reads {
		row.Lookups, row.Found = &out.lookups, &out.found
	}
	if out.err == nil && !out.interrupted {
		out.err = p.look(plan.after, row)
	}
	out.abandoned = out.abandoned || p.abandoned
	p.abandoned = out.abandoned
	return out
}

// look calls a plan's hook, if it has one. The row gets what the hook sets only
// when it has returned in time.
func (p *pass) look(hook func(*session, *Result) error, row *Result) error {
	if hook == nil {
		return nil
	}
	seen := *row
	if err := p.await(callPatience, func() error { return hook(&p.session, &seen) }); err != nil {
		return err
	}
	*row = seen
	return nil
}

// kernels makes one kernel a worker.
func (p *pass) kernels(plan *plan) ([]kernel, error) {
	if plan.call != nil {
		return []kernel{&caller{call: func() error { return plan.call(p.ctx, &p.session) }}}, nil
	}
	kernels := make([]kernel, 0, plan.workers)
	for w := range plan.workers {
		first, count := split(plan.ops, plan.workers, w)
		k, err := plan.kernel(plan, p.db, w, first, count)
		if err != nil {
			for _, made := range kernels {
				err = errors.Join(err, made.finish())
			}
			return nil, err
		}
		kernels = append(kernels, k)
	}
	return kernels, nil
}

// add adds a row to the record.
func (p *pass) add(row Result) {
	p.rec.Results = append(p.rec.Results, row)
	i := len(p.rec.Results) - 1
	p.warnOfRow(i)
	p.obs.CellFinished(p.rec, i)
}

// end reads back what was written and closes the store. One that the run has
// made and will make again is removed, so that its unwritten pages are not
// written out during the other engine's pass.
func (p *pass) end() {
	p.readBack()
	if p.abandoned || p.db == nil {
		return
	}
	if err := p.await(closePatience, p.close); err != nil {
		if p.abandoned {
			p.warnNotClosed(Workload{})
			return
		}
		p.failLast(err)
		return
	}
	if p.writing() && !p.cfg.UseExistingDB && p.round < p.cfg.Rounds && !p.over() {
		if err := p.await(callPatience, p.destroy); err != nil {
			p.failLast(err)
		}
	}
}

// failLast marks the pass's last row failed: closing the store went wrong
// after it.
func (p *pass) failLast(err error) {
	for i := len(p.rec.Results) - 1; i >= 0; i-- {
		row := &p.rec.Results[i]
		if row.Engine != p.engine.title() || row.Round != p.round {
			return
		}
		if row.Status == StatusOK {
			row.fail(err)
			p.obs.CellRevised(p.rec, i)
			return
		}
	}
}
