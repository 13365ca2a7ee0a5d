package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A tuned build compiles each engine with counters, trains it, and compiles it
// again in the same folder; its prefix lies beside that of the stock build.
func TestTunedBuild(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.command("--tarballs", f.tarballs).succeed()
	if strings.Contains(strings.Join(f.noted("configured"), "\n"), "-fprofile") || len(f.noted("trained")) > 0 {
		t.Errorf("a stock build was tuned:\n%s", strings.Join(f.noted("configured"), "\n"))
	}
	must(t, os.Remove(filepath.Join(f.dir, "configured")))

	printed := f.command("--tarballs", f.tarballs, "--tuned", "--print-env").succeed().stdout.String()
	stock, err := filepath.Glob(filepath.Join(f.cache, "lsmkit/deps/leveldb-1.23-rocksdb-9.10.0-????????????"))
	must(t, err)
	tuned, err := filepath.Glob(filepath.Join(f.cache, "lsmkit/deps/leveldb-1.23-rocksdb-9.10.0-tuned-????????????"))
	must(t, err)
	if len(stock) != 1 || len(tuned) != 1 {
		t.Fatalf("prefixes: stock %v, tuned %v", stock, tuned)
	}
	f.complete(stock[0])
	f.complete(tuned[0])
	if !strings.Contains(printed, "export LSMKIT_DEPS='"+tuned[0]+"'\n") {
		t.Errorf("printed\n%s", printed)
	}
	for path, first := range map[string]string{stock[0]: "build stock\n", tuned[0]: "build tuned\n"} {
		if stamp, err := os.ReadFile(filepath.Join(path, "stamp")); err != nil || !strings.HasPrefix(string(stamp), first) {
			t.Errorf("%s: the stamp is %q, %v", path, stamp, err)
		}
	}
	f.checkPasses()

	// Built once, like the other.
	builds := f.builds()
	again := f.command("--tuned", "--print-env").succeed().stdout.String()
	if again != printed || f.builds() != builds {
		t.Errorf("%d builds after %d; printed\n%s\nthen\n%s", f.builds(), builds, printed, again)
	}
}

// checkPasses checks the order and the folders of what a tuned build has done.
func (f *fixture) checkPasses() {
	f.t.Helper()
	configured, trained := f.noted("configured"), f.noted("trained")
	if len(configured) != 4 {
		f.t.Fatalf("%d configurations, want two of each engine:\n%s", len(configured), strings.Join(configured, "\n"))
	}
	for i, engine := range []string{"leveldb", "rocksdb"} {
		count, use := strings.Fields(configured[2*i]), strings.Fields(configured[2*i+1])
		if argument(count, "-B") != argument(use, "-B") || argument(count, "-S") != argument(use, "-S") ||
			!strings.HasSuffix(argument(use, "-B"), "/"+engine) {
			f.t.Errorf("%s: the passes differ in their folders:\n%s\n%s", engine, configured[2*i], configured[2*i+1])
		}
		for flag, pass := range map[string]int{"-fprofile-generate": 0, "-fprofile-update=prefer-atomic": 0, "-fprofile-use": 1, "-fprofile-partial-training": 1} {
			for k := range 2 {
				if strings.Contains(configured[2*i+k], flag) != (k == pass) {
					f.t.Errorf("%s, pass %d: has %s, want %v:\n%s", engine, k+1, flag, k == pass, configured[2*i+k])
				}
			}
		}
		var runs string
		for _, line := range trained {
			if strings.HasPrefix(line, argument(use, "-B")+"/db_bench ") {
				runs += line + "\n"
			}
		}
		for _, workload := range strings.Fields("fillseq fillrandom overwrite readrandom readseq readreverse compact seekrandom fillsync") {
			if !strings.Contains(runs, workload) {
				f.t.Errorf("%s was not trained in %s:\n%s", engine, workload, runs)
			}
		}
	}
}

// argument returns what follows name.
func argument(words []string, name string) string {
	for i, w := range words[:len(words)-1] {
		if w == name {
			return words[i+1]
		}
	}
	return ""
}

// The source of each C API is given a constant that tells the build.
func TestLibrariesAreSigned(t *testing.T) {
	t.Parallel()
	for flag, kind := range map[string]string{"": "stock", "--tuned": "tuned"} {
		f := newFixture(t)
		f.command(append(strings.Fields(flag), "--tarballs", f.tarballs)...).succeed()
		signed := strings.Join(f.noted("signed"), "\n")
		for _, want := range []string{
			`const char lsmkit_leveldb_build[] = "` + kind + ` cxx 1.0 -O3 -DNDEBUG`,
			`const char lsmkit_rocksdb_build[] = "` + kind + ` cxx 1.0 -O2 -DNDEBUG`,
		} {
			if !strings.Contains(signed, want) {
				t.Errorf("%s is not in\n%s", want, signed)
			}
		}
		if strings.Contains(signed, "-fprofile-use") != (kind == "tuned") || strings.Contains(signed, "-fprofile-generate") {
			t.Errorf("%s: the flags are not those of the library:\n%s", kind, signed)
		}
	}
}

