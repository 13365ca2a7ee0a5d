package bench

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// Times of waiting for compaction.
const (
	settlePoll    = 20 * time.Millisecond
	settleQuiet   = 500 * time.Millisecond // for an engine that doesn't tell
	settleLongest = 10 * time.Minute
)

// errNotSettled says that compaction has not come to an end.
var errNotSettled = errors.New("compaction has not come to an end in " + settleLongest.String())

// triggers are the facts about an engine from which one can tell whether it has
// something to compact.
type triggers struct {
	level0 int64 // files at which level 0 is compacted
	level1 int64 // bytes at which level 1 is, each level below at ten times more
}

// triggersOf reads them from the engine's options; 0 where they don't tell.
func triggersOf(options OptionList) (t triggers) {
	if o, ok := options.Get(OptL0Triggers); ok {
		first, _, _ := strings.Cut(o.Text(), "/")
		t.level0, _ = strconv.ParseInt(first, 10, 64)
	}
	if o, ok := options.Get(OptL1Size); ok {
		t.level1, _ = o.Value.(int64)
	}
	return t
}

// debt tells whether the figures show that something is to be compacted or is
// being. told is false if the engine says nothing about it itself, so that only
// figures that no longer change show that nothing is running.
func (t triggers) debt(m *store.Metrics) (debt, told bool) {
	for _, f := range []store.Figure{m.RunningCompactions, m.RunningFlushes, m.ImmutableMemtables, m.PendingCompactionBytes} {
		if n, ok := f.Value(); ok && n > 0 {
			debt = true
		}
	}
	target := t.level1
	for i, l := range m.Levels {
		files, _ := l.Files.Value()
		size, _ := l.Bytes.Value()
		switch {
		case i == 0 && t.level0 > 0 && int64(files) >= t.level0:
			debt = true
		case i > 0 && i < len(m.Levels)-1 && target > 0 && int64(size) > target:
			debt = debt || !m.PendingCompactionBytes.Known() // one that tells may have other targets
		}
		if i > 0 {
			target = min(target*10, 1<<60)
		}
	}
	return debt, m.PendingCompactionBytes.Known() && m.RunningCompactions.Known() || len(m.Levels) == 0
}

// settle waits until compaction has nothing left to do, and returns how long it
// took to get there, without the time of making sure.
func settle(ctx context.Context, db store.DB, t triggers) (time.Duration, error) {
	began := time.Now()
	changed, last := began, store.Metrics{}
	ticker := time.NewTicker(settlePoll)
	defer ticker.Stop()
	for first := true; ; first = false {
		m, err := db.Metrics()
		if err != nil {
			return 0, err
		}
		now := time.Now()
		debt, told := t.debt(&m)
		if debt || !told && !first && !reflect.DeepEqual(activity(&m), activity(&last)) {
			changed = now
		}
		last = m
		quiet := settleQuiet
		if told {
			quiet = settlePoll
		}
		switch {
		case !debt && (len(m.Levels) == 0 || now.Sub(changed) >= quiet):
			return changed.Sub(began), nil
		case now.Sub(began) > settleLongest:
			return now.Sub(began), errNotSettled
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-ticker.C:
		}
	}
}

// activity are the figures that change when compaction does something.
func activity(m *store.Metrics) []any {
	return []any{m.Levels, m.TableBytes, m.CompactionReadBytes, m.CompactionWriteBytes}
}

// settlePlan measures how long compaction still takes.
func settlePlan(*Config) *plan {
	var took time.Duration
	return &plan{
		ops: 1, unit: 1,
		call: func(ctx context.Context, s *session) (err error) {
			took, err = settle(ctx, s.db, s.triggers)
			return err
		},
		after: func(s *session, row *Result) error {
			row.SettleSeconds = known(took.Seconds()) // the row's own time has that of making sure too
			return recordSize(s, row)
		},
	}
}

// settleAfter waits after a workload, and adds what it took to the row.
func (p *pass) settleAfter(row *Result) error {
	var took time.Duration
	err := p.await(callPatience, func() (err error) {
		took, err = settle(p.ctx, p.db, p.triggers)
		return err
	})
	if err != nil && !errors.Is(err, errNotSettled) {
		return err
	}
	row.SettleSeconds = known(took.Seconds())
	if both := row.Seconds + took.Seconds(); both > 0 {
		row.SettledOpsPerSec = known(float64(row.Ops) / both)
	}
	if err != nil {
		p.warn(WarnNotSettled, p.engine.title()+" "+row.Workload+": "+err.Error(), len(p.rec.Results))
	}
	return nil
}
