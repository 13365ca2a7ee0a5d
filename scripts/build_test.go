package scripts_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// complete fails the test unless prefix holds all that a build makes.
func (f *fixture) complete(prefix string) {
	f.t.Helper()
	for _, file := range []string{
		"stamp", "lib/libleveldb.a", "lib/librocksdb.a", "bin/leveldb_db_bench", "bin/rocksdb_db_bench",
		"include/leveldb/c.h", "include/rocksdb/c.h",
	} {
		if !exists(filepath.Join(prefix, file)) {
			f.t.Errorf("%s lacks %s", prefix, file)
		}
	}
}

// siblings lists what lies beside prefix besides its lock and its log.
// The prefix should lie in a directory of its own.
func siblings(t *testing.T, prefix string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(prefix))
	must(t, err)
	var names []string
	for _, e := range entries {
		switch name := e.Name(); name {
		case filepath.Base(prefix), filepath.Base(prefix) + ".lock", filepath.Base(prefix) + ".log":
		default:
			names = append(names, name)
		}
	}
	return names
}

func TestFlags(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.command("--bogus").fail(2, "unknown flag: --bogus", "usage: build-deps.sh")
	f.command("bogus").fail(2, "unknown flag: bogus")
	f.command("--prefix").fail(2, "--prefix needs a directory")
	f.command("--prefix", "").fail(2, "--prefix needs a directory")
	f.command("--tarballs", "/nowhere/at/all").fail(2, "no directory /nowhere/at/all")
	help := f.command("--help").succeed().stdout.String()
	for _, flag := range []string{"--prefix", "--tarballs", "--from-source", "--tuned", "--no-install", "--print-env", "--help"} {
		if !strings.Contains(help, "\n  "+flag+" ") {
			t.Errorf("--help says nothing of %s", flag)
		}
	}
	if f.builds() != 0 || exists(filepath.Join(f.cache, "lsmkit")) {
		t.Error("bad usage touched something")
	}
}

func TestBuildIntoTheCacheOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.command("--tarballs", f.tarballs, "--print-env").succeed().stdout.String()
	prefixes, err := filepath.Glob(filepath.Join(f.cache, "lsmkit/deps/leveldb-1.23-rocksdb-9.10.0-????????????"))
	must(t, err)
	if len(prefixes) != 1 {
		t.Fatalf("prefixes: %v, want one", prefixes)
	}
	f.complete(prefixes[0])
	if names := siblings(t, prefixes[0]); names != nil {
		t.Errorf("left behind: %v", names)
	}

	// The second call needs no tarball, no CMake and no network.
	must(t, os.RemoveAll(filepath.Join(f.cache, "lsmkit/tarballs")))
	must(t, os.Remove(filepath.Join(f.bin, "cmake")))
	again := f.command("--print-env", "--no-install").succeed().stdout.String()
	if f.builds() != 1 || again != first {
		t.Errorf("%d builds; printed\n%s\nthen\n%s", f.builds(), first, again)
	}
}

func TestAnotherCompilerIsAnotherPrefix(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.command("--tarballs", f.tarballs).succeed()
	other := f.command("--tarballs", f.tarballs)
	other.cmd.Env = append(other.cmd.Env, "STUB_CXX_VERSION=2.0")
	other.succeed()
	if f.builds() != 2 {
		t.Errorf("%d builds, want 2", f.builds())
	}
}

// A killed build: whatever of it is left, the prefix is absent, and the next
// run succeeds and cleans up.
func TestKilledBuild(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		f := newFixture(t)
		prefix := filepath.Join(f.dir, "opt", "engines")
		f.hold()
		killed := f.command("--tarballs", f.tarballs, "--prefix", prefix)
		// A group of its own, so that the script's children can be killed with it.
		killed.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must(t, killed.cmd.Start())
		eventually(t, "the build begins", func() bool { return f.builds() == 1 })
		pid := killed.cmd.Process.Pid
		if whole {
			pid = -pid
		}
		must(t, syscall.Kill(pid, syscall.SIGKILL))
		_ = killed.cmd.Wait()
		if exists(prefix) {
			t.Fatal("a killed build left a prefix")
		}

		// Where only the script was killed, its compiler is still running now.
		next := f.command("--tarballs", f.tarballs, "--prefix", prefix)
		must(t, next.cmd.Start())
		eventually(t, "the next build begins", func() bool { return f.builds() == 2 })
		f.release()
		if err := next.cmd.Wait(); err != nil {
			t.Fatalf("the next build: %v\n%s", err, next.stderr.String())
		}
		f.complete(prefix)
		if names := siblings(t, prefix); names != nil {
			t.Errorf("left behind: %v", names)
		}
	}
}

