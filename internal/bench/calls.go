package bench

import (
	"context"

	"github.com/lsmkit/lsmkit/store"
)

// caller is the kernel of plans that call the engine once an operation.
type caller struct {
	call func() error
}

func (k *caller) run(_ *tally, n int64) (done int64, err error) {
	for ; done < n; done++ {
		if err := k.call(); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (k *caller) finish() error { return nil }

// compactPlan measures one full compaction, and what it did to the files.
func compactPlan(*Config) *plan {
	var before layout
	return &plan{
		ops: 1, unit: 1,
		call: func(ctx context.Context, s *session) error {
			return s.db.Compact(ctx, store.KeyRange{})
		},
		before: func(s *session, row *Result) (err error) {
			if before, err = readLayout(s.db); err != nil {
				return err
			}
			row.FilesPerLevelBefore = before.metrics.FilesPerLevel()
			row.DiskBytesBefore = told(before.metrics.DiskBytes)
			return nil
		},
		after: func(s *session, row *Result) error {
			after, err := readLayout(s.db)
			if err != nil {
				return err
			}
			row.FilesPerLevelAfter = after.metrics.FilesPerLevel()
			row.DiskBytes = told(after.metrics.DiskBytes)
			row.PendingCompactionBytes = told(after.metrics.PendingCompactionBytes)
			if read, written, ok := rewritten(before, after); ok {
				row.BytesWritten = &written
				row.Bytes = read + written
			}
			return nil
		},
	}
}

// layout is what a store is made of at one moment.
type layout struct {
	metrics store.Metrics
	tables  map[uint64]uint64 // bytes by number; nil if the engine doesn't list them
}

func readLayout(db store.DB) (l layout, err error) {
	if l.metrics, err = db.Metrics(); err != nil {
		return l, err
	}
	lister, ok := db.(store.TableLister)
	if !ok {
		return l, nil
	}
	tables, err := lister.Tables()
	if err != nil {
		return l, err
	}
	l.tables = make(map[uint64]uint64, len(tables))
	for _, t := range tables {
		l.tables[t.Number] = t.Bytes
	}
	return l, nil
}

// rewritten returns the bytes that a compaction read from tables and wrote to
// tables; both are 0 if it rewrote nothing, which is so if it replaced no table
// and counted nothing read. (It may have written the memtable out then.) The
// engine's counters know of tables that came and went meanwhile, but may count
// in whole MiB: the tables that are gone, and that are new, are the least that
// it must have been. ok is false if neither is known.
func rewritten(before, after layout) (read, written int64, ok bool) {
	counted := grown(before.metrics.CompactionReadBytes, after.metrics.CompactionReadBytes)
	wrote := grown(before.metrics.CompactionWriteBytes, after.metrics.CompactionWriteBytes)
	if counted == nil && before.tables == nil {
		return 0, 0, false
	}
	gone, added := tableBytes(before.tables, after.tables), tableBytes(after.tables, before.tables)
	if counted != nil {
		read = *counted
	}
	if read = max(read, gone); read == 0 {
		return 0, 0, true
	}
	if wrote != nil {
		written = *wrote
	}
	return read, max(written, added), true
}

// tableBytes returns the size of the tables in a that are not in b.
func tableBytes(a, b map[uint64]uint64) (sum int64) {
	for number, bytes := range a {
		if _, ok := b[number]; !ok {
			sum += int64(bytes)
		}
	}
	return sum
}

// flushPlan measures writing the memtable out, and what that wrote.
func flushPlan(*Config) *plan {
	var before layout
	return &plan{
		ops: 1, unit: 1,
		call: func(_ context.Context, s *session) error { return s.db.Flush() },
		before: func(s *session, row *Result) (err error) {
			if before, err = readLayout(s.db); err == nil {
				row.FilesPerLevelBefore = before.metrics.FilesPerLevel()
			}
			return err
		},
		after: func(s *session, row *Result) error {
			after, err := readLayout(s.db)
			if err != nil {
				return err
			}
			if after.tables != nil {
				row.BytesWritten = known(tableBytes(after.tables, before.tables))
			}
			return recordSize(s, row)
		},
	}
}

func openPlan(c *Config) *plan {
	return &plan{
		ops: openOps(c), unit: 1,
		call: func(_ context.Context, s *session) error { return s.reopen() },
	}
}

// textPlan takes a text that the engine has under a name of its own.
func textPlan(name func(*Engine) string) func(*Config) *plan {
	return func(*Config) *plan {
		return &plan{after: func(s *session, row *Result) (err error) {
			row.Text, err = s.db.Property(name(s.engine))
			return err
		}}
	}
}

func statsProperty(e *Engine) string { return e.StatsProperty }

func tablesProperty(e *Engine) string { return e.TablesProperty }

// recordSize sets what is known of the store's size and of what it has left to
// do.
func recordSize(s *session, row *Result) error {
	m, err := s.db.Metrics()
	if err != nil {
		return err
	}
	row.DiskBytes = told(m.DiskBytes)
	row.PendingCompactionBytes = told(m.PendingCompactionBytes)
	row.FilesPerLevelAfter = m.FilesPerLevel()
	return nil
}

// told returns a figure's value, nil if it is not known.
func told(f store.Figure) *int64 {
	n, ok := f.Value()
	if !ok {
		return nil
	}
	v := int64(n)
	return &v
}

// grown returns the difference of two figures, nil if one is not known.
func grown(before, after store.Figure) *int64 {
	b, a := told(before), told(after)
	if b == nil || a == nil {
		return nil
	}
	d := *a - *b
	return &d
}
