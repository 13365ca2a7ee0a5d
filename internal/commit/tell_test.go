package commit

import (
	"runtime"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

func told(q *Queue) [4]uint64 {
	var m store.Commits
	q.Tell(&m)
	var n [4]uint64
	for i, f := range []store.Figure{m.Groups, m.Grouped, m.Largest, m.Waiting} {
		n[i], _ = f.Value()
	}
	return n
}

// Groups are counted with their members, lone writers aren't, and who waits is
// counted as long as it does.
func TestTell(t *testing.T) {
	q, _, open := held(t)
	errs := make(chan error, 6)
	add := func(n int, sync bool) {
		go func() { errs <- put(q, nil, nil, []byte{byte(n)}, sync) }()
		waiters(q, n)
		for told(q)[3] != uint64(n) {
			runtime.Gosched()
		}
	}
	for n := range 4 {
		add(n+1, false) // a group of four
	}
	add(5, true) // one alone, which the group before can't take
	if n := told(q); n != [4]uint64{0, 0, 0, 5} {
		t.Errorf("before: %v", n)
	}
	if n := q.Leading(); n != 0 {
		t.Errorf("%d groups lead beside a lone writer", n)
	}
	open()
	for range 5 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := told(q); n != [4]uint64{1, 4, 4, 0} {
		t.Errorf("after: %v", n)
	}
}
