//go:build (linux || darwin) && (amd64 || arm64)

package storetest

import (
	"syscall"
	"testing"
)

// untouchable returns a slice of more than 4 GiB whose memory takes no room and
// faults on any access. It is gone with the test.
func untouchable(t testing.TB) []byte {
	t.Helper()
	mem, err := syscall.Mmap(-1, 0, 4<<30+16, syscall.PROT_NONE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no address space for a slice of 4 GiB: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Errorf("munmap: %v", err)
		}
	})
	return mem
}
