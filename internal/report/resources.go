package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// resource is a column of a table of resources.
type resource struct {
	title string
	name  string // in JSON
	field func(r *bench.Result) (float64, bool)
	scale float64
	digit int
}

const mebibyte = 1 << 20

// resourceTables are the columns of what a cell used, in two tables.
var resourceTables = [][]resource{
	{
		{"CPU user s", "cpu_user_seconds", floatField(func(r *bench.Result) *float64 { return r.CPUUserSeconds }), 1, 2},
		{"CPU system s", "cpu_system_seconds", floatField(func(r *bench.Result) *float64 { return r.CPUSystemSeconds }), 1, 2},
		{"RSS peak MiB", "rss_peak_bytes", intField(func(r *bench.Result) *int64 { return r.RSSPeakBytes }), mebibyte, 1},
		{"RSS growth MiB", "rss_growth_bytes", intField(func(r *bench.Result) *int64 { return r.RSSGrowthBytes }), mebibyte, 1},
		{"cache hits %", "cache_hit_rate", floatField(func(r *bench.Result) *float64 { return r.CacheHitRate }), 0.01, 1},
		{"writes held s", "stall_seconds", floatField(func(r *bench.Result) *float64 { return r.StallSeconds }), 1, 3},
	},
	{
		{"disk MiB", "disk_bytes", intField(func(r *bench.Result) *int64 { return r.DiskBytes }), mebibyte, 1},
		{"written MiB", "bytes_written", intField(func(r *bench.Result) *int64 { return r.BytesWritten }), mebibyte, 1},
		{"write amp.", "write_amplification", floatField(func(r *bench.Result) *float64 { return r.WriteAmplification }), 1, 2},
		{"space amp.", "space_amplification", floatField(func(r *bench.Result) *float64 { return r.SpaceAmplification }), 1, 2},
		{"to compact MiB", "pending_compaction_bytes", intField(func(r *bench.Result) *int64 { return r.PendingCompactionBytes }), mebibyte, 1},
	},
	{
		{"OS threads", "os_threads", shared(intField(func(r *bench.Result) *int64 { return r.OSThreads })), 1, 0},
		{"calls a write", "group_size", shared(floatField(func(r *bench.Result) *float64 { return r.GroupSize })), 1, 1},
		{"calls waiting", "calls_waiting", shared(floatField(func(r *bench.Result) *float64 { return r.CallsWaiting })), 1, 1},
	},
}

// shared is a figure of workloads that several workers share.
func shared(get func(*bench.Result) (float64, bool)) func(*bench.Result) (float64, bool) {
	return func(r *bench.Result) (float64, bool) {
		if r.Threads < 2 {
			return 0, false
		}
		return get(r)
	}
}

// resourceTitles head the tables, in the same order.
var resourceTitles = []string{"processor, memory", "storage", "many workers"}

func floatField(get func(*bench.Result) *float64) func(*bench.Result) (float64, bool) {
	return func(r *bench.Result) (float64, bool) {
		if x := get(r); x != nil {
			return *x, true
		}
		return 0, false
	}
}

func intField(get func(*bench.Result) *int64) func(*bench.Result) (float64, bool) {
	return func(r *bench.Result) (float64, bool) {
		if n := get(r); n != nil {
			return float64(*n), true
		}
		return 0, false
	}
}

// resources are the tables of what the cells used; none if the record doesn't
// have it.
func (m *model) resources() []section {
	if !slices.ContainsFunc(m.rec.Results, func(r bench.Result) bool { return r.CPUUserSeconds != nil || r.RSSPeakBytes != nil }) {
		return nil
	}
	var sections []section
	for i, columns := range resourceTables {
		columns = slices.DeleteFunc(slices.Clone(columns), func(c resource) bool { return !m.hasResource(c) })
		if len(columns) == 0 {
			continue
		}
		header := []string{resourceTitles[i]}
		for _, c := range columns {
			header = append(header, c.title)
		}
		rows := m.groups(func(p *position, engine string) []namedCells {
			measured := p.measured(engine)
			if len(measured) == 0 || measured[0].Text != "" || !m.worthALine(p, columns) {
				return nil
			}
			var figures []string
			for _, c := range columns {
				figures = append(figures, m.resourceCell(c, measured, engine))
			}
			return []namedCells{{"", figures}}
		})
		sections = append(sections, section{grid: numbers(header, rows), notes: m.resourceNotes(resourceTables[i])})
	}
	return sections
}

// worthALine tells whether some engine has a figure at a position that says
// something: reads that write nothing don't, and they are most.
func (m *model) worthALine(p *position, columns []resource) bool {
	for _, engine := range m.engines {
		for _, c := range columns {
			switch m.resourceCell(c, p.measured(engine), engine) {
			case "", "n/a", "0.0":
			default:
				return true
			}
		}
	}
	return false
}

// hasResource tells whether some row has the figure.
func (m *model) hasResource(c resource) bool {
	return slices.ContainsFunc(m.rec.Results, func(r bench.Result) bool {
		_, ok := c.field(&r)
		return ok && r.Status == bench.StatusOK
	})
}

func (m *model) resourceCell(c resource, rows []*bench.Result, engine string) string {
	if v, ok := medianOf(rows, c.field); ok {
		return strconv.FormatFloat(v/c.scale, 'f', c.digit, 64)
	}
	if m.notTold(engine)[c.name] != "" {
		return "n/a"
	}
	return ""
}

func (m *model) notTold(engine string) map[string]string {
	for i := range m.rec.Engines {
		if m.rec.Engines[i].Name == engine {
			return m.rec.Engines[i].NotTold
		}
	}
	return nil
}

// resourceNotes say why a figure is not to be had, and from what the others
// are.
func (m *model) resourceNotes(columns []resource) []string {
	var notes []string
	if m.rounds() > 1 && columns[0].name == "cpu_user_seconds" {
		notes = append(notes, fmt.Sprintf("Medians of %d rounds; CPU and RSS are those of the whole process.", m.rounds()))
	}
	if columns[0].name == "os_threads" {
		notes = append(notes, "OS threads are those of the process, which keeps what Go has made once.")
	}
	for _, c := range columns {
		for _, engine := range m.engines {
			if why := m.notTold(engine)[c.name]; why != "" {
				notes = append(notes, fmt.Sprintf("%s n/a: %s: %s.", c.title, OneLine(engine), strings.TrimSuffix(OneLine(why), ".")))
			}
		}
	}
	return notes
}
