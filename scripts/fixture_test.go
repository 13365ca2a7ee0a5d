// Tests of build-deps.sh and of the Makefile.
//
// Method: the scripts are copied beside two tiny tarballs whose checksums
// replace the real ones in deps/pins.sh, and run with a PATH of their own: the
// few system tools they need, as links, and stand-ins for the compiler, CMake
// and whatever would reach the network or the package manager. So every test
// takes the real way through the script, at once, and cannot touch the machine.
package scripts_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// systemTools is what the script uses of the system besides bash.
var systemTools = []string{
	"awk", "bash", "cat", "chmod", "cp", "cut", "dirname", "find", "flock", "getconf", "grep", "gzip",
	"head", "id", "ls", "mkdir", "mktemp", "mv", "nproc", "realpath", "rm", "rmdir", "sed",
	"sha256sum", "sleep", "tail", "tar", "timeout", "touch", "tr", "uname",
}

// stubs are the stand-ins, by name.
var stubs = map[string]string{
	// A compiler: answers for its version, otherwise makes a benchmark.
	"cxx": `
for word; do
	case $word in
	-dumpmachine) echo test-machine; exit ;;
	-dumpfullversion) echo "${STUB_CXX_VERSION:-1.0}"; exit ;;
	-) cat >/dev/null ;; # a program on stdin
	-E) [[ ! -e $STUB_DIR/clang ]] || exit 1 ;;
	esac
done
out=
while (($# > 0)); do [[ $1 != -o ]] || out=$2; shift; done
[[ $out == /dev/null ]] || cp "$STUB_DIR/bin/db_bench" "$out"`,
	// A benchmark, wherever it is copied to: says what it was told, waits to be
	// let go, and leaves what it counted.
	"db_bench": `
echo "$0 $*" >>"$STUB_DIR/trained"
while [[ -e $STUB_DIR/hold-training ]]; do sleep 0.02; done
[[ ! -e $STUB_DIR/break-training ]] || { echo "stub: no training"; exit 1; }
[[ -e $STUB_DIR/idle ]] || touch "${0%/*}/object.gcda"`,
	// CMake: a configuration makes the build directory, a build the libraries.
	// The build of RocksDB says that it began and waits to be let go.
	"cmake": `
if [[ $1 != --build ]]; then
	echo "$*" >>"$STUB_DIR/configured"
	while [[ $1 != -S ]]; do shift; done
	cat "$2/db/c.cc" >>"$STUB_DIR/signed"
	mkdir -p "$4" # -S SOURCE -B BUILD
	exit
fi
build=$2
case $* in
*"--target rocksdb"*)
	echo build >>"$STUB_DIR/builds"
	while [[ -e $STUB_DIR/hold ]]; do sleep 0.02; done
	[[ ! -e $STUB_DIR/break ]] || { echo "stub: broken on purpose"; exit 1; }
	echo rocksdb >"$build/librocksdb.a"
	cp "$STUB_DIR/bin/db_bench" "$build/db_bench" ;;
*) echo leveldb >"$build/libleveldb.a" ;;
esac`,
	"ninja":     `exit 0`,
	"curl":      `echo "curl: no network" >&2; exit 6`,
	"wget":      `echo "wget: no network" >&2; exit 4`,
	"apt-get":   `echo "apt-get: no network" >&2; exit 100`,
	"apt-cache": `exit 100`,
	"sudo":      `echo "sudo: not in a test" >&2; exit 1`,
}

// fixture is one copy of the scripts with its surroundings.
type fixture struct {
	t        *testing.T
	dir      string // everything below lies in here
	scripts  string
	bin      string // PATH
	tarballs string // good tarballs, for --tarballs
	cache    string // XDG_CACHE_HOME
	sums     map[string]string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{
		t: t, dir: dir,
		scripts:  filepath.Join(dir, "scripts"),
		bin:      filepath.Join(dir, "bin"),
		tarballs: filepath.Join(dir, "tarballs"),
		cache:    filepath.Join(dir, "cache"),
		sums:     map[string]string{},
	}
	for _, d := range []string{f.bin, f.tarballs, f.cache} {
		must(t, os.MkdirAll(d, 0o755))
	}
	must(t, os.CopyFS(filepath.Join(f.scripts, "deps"), os.DirFS("deps")))
	script, err := os.ReadFile("build-deps.sh")
	must(t, err)
	f.write(filepath.Join(f.scripts, "build-deps.sh"), string(script))
	for _, name := range systemTools {
		path, err := exec.LookPath(name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(f.bin, name)))
	}
	for name, body := range stubs {
		f.stub(name, body)
	}
	f.makeTarballs()
	return f
}

