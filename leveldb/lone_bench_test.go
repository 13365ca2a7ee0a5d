package leveldb

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// BenchmarkLone is what a writer that is alone pays for the queue in which others
// would wait: Put, and the same call into LevelDB without it, in turn, in short
// pieces, whose medians are told. One operation is a piece of both.
func BenchmarkLone(b *testing.B) {
	for _, o := range []*store.WriteOptions{store.NoSync, store.Sync} {
		b.Run(fmt.Sprintf("sync=%v", o.Sync), func(b *testing.B) {
			db, err := Open(filepath.Join(b.TempDir(), "db"), &Options{Options: store.Options{CreateIfMissing: true}})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			n, value := uint64(0), make([]byte, 100)
			ways := []func(key []byte) error{
				func(key []byte) error { return db.Put(key, value, o) },
				func(key []byte) error {
					if err := store.CheckEntry(key, value); err != nil {
						return err
					}
					s, err := db.beginWrite("put", o)
					if err != nil {
						return err
					}
					if err = db.mend("put"); err == nil {
						err = db.logged("put", db.engine.put(key, value, o.Synced()), handle.PutSize(len(key), len(value)), o.Synced())
					}
					db.counts.Count(handle.Put, len(key)+len(value))
					db.guard.Exit(s)
					return err
				},
			}
			length := 500
			if o.Sync {
				length = 5
			}
			var took [2][]float64
			var key [16]byte
			for i := range 2 * b.N {
				way := (i + i/2) % 2 // 0 1 1 0: each comes first as often
				began := time.Now()
				for range length {
					n++
					binary.BigEndian.PutUint64(key[8:], n)
					if err := ways[way](key[:]); err != nil {
						b.Fatal(err)
					}
				}
				took[way] = append(took[way], float64(time.Since(began).Nanoseconds())/float64(length))
			}
			for _, t := range took {
				slices.Sort(t)
			}
			with, without := took[0][b.N/2], took[1][b.N/2]
			b.ReportMetric(0, "ns/op") // of a piece: says nothing
			b.ReportMetric(with, "with-ns/put")
			b.ReportMetric(without, "without-ns/put")
			b.ReportMetric(with/without, "times")
		})
	}
}
