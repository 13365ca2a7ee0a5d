package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store/engines"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// An engine that fails is shown as failed with its reason; nothing is computed
// from it; the other's rows are printed.

// failing are the engines that fail together.
var failing = [][]string{{"rocksdb"}, {"leveldb"}, {"leveldb", "rocksdb"}}

// failedEngines runs the tool over stores in dir, and checks that it tells of the
// engines that they fail, for the reason.
func failedEngines(t *testing.T, dir string, failed []string, reason string) {
	t.Helper()
	got, rec := tool(t, "--db", dir, "--workloads", "fillseq,readrandom", "--num", "1000", "--rounds", "4")
	if got.code != exitFailed || rec == nil || !strings.Contains(strings.ToLower(got.err), reason) {
		t.Fatalf("code %d, stderr %s", got.code, got.err)
	}
	for _, r := range rec.Results {
		want := bench.StatusOK
		if slices.Contains(failed, r.Engine) {
			want = bench.StatusFailed
		}
		if r.Status != want {
			t.Errorf("%s %s: %s %s", r.Engine, r.Workload, r.Status, r.Error)
		}
	}
	for _, s := range rec.Summary {
		if s.Factor != nil || s.ChangePercent != nil || s.P != nil || s.Verdict == bench.VerdictFaster || s.Verdict == bench.VerdictSlower {
			t.Errorf("compared with a failed engine: %+v", s)
		}
	}
	text := execute(t, Deps{Engines: Engines()}, "run", "--db", dir, "--workloads", "fillseq", "--num", "1000", "--rounds", "4", "--progress", "never")
	rates := strings.Count(text.out, "micros/op")
	if rates != 2-len(failed) || !strings.Contains(text.out, "failed: ") || strings.Contains(text.out, "faster") || strings.Contains(text.out, "x)") {
		t.Errorf("text with %d rates:\n%s", rates, text.out)
	}
}

func TestA29LockedStores(t *testing.T) {
	for _, locked := range failing {
		t.Run(strings.Join(locked, "+"), func(t *testing.T) {
			dir := t.TempDir()
			var hold []string
			for _, name := range locked {
				hold = append(hold, name, filepath.Join(dir, name))
			}
			startHolding(t, hold...)
			failedEngines(t, dir, locked, "locked")
		})
	}
}

// The stores' folders are links to ones in which nothing can be written.
func TestA29UnwritableStores(t *testing.T) {
	for _, c := range failing {
		t.Run(strings.Join(c, "+"), func(t *testing.T) {
			storetest.WithUnwritable(t, func(t *testing.T, folder string, writable func(bool)) {
				dir := t.TempDir()
				for _, name := range c {
					there := filepath.Join(folder, name)
					if err := os.Mkdir(there, 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(there, filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
				}
				writable(false)
				reason := "permission denied"
				if os.Geteuid() == 0 {
					reason = "read-only file system"
				}
				failedEngines(t, dir, c, reason)
				writable(true)
				good(t, "--db", dir, "--workloads", "fillseq,readrandom", "--num", "1000", "--rounds", "1")
			})
		})
	}
}

// A disk that becomes full fails the row, and the run, with its reason; the store
// opens again where there is room.
func TestA17FullDisk(t *testing.T) {
	for _, engine := range engines.Names() {
		t.Run(engine, func(t *testing.T) {
			storetest.WithSmallDisk(t, 8<<20, func(t *testing.T, folder string) {
				got := execute(t, Deps{Engines: Engines()}, "run", "--engines", engine, "--db", folder, "--workloads", "fillseq,readrandom",
					"--num", "100000", "--rounds", "1", "--compression", "none", "--progress", "never")
				if got.code != exitFailed || !strings.Contains(got.err, "no space left") || !strings.Contains(got.out, "failed: ") ||
					strings.Contains(got.out, "fillseq      :   ") {
					t.Errorf("code %d, stderr %s, stdout:\n%s", got.code, got.err, got.out)
				}
				larger := filepath.Join(t.TempDir(), engine)
				if err := os.CopyFS(larger, os.DirFS(filepath.Join(folder, engine))); err != nil {
					t.Fatal(err)
				}
				if n := len(keys(t, engine, larger)); n == 0 || n >= 100_000 {
					t.Errorf("%d keys after reopening", n)
				}
			})
		})
	}
}
