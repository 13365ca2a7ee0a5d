package rocksdb_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// What writes wait out is counted. With two memtables of 64 KiB a lone writer is
// held up each time that it fills one before the other is on disk.
func TestStallTime(t *testing.T) {
	db, err := rocksdb.Open(filepath.Join(t.TempDir(), "db"), &rocksdb.Options{Options: store.Options{CreateIfMissing: true, WriteBufferSize: 64 << 10}})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	if d := db.StallTime(); d != 0 {
		t.Errorf("%v before anything was written", d)
	}
	value := make([]byte, 16<<10)
	for k := 0; k < 100_000 && db.StallTime() == 0; k++ {
		must(t, db.Put(fmt.Appendf(nil, "%06d", k), value, nil))
	}
	if db.StallTime() <= 0 {
		t.Error("no stall in 1.6 GB of writes through 64 KiB")
	}
}
