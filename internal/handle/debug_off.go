//go:build !lsmkitdebug

package handle

// Debug tells whether this is the debug build.
const Debug = false

func caller() string { return "" }

// Watch does nothing in this build.
func Watch[T any](_ *T, _ Kind, _ func() bool) {}
