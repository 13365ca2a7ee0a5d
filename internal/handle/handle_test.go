package handle

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// After Close has returned, no call that Enter let in is still running, and
// none is let in.
func TestGuardCloseWaits(t *testing.T) {
	for range 50 {
		var g Guard
		g.Init(0)
		var inside, after atomic.Int64
		var closed atomic.Bool
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					s := g.Enter()
					if s == nil {
						return
					}
					inside.Add(1)
					if closed.Load() {
						after.Add(1)
					}
					inside.Add(-1)
					g.Exit(s)
				}
			})
		}
		for g.InFlight() == 0 {
			runtime.Gosched()
		}
		if !g.Close() {
			t.Fatal("first Close returned false")
		}
		closed.Store(true)
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d calls inside after Close", n)
		}
		wg.Wait()
		if n := after.Load(); n != 0 {
			t.Fatalf("%d calls were let in after Close", n)
		}
		if g.Close() {
			t.Fatal("second Close returned true")
		}
		if n := g.InFlight(); n != 0 {
			t.Fatalf("%d in flight at the end", n)
		}
	}
}

type resource struct {
	Node
	kind  Kind
	freed *[]Kind
}

func (r *resource) Free() { *r.freed = append(*r.freed, r.kind) }

// CloseAll frees each child once, iterators first, and reports them; children
// that were removed are not touched.
func TestChildren(t *testing.T) {
	var c Children
	var freed []Kind
	add := func(k Kind) *resource {
		r := &resource{kind: k, freed: &freed}
		c.Add(k, &r.Node, r)
		return r
	}
	add(Snapshot)
	gone := add(Iterator)
	add(Iterator)
	add(Iterator)
	if !c.Remove(Iterator, &gone.Node) || c.Remove(Iterator, &gone.Node) {
		t.Fatal("Remove must be true once")
	}
	if n := c.Len(Iterator); n != 2 {
		t.Fatalf("%d iterators, want 2", n)
	}
	report := c.CloseAll()
	if !Debug && report != "2 iterators, 1 snapshot" {
		t.Fatalf("report %q", report)
	}
	if len(freed) != 3 || freed[0] != Iterator || freed[1] != Iterator || freed[2] != Snapshot {
		t.Fatalf("freed %v", freed)
	}
	if report := c.CloseAll(); report != "" {
		t.Fatalf("second CloseAll found %q", report)
	}
}

func TestGuardAllocatesNothing(t *testing.T) {
	var g Guard
	g.Init(0)
	if n := testing.AllocsPerRun(1000, func() { g.Exit(g.Enter()) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
