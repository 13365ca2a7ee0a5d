package handle

import (
	"context"
	"runtime/trace"

	"github.com/lsmkit/lsmkit/store"
)

// Region begins a region of an execution trace: each operation is one while a
// trace is taken. Callers ask trace.IsEnabled first, which costs them a load and a
// branch. A nil ctx is of no task.
func Region(ctx context.Context, name string) *trace.Region {
	if ctx == nil {
		ctx = context.Background()
	}
	return trace.StartRegion(ctx, name)
}

// WriteRegion is Region for a write.
func WriteRegion(o *store.WriteOptions, name string) *trace.Region {
	if o == nil {
		return Region(nil, name)
	}
	return Region(o.Context, name)
}
