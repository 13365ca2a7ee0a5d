package command

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/linxGnu/grocksdb"
)

// foreignStore makes a RocksDB store that this tool can't make, with one key,
// and closes it.
func foreignStore(t *testing.T, path string, set func(o *grocksdb.Options), more func(db *grocksdb.DB, o *grocksdb.Options) error) {
	t.Helper()
	o := grocksdb.NewDefaultOptions()
	defer o.Destroy()
	o.SetCreateIfMissing(true)
	set(o)
	db, err := grocksdb.OpenDb(o, path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := grocksdb.NewDefaultWriteOptions()
	defer w.Destroy()
	if err := db.Put(w, []byte("key"), []byte("value")); err != nil {
		t.Fatal(err)
	}
	if err := more(db, o); err != nil {
		t.Fatal(err)
	}
}

// A store with more column families, or with another comparator, is refused
// with a line that names them, and stays as it was.
func TestA20FamiliesAndComparators(t *testing.T) {
	nothing := func(*grocksdb.DB, *grocksdb.Options) error { return nil }
	for name, c := range map[string]struct {
		set  func(o *grocksdb.Options)
		more func(db *grocksdb.DB, o *grocksdb.Options) error
	}{
		"accounts": {func(*grocksdb.Options) {}, func(db *grocksdb.DB, o *grocksdb.Options) error {
			family, err := db.CreateColumnFamily(o, "accounts")
			if err == nil {
				family.Destroy()
			}
			return err
		}},
		"backwards": {func(o *grocksdb.Options) {
			o.SetComparator(grocksdb.NewComparator("backwards", func(a, b []byte) int { return bytes.Compare(b, a) }))
		}, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "rocksdb")
			foreignStore(t, path, c.set, c.more)
			before := withoutLogs(files(t, dir))
			got := execute(t, Deps{Engines: Engines()}, "run", "--engines", "rocksdb", "--db", dir, "--use-existing-db",
				"--workloads", "readrandom", "--num", "10", "--rounds", "1", "--progress", "never")
			if got.code != exitFailed || !strings.Contains(got.err, name) || strings.Contains(got.out, "micros/op") {
				t.Errorf("code %d, stderr %s, stdout:\n%s", got.code, got.err, got.out)
			}
			if strings.Count(got.err, "\n") != 1 {
				t.Errorf("more than one line: %s", got.err)
			}
			if after := withoutLogs(files(t, dir)); !slices.Equal(before, after) {
				t.Errorf("files were %v, are %v", before, after)
			}
		})
	}
}

// withoutLogs leaves out the engine's own log, which an open may begin anew.
func withoutLogs(names []string) []string {
	return slices.DeleteFunc(names, func(s string) bool { return strings.HasPrefix(filepath.Base(s), "LOG") })
}
