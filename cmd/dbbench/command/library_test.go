package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSlowFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"g++ 12.2.0 -O3 -DNDEBUG":                          "",
		"g++ 12.2.0 -O2 -DNDEBUG -msse4.2 -fprofile-use=x": "",
		"g++ 12.2.0 -O2":                                   "compiled without -DNDEBUG",
		"g++ 12.2.0 -DNDEBUG":                              "compiled without -O2",
		"g++ 12.2.0 -O3 -O0 -DNDEBUG":                      "compiled with -O0",
		"clang++ 16 -O1 -fsanitize=address":                "compiled without -DNDEBUG, compiled with -fsanitize=address, compiled with -O1",
		"g++ 12.2.0 -O2 -DNDEBUG --coverage":               "compiled with --coverage",
	} {
		if got := slowFlags(flags); got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
	}
}

// compiled makes an object of a piece of C.
func compiled(t *testing.T, code string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libodd.so.1")
	cmd := exec.Command("cc", append(flags, "-x", "c", "-o", path, "-")...)
	cmd.Stdin = strings.NewReader(code)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return path
}

// A shared library shows by what it calls whether it has its assertions, and an
// object by its symbols.
func TestObjectsTell(t *testing.T) {
	const code = "#include <assert.h>\nint odd_symbol(int x) { assert(x > 0); return x; }\n"
	debug := compiled(t, code, "-shared", "-fPIC", "-O2")
	release := compiled(t, code, "-shared", "-fPIC", "-O2", "-DNDEBUG")
	if got := assertsImported(debug); got != "libodd.so.1 has its assertions in it" {
		t.Errorf("with assertions: %q", got)
	}
	if got := assertsImported(release); got != "" {
		t.Errorf("without: %q", got)
	}
	if names := symbolsOf(release); !containsAny(names, "odd_sym") || containsAny(names, "even") {
		t.Error("symbols are not found, or found without being there")
	}
	stripped := compiled(t, code, "-shared", "-fPIC", "-s")
	if containsAny(symbolsOf(stripped), "odd_sym") {
		t.Error("a stripped object has symbols")
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, filepath.Join(t.TempDir(), "none")} {
		if assertsImported(path) != "" || symbolsOf(path) != nil {
			t.Errorf("%s tells something", path)
		}
	}
}

func TestMappedLibraries(t *testing.T) {
	const maps = "7f1-7f2 r-xp 00000000 fe:00 1  /usr/lib/x86_64-linux-gnu/libleveldb.so.1.23.0\n7f3-7f4 rw-p 00000000 00:00 0\n" +
		"7f5-7f6 r--p 00000000 fe:00 2  /opt/with blank/librocksdb.so.9\n7f7-7f8 r-xp 00000000 00:00 0  [vdso]\n/tmp/libcrc32c-mine\n"
	for name, want := range map[string]string{
		"libleveldb": "/usr/lib/x86_64-linux-gnu/libleveldb.so.1.23.0", "librocksdb": "/opt/with blank/librocksdb.so.9", "libcrc32c": "", "lib": "",
	} {
		if got := mappedIn(maps, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// A program whose libraries have their assertions in them says so in its first
// lines, as does one that was built for debugging itself. The symbols that give
// them away are put in by the linker here.
func TestGuardDebugLibraries(t *testing.T) {
	program := filepath.Join(t.TempDir(), "dbbench")
	symbols := "-Wl,--defsym=_ZN7rocksdb9SyncPoint11GetInstanceEv=main,--defsym=lsmkit_test_env_initialized_=main"
	build := exec.Command("go", "build", "-tags", "lsmkitdebug", "-ldflags", "-extldflags="+symbols, "-o", program, "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	run := exec.Command(program, "run", "--workloads", "fillseq", "--num", "10", "--rounds", "1", "--format", "csv", "--db", t.TempDir())
	var stderr strings.Builder
	run.Stderr = &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	for _, want := range []string{
		"this program was built with -tags=lsmkitdebug",
		"the library of leveldb was built for debugging: it has its assertions in it",
		"the library of rocksdb was built for debugging: it has its assertions in it",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, &stderr)
		}
	}
}
