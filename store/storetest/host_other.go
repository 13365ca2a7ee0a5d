//go:build !linux

package storetest

import "testing"

// WithSmallDisk skips the test: it needs Linux.
func WithSmallDisk(t *testing.T, _ int, _ func(t *testing.T, folder string)) {
	t.Helper()
	t.Skip("needs a tmpfs")
}

// WithUnwritable skips the test: it needs Linux.
func WithUnwritable(t *testing.T, _ func(t *testing.T, folder string, writable func(bool))) {
	t.Helper()
	t.Skip("needs a file system of its own")
}

// LimitFiles skips the test: it needs Linux.
func LimitFiles(t testing.TB, _ int64) (lift func()) {
	t.Helper()
	t.Skip("needs RLIMIT_FSIZE")
	return nil
}

// LimitProcessor skips the test: it needs Linux.
func LimitProcessor(t testing.TB, _ uint64) {
	t.Helper()
	t.Skip("needs RLIMIT_CPU")
}

// ResidentBytes skips the test: it needs Linux.
func ResidentBytes(t testing.TB) int64 {
	t.Helper()
	t.Skip("needs /proc")
	return 0
}

func openDescriptors(t testing.TB) []string {
	t.Helper()
	t.Skip("needs /proc")
	return nil
}

func threadCount(t testing.TB) int {
	t.Helper()
	t.Skip("needs /proc")
	return 0
}
