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
