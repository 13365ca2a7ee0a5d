package command

import (
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Thousands of workers on the real engines: all is written, and the rows say how
// it was done.
func TestThousandsOfWorkers(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		rec := good(t, "--engines", engine, "--db", t.TempDir(), "--rounds", "1", "--threads", "5000", "--num", "10000000",
			"--reads", "20000", "--workloads", "fillsync,readrandom", "--latency")
		write, read := rec.Results[0], rec.Results[1]
		for _, r := range rec.Results {
			if r.Status != bench.StatusOK || r.Threads != 5000 || r.OSThreads == nil || r.LatencyNS == nil || r.LatencyNS.Count != r.Ops {
				t.Errorf("%+v", r)
			}
		}
		if write.Ops != 10_000 || write.GroupSize == nil || *write.GroupSize < 1 || read.GroupSize != nil {
			t.Errorf("%d writes, group size %v; of reads %v", write.Ops, write.GroupSize, read.GroupSize)
		}
	})
}
