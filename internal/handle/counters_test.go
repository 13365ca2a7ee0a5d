package handle

import (
	"sync"
	"testing"
	"unsafe"
)

func newCounters() *Counters {
	c := new(Counters)
	c.Init()
	return c
}

// Numbers and amounts add up, through many spills, with many goroutines, and a
// reader never sees them go back.
func TestCountersAddUp(t *testing.T) {
	const goroutines, each = 4, 3 << (numberBits - 1)
	c := newCounters()
	stop, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		var hot, cold Sum
		for {
			h, k := c.Sum(Put), c.Sum(Write)
			if h.Number < hot.Number || h.Amount < hot.Amount || k.Number < cold.Number || k.Amount < cold.Amount {
				t.Errorf("went back from %v, %v to %v, %v", hot, cold, h, k)
			}
			hot, cold = h, k
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range each {
				c.Count(Put, 3)
				if i%16 == 0 {
					c.Count(Write, 1<<30)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	<-read
	if sum := c.Sum(Put); sum != (Sum{goroutines * each, 3 * goroutines * each}) {
		t.Errorf("Put: %v", sum)
	}
	writes := uint64(goroutines * each / 16)
	if sum := c.Sum(Write); sum != (Sum{writes, writes << 30}) {
		t.Errorf("Write: %v, want %d", sum, writes)
	}
	for e := range Event(events) {
		if sum := c.Sum(e); e != Put && e != Write && sum != (Sum{}) {
			t.Errorf("event %d: %v", e, sum)
		}
	}
}

func TestCountersOff(t *testing.T) {
	c := newCounters()
	c.Off(true)
	c.Count(GetHit, 1)
	c.Count(Write, 1)
	if a, b := c.Sum(GetHit), c.Sum(Write); a != (Sum{}) || b != (Sum{}) {
		t.Errorf("%v, %v", a, b)
	}
}

func TestCountersAllocateNothing(t *testing.T) {
	c := newCounters()
	if n := testing.AllocsPerRun(1000, func() { c.Count(GetHit, 100) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// Stripes don't share cache lines.
func TestStripesLieApart(t *testing.T) {
	const line = 64
	if n := unsafe.Sizeof(counterStripe{}); n%line != 0 {
		t.Errorf("a stripe has %d bytes", n)
	}
	if p := unsafe.Pointer(newCounters().stripes); uintptr(p)%line != 0 {
		t.Errorf("stripes begin at %p", p)
	}
}

// What counting costs, beside the guard that each call passes.
func BenchmarkCounters(b *testing.B) {
	for _, counting := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[counting], func(b *testing.B) {
			var g Guard
			g.Init(23)
			c := newCounters()
			if !counting {
				c.Off(true)
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					s := g.Enter()
					c.Count(GetHit, 100)
					g.Exit(s)
				}
			})
		})
	}
}