// A failed or killed rebuild leaves the old libraries as they were.
func TestFailedRebuildKeepsTheOldPrefix(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	prefix := filepath.Join(f.dir, "engines")
	f.command("--tarballs", f.tarballs, "--prefix", prefix).succeed()
	stamp, err := os.ReadFile(filepath.Join(prefix, "stamp"))
	must(t, err)

	f.write(filepath.Join(f.dir, "break"), "")
	broken := f.command("--tarballs", f.tarballs, "--prefix", prefix)
	broken.cmd.Env = append(broken.cmd.Env, "STUB_CXX_VERSION=2.0")
	broken.fail(1, "stub: broken on purpose", "failed: cmake", prefix+".log")
	f.complete(prefix)
	if now, err := os.ReadFile(filepath.Join(prefix, "stamp")); err != nil || string(now) != string(stamp) {
		t.Errorf("the old prefix changed: %v", err)
	}

	must(t, os.Remove(filepath.Join(f.dir, "break")))
	mended := f.command("--tarballs", f.tarballs, "--prefix", prefix)
	mended.cmd.Env = append(mended.cmd.Env, "STUB_CXX_VERSION=2.0")
	mended.succeed()
	f.complete(prefix)
	if now, err := os.ReadFile(filepath.Join(prefix, "stamp")); err != nil || string(now) == string(stamp) {
		t.Errorf("the prefix was not replaced: %v", err)
	}
}

func TestDamagedPrefixIsRebuilt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	prefix := filepath.Join(f.dir, "engines")
	f.command("--tarballs", f.tarballs, "--prefix", prefix).succeed()
	must(t, os.Remove(filepath.Join(prefix, "lib/librocksdb.a")))
	f.command("--tarballs", f.tarballs, "--prefix", prefix).succeed()
	f.complete(prefix)
}

func TestForeignPrefixIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	prefix := filepath.Join(f.dir, "home")
	f.write(filepath.Join(prefix, "thesis.txt"), "years of work")
	f.command("--tarballs", f.tarballs, "--prefix", prefix).fail(1, "left alone")
	if !exists(filepath.Join(prefix, "thesis.txt")) {
		t.Error("a foreign file is gone")
	}
	// An empty directory is nobody's.
	empty := filepath.Join(f.dir, "empty")
	must(t, os.Mkdir(empty, 0o755))
	f.command("--tarballs", f.tarballs, "--prefix", empty+"/").succeed()
	f.complete(empty)
}

func TestTwoBuildsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hold()
	first := f.command("--tarballs", f.tarballs, "--print-env")
	must(t, first.cmd.Start())
	eventually(t, "the first build begins", func() bool { return f.builds() == 1 })
	second := f.command("--tarballs", f.tarballs, "--print-env")
	must(t, second.cmd.Start())
	eventually(t, "the second waits", func() bool {
		return strings.Contains(second.stderr.String(), "waiting for it")
	})
	f.release()
	for _, r := range []*run{first, second} {
		if err := r.cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, r.stderr.String())
		}
	}
	if f.builds() != 1 {
		t.Errorf("%d builds, want 1", f.builds())
	}
	if first.stdout.String() == "" || first.stdout.String() != second.stdout.String() {
		t.Errorf("printed %q and %q", first.stdout.String(), second.stdout.String())
	}
}

func TestMissingToolsWithoutInstalling(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, os.Remove(filepath.Join(f.bin, "cmake")))
	must(t, os.Remove(filepath.Join(f.bin, "ninja")))
	f.stub("apt-get", `touch "$STUB_DIR/installed"`)
	f.command("--no-install").fail(1, "missing: cmake ninja", "--no-install", "apt-get install g++ cmake ninja-build libsnappy-dev")
	if exists(filepath.Join(f.dir, "installed")) {
		t.Error("--no-install called the package manager")
	}
}

// Installing is one call of the package manager with all the packages.
func TestMissingToolsAreInstalled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cmake := filepath.Join(f.bin, "cmake")
	must(t, os.Rename(cmake, filepath.Join(f.dir, "cmake")))
	f.stub("id", `echo 0`)
	f.stub("env", `while [[ $1 == *=* ]]; do shift; done; exec "$@"`)
	f.stub("apt-get", `
case $* in
*" install "*libgflags-dev*) mv "$STUB_DIR/cmake" "`+cmake+`" ;;
*) exit 100 ;;
esac`)
	f.command("--tarballs", f.tarballs).succeed()
	if f.builds() != 1 {
		t.Errorf("%d builds, want 1", f.builds())
	}
}
