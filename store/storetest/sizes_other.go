//go:build !((linux || darwin) && (amd64 || arm64))

package storetest

import "testing"

func untouchable(t testing.TB) []byte {
	t.Helper()
	t.Skip("needs a 64-bit system with mmap")
	return nil
}
