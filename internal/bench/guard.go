package bench

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// packing is how an engine has stored what one store was given, in bytes.
type packing struct {
	engine  string
	tables  float64 // of the table files
	written float64 // of keys and values that went into them
	alive   float64 // of those, the ones that were not overwritten: the least that they can have
	rows    []int
}

// Tables that are larger than looseRatio of all that went into them are not
// compressed; those that are smaller than tightRatio of what must be in them are.
const (
	looseRatio = 0.95
	tightRatio = 0.80
)

func (p *packing) loose() bool { return p.tables > looseRatio*p.written }
func (p *packing) tight() bool { return p.tables < tightRatio*p.alive }

// warnOfPacking warns of engines that have compressed and others that have not.
func (r *runner) warnOfPacking() {
	var tight, loose []packing
	for _, p := range r.packed {
		switch {
		case p.tight():
			tight = append(tight, p)
		case p.loose():
			loose = append(loose, p)
		}
	}
	for _, l := range loose {
		for _, t := range tight {
			if l.engine != t.engine && slices.Equal(positionsOf(r.rec, l.rows), positionsOf(r.rec, t.rows)) {
				r.warn(WarnOneSided, fmt.Sprintf("%s has compressed the data and %s has not", t.engine, l.engine), slices.Concat(l.rows, t.rows)...)
			}
		}
	}
}

func positionsOf(rec *Record, rows []int) (positions []int) {
	for _, i := range rows {
		positions = append(positions, rec.Results[i].Position)
	}
	return positions
}

// warnOfRate warns of an open loop that could not keep its schedule.
func (r *runner) warnOfRate(i int) {
	row := &r.rec.Results[i]
	const kept = 0.95
	if want := r.cfg.Rate; want > 0 && row.LatencyCorrectedNS != nil && row.Status == StatusOK && row.OpsPerSec < want*kept {
		r.warn(WarnBehind, fmt.Sprintf("%s %s did %.0f operations a second, not %.0f: its queue only grew", row.Engine, row.Workload, row.OpsPerSec, want), i)
	}
}

// warnOfBandwidth warns of a row that has read more than can have been copied.
// (One that has written as much has failed.)
func (r *runner) warnOfBandwidth(i int) {
	row, limit := &r.rec.Results[i], r.rec.Environment.CopyMBPerSec
	w, _ := FindWorkload(row.Workload)
	discards := slices.ContainsFunc(r.engines, func(e Engine) bool { return e.title() == row.Engine && e.Discards })
	if most := limit * float64(row.Threads); w.Reads && !discards && row.Status == StatusOK && most > 0 && row.MBPerSec > most {
		r.warn(WarnBandwidth, fmt.Sprintf("%s %s read %.0f MB/s, and this machine copies at most %.0f", row.Engine, row.Workload, row.MBPerSec, most), i)
	}
}

// busyTimes are processor times in ticks since the machine began: all, and those
// in which something ran.
type busyTimes struct{ all, busy float64 }

// readBusy returns the times of the machine; nil if it doesn't tell.
func readBusy() *busyTimes {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil
	}
	return parseBusy(string(data))
}

// parseBusy reads the line "cpu user nice system idle iowait irq softirq …".
func parseBusy(stat string) *busyTimes {
	line, _, _ := strings.Cut(stat, "\n")
	words := strings.Fields(line)
	if len(words) < 8 || words[0] != "cpu" {
		return nil
	}
	t := &busyTimes{}
	for i, w := range words[1:8] {
		n, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil
		}
		t.all += n
		if i != 3 && i != 4 { // idle, and idle for a device
			t.busy += n
		}
	}
	return t
}

// othersShare returns the share of the machine's processors that others than
// this process had between two moments.
func othersShare(before, after *busyTimes, own *cpuTimes, cores int) (float64, bool) {
	const ticks = 100 // a second, on every Linux that there is
	if before == nil || after == nil || own == nil || after.all-before.all < ticks*float64(cores) {
		return 0, false // less than a second shows nothing
	}
	busy := after.busy - before.busy - (own.user+own.system).Seconds()*ticks
	return max(0, busy) / (after.all - before.all), true
}

// warnOfOthers warns if other programs had a good part of the machine while the
// run went on.
func (r *runner) warnOfOthers() {
	const much = 0.15
	share, ok := othersShare(r.busy, readBusy(), r.cpu.until(readCPU()), r.rec.Environment.Cores)
	if ok && share > much {
		r.warn(WarnOtherLoad, fmt.Sprintf("other programs had %.0f %% of the processors during the run", share*100))
	}
}