// makeTarballs writes tarballs with just enough in them, and pins their checksums.
func (f *fixture) makeTarballs() {
	f.t.Helper()
	f.sums["leveldb-1.23"] = f.tarball("leveldb-1.23", "include/leveldb/c.h", "benchmarks/db_bench.cc", "db/c.cc")
	f.sums["rocksdb-9.10.0"] = f.tarball("rocksdb-9.10.0", "include/rocksdb/c.h", "db/c.cc")
	path := filepath.Join(f.scripts, "deps", "pins.sh")
	pins, err := os.ReadFile(path)
	must(f.t, err)
	text := string(pins)
	for name, sum := range f.sums {
		variable := strings.ToUpper(name[:strings.Index(name, "-")]) + "_SHA256="
		text = regexp.MustCompile(variable+`\w+`).ReplaceAllString(text, variable+sum)
	}
	f.write(path, text)
}

// tarball writes NAME.tar.gz holding the named files and returns its SHA-256.
func (f *fixture) tarball(name string, files ...string) string {
	f.t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for _, file := range files {
		must(f.t, archive.WriteHeader(&tar.Header{Name: name + "/" + file, Mode: 0o644}))
	}
	must(f.t, archive.Close())
	must(f.t, zip.Close())
	f.write(filepath.Join(f.tarballs, name+".tar.gz"), out.String())
	return fmt.Sprintf("%x", sha256.Sum256(out.Bytes()))
}

// stub puts a program of this name into PATH.
func (f *fixture) stub(name, body string) {
	f.t.Helper()
	f.write(filepath.Join(f.bin, name), "#!"+filepath.Join(f.bin, "bash")+"\nset -eu\n"+body+"\n")
}

// write makes a file anew: what was there may be a link to a program of the
// system, and a write must not go through it.
func (f *fixture) write(path, text string) {
	f.t.Helper()
	must(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	// A child forked meanwhile by another test would hold the file open for
	// writing, and running it would fail with "text file busy".
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	must(f.t, err)
	_, err = file.WriteString(text)
	must(f.t, errors.Join(err, file.Close()))
}

// command is a run of the copied script. It never uses the system's libraries.
func (f *fixture) command(args ...string) *run {
	f.t.Helper()
	bash := filepath.Join(f.bin, "bash")
	args = append([]string{filepath.Join(f.scripts, "build-deps.sh"), "--from-source"}, args...)
	return newRun(f.t, exec.Command(bash, args...),
		"PATH="+f.bin, "HOME="+f.dir, "XDG_CACHE_HOME="+f.cache, "CXX=cxx", "STUB_DIR="+f.dir)
}

// hold makes the build of RocksDB wait until release.
func (f *fixture) hold()    { f.write(filepath.Join(f.dir, "hold"), "") }
func (f *fixture) release() { must(f.t, os.Remove(filepath.Join(f.dir, "hold"))) }

// builds is the number of builds of RocksDB that began.
func (f *fixture) builds() int { return len(f.noted("builds")) }

// noted are the lines that a stand-in has written into a file.
func (f *fixture) noted(file string) []string {
	text, err := os.ReadFile(filepath.Join(f.dir, file))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// run is one process with its output.
type run struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr lockedBuffer
}

func newRun(t *testing.T, cmd *exec.Cmd, env ...string) *run {
	r := &run{t: t, cmd: cmd}
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = &r.stdout, &r.stderr
	// A stand-in that outlives a killed script keeps the pipes open.
	cmd.WaitDelay = time.Second
	return r
}

// code runs to the end and returns the exit status.
func (r *run) code() int {
	r.t.Helper()
	err := r.cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// succeed runs to the end and fails the test on any other status than 0.
func (r *run) succeed() *run {
	r.t.Helper()
	if code := r.code(); code != 0 {
		r.t.Fatalf("%v: exit %d\n%s", r.cmd.Args, code, r.stderr.String())
	}
	return r
}

// fail runs to the end, and checks the status and what stderr says.
func (r *run) fail(code int, says ...string) {
	r.t.Helper()
	if got := r.code(); got != code {
		r.t.Fatalf("%v: exit %d, want %d\n%s", r.cmd.Args, got, code, r.stderr.String())
	}
	for _, text := range says {
		if !strings.Contains(r.stderr.String(), text) {
			r.t.Errorf("stderr does not say %q:\n%s", text, r.stderr.String())
		}
	}
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond) // between two looks at another process
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
