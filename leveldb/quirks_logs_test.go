//go:build !asan

package leveldb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jmhodges/levigo"

	"github.com/lsmkit/lsmkit/store/storetest"
)

// What LevelDB does about damaged logs by itself, for which dir.CheckLogs looks
// first.

// logged makes a store with 1,000 rows in its log, and returns the log.
func logged(t *testing.T, path string) string {
	t.Helper()
	db, wo := plain(t, path), levigo.NewWriteOptions()
	defer wo.Close()
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
func rowsLeft(t *testing.T, path string, paranoid bool) (int, error) {
	t.Helper()
	o, ro := levigo.NewOptions(), levigo.NewReadOptions()
	defer o.Close()
	defer ro.Close()
	o.SetParanoidChecks(paranoid)
	db, err := levigo.Open(path, o)
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
	return n, it.GetError()
}

func TestQuirkDamagedLog(t *testing.T) {
	for _, c := range []struct {
		what     string
		paranoid bool
		damage   func(log []byte)
	}{
		{"a bit, without paranoid_checks", false, func(log []byte) { log[storetest.LogRecord(log, 500)+50] ^= 1 }},
		{"a header of zeros in the last block", true, func(log []byte) { clear(log[storetest.LogRecord(log, 990):][:7]) }},
		{"a length in the last block", true, func(log []byte) { log[storetest.LogRecord(log, 990)+5] ^= 0x80 }},
	} {
		path := filepath.Join(t.TempDir(), "db")
		log := logged(t, path)
		content, err := os.ReadFile(log)
		must(t, err)
		c.damage(content)
		must(t, os.WriteFile(log, content, 0o644))
		n, err := rowsLeft(t, path, c.paranoid)
		t.Logf("%s: %d of 1000 rows, %v", c.what, n, err)
		if n == 1000 || err != nil {
			t.Errorf("%s: LevelDB loses nothing without an error: dir.CheckLogs need not look for it", c.what)
		}
	}
}
