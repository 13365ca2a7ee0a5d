package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store/engines"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// A disk that becomes full fails the copy with its reason; moved to where there is
// room, it is gone on with.
func TestCopyFullDisk(t *testing.T) {
	for _, to := range engines.Names() {
		t.Run(to, func(t *testing.T) {
			storetest.WithSmallDisk(t, 8<<20, func(t *testing.T, folder string) {
				src, dst := filepath.Join(t.TempDir(), "source"), filepath.Join(folder, "new")
				fill(t, "leveldb", src, 200_000, 100)
				got, r := runCopy(t, realEngines(), "leveldb:"+src, to+":"+dst)
				if got.code != exitFailed || !strings.Contains(got.err, "no space left") || r == nil || r.Status != bench.StatusFailed ||
					!strings.Contains(r.Error, "no space left") || r.Verified || r.Entries == 0 || r.Entries >= 200_000 {
					t.Fatalf("code %d, %+v, stderr %s", got.code, r, got.err)
				}
				larger := filepath.Join(t.TempDir(), "larger")
				if err := os.CopyFS(larger, os.DirFS(dst)); err != nil {
					t.Fatal(err)
				}
				got, rest := runCopy(t, realEngines(), "leveldb:"+src, to+":"+larger, "--resume")
				if got.code != exitOK || rest.Found < r.Entries || rest.Found+rest.Entries != 200_000 || !rest.Verified {
					t.Errorf("code %d, %+v after %+v, stderr %s", got.code, rest, r, got.err)
				}
			})
		})
	}
}

// A copy that is damaged on the disk later is not taken for a good one.
func TestCopyDamagedDestination(t *testing.T) {
	src, dst := filepath.Join(t.TempDir(), "source"), filepath.Join(t.TempDir(), "new")
	fill(t, "leveldb", src, 20_000, 100)
	if got, _ := runCopy(t, realEngines(), "leveldb:"+src, "rocksdb:"+dst); got.code != exitOK {
		t.Fatal(got.err)
	}
	damageTable(t, dst)
	got, r := runCopy(t, realEngines(), "leveldb:"+src, "rocksdb:"+dst, "--resume")
	if got.code != exitFailed || r == nil || r.Status != bench.StatusFailed || r.Verified || !strings.Contains(r.Error, "corruption") {
		t.Errorf("code %d, %+v, stderr %s", got.code, r, got.err)
	}
}
