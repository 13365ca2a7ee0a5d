package bench

import (
	"fmt"
	"slices"
	"strings"
)

// warn adds a warning about the rows, or adds the rows to the one that says
// the same.
func (r *runner) warn(code WarningCode, text string, rows ...int) {
	for i := range r.rec.Warnings {
		if w := &r.rec.Warnings[i]; w.Code == code && w.Text == text {
			w.Rows = append(w.Rows, rows...)
			return
		}
	}
	r.rec.Warnings = append(r.rec.Warnings, Warning{Code: code, Text: text, Rows: rows})
	r.obs.Warned(r.rec, len(r.rec.Warnings)-1)
}

// warnBefore warns of what is known before anything is measured.
func (r *runner) warnBefore() {
	r.warnOfMachine(&r.rec.Environment)
	r.warnOfSizes(&r.rec.Environment)
	r.warnOfOptions()
	for _, text := range r.notReadBack {
		r.warn(WarnNotReadBack, text)
	}
	if flags := debugBuild(); flags != "" {
		r.warn(WarnDebugBuild, "this program was built with "+flags)
	}
	for i := range r.engines {
		if e := &r.engines[i]; e.Slow != nil {
			if why := e.Slow(); why != "" {
				r.warn(WarnDebugBuild, fmt.Sprintf("the library of %s was built for debugging: %s", e.Name, why))
			}
		}
	}
	if len(r.engines) > 1 && r.cfg.Rounds < enoughRounds {
		r.warn(WarnTooFewRounds, fmt.Sprintf("with %s no difference can be shown; %d are the least", rounds(r.cfg.Rounds), enoughRounds))
	}
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

func (r *runner) warnOfMachine(e *Environment) {
	if e.Filesystem == "tmpfs" || e.Filesystem == "ramfs" {
		r.warn(WarnTmpfs, fmt.Sprintf("the stores are in memory (%s on %s)", e.Filesystem, e.Mount))
	}
	const leastFsync = 20 // µs
	if e.FsyncMicros != nil && *e.FsyncMicros < leastFsync {
		r.warn(WarnSyncFree, fmt.Sprintf("an fdatasync takes %.1f µs: it can't have reached a device", *e.FsyncMicros))
	}
	if e.Load != nil && *e.Load > float64(e.Cores)/2 {
		r.warn(WarnOtherLoad, fmt.Sprintf("the machine was busy when the run began: load %.2f on %d cores", *e.Load, e.Cores))
	}
}

// warnOfSizes compares the size of the data with the memory that can hold it.
func (r *runner) warnOfSizes(e *Environment) {
	value := r.cfg.SizeAt(1).Mean()
	for _, p := range r.cfg.Payloads { // the least tells most
		value = min(value, p.Mean())
	}
	_, _, key := r.cfg.KeyLengths()
	data := float64(r.cfg.Num) * (key + value)
	if data == 0 || r.cfg.UseExistingDB {
		return
	}
	memory := e.MemoryBytes
	if e.CgroupMemoryBytes != nil && (memory == nil || *e.CgroupMemoryBytes < *memory) {
		memory = e.CgroupMemoryBytes
	}
	if memory != nil && data < float64(*memory) {
		r.warn(WarnFitsRAM, fmt.Sprintf("the data (%s) fits in memory: reads don't wait for the device", mebibytes(data)))
	}
	var cached []string
	for i, info := range r.infos {
		if cache, ok := info.Options.Get(OptCacheSize); ok && !r.engines[i].InMemory {
			if n, ok := cache.Value.(int64); ok && data < float64(n) {
				cached = append(cached, info.Name)
			}
		}
	}
	if len(cached) > 0 {
		r.warn(WarnFitsCache, fmt.Sprintf("%s: the data (%s) fits in the block cache", strings.Join(cached, ", "), mebibytes(data)))
	}
}

// mebibytes writes a size, small ones with a decimal.
func mebibytes(n float64) string {
	if n < 10*megabyte {
		return fmt.Sprintf("%.1f MiB", n/megabyte)
	}
	return fmt.Sprintf("%.0f MiB", n/megabyte)
}

func (r *runner) warnOfOptions() {
	for _, info := range r.infos {
		for _, asked := range info.Requested {
			got, _ := info.Options.Get(asked.Name)
			r.warn(WarnClipped, fmt.Sprintf("%s: %s is %s, not %s as asked for", info.Name, asked.Name, got.Text(), asked.Text()))
		}
	}
	var differ []string
	for _, d := range DiffOptions(r.infos) {
		if !d.Differs {
			continue
		}
		differ = append(differ, d.Name)
		if d.Name == OptSync {
			r.warn(WarnDurability, fmt.Sprintf("a synced write is not the same on all engines: %v", d.Values))
		}
	}
	if len(differ) > 0 {
		r.warn(WarnOptionsDiffer, "options that are not alike: "+strings.Join(differ, ", "))
	}
}

// warnOfRow warns of what row i shows.
func (r *runner) warnOfRow(i int) {
	row := &r.rec.Results[i]
	if row.DidNothing() {
		r.warn(WarnNothingToDo, fmt.Sprintf("%s: %s %s; its rate says nothing", row.Engine, row.Workload, nothing(row)), i)
	}
	r.warnOfRate(i)
	r.warnOfBandwidth(i)
	w, _ := FindWorkload(row.Workload)
	if debt := row.PendingCompactionBytes; w.Writes && debt != nil && *debt > 0 {
		r.warn(WarnCompactionDebt, fmt.Sprintf("%s %s left work to compaction, which later rows pay", row.Engine, row.Workload), i)
	}
}

// warnNotClosed tells that a store stays open, because a call did not return.
func (p *pass) warnNotClosed(w Workload) {
	text := fmt.Sprintf("%s: a call did not return after the interrupt; the store was not closed", p.engine.title())
	if w.Name == "compact" && !p.engine.CompactInterruptible {
		text = fmt.Sprintf("%s can't interrupt a compaction; the store was not closed", p.engine.title())
	}
	p.warn(WarnNotClosed, text)
}

// sameFound tells at which positions of the list all engines must find the same
// keys: not where it depends on time which operations are done, or in which
// order, and not behind that until the store is renewed.
func (r *runner) sameFound() map[int]bool {
	same := map[int]bool{}
	if r.cfg.Duration > 0 {
		return same
	}
	timely := false // what is in the store depends on it
	for i, name := range r.cfg.Workloads {
		w, _ := FindWorkload(name)
		// How far the writer comes depends on time; what others write does not, but
		// may be read before or after.
		timely = name == "readwhilewriting" || timely && !w.Fresh
		same[i+1] = !timely && !(w.Writes && w.Reads && r.cfg.Threads > 1)
	}
	return same
}

// warnAfter warns of what only the whole record shows: engines that found
// different keys where the same were asked for.
func (r *runner) warnAfter() {
	type place struct{ position, round int }
	first := map[place]int{}
	comparable := r.sameFound()
	for i := range r.rec.Results {
		row := &r.rec.Results[i]
		if row.Found == nil || row.Status != StatusOK || !comparable[row.Position] {
			continue
		}
		at := place{row.Position, row.Round}
		j, ok := first[at]
		if !ok {
			first[at] = i
			continue
		}
		if other := &r.rec.Results[j]; *other.Found != *row.Found {
			r.warn(WarnFoundDiffers, fmt.Sprintf("%s and %s found different keys in %s", other.Engine, row.Engine, row.Workload), j, i)
		}
	}
	for i := range r.rec.Warnings {
		w := &r.rec.Warnings[i]
		slices.Sort(w.Rows)
		w.Rows = slices.Compact(w.Rows)
	}
}
