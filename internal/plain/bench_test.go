package plain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// Each benchmark runs on both engines, with this module's binding and with the
// plain one: the ratio of the two is what matters. cpu-ns/op is the time that
// the process used, for machines that others use too; where the engine has
// work in the background that is in it.

const (
	entries   = 200_000
	keySize   = 16
	valueSize = 100
)

var options = store.Options{
	CreateIfMissing: true,
	WriteBufferSize: 64 << 20,
	MaxFileSize:     64 << 20,
	BlockCacheSize:  64 << 20,
	MaxOpenFiles:    store.UnlimitedFiles,
	VerifyChecksums: store.On,
}

var openers = map[string]func(path string) (store.DB, error){
	"leveldb/ours":  func(p string) (store.DB, error) { return leveldb.Open(p, &leveldb.Options{Options: options}) },
	"leveldb/plain": func(p string) (store.DB, error) { return OpenLevelDB(p, options) },
	"rocksdb/ours":  func(p string) (store.DB, error) { return rocksdb.Open(p, &rocksdb.Options{Options: options}) },
	"rocksdb/plain": func(p string) (store.DB, error) { return OpenRocksDB(p, options) },
}

// filled are stores with entries, compacted, made once for all benchmarks that
// read.
var filled = struct {
	sync.Mutex
	dir string
	db  map[string]store.DB
}{db: map[string]store.DB{}}

