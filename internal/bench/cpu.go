package bench

import (
	"syscall"
	"time"
)

// cpuTimes are processor times of this process.
type cpuTimes struct {
	user, system time.Duration
}

// readCPU returns the times until now, nil if the system doesn't tell.
func readCPU() *cpuTimes {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return nil
	}
	return &cpuTimes{user: time.Duration(u.Utime.Nano()), system: time.Duration(u.Stime.Nano())}
}

// until returns the time between t and later.
func (t *cpuTimes) until(later *cpuTimes) *cpuTimes {
	if t == nil || later == nil {
		return nil
	}
	return &cpuTimes{user: later.user - t.user, system: later.system - t.system}
}
