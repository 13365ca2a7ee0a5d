package rocksdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// After a full disk RocksDB takes writes again by itself once there is as much
// room as the write buffer, and not before, however little there is to flush;
// TestDisk/A17_FullDisk/Log shows the former. Then reopening helps. The C API has
// no resume. A pin: if it fails, the documentation promises too little.
func TestFullDiskWithLargeBuffer(t *testing.T) {
	storetest.WithSmallDisk(t, 16<<20, func(t *testing.T, disk string) {
		ballast, path := filepath.Join(disk, "ballast"), filepath.Join(disk, "db")
		must(t, os.WriteFile(ballast, make([]byte, 12<<20), 0o644))
		o := &rocksdb.Options{Options: store.Options{CreateIfMissing: true, WriteBufferSize: 64 << 20}}
		db, err := rocksdb.Open(path, o)
		must(t, err)
		value := make([]byte, 1<<10)
		put := func(key string) error { return db.Put([]byte(key), value, nil) }
		must(t, put("first"))
		for err = put("more"); err == nil; err = put("more") {
		}
		if !errors.Is(err, store.ErrNoSpace) {
			t.Fatalf("on the full disk: %v", err)
		}
		must(t, os.Remove(ballast))
		// It looks every five seconds, and logs that it has.
		again := time.NewTicker(10 * time.Millisecond)
		defer again.Stop()
		const tooLittle = "is less than required disk buffer"
		for began, seen := time.Now(), 0; seen < 2; <-again.C {
			text, err := os.ReadFile(filepath.Join(path, "LOG"))
			must(t, err)
			seen = strings.Count(string(text), tooLittle)
			if time.Since(began) > time.Minute {
				t.Fatalf("RocksDB has not looked for room twice in a minute: LOG says %q %d times", tooLittle, seen)
			}
		}
		if err := put("after"); !errors.Is(err, store.ErrNoSpace) {
			t.Errorf("with room for the log, but not for a write buffer, a put gives %v", err)
		}
		must(t, db.Close())
		db, err = rocksdb.Open(path, o)
		must(t, err)
		must(t, put("after"))
		for _, key := range []string{"first", "more", "after"} {
			if found, err := db.Has([]byte(key)); !found || err != nil {
				t.Errorf("%s: %v, %v", key, found, err)
			}
		}
		must(t, db.Close())
	})
}