// A training that fails, or that counts nothing, leaves no prefix.
func TestTrainingFails(t *testing.T) {
	t.Parallel()
	for file, says := range map[string]string{
		"break-training": "stub: no training",
		"idle":           "the training of leveldb counted nothing",
	} {
		f := newFixture(t)
		prefix := filepath.Join(f.dir, "opt", "engines")
		f.write(filepath.Join(f.dir, file), "")
		f.command("--tarballs", f.tarballs, "--tuned", "--prefix", prefix).fail(1, says)
		if exists(prefix) || siblings(t, prefix) != nil {
			t.Errorf("%s: left %v", file, siblings(t, prefix))
		}
		must(t, os.Remove(filepath.Join(f.dir, file)))
		f.command("--tarballs", f.tarballs, "--tuned", "--prefix", prefix).succeed()
		f.complete(prefix)
	}
}

// A build killed in its training: the next one succeeds and cleans up, also
// where the benchmark outlives its script.
func TestKilledTraining(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		f := newFixture(t)
		prefix := filepath.Join(f.dir, "opt", "engines")
		f.write(filepath.Join(f.dir, "hold-training"), "")
		killed := f.command("--tarballs", f.tarballs, "--tuned", "--prefix", prefix)
		killed.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must(t, killed.cmd.Start())
		eventually(t, "the training begins", func() bool { return len(f.noted("trained")) == 1 })
		pid := killed.cmd.Process.Pid
		if whole {
			pid = -pid
		}
		must(t, syscall.Kill(pid, syscall.SIGKILL))
		_ = killed.cmd.Wait()
		if exists(prefix) {
			t.Fatal("a killed build left a prefix")
		}

		next := f.command("--tarballs", f.tarballs, "--tuned", "--prefix", prefix)
		must(t, next.cmd.Start())
		eventually(t, "the next training begins", func() bool { return len(f.noted("trained")) == 2 })
		must(t, os.Remove(filepath.Join(f.dir, "hold-training")))
		if err := next.cmd.Wait(); err != nil {
			t.Fatalf("the next build: %v\n%s", err, next.stderr.String())
		}
		f.complete(prefix)
		if names := siblings(t, prefix); names != nil {
			t.Errorf("left behind: %v", names)
		}
	}
}

// A prefix of one's own holds what was asked for last.
func TestTunedReplacesStock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	prefix := filepath.Join(f.dir, "engines")
	for _, kind := range []string{"stock", "tuned", "stock"} {
		args := []string{"--tarballs", f.tarballs, "--prefix", prefix}
		if kind == "tuned" {
			args = append(args, "--tuned")
		}
		f.command(args...).succeed()
		if stamp, err := os.ReadFile(filepath.Join(prefix, "stamp")); err != nil || !strings.HasPrefix(string(stamp), "build "+kind+"\n") {
			t.Errorf("the stamp is %q, %v, want that of a %s build", stamp, err, kind)
		}
	}
}

func TestTunedNeedsGCC(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(filepath.Join(f.dir, "clang"), "")
	f.command("--tarballs", f.tarballs, "--tuned").fail(1, "--tuned takes g++ 10 or newer, which cxx is not")
	if f.builds() != 0 {
		t.Error("it was built all the same")
	}
}

// The compiler at hand finds, with the flags of the second pass, what a program
// with those of the first has counted.
func TestProfileFlags(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "main.cc"), []byte("int main(int n, char**) { return n - 1; }\n"), 0o644))
	// The order of the flags: the warning is an error though it is switched off.
	const passes = `source deps/tune.sh; CXX=g++; can_tune; cd "$1"
		g++ "${TUNED_FLAGS[@]}" "${COUNT_FLAGS[@]}" -c main.cc -o main.o
		g++ "${COUNT_FLAGS[@]}" main.o -o main
		strict=(g++ "${TUNED_FLAGS[@]}" "${USE_FLAGS[@]}" -Werror=missing-profile -c main.cc -o main.o)
		! "${strict[@]}" 2>/dev/null || exit 3
		./main
		"${strict[@]}"`
	newRun(t, exec.Command("bash", "-c", "set -euo pipefail; "+passes, "bash", dir), os.Environ()...).succeed()
}
