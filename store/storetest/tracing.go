package storetest

import (
	"bytes"
	"context"
	"runtime/trace"

	"github.com/lsmkit/lsmkit/store"
)

// While an execution trace is taken, each operation is a region of it.
func traceCases() []testCase {
	return []testCase{{name: "TraceRegions", run: traceRegions}}
}

// regions are the names of those that an engine makes.
var regions = []string{
	"lsmkit.get", "lsmkit.has", "lsmkit.multi-get", "lsmkit.scan", "lsmkit.snapshot",
	"lsmkit.put", "lsmkit.delete", "lsmkit.delete-range", "lsmkit.write", "lsmkit.flush", "lsmkit.compact",
}

// The names of regions are in the trace as they are, so that it need not be
// parsed to find them. In a store in memory a call is too short to be of interest.
func traceRegions(t *env) {
	db := t.fresh()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skipf("another trace is being taken: %v", err)
	}
	defer trace.Stop()
	const name = "task of the test"
	ctx, task := trace.NewTask(context.Background(), name)
	b := store.NewBatch(0)
	t.must(b.Put([]byte("c"), nil), "batch put")
	t.must(db.Write(b, &store.WriteOptions{Context: ctx}), "write")
	t.must(db.Put([]byte("a"), []byte("1"), nil), "put")
	t.must(db.Delete([]byte("b"), nil), "delete")
	t.must(db.DeleteRange([]byte("x"), []byte("y"), nil), "delete range")
	t.wantGet(db, "a", "1")
	t.wantMissing(db, "b")
	t.wantContents(db, rows("a", "1", "c", ""), "traced")
	t.release(t.snapshot(db))
	t.must(db.Flush(), "flush")
	t.must(db.Compact(ctx, store.KeyRange{}), "compact")
	task.End()
	trace.Stop()
	if !bytes.Contains(out.Bytes(), []byte(name)) {
		t.Fatal("the trace is empty")
	}
	for _, name := range regions {
		if bytes.Contains(out.Bytes(), []byte(name)) == t.cfg.InMemory {
			t.Errorf("region %s: in memory %v", name, t.cfg.InMemory)
		}
	}
}
