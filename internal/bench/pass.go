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

	// sample are keys of the store, if they are to be looked up; nil before they
	// have been taken.
	sample keySample

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
		session: session{
			engine: e, path: r.place.paths[e.Name], options: r.settings[i], triggers: triggersOf(r.infos[i].Options),
		},
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
	if len(p.cfg.Payloads) > 0 {
		row.ValueSize = p.cfg.SizeAt(cell.Position).String()
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
	if err := p.warmUp(plan, w); err != nil {
		row.fail(err)
		if p.over() {
			row.Status = StatusInterrupted
		}
		p.add(row)
		return
	}
	out := p.measure(plan, w, cell, &row)
	p.conclude(w, plan, &row, out)
}

// conclude adds the row of a workload that has run, and that of its aside, and
// takes note of what they have written.
func (p *pass) conclude(w Workload, plan *plan, row *Result, out outcome) {
	if out.err == nil && !out.interrupted {
		row.judge(p.engine, w, &p.rec.Environment)
	}
	if out.abandoned {
		p.warnNotClosed(w)
	}
	good := row.Status == StatusOK
	if w.Writes && !out.abandoned && plan.aside == nil {
		p.history = append(p.history, &written{row: len(p.rec.Results), plan: plan, counts: out.byShare, bytes: out.written})
	}
	if !out.abandoned && p.db == nil {
		p.broken = out.err // open could not open it again
	}
	p.add(*row)
	if side := out.aside; side != nil {
		second := Result{
			Engine: row.Engine, Workload: WriterRow, Position: row.Position, Round: row.Round, ValueSize: row.ValueSize,
			Threads: 1, Status: StatusOK,
		}
		second.settle(*side)
		good = good && second.Status == StatusOK
		p.history = append(p.history, &written{row: len(p.rec.Results), plan: plan.aside, counts: side.byShare, bytes: side.written})
		p.add(second)
	}
	if w.Writes && !out.abandoned && !good {
		p.known, p.spoiled = false, w.Name
	}
}

func (p *pass) reasonToSkip(w Workload) string {
	switch {
	case p.cfg.UseExistingDB && w.Fresh:
		return "needs a fresh store, and existing stores are to be used"
	case w.Name == "open" && p.engine.Discards:
		return "the engine keeps nothing"
	case w.Name == "stats" && p.engine.StatsProperty == "":
		return "the engine has no statistics"
	case w.Name == "sstables" && p.engine.TablesProperty == "":
		return "the engine has no list of its tables"
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
	plan.config, plan.values, plan.workers = &p.cfg, p.valuesAt(cell.Position), cell.Threads
	plan.base, plan.stopped = p.cfg.Num+p.grown, p.ctx.Err
	plan.forever = p.cfg.Duration > 0 && plan.kernel != nil && !w.untimed
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
	if plan.aside != nil {
		p.seeds++
		plan.aside.config, plan.aside.values, plan.aside.workers = plan.config, plan.values, 1
		plan.aside.seed, plan.aside.stopped = plan.seed+int64(cell.Threads), plan.stopped
	}
	return plan
}

// valuesAt returns the values of the workload at a position.
func (p *pass) valuesAt(position int) *values {
	size := p.cfg.SizeAt(position)
	if size == p.cfg.ValueSize {
		return p.values
	}
	if p.payload == nil || p.payloadSize != size {
		p.payload, p.payloadSize = newValues(size, p.cfg.CompressionRatio, p.cfg.Seed), size
	}
	return p.payload
}

// measure runs the plan, with what has to be looked at before and after it.
func (p *pass) measure(plan *plan, w Workload, cell Cell, row *Result) (out outcome) {
	defer func() { row.settle(out) }()
	if plan.before == nil && !w.noFigures {
		plan.before = recordFilesBefore
	}
	if err := p.look(plan.before, row); err != nil {
		return outcome{err: err, abandoned: p.abandoned}
	}
	out = outcome{byShare: make([]int64, plan.workers)}
	var before resources
	if !w.noFigures {
		prepareMemory(p.engine)
		before = p.readUse()
	}
	if plan.ops > 0 {
		kernels, aside, err := p.kernels(plan)
		if err != nil {
			return outcome{err: err, byShare: out.byShare}
		}
		seen := func(*Result) {}
		if len(kernels) > 1 {
			seen = watchCrowd(p.db)
		}
		out = p.drive(plan, kernels, aside, cell)
		seen(row)
	}
	if !out.abandoned {
		p.grow(plan)
	}
	if w.Reads {
		row.Lookups, row.Found = &out.lookups, &out.found
	}
	if out.err == nil && !out.interrupted {
		row.settle(out) // the time to settle is added to that
		if p.cfg.Settle && w.Writes {
			out.err = p.settleAfter(row)
		}
		if out.err != nil && p.ctx.Err() != nil {
			out.interrupted, out.err = true, nil
		}
	}
	if out.err == nil && !out.interrupted {
		out.err = p.look(plan.after, row)
	}
	if !out.abandoned && !p.abandoned && !w.noFigures {
		written := out.written
		if out.aside != nil {
			written += out.aside.written
		}
		row.use(before, p.readUse(), written)
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

// grow takes note of the keys that the plan has inserted.
func (p *pass) grow(plan *plan) {
	most := uint64(0)
	for _, i := range plan.inserters {
		most = max(most, i.inserted())
	}
	p.grown += int64(most) * int64(plan.workers)
}

// kernels makes one kernel a worker, and that of the plan's aside.
func (p *pass) kernels(plan *plan) (kernels []kernel, aside kernel, err error) {
	if plan.call != nil {
		return []kernel{&caller{call: func() error { return plan.call(p.ctx, &p.session) }}}, nil, nil
	}
	if plan.aside != nil {
		if aside, err = plan.aside.kernel(plan.aside, p.db, 0, 0, plan.aside.ops); err != nil {
			return nil, nil, err
		}
	}
	kernels = make([]kernel, 0, plan.workers)
	for w := range plan.workers {
		first, count := split(plan.ops, plan.workers, w)
		k, err := plan.kernel(plan, p.db, w, first, count)
		if err != nil {
			for _, made := range kernels {
				err = errors.Join(err, made.finish())
			}
			return nil, nil, err
		}
		kernels = append(kernels, k)
	}
	return kernels, aside, nil
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
