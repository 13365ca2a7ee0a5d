//go:build lsmkitdebug

package memstore

// lend returns a copy, so that poison can spoil it.
func lend(b []byte) []byte { return append([]byte{}, b...) }

// poison overwrites what was lent, so that a caller who kept it without a copy
// sees it.
func poison(b []byte) {
	for i := range b {
		b[i] ^= 0xA5
	}
}
