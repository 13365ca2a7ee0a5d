package plain

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// BenchmarkMany runs many goroutines on one store, with this module's binding
// and the plain one in turn, each time in a process of its own: threads that a
// process has made once stay with it. One operation of the benchmark is a round
// of both. The medians of the rounds are told, and the most threads that a
// process had, the engine's own and Go's included:
//
//	go test ./internal/plain -run '^$' -bench Many -benchtime 5x
func BenchmarkMany(b *testing.B) {
	for _, c := range []struct {
		op         string
		goroutines []int
	}{
		{"sync", []int{1, 256, 4096}},
		{"put", []int{1, 2, 4, 8, 16, 64}},
		{"get", []int{1, 2, 4, 8, 16, 64, 1024}},
	} {
		for _, engine := range []string{"leveldb", "rocksdb"} {
			for _, n := range c.goroutines {
				b.Run(fmt.Sprintf("op=%s/engine=%s/goroutines=%d", c.op, engine, n), func(b *testing.B) {
					benchmarkMany(b, side{Op: c.op, Engine: engine, Goroutines: n})
				})
			}
		}
	}
}

func benchmarkMany(b *testing.B, s side) {
	rates, cpu, threads := map[string][]float64{}, map[string][]float64{}, map[string]int{}
	for range b.N {
		for _, s.Binding = range []string{"plain", "ours"} {
			r := s.child(b)
			rates[s.Binding] = append(rates[s.Binding], r.PerSecond)
			cpu[s.Binding] = append(cpu[s.Binding], r.CPU)
			threads[s.Binding] = max(threads[s.Binding], r.Threads)
		}
	}
	ours, other := median(rates["ours"]), median(rates["plain"])
	b.ReportMetric(0, "ns/op") // of a round: says nothing
	b.ReportMetric(other, "plain-ops/s")
	b.ReportMetric(ours, "lsmkit-ops/s")
	b.ReportMetric(ours/other, "times")
	b.ReportMetric(slices.Min(cpu["plain"]), "plain-cpu-ns/op")
	b.ReportMetric(slices.Min(cpu["ours"]), "lsmkit-cpu-ns/op")
	b.ReportMetric(float64(threads["plain"]), "plain-threads")
	b.ReportMetric(float64(threads["ours"]), "lsmkit-threads")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// side is what one process does.
type side struct {
	Op, Engine, Binding string
	Goroutines          int
}

// manyTime is how long a process works.
const manyTime = time.Second

// figures are what it found.
type figures struct {
	PerSecond float64 // operations
	CPU       float64 // ns of the process for each
	Threads   int
}

// sideEnv has the side of a process that is there for one.
const sideEnv = "LSMKIT_PLAIN_SIDE"

func (s side) child(b *testing.B) (f figures) {
	arg, err := json.Marshal(s)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), sideEnv+"="+string(arg))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	if err != nil {
		b.Fatalf("%s: %v\n%s", arg, err, out)
	}
	return f
}

// runSide is the child's main.
func runSide(arg string) error {
	var s side
	if err := json.Unmarshal([]byte(arg), &s); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plain-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := openers[s.Engine+"/"+s.Binding](filepath.Join(dir, "db"))
	if err != nil {
		return err
	}
	defer db.Close()
	f, err := s.measure(db)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

func (s side) measure(db store.DB) (figures, error) {
	if s.Op == "get" {
		k, v := newKey(), newValues()
		for i := range entries {
			if err := db.Put(k.at(i), v.at(i), nil); err != nil {
				return figures{}, err
			}
		}
	}
	o := store.NoSync
	if s.Op == "sync" {
		o = store.Sync
	}
	var stop atomic.Bool
	var ops atomic.Int64
	var fault atomic.Pointer[error]
	var wg sync.WaitGroup
	begin := make(chan struct{})
	vals := newValues()
	for g := range s.Goroutines {
		wg.Go(func() {
			k, dst := newKey(), []byte(nil)
			<-begin
			n := int64(0)
			for i := g << 20; !stop.Load(); i++ {
				var err error
				if s.Op == "get" {
					dst, err = db.AppendGet(dst[:0], k.random(i))
				} else {
					err = db.Put(k.at(i), vals.at(i), o)
				}
				if err != nil {
					fault.Store(&err)
					break
				}
				n++
			}
			ops.Add(n)
		})
	}
	began, used := time.Now(), processorTime()
	time.AfterFunc(manyTime, func() { stop.Store(true) })
	close(begin)
	wg.Wait()
	if err := fault.Load(); err != nil {
		return figures{}, *err
	}
	took, used := time.Since(began), processorTime()-used
	n, err := threads()
	done := float64(ops.Load())
	return figures{PerSecond: done / took.Seconds(), CPU: float64(used) / done, Threads: n}, err
}

// threads returns the number of threads of this process. Go keeps those that it
// has made, so that it is the greatest number that there was.
func threads() (n int, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "Threads: %d", &n); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("no number of threads in %q", text)
}
