package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime returns the processor time that a process has used until now.
func processTime(pid int) (used time.Duration, ok bool) {
	// A process's clock is its id, inverted, above three bits that choose among
	// its clocks; 2 is the scheduler's, in nanoseconds. See clock_getcpuclockid.
	clock := ^int32(pid)<<3 | 2
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
