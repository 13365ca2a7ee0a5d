package handle

import (
	"runtime/trace"
	"testing"
)

// BenchmarkNotTraced is what each call pays for being a region of a trace, as long
// as none is taken.
func BenchmarkNotTraced(b *testing.B) {
	call := func() {
		if trace.IsEnabled() {
			defer Region(nil, "lsmkit.get").End()
		}
	}
	for b.Loop() {
		call()
	}
}
