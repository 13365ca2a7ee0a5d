package command

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store/storetest"
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

// refusedWhole runs a workload that reads on the store of an engine below dir:
// it is refused in one line that has the word, and stays whole.
func refusedWhole(t *testing.T, engine, dir, word string) {
	t.Helper()
	for _, more := range [][]string{{"--use-existing-db"}, {"--use-existing-db", "--keys-from-db"}, nil} {
		before := contents(t, dir)
		got := execute(t, Deps{Engines: Engines()}, append([]string{"run", "--engines", engine, "--db", dir,
			"--workloads", "readrandom", "--num", "10", "--rounds", "1", "--progress", "never"}, more...)...)
		if got.code != exitFailed || !strings.Contains(got.err, word) || strings.Contains(got.out, "micros/op") {
			t.Errorf("%v: code %d, stderr %s, stdout:\n%s", more, got.code, got.err, got.out)
		}
		if strings.Count(got.err, "\n") != 1 {
			t.Errorf("%v: more than one line: %s", more, got.err)
		}
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Errorf("%v: files (-before +after):\n%s", more, diff)
		}
	}
}

// contents are the hashes of all files below a folder, but for the engine's own
// log, which an open may begin anew.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, name := range files(t, dir) {
		name, _, _ = strings.Cut(name, "=")
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && !strings.HasPrefix(filepath.Base(name), "LOG") {
			sums[name] = fmt.Sprintf("%d bytes, %x", len(data), sha256.Sum256(data))
		}
	}
	return sums
}

// Another order of LevelDB's. levigo takes a comparator made in C only, so the name
// is exchanged in the MANIFEST of a store in the usual order.
func TestA20LevelDBComparator(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "leveldb")
	fill(t, "leveldb", path, 100, 10)
	const other = "somebody.elses.orderliness"
	storetest.RenameComparator(t, path, "leveldb.BytewiseComparator", other)
	refusedWhole(t, "leveldb", dir, other)
}

// The workloads that read leave every table of a store as it is, and every file
// that isn't the store's, whether the store is theirs to use or not.
func TestA26ReadingLeavesTables(t *testing.T) {
	var reading []string
	for _, w := range bench.Workloads() {
		if w.Reads && !w.Writes {
			reading = append(reading, w.Name)
		}
	}
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		fill(t, engine, dir, 2000, 100)
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		tables := func() map[string]string {
			sums := contents(t, dir)
			maps.DeleteFunc(sums, func(name, _ string) bool {
				return !slices.Contains([]string{".ldb", ".sst", ".txt"}, filepath.Ext(name))
			})
			return sums
		}
		before := tables()
		if len(before) < 2 {
			t.Fatalf("files: %v", before)
		}
		for _, more := range [][]string{nil, {"--use-existing-db"}, {"--use-existing-db", "--keys-from-db", "--warmup", "5ms"}} {
			rec := good(t, append([]string{"--engines", engine, "--db", dir, "--workloads", strings.Join(append(reading, "open", "stats", "sstables"), ","),
				"--num", "2000", "--rounds", "2"}, more...)...)
			for _, r := range rec.Results {
				if r.Status != bench.StatusOK {
					t.Errorf("%v: %s: %s %s", more, r.Workload, r.Status, r.Error)
				}
			}
			if diff := cmp.Diff(before, tables()); diff != "" {
				t.Errorf("%v: files (-before +after):\n%s", more, diff)
			}
		}
	})
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
			refusedWhole(t, "rocksdb", dir, name)
		})
	}
}
