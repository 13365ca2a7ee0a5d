//go:build !asan

package rocksdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/store/storetest"
)

// What RocksDB does about damaged logs by itself, for which dir.CheckLogs looks
// first.

// logged makes a store with 1,000 rows in its log, and returns the log.
func logged(t *testing.T, path string) string {
	t.Helper()
	db, wo := plain(t, path), grocksdb.NewDefaultWriteOptions()
	defer wo.Destroy()
	for n := range 1000 {
		must(t, db.Put(wo, fmt.Appendf(nil, "%04d", n), make([]byte, 100)))
	}
	db.Close()
	logs, err := filepath.Glob(filepath.Join(path, "*.log"))
	must(t, err)
	if len(logs) != 1 {
		t.Fatalf("logs are %q", logs)
	}
	return logs[0]
}

// rowsLeft opens a store and counts its rows; the error is that of the open.
func rowsLeft(path string, mode grocksdb.WALRecoveryMode) (int, error) {
	o, ro := grocksdb.NewDefaultOptions(), grocksdb.NewDefaultReadOptions()
	defer o.Destroy()
	defer ro.Destroy()
	o.SetWALRecoveryMode(mode)
	db, err := grocksdb.OpenDb(o, path)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	n := 0
	it := db.NewIterator(ro)
	defer it.Close()
	for it.SeekToFirst(); it.Valid(); it.Next() {
		n++
	}
	return n, it.Err()
}

// damageLog makes a store with a damaged log.
func damageLog(t *testing.T, path string, damage func(log []byte)) {
	t.Helper()
	log := logged(t, path)
	content, err := os.ReadFile(log)
	must(t, err)
	damage(content)
	must(t, os.WriteFile(log, content, 0o644))
}

func TestQuirkDamagedLog(t *testing.T) {
	for _, c := range []struct {
		what   string
		mode   grocksdb.WALRecoveryMode
		damage func(log []byte)
	}{
		{"a bit, by default", grocksdb.PointInTimeRecovery, func(log []byte) { log[storetest.LogRecord(log, 500)+50] ^= 1 }},
		{"a header of zeros in the last block", grocksdb.TolerateCorruptedTailRecordsRecovery, func(log []byte) { clear(log[storetest.LogRecord(log, 990):][:7]) }},
		{"a header of zeros in the last block, strict", grocksdb.AbsoluteConsistencyRecovery, func(log []byte) { clear(log[storetest.LogRecord(log, 990):][:7]) }},
		{"a length in the last block", grocksdb.TolerateCorruptedTailRecordsRecovery, func(log []byte) { log[storetest.LogRecord(log, 990)+5] ^= 0x80 }},
	} {
		path := filepath.Join(t.TempDir(), "db")
		damageLog(t, path, c.damage)
		n, err := rowsLeft(path, c.mode)
		t.Logf("%s: %d of 1000 rows, %v", c.what, n, err)
		if n == 1000 || err != nil {
			t.Errorf("%s: RocksDB loses nothing without an error: dir.CheckLogs need not look for it", c.what)
		}
	}
}

// One bit makes a record's type that of a log that was used again, and RocksDB
// reads on for ever, in logs and in MANIFEST files.
func TestQuirkEndless(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"log": func(t *testing.T, path string) {
			damageLog(t, path, func(log []byte) { log[storetest.LogRecord(log, 500)+6] ^= 4 })
		},
		"MANIFEST": func(t *testing.T, path string) {
			plain(t, path).Close()
			manifests, err := filepath.Glob(filepath.Join(path, "MANIFEST-*"))
			must(t, err)
			content, err := os.ReadFile(manifests[0])
			must(t, err)
			content[storetest.LogRecord(content, 1)+6] ^= 4
			must(t, os.WriteFile(manifests[0], content, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Crashes(t, "RocksDB comes to an end: dir/endless.go may go", func() {
				path := filepath.Join(t.TempDir(), "db")
				make(t, path)
				storetest.LimitProcessor(t, 2)
				_, err := rowsLeft(path, grocksdb.TolerateCorruptedTailRecordsRecovery)
				t.Logf("the open ended: %v", err)
			})
		})
	}
}
