package engines_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

// copied is how many entries BenchmarkCopy copies in a round. They have keys of
// 16 bytes and values of 100.
const copied = 2_000_000

// BenchmarkCopy measures store.Copy from each engine to the other, the final
// flush included: entries a second, verification apart.
func BenchmarkCopy(b *testing.B) {
	for _, names := range [][2]string{{"leveldb", "rocksdb"}, {"rocksdb", "leveldb"}} {
		b.Run(names[0]+"-"+names[1], func(b *testing.B) {
			src := benchSource(b, names[0])
			var cpu time.Duration
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				path := filepath.Join(b.TempDir(), fmt.Sprint(i))
				dst := benchOpen(b, names[1], path)
				before := cpuTime(b)
				b.StartTimer()
				p, err := store.Copy(nil, dst, src, nil)
				if err != nil || p.Entries != copied {
					b.Fatalf("%+v, %v", p, err)
				}
				b.StopTimer()
				cpu += cpuTime(b) - before
				if err := dst.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(copied*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			b.ReportMetric(float64(cpu.Nanoseconds())/(copied*float64(b.N)), "cpu-ns/entry")
		})
	}
}

// cpuTime is what this process has had of the processors: on a busy machine, the
// rate that idle ones would give can be told from it.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkChecksum measures store.Checksum of each engine's store.
func BenchmarkChecksum(b *testing.B) {
	for _, name := range engines.Names() {
		b.Run(name, func(b *testing.B) {
			src := benchSource(b, name)
			b.ResetTimer()
			for range b.N {
				d, err := store.Checksum(nil, src, store.KeyRange{})
				if err != nil || d.Entries != copied {
					b.Fatalf("%+v, %v", d, err)
				}
			}
			b.ReportMetric(copied*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

func benchOpen(b *testing.B, name, path string) store.DB {
	b.Helper()
	db, err := engines.Open(name, path, &store.Options{CreateIfMissing: true})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

// benchSource returns a compacted store of half compressible values, as dbbench
// writes them.
func benchSource(b *testing.B, name string) store.DB {
	b.Helper()
	db := benchOpen(b, name, filepath.Join(b.TempDir(), "source"))
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	value := make([]byte, 100)
	batch := store.NewBatch(1 << 20)
	for i, x := 0, uint32(1); i < copied; i++ {
		for j := range 50 {
			x = x*1664525 + 1013904223
			value[j], value[50+j] = byte(x>>24), byte(x>>24)
		}
		if err := batch.Put(fmt.Appendf(nil, "%016d", i), value); err != nil {
			b.Fatal(err)
		}
		if batch.Size() >= 1<<20 || i == copied-1 {
			if err := db.Write(batch, nil); err != nil {
				b.Fatal(err)
			}
			batch.Reset()
		}
	}
	if err := db.Compact(nil, store.KeyRange{}); err != nil {
		b.Fatal(err)
	}
	return db
}
