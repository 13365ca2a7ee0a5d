package handle

import "unsafe"

// stripe chooses a counter by the address of the goroutine's stack: goroutines
// that run at the same time have different stacks, and it costs less than asking
// the runtime for anything. The address is only a number here; if the stack
// moves, the next call takes another counter, which is as good.
func stripe() uintptr {
	var here byte
	// Stacks are at least 2 KiB apart. The multiplication spreads the bits above
	// that into the top four.
	addr := uint64(uintptr(unsafe.Pointer(&here))) >> 11
	return uintptr(addr * 0x9E3779B97F4A7C15 >> 60)
}

// Counter returns what C lowers by one to leave the place, and looks at then: at
// 0 or above others may wait; see Leave. A nil stripe has none.
func (s *Stripe) Counter() *int64 {
	if s == nil {
		return nil
	}
	if race {
		// The race detector doesn't see what C does: what was done before the call
		// comes before Close for it too.
		s.n.Add(0)
	}
	return (*int64)(unsafe.Pointer(&s.n))
}