func TestMain(m *testing.M) {
	if arg := os.Getenv(sideEnv); arg != "" {
		if err := runSide(arg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	for _, db := range filled.db {
		db.Close()
	}
	if filled.dir != "" {
		os.RemoveAll(filled.dir)
	}
	os.Exit(code)
}

func filledStore(b *testing.B, engine, binding string) store.DB {
	b.Helper()
	filled.Lock()
	defer filled.Unlock()
	name := engine + "/" + binding
	if db := filled.db[name]; db != nil {
		return db
	}
	if filled.dir == "" {
		dir, err := os.MkdirTemp("", "plain-")
		if err != nil {
			b.Fatal(err)
		}
		filled.dir = dir
	}
	db, err := openers[name](filepath.Join(filled.dir, engine+binding))
	if err != nil {
		b.Fatal(err)
	}
	k, v := newKey(), newValues()
	for i := range entries {
		if err := db.Put(k.at(i), v.at(i), nil); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Compact(context.Background(), store.KeyRange{}); err != nil {
		b.Fatal(err)
	}
	filled.db[name] = db
	return db
}

func freshStore(b *testing.B, engine, binding string) store.DB {
	b.Helper()
	db, err := openers[engine+"/"+binding](filepath.Join(b.TempDir(), "db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}

// key is a buffer of decimal digits.
type key [keySize]byte

func newKey() *key { return &key{} }

func (k *key) at(n int) []byte {
	for i := keySize - 1; i >= 0; i-- {
		k[i] = byte('0' + n%10)
		n /= 10
	}
	return k[:]
}

// random keys in the order of a multiplicative generator.
func (k *key) random(n int) []byte { return k.at(int(uint32(n)*2654435761>>8) % entries) }

// values are windows of half compressible bytes.
type values []byte

func newValues() values {
	v := make(values, 1<<20)
	x := uint32(301)
	for i := range v {
		if i%valueSize < valueSize/2 {
			x = x*1664525 + 1013904223
			v[i] = byte(' ' + x>>24%95)
		} else {
			v[i] = v[i-valueSize/2]
		}
	}
	return v
}

func (v values) at(n int) []byte {
	i := n * valueSize % (len(v) - valueSize)
	return v[i : i+valueSize]
}

// compare runs the benchmark for each engine and binding.
func compare(b *testing.B, run func(b *testing.B, engine, binding string)) {
	for _, engine := range []string{"leveldb", "rocksdb"} {
		for _, binding := range []string{"ours", "plain"} {
			b.Run(fmt.Sprintf("engine=%s/binding=%s", engine, binding), func(b *testing.B) { run(b, engine, binding) })
		}
	}
}

// timed runs the loop and reports the processor time beside what b reports.
func timed(b *testing.B, loop func() error) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime()
	if err := loop(); err != nil {
		b.Fatal(err)
	}
	used := processorTime() - before
	b.StopTimer()
	b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
}

// processorTime is what this process has used, in nanoseconds.
func processorTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func BenchmarkPut(b *testing.B) {
	compare(b, func(b *testing.B, engine, binding string) {
		db, k, v := freshStore(b, engine, binding), newKey(), newValues()
		timed(b, func() error {
			for i := range b.N {
				if err := db.Put(k.at(i), v.at(i), nil); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// BenchmarkBuffered puts through store.NewBuffered, the flush at the end
// included; the plain side puts as in BenchmarkPut.
func BenchmarkBuffered(b *testing.B) {
	compare(b, func(b *testing.B, engine, binding string) {
		db, k, v := freshStore(b, engine, binding), newKey(), newValues()
		put, flush := func(key, value []byte) error { return db.Put(key, value, nil) }, func() error { return nil }
		if binding == "ours" {
			buffered, err := store.NewBuffered(db, nil)
			if err != nil {
				b.Fatal(err)
			}
			put = func(key, value []byte) error { return buffered.Put(nil, key, value) }
			flush = buffered.Close
		}
		timed(b, func() error {
			for i := range b.N {
				if err := put(k.at(i), v.at(i)); err != nil {
					return err
				}
			}
			return flush()
		})
	})
}

// BenchmarkBatch100 writes 100 entries an operation.
func BenchmarkBatch100(b *testing.B) {
	compare(b, func(b *testing.B, engine, binding string) {
		db, k, v := freshStore(b, engine, binding), newKey(), newValues()
		if binding == "plain" {
			batch := NewBatch(db)
			defer batch.Close()
			timed(b, func() error {
				for i := range b.N {
					batch.Clear()
					for j := range 100 {
						batch.Put(k.at(i*100+j), v.at(j))
					}
					if err := batch.Write(nil); err != nil {
						return err
					}
				}
				return nil
			})
			return
		}
		var batch store.Batch
		timed(b, func() error {
			for i := range b.N {
				batch.Reset()
				for j := range 100 {
					if err := batch.Put(k.at(i*100+j), v.at(j)); err != nil {
						return err
					}
				}
				if err := db.Write(&batch, nil); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func BenchmarkGet(b *testing.B) {
	compare(b, func(b *testing.B, engine, binding string) {
		db, k := filledStore(b, engine, binding), newKey()
		timed(b, func() error {
			for i := range b.N {
				if _, err := db.Get(k.random(i)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func BenchmarkAppendGet(b *testing.B) {
	compare(b, func(b *testing.B, engine, binding string) {
		db, k := filledStore(b, engine, binding), newKey()
		buf := make([]byte, 0, 2*valueSize)
		timed(b, func() (err error) {
			for i := range b.N {
				if buf, err = db.AppendGet(buf[:0], k.random(i)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// BenchmarkMultiGet64 gets 64 keys an operation.
func BenchmarkMultiGet64(b *testing.B) {
	compare(b, func(b *testing.B, engine, binding string) {
		db := filledStore(b, engine, binding)
		keys, args := make([]key, 64), make([][]byte, 64)
		var dst store.Values
		timed(b, func() error {
			for i := range b.N {
				for j := range args {
					args[j] = keys[j].random(i*64 + j)
				}
				if err := db.MultiGet(args, &dst); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func BenchmarkNext(b *testing.B) { benchmarkWalk(b, false) }
func BenchmarkPrev(b *testing.B) { benchmarkWalk(b, true) }

// benchmarkWalk reads an entry an operation, round and round.
func benchmarkWalk(b *testing.B, reverse bool) {
	compare(b, func(b *testing.B, engine, binding string) {
		db := filledStore(b, engine, binding)
		it, err := db.NewIterator(&store.IterOptions{Reverse: reverse})
		if err != nil {
			b.Fatal(err)
		}
		defer it.Close()
		begin, step := it.First, it.Next
		if reverse {
			begin, step = it.Last, it.Prev
		}
		timed(b, func() error {
			bytes, ok := 0, begin()
			for range b.N {
				if !ok {
					if ok = begin(); !ok {
						return fmt.Errorf("empty: %v", it.Err())
					}
				}
				bytes += len(it.Key()) + len(it.Value())
				ok = step()
			}
			if bytes == 0 {
				return fmt.Errorf("nothing read")
			}
			return it.Err()
		})
	})
}

func BenchmarkSeekGE1(b *testing.B)   { benchmarkSeek(b, 1) }
func BenchmarkSeekGE10(b *testing.B)  { benchmarkSeek(b, 10) }
func BenchmarkSeekGE100(b *testing.B) { benchmarkSeek(b, 100) }

// benchmarkSeek seeks a key and reads rows with a new iterator an operation.
func benchmarkSeek(b *testing.B, rows int) {
	compare(b, func(b *testing.B, engine, binding string) {
		db, k := filledStore(b, engine, binding), newKey()
		timed(b, func() error {
			for i := range b.N {
				it, err := db.NewIterator(nil)
				if err != nil {
					return err
				}
				ok, bytes := it.SeekGE(k.random(i)), 0
				for left := rows; ok; {
					bytes += len(it.Key()) + len(it.Value())
					if left--; left == 0 {
						break
					}
					ok = it.Next()
				}
				if bytes == 0 {
					return fmt.Errorf("nothing read: %v", it.Err())
				}
				if err := it.Close(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
