package bench

import (
	"context"
	"testing"

	"github.com/lsmkit/lsmkit/internal/nullstore"
)

// The cost of measuring: each benchmark runs the workload's own loop, from the
// worker's stop flag to the call of the store, with a store that does nothing.
// ns/op is the time for an operation that no engine has a part in; cpu-ns/op,
// the processor time, says the same on a machine that has other work too.

func BenchmarkHarnessFillseq(b *testing.B)    { benchmarkHarness(b, "fillseq") }
func BenchmarkHarnessFillrandom(b *testing.B) { benchmarkHarness(b, "fillrandom") }
func BenchmarkHarnessFillunique(b *testing.B) { benchmarkHarness(b, "filluniquerandom") }
func BenchmarkHarnessFillbatch(b *testing.B)  { benchmarkHarness(b, "fillbatch") }
func BenchmarkHarnessFillbuffered(b *testing.B) {
	benchmarkHarness(b, "fillbuffered")
}
func BenchmarkHarnessDelete(b *testing.B)     { benchmarkHarness(b, "deleterandom") }
func BenchmarkHarnessReadrandom(b *testing.B) { benchmarkHarness(b, "readrandom") }
func BenchmarkHarnessMultiget(b *testing.B)   { benchmarkHarness(b, "multireadrandom") }
func BenchmarkHarnessReadseq(b *testing.B)    { benchmarkHarness(b, "readseq") }
func BenchmarkHarnessReadreverse(b *testing.B) {
	benchmarkHarness(b, "readreverse")
}

func benchmarkHarness(b *testing.B, name string) {
	c := DefaultConfig()
	db := nullstore.New(nullstore.Shape{Entries: 1 << 62, KeySize: c.KeySize, ValueSize: DefaultValueSize})
	r := &runner{ctx: context.Background(), cfg: c, obs: NopObserver{}}
	r.values = newValues(c.ValueSize, c.CompressionRatio, c.Seed)
	p := &pass{runner: r, session: session{engine: &Engine{Name: "null"}, db: db}}
	w, _ := FindWorkload(name)
	plan := p.prepare(w, Cell{Threads: 1})
	plan.ops = int64(b.N)
	kernels, _, err := p.kernels(plan)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	out := r.drive(plan, kernels, nil, Cell{})
	b.StopTimer()
	b.ReportMetric(float64((out.cpu.user+out.cpu.system).Nanoseconds())/float64(b.N), "cpu-ns/op")
	if out.err != nil || out.ops != int64(b.N) {
		b.Fatalf("%d of %d operations: %v", out.ops, b.N, out.err)
	}
}

// The loops allocate nothing.
func TestLoopsAllocateNothing(t *testing.T) {
	for _, name := range []string{
		"fillseq", "fillrandom", "filluniquerandom", "fillbatch", "fillbuffered", "deleterandom", "readrandom", "readmissing", "multireadrandom",
		"updaterandom", "readrandomwriterandom", "ycsb-a", "ycsb-d", "ycsb-f", "getseq",
		"readseq", "readreverse", "seekordered",
	} {
		c := DefaultConfig()
		c.Num, c.Reads = 1<<30, 1<<30
		db := nullstore.New(nullstore.Shape{Entries: 1 << 62, KeySize: c.KeySize, ValueSize: DefaultValueSize})
		r := &runner{ctx: context.Background(), cfg: c, values: newValues(c.ValueSize, c.CompressionRatio, c.Seed)}
		p := &pass{runner: r, session: session{engine: &Engine{Name: "null"}, db: db}}
		w, _ := FindWorkload(name)
		kernels, _, err := p.kernels(p.prepare(w, Cell{Threads: 1}))
		if err != nil {
			t.Fatal(err)
		}
		var sum tally
		run := func() {
			if _, err := kernels[0].run(&sum, 1000); err != nil {
				t.Fatal(err)
			}
		}
		run() // iterators and buffers are made by the first
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("%s: %v allocations in 1000 operations", name, n)
		}
	}
}
