package handle

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkGuard is the guard, with and without a limit, against the two usual
// ways to know that no call is under way: from one goroutine to many. What a
// call does in C is left out.
func BenchmarkGuard(b *testing.B) {
	for _, goroutines := range []int{1, 2, 4, 8, 16, 32, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			for _, way := range []struct {
				name string
				call func() func()
			}{
				{"way=limited", limited}, {"way=unlimited", unlimited}, {"way=atomic", oneCounter}, {"way=rwmutex", rwMutex},
			} {
				b.Run(way.name, func(b *testing.B) { spread(b, goroutines, way.call()) })
			}
		})
	}
}

// spread has b.N calls made by so many goroutines.
func spread(b *testing.B, goroutines int, call func()) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for g := range goroutines {
		n := b.N / goroutines
		if g < b.N%goroutines {
			n++
		}
		wg.Go(func() {
			<-begin
			for range n {
				call()
			}
		})
	}
	b.ResetTimer()
	close(begin)
	wg.Wait()
}

func limited() func() { return guarded(23) }

func unlimited() func() { return guarded(0) }

func guarded(limit int) func() {
	g := &Guard{}
	g.Init(limit)
	return func() { g.Exit(g.Enter()) }
}

func oneCounter() func() {
	var n atomic.Int64
	var closed atomic.Bool
	return func() {
		n.Add(1)
		if closed.Load() {
			panic("closed")
		}
		n.Add(-1)
	}
}

func rwMutex() func() {
	var mu sync.RWMutex
	var closed bool
	return func() {
		mu.RLock()
		if closed {
			panic("closed")
		}
		mu.RUnlock()
	}
}
