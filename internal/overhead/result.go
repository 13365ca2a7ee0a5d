package main

import (
	"fmt"
	"slices"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// A result is everything that was measured, as -json writes it.
type result struct {
	Config      config            `json:"config"`
	Environment bench.Environment `json:"environment"`
	Go          string            `json:"go"`
	Versions    map[string]string `json:"versions"`
	Commands    map[string]string `json:"commands"` // of the native benchmarks
	// OptionDiff lists what differs between RocksDB's own notes of the options of
	// C++ and of Go; null if they were not compared.
	OptionDiff []string `json:"option_diff"`
	Rows       []*row   `json:"rows"`
	// Faults are what makes the figures wrong: counts that differ.
	Faults []string `json:"faults"`
}

// A row is one workload of one engine.
type row struct {
	Engine   string           `json:"engine"`
	Workload string           `json:"workload"`
	Position int              `json:"position"` // in its list, from 1
	Sides    map[side]*series `json:"sides"`
}

// A series is what one side did, in the order of the rounds.
type series struct {
	Micros  []float64 `json:"micros_per_op"`
	Found   []int64   `json:"found,omitempty"`
	Lookups []int64   `json:"lookups,omitempty"`
}

// add adds the cells of a pass.
func (r *result) add(engine string, s side, cells []cell) {
	for i, c := range cells {
		row := r.row(engine, c.Workload, i+1)
		if row.Sides[s] == nil {
			row.Sides[s] = &series{}
		}
		row.Sides[s].add(c)
	}
}

func (r *result) row(engine, workload string, position int) *row {
	for _, row := range r.Rows {
		if row.Engine == engine && row.Workload == workload && row.Position == position {
			return row
		}
	}
	row := &row{Engine: engine, Workload: workload, Position: position, Sides: map[side]*series{}}
	r.Rows = append(r.Rows, row)
	return row
}

func (s *series) add(c cell) {
	s.Micros = append(s.Micros, c.Micros)
	if c.Found >= 0 {
		s.Found = append(s.Found, c.Found)
		s.Lookups = append(s.Lookups, c.Lookups)
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}

// ratio is the ratio of what two sides have, by median or by slices.Min; 0 is
// unknown.
func ratio(a, b *series, of func([]float64) float64) float64 {
	if a == nil || b == nil {
		return 0
	}
	divisor := of(b.Micros)
	if divisor == 0 {
		return 0
	}
	return of(a.Micros) / divisor
}

// check notes counts that are not as they must be. Every side and round reads
// the same keys, but for RocksDB's db_bench, which has a generator of its own.
func (r *result) check(sameKeys func(engine string, s side) bool) {
	r.Faults = []string{}
	for _, row := range r.Rows {
		want := row.Sides[sideOurs]
		if want == nil || len(want.Found) == 0 {
			continue
		}
		for _, s := range []side{sideNative, sideOurs, sidePlain} {
			got := row.Sides[s]
			if got == nil || !sameKeys(row.Engine, s) {
				continue
			}
			for i := range got.Found {
				if got.Found[i] != want.Found[0] || got.Lookups[i] != want.Lookups[0] {
					r.Faults = append(r.Faults, fmt.Sprintf("%s %s: %s found %d of %d in round %d, not %d of %d", row.Engine,
						row.Workload, s, got.Found[i], got.Lookups[i], i+1, want.Found[0], want.Lookups[0]))
				}
			}
		}
	}
}
