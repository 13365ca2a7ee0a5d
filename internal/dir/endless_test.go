package dir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// The records that RocksDB would read for ever are found by its own rules, and
// mended without loss where a bit of the type is all that is wrong.

func TestEndlessRecord(t *testing.T) {
	const record = headerSize + 100
	small, long := batches(20, 100), batches(5, 100_000)
	var recycled, old, timestamps logWriter
	recycled.fragment(5, batchOfSize(1, 50))
	recycled.fragment(5, batchOfSize(2, 50))
	old.fragment(6, "old")
	timestamps.fragment(typeFull, batchOfSize(1, 50))
	timestamps.fragment(typeHighest, "x")
	for _, c := range []struct {
		name, data string
		want       int64
	}{
		{"empty", "", -1},
		{"small", small, -1},
		{"long", long, -1},
		{"recycled", string(recycled.out), -1},
		{"type of the second", flipped(small, record+6, 4), record},
		{"type of the first", flipped(small, 6, 4), -1},
		{"type of a later fragment", flipped(long, 4*blockSize+6, 4), 4 * blockSize},
		{"behind damage in another block", flipped(flipped(long, 100, 1), 4*blockSize+6, 4), -1},
		{"behind damage in the same block", flipped(flipped(small, record+50, 1), 2*record+6, 4), -1},
		{"the last, cut", flipped(small, 19*record+6, 4)[:19*record+headerSize], 19 * record},
		{"timestamps", string(timestamps.out), headerSize + 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			if at, err := endlessRecord(strings.NewReader(c.data), 1); err != nil || at != c.want {
				t.Fatalf("at %d, %v; want %d", at, err, c.want)
			}
		})
	}
}

func TestMendLogs(t *testing.T) {
	const record = headerSize + 100
	small := batches(20, 100)
	twice := flipped(flipped(small, 3*record+6, 4), 9*record+6, 4)
	hopeless := flipped(flipped(small, 3*record+6, 4), 3*record+50, 1)
	for name, c := range map[string]struct{ data, want string }{
		"whole": {small, small}, "empty": {"", ""}, "two types": {twice, small},
		"type and payload": {hopeless, flipped(hopeless, 3*record+6, 5^0x7F)},
	} {
		t.Run(name, func(t *testing.T) {
			path := rocksDBStore().with(tree{"000004.log": c.data}).write(t, filepath.Join(t.TempDir(), "db"))
			claim, err := Acquire(rocksDB, "repair", path, Mode{Damaged: true})
			must(t, err)
			defer claim.Release()
			must(t, claim.MendLogs())
			got, err := os.ReadFile(filepath.Join(path, "000004.log"))
			must(t, err)
			if string(got) != c.want {
				t.Error("the log is not what it should be")
			}
			_, err = claim.LockFile() // it holds the lock no more
			must(t, err)
		})
	}
}

// A MANIFEST of that kind is refused for RocksDB; LevelDB has no such fault.
func TestEndlessManifest(t *testing.T) {
	manifest := logOf(rocksDBEdit, comparatorEdit, "\x02\x06")
	damaged := flipped(manifest, len(logOf(rocksDBEdit, comparatorEdit))+6, 4)
	path := rocksDBStore().with(tree{"MANIFEST-000005": damaged}).write(t, filepath.Join(t.TempDir(), "db"))
	claim, err := Acquire(rocksDB, "open", path, Mode{})
	must(t, err)
	defer claim.Release()
	wantKind(t, claim.CheckLogs(false), store.ErrCorruption, "MANIFEST-000005", "used again")
	must(t, os.WriteFile(filepath.Join(path, "MANIFEST-000005"), []byte(manifest), 0o644))
	must(t, claim.CheckLogs(true))
}
