package ratio

import (
	"time"

	"golang.org/x/sys/unix"
)

// now returns the processor time of this thread.
func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // Linux has that clock
	}
	return time.Duration(t.Nano())
}
