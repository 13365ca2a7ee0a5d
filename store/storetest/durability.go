package storetest

import (
	"context"
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// The view of write stalls.
func durabilityCases() []testCase {
	return []testCase{
		{name: "Stalls", run: stalls},
	}
}

// A store that has nothing to do holds no writes back, and every engine can say
// whether it does.
func stalls(t *env) {
	db := t.fresh()
	t.fill(db, numbered(100))
	s, ok := db.(store.Staller)
	if !ok {
		t.Fatal("the store is no store.Staller")
	}
	t.must(s.WaitWritable(nil), "wait without a context")
	t.must(s.WaitWritable(t.Context()), "wait")
	st, err := s.Stalls()
	t.must(err, "stalls")
	held, told := st.Held()
	if st.State != store.StallNone || !st.Count.Known() || !told || held < 0 {
		t.Errorf("stalls: %+v", st)
	}
	m, err := db.Metrics()
	t.must(err, "metrics")
	if m.Stalls.State != st.State || m.Stalls.Count.Known() != st.Count.Known() {
		t.Errorf("metrics have %+v, stalls were %+v", m.Stalls, st)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	err = s.WaitWritable(canceled)
	t.wantKind(err, store.ErrTimeout, "wait with a done context")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("wait with a done context: %v", err)
	}
}
