package bench

import (
	"errors"
	"fmt"
	"math"
)

// Check returns nil for a record that this program can have made, and otherwise
// says what is wrong with it. A record may come from a file that was damaged, or
// that something else has made.
func (r *Record) Check() error {
	switch {
	case r.Schema == 0:
		return errors.New("this is no record of dbbench run: it has no schema")
	case r.Schema != Schema:
		return fmt.Errorf("the record has schema %d, this program knows %d", r.Schema, Schema)
	case len(r.Engines) == 0:
		return errors.New("the record has no engines")
	case len(r.Config.Workloads) == 0:
		return errors.New("the record has no workloads")
	}
	engines := map[string]bool{}
	for _, e := range r.Engines {
		if e.Name == "" || engines[e.Name] {
			return fmt.Errorf("the record has the engine %q twice, or without a name", e.Name)
		}
		engines[e.Name] = true
	}
	for i := range r.Results {
		if err := r.checkRow(&r.Results[i], engines); err != nil {
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	for i, s := range r.Summary {
		if !engines[s.Engine] || s.Position < 1 || s.Position > len(r.Config.Workloads) {
			return fmt.Errorf("summary[%d]: %q at %d is in no list", i, s.Engine, s.Position)
		}
	}
	for i, w := range r.Warnings {
		for _, row := range w.Rows {
			if row < 0 || row >= len(r.Results) {
				return fmt.Errorf("warnings[%d]: there is no row %d", i, row)
			}
		}
	}
	return nil
}

func (r *Record) checkRow(row *Result, engines map[string]bool) error {
	switch {
	case !engines[row.Engine]:
		return fmt.Errorf("engine %q is not in the record's list", row.Engine)
	case row.Position < 1 || row.Position > len(r.Config.Workloads):
		return fmt.Errorf("position %d is not in the list of %d workloads", row.Position, len(r.Config.Workloads))
	case row.Workload != r.Config.Workloads[row.Position-1] && row.Workload != WriterRow:
		return fmt.Errorf("workload %q is not the one at position %d", row.Workload, row.Position)
	case row.Round < 1:
		return fmt.Errorf("round %d", row.Round)
	case row.Ops < 0 || row.Bytes < 0:
		return errors.New("it has a negative count")
	}
	for _, x := range []float64{row.Seconds, row.OpsPerSec, row.MicrosPerOp, row.MBPerSec} {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return fmt.Errorf("it has the figure %v", x)
		}
	}
	switch row.Status {
	case StatusOK, StatusFailed, StatusSkipped, StatusInterrupted:
		return nil
	}
	return fmt.Errorf("unknown status %q", row.Status)
}
