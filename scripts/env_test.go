package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// realEngines returns the environment that the real script prints, and the
// prefix in it. `make test` has built the engines before, so it is quick.
func realEngines(t *testing.T, args ...string) (env []string, prefix string) {
	t.Helper()
	args = append(append([]string{"build-deps.sh", "--print-env"}, realFlags(t)...), args...)
	printed := newRun(t, exec.Command("bash", args...), os.Environ()...).succeed().stdout.String()
	return evaluated(t, printed)
}

// realFlags asks the real script for the engines that this test was built with.
func realFlags(t *testing.T) []string {
	t.Helper()
	stamp, err := os.ReadFile(filepath.Join(os.Getenv("LSMKIT_DEPS"), "stamp"))
	if err == nil && strings.HasPrefix(string(stamp), "build tuned\n") {
		return []string{"--tuned"}
	}
	return nil
}

// evaluated is the environment after a shell has read what --print-env printed.
func evaluated(t *testing.T, printed string) (env []string, prefix string) {
	t.Helper()
	shell := newRun(t, exec.Command("sh", "-c", printed+"\nenv -0"), os.Environ()...).succeed()
	env = strings.Split(strings.TrimRight(shell.stdout.String(), "\x00"), "\x00")
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "LSMKIT_DEPS="); ok {
			prefix = value
		}
	}
	return env, prefix
}

// engineProgram calls both engines through their C API.
const engineProgram = `package main

// #include <leveldb/c.h>
// #include <rocksdb/c.h>
import "C"

import "fmt"

func main() {
	options := C.rocksdb_options_create()
	defer C.rocksdb_options_destroy(options)
	fmt.Printf("%d.%d\n", C.leveldb_major_version(), C.leveldb_minor_version())
}
`

func TestPrefixWithASpace(t *testing.T) {
	t.Parallel()
	_, real := realEngines(t)
	if real == "" {
		t.Skip("the system's own libraries are in use: there is no prefix to move")
	}
	dir := filepath.Join(t.TempDir(), "my engines & tools")
	prefix := filepath.Join(dir, "pre fix")
	must(t, os.CopyFS(prefix, os.DirFS(real)))
	// The stamp fits, so the script has nothing to build.
	env, told := realEngines(t, "--prefix", prefix)
	if told != prefix {
		t.Fatalf("LSMKIT_DEPS=%q, want %q", told, prefix)
	}

	program := filepath.Join(dir, "program")
	must(t, os.Mkdir(program, 0o755))
	must(t, os.WriteFile(filepath.Join(program, "main.go"), []byte(engineProgram), 0o644))
	must(t, os.WriteFile(filepath.Join(program, "go.mod"), []byte("module program\n\ngo 1.26\n"), 0o644))
	build := exec.Command("go", "run", ".")
	build.Dir = program
	r := newRun(t, build, env...).succeed()
	if got := r.stdout.String(); got != "1.23\n" {
		t.Errorf("the program printed %q", got)
	}
}

// The whole way, from flag to prefix, with stand-ins.
func TestBuildIntoAPrefixWithASpace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	prefix := filepath.Join(f.dir, "pre fix", "en gines")
	printed := f.command("--tarballs", f.tarballs, "--prefix", prefix, "--print-env").succeed().stdout.String()
	f.complete(prefix)
	want := `export CGO_CFLAGS='-O2 -g "-I` + prefix + `/include"'` + "\n" +
		`export CGO_LDFLAGS='"-L` + prefix + `/lib" -Wl,--start-group -lleveldb -lrocksdb -Wl,--end-group ` +
		`-lsnappy -llz4 -lzstd -lz -lstdc++ -lm -ldl -lpthread'` + "\n" +
		`export LSMKIT_DEPS='` + prefix + `'` + "\n"
	if printed != want {
		t.Errorf("printed\n%swant\n%s", printed, want)
	}
	f.command("--prefix", filepath.Join(f.dir, "it's")).fail(1, "cannot be told to Go")
}

// helper runs a line of bash with the system's own functions loaded.
func helper(t *testing.T, line string, args ...string) *run {
	t.Helper()
	const load = `set -euo pipefail; source deps/pins.sh; source deps/system.sh; source deps/install.sh
		CXX=g++ NO_INSTALL=1 INSTALL_LOG=/dev/null
		COMPANION_LIBS=(-lsnappy -llz4 -lzstd -lz -lstdc++ -lm -ldl -lpthread)
		`
	return newRun(t, exec.Command("bash", append([]string{"-c", load + line, "bash"}, args...)...), os.Environ()...)
}

// systemHeaders makes ROOT/include as a distribution's packages would.
func systemHeaders(t *testing.T, rocksdb, leveldb [2]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range map[string]string{
		"rocksdb/c.h":       "",
		"rocksdb/version.h": "#pragma once\n#define ROCKSDB_MAJOR " + rocksdb[0] + "\n#define ROCKSDB_MINOR " + rocksdb[1] + "\n",
		"leveldb/c.h":       "",
		"leveldb/db.h": "static const int kMajorVersion = " + leveldb[0] + ";\n" +
			"static const int kMinorVersion = " + leveldb[1] + ";\n",
	} {
		path = filepath.Join(root, "include", path)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestSystemVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rocksdb, leveldb string
		ok               bool
	}{
		{"9 10", "1 23", true},
		{"9 10", "1 24", true},
		{"9 9", "1 23", false},
		{"9 11", "1 23", false}, // its C API may differ from the one we are written for
		{"7 8", "1 23", false},
		{"9 10", "1 22", false},
		{"9 10", "2 0", false},
	} {
		r, l := strings.Fields(c.rocksdb), strings.Fields(c.leveldb)
		root := systemHeaders(t, [2]string(r), [2]string(l))
		check := helper(t, `system_root /nowhere "$1"`, root)
		if code := check.code(); (code == 0) != c.ok {
			t.Errorf("RocksDB %s, LevelDB %s: status %d, want ok %v", c.rocksdb, c.leveldb, code, c.ok)
		} else if c.ok && check.stdout.String() != root+"\n" {
			t.Errorf("printed %q, want %q", check.stdout.String(), root)
		}
	}
	empty := systemHeaders(t, [2]string{"9", "10"}, [2]string{"1", "23"})
	must(t, os.Remove(filepath.Join(empty, "include/rocksdb/c.h")))
	if helper(t, `system_root "$1"`, empty).code() == 0 {
		t.Error("taken without rocksdb/c.h")
	}
}

// Headers of the right version are not enough: the libraries must link.
func TestSystemLibrariesAreTried(t *testing.T) {
	t.Parallel()
	_, real := realEngines(t)
	if real == "" {
		t.Skip("the system's own libraries are in use already")
	}
	const use = `use_system "$1" && echo "${CGO_INCLUDE[*]} ${CGO_LIBS[0]}"`
	if r := helper(t, use, real).succeed(); r.stdout.String() != "-I"+real+"/include -L"+real+"/lib\n" {
		t.Errorf("printed %q", r.stdout.String())
	}
	root := systemHeaders(t, [2]string{"9", "10"}, [2]string{"1", "23"})
	if helper(t, use, root).code() == 0 {
		t.Error("taken without libraries")
	}
}
