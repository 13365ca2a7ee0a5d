package bench

import (
	"fmt"
	"math"
)

// CompareOptions says when a slower row is a regression.
type CompareOptions struct {
	// MaxRegressionPercent is how much slower a row may be: a row is a regression
	// if the difference is shown and larger. Negative: nothing is a regression.
	MaxRegressionPercent float64
}

// Comparison is two records side by side.
type Comparison struct {
	Rows []ComparedRow
	// GeoMeans are the geometric means of the factors of each engine's rows;
	// Baseline is empty.
	GeoMeans []GeoMean
	// Notes say in what the runs differ, so that their figures may differ for
	// another reason than the one looked for.
	Notes []string
}

// ComparedRow is one workload of one engine, before and after.
type ComparedRow struct {
	Engine    string
	Workload  string
	ValueSize string
	// Position is the place in the new record's list, or in the old one's if the
	// row is only there.
	Position int
	// Old and New have the figures of each side; nil where it has no row.
	Old, New *Summary
	// Factor is the new median divided by the old one: below 1 is slower.
	Factor, ChangePercent, P *float64
	Verdict                  Verdict
	// Note is the reason of VerdictNotCompared.
	Note string
	// Regression: slower, shown to be, and by more than is allowed.
	Regression bool
	// Broken: the new record has no good figure where the old one has.
	Broken bool
}

// Regressions returns the rows that are regressions.
func (c *Comparison) Regressions() (rows []ComparedRow) {
	for _, r := range c.Rows {
		if r.Regression {
			rows = append(rows, r)
		}
	}
	return rows
}

// Broken returns the rows that the new record has no good figure of.
func (c *Comparison) Broken() (rows []ComparedRow) {
	for _, r := range c.Rows {
		if r.Broken {
			rows = append(rows, r)
		}
	}
	return rows
}

// rowKey says which rows of two records belong together: the n-th time that a
// workload stands in the list.
type rowKey struct {
	engine, workload, size string
	nth                    int
}

// keyed are the rows of a record, in the order of the list.
type keyed struct {
	order []rowKey
	rows  map[rowKey]*cellRows
	at    map[rowKey]int
}

func keyRows(rec *Record) *keyed {
	k := &keyed{rows: map[rowKey]*cellRows{}, at: map[rowKey]int{}}
	for _, s := range Summarize(rec) {
		key := rowKey{engine: s.Engine, workload: s.Workload, size: s.ValueSize}
		for k.rows[key] != nil {
			key.nth++
		}
		k.order = append(k.order, key)
		k.rows[key] = gather(rec, s.Position, s.Workload, s.Engine)
		k.at[key] = s.Position
	}
	return k
}

// Compare sets a record against an older one, workload by workload, each engine
// with itself.
func Compare(old, new *Record, o CompareOptions) *Comparison {
	before, after := keyRows(old), keyRows(new)
	c := &Comparison{Notes: differences(old, new)}
	for _, key := range after.order {
		c.Rows = append(c.Rows, compareRow(key, before, after, o))
	}
	for _, key := range before.order {
		if after.rows[key] == nil {
			c.Rows = append(c.Rows, compareRow(key, before, after, o))
		}
	}
	c.GeoMeans = geoMeansOf(c.Rows)
	return c
}

func compareRow(key rowKey, before, after *keyed, o CompareOptions) ComparedRow {
	row := ComparedRow{Engine: key.engine, Workload: key.workload, ValueSize: key.size, Position: after.at[key]}
	was, is := before.rows[key], after.rows[key]
	side := func(rows *cellRows, position int) *Summary {
		if rows == nil {
			return nil
		}
		s := rows.summarize()
		s.Engine, s.Workload, s.ValueSize, s.Position = key.engine, key.workload, key.size, position
		return &s
	}
	row.Old, row.New = side(was, before.at[key]), side(is, after.at[key])
	if is == nil {
		row.Position = before.at[key]
	}
	row.Note = unfitFor(was, "the old record")
	oldIsFit := row.Note == ""
	if note := unfitFor(is, "the new record"); note != "" {
		row.Note, row.Broken = note, oldIsFit
	}
	if row.Note != "" {
		row.Verdict = VerdictNotCompared
		return row
	}
	d := contrast(was.opsPerSec, is.opsPerSec)
	row.Factor, row.ChangePercent, row.P, row.Verdict, row.Note = d.factor, d.change, d.p, d.verdict, d.note
	row.Regression = row.Verdict == VerdictSlower && o.MaxRegressionPercent >= 0 && -*d.change > o.MaxRegressionPercent
	return row
}

// unfitFor says why rows of a record can't be compared; empty if they can.
func unfitFor(rows *cellRows, record string) string {
	switch {
	case rows == nil:
		return record + " has no such row"
	case rows.unfit != "":
		return record + ": " + rows.unfit
	case len(rows.opsPerSec) == 0:
		return record + " has no finished row"
	}
	return ""
}

func geoMeansOf(rows []ComparedRow) (means []GeoMean) {
	logs := map[string]float64{}
	index := map[string]int{}
	for _, r := range rows {
		if r.Factor == nil {
			continue
		}
		i, ok := index[r.Engine]
		if !ok {
			i = len(means)
			index[r.Engine] = i
			means = append(means, GeoMean{Engine: r.Engine})
		}
		means[i].Rows++
		logs[r.Engine] += math.Log(*r.Factor)
	}
	for i := range means {
		means[i].Factor = math.Exp(logs[means[i].Engine] / float64(means[i].Rows))
	}
	return means
}

// differences says in what two runs differ that changes figures.
func differences(old, new *Record) (notes []string) {
	note := func(what string, a, b any) {
		if a != b {
			notes = append(notes, fmt.Sprintf("%s: %v before, %v now", what, a, b))
		}
	}
	a, b := &old.Config, &new.Config
	note("num", a.Num, b.Num)
	note("reads", a.Reads, b.Reads)
	note("threads", a.Threads, b.Threads)
	note("batch size", a.BatchSize, b.BatchSize)
	note("key size", a.KeySize, b.KeySize)
	note("value size", a.ValueSize.String(), b.ValueSize.String())
	note("compression ratio", a.CompressionRatio, b.CompressionRatio)
	note("sync", a.Sync, b.Sync)
	note("duration", a.Duration, b.Duration)
	note("rate", a.Rate, b.Rate)
	note("latency", a.Latency, b.Latency)
	note("seed", a.Seed, b.Seed)
	note("profile", a.Profile, b.Profile)
	e, f := &old.Environment, &new.Environment
	note("cpu", e.CPU, f.CPU)
	note("cores", e.Cores, f.Cores)
	note("file system", e.Filesystem, f.Filesystem)
	for _, info := range new.Engines {
		for _, was := range old.Engines {
			if was.Name != info.Name {
				continue
			}
			note(info.Name, was.LibraryVersion, info.LibraryVersion)
			note(info.Name+" build", was.Build.String(), info.Build.String())
			for _, d := range DiffOptions([]EngineInfo{was, info}) {
				if d.Differs {
					note(info.Name+" "+d.Name, d.Values[0], d.Values[1])
				}
			}
		}
	}
	return notes
}
