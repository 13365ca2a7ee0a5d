package rocksdb

import (
	"context"
	"runtime/trace"

	"github.com/lsmkit/lsmkit/store"
)

// Each operation is a region of an execution trace while one is taken. Callers
// ask trace.IsEnabled first, which costs them a load and a branch.

// region begins a region. A nil ctx is of no task.
func region(ctx context.Context, name string) *trace.Region {
	if ctx == nil {
		ctx = context.Background()
	}
	return trace.StartRegion(ctx, name)
}

// writeRegion is region for a write.
func writeRegion(o *store.WriteOptions, name string) *trace.Region {
	if o == nil {
		return region(nil, name)
	}
	return region(o.Context, name)
}
