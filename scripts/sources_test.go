package scripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cached is where the script keeps a tarball.
func (f *fixture) cached(name string) string {
	return filepath.Join(f.cache, "lsmkit/tarballs", name+".tar.gz")
}

// tarballsLeft lists everything in the script's tarball directory.
func (f *fixture) tarballsLeft() []string {
	f.t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.cache, "lsmkit/tarballs"))
	must(f.t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// serveUpstream makes curl deliver the good tarballs, by the address's end.
func (f *fixture) serveUpstream() {
	f.stub("curl", `
while (($# > 1)); do [[ $1 != --output ]] || out=$2; shift; done
echo "$1" >>"$STUB_DIR/addresses"
case $1 in
*leveldb*) cp "$STUB_DIR/tarballs/leveldb-1.23.tar.gz" "$out" ;;
*rocksdb*) cp "$STUB_DIR/tarballs/rocksdb-9.10.0.tar.gz" "$out" ;;
esac`)
}

func TestNoNetworkAndNoTarball(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.command().fail(1,
		"no source has the tarball of leveldb 1.23",
		"https://github.com/google/leveldb/archive/refs/tags/1.23.tar.gz",
		f.sums["leveldb-1.23"],
		f.cached("leveldb-1.23"),
		"--tarballs DIR")
	if left := f.tarballsLeft(); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if prefixes, _ := filepath.Glob(filepath.Join(f.cache, "lsmkit/deps/*/stamp")); prefixes != nil {
		t.Errorf("made %v", prefixes)
	}

	// What the message says to do works.
	good, err := os.ReadFile(filepath.Join(f.tarballs, "leveldb-1.23.tar.gz"))
	must(t, err)
	f.write(f.cached("leveldb-1.23"), string(good))
	f.command().fail(1, "no source has the tarball of rocksdb 9.10.0", f.sums["rocksdb-9.10.0"])
	f.command("--tarballs", f.tarballs).succeed()
}

// A wrong file is refused wherever it comes from, and the next source is asked.
func TestWrongChecksum(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bad := filepath.Join(f.dir, "bad")
	f.write(filepath.Join(bad, "leveldb-1.23.tar.gz"), "not a tarball")
	f.write(f.cached("leveldb-1.23"), "not a tarball either")
	f.stub("curl", `while [[ $1 != --output ]]; do shift; done; echo "a login page" >"$2"`)
	f.command("--tarballs", bad).fail(1,
		"the tarball from the cache is refused",
		"the tarball from "+bad+"/leveldb-1.23.tar.gz is refused",
		"the tarball from upstream is refused",
		"wanted "+f.sums["leveldb-1.23"],
		"no source has the tarball of leveldb 1.23")
	if left := f.tarballsLeft(); left != nil {
		t.Errorf("refused files were kept: %v", left)
	}
	if !exists(filepath.Join(bad, "leveldb-1.23.tar.gz")) {
		t.Error("a file of the user's was deleted")
	}

	f.serveUpstream()
	f.command("--tarballs", bad).succeed()
	if left := f.tarballsLeft(); len(left) != 2 {
		t.Errorf("cached: %v, want both tarballs", left)
	}
}

func TestUpstreamAddresses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.serveUpstream()
	f.command().succeed()
	got, err := os.ReadFile(filepath.Join(f.dir, "addresses"))
	must(t, err)
	want := "https://github.com/google/leveldb/archive/refs/tags/1.23.tar.gz\n" +
		"https://github.com/facebook/rocksdb/archive/refs/tags/v9.10.0.tar.gz\n"
	if string(got) != want {
		t.Errorf("asked for\n%swant\n%s", got, want)
	}
}

// debian makes apt-get and apt-cache behave like a Debian machine's: a mirror
// is configured twice over, among others that are not to be asked.
func (f *fixture) debian() {
	entry := filepath.Join(f.dir, "debian.sources")
	f.write(entry, "Types: deb\nURIs: http://mirror.test/debian\nSigned-By: /keys/mirror.gpg\n")
	f.stub("apt-get", `
case $* in
indextargets*)
	echo 'http://other.test/apt/|bookworm|contrib|$(ORIGIN)|Packages|/etc/other.list:1'
	echo 'http://security.test/|bookworm-security|main|Debian|Packages|/etc/security.list:1'
	echo 'http://ubuntu.test/|noble|main|Ubuntu|Packages|/etc/ubuntu.list:1'
	echo 'http://down.test/debian/|bookworm|main|Debian|Packages|/etc/down.list:1'
	echo 'http://mirror.test/debian/|bookworm|main|Debian|DEP-11|`+entry+`:1'
	echo 'http://mirror.test/debian/|bookworm|main|Debian|Packages|`+entry+`:1'
	echo 'http://mirror.test/debian/|bookworm|main|Debian|Packages|`+entry+`:9'
	exit ;;
esac
for word; do
	case $word in
	Dir::Etc::SourceParts=*) cp "${word#*=}/lsmkit.sources" "$STUB_DIR/used.sources" ;;
	esac
done
case $* in
*" update")
	cat "$STUB_DIR/used.sources" >>"$STUB_DIR/asked"
	! grep -q down.test "$STUB_DIR/used.sources" || exit 100 ;;
*" source "*"leveldb=1.23-7") cp "$STUB_DIR/tarballs/leveldb-1.23.tar.gz" leveldb_1.23.orig.tar.gz ;;
*" source "*"rocksdb=9.10.0-1") cp "$STUB_DIR/tarballs/rocksdb-9.10.0.tar.gz" rocksdb_9.10.0.orig.tar.gz ;;
*) exit 100 ;;
esac`)
	f.stub("apt-cache", `
echo "Version: 1.22-1"
echo " 0000000000000000000000000000000000000000000000000000000000000000 12 some_1.22.orig.tar.gz"
echo "Version: 1.23-7"
echo " `+f.sums["leveldb-1.23"]+` 12 leveldb_1.23.orig.tar.gz"
echo "Version: 9.10.0-1"
echo " `+f.sums["rocksdb-9.10.0"]+` 12 rocksdb_9.10.0.orig.tar.gz"`)
}

func TestDebianSourcePackages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.debian()
	f.command().succeed()
	if left := f.tarballsLeft(); len(left) != 2 {
		t.Errorf("cached: %v, want both tarballs", left)
	}
	// One index per mirror and run, and only of mirrors of Debian's main archive.
	asked, err := os.ReadFile(filepath.Join(f.dir, "asked"))
	must(t, err)
	hosts := regexp.MustCompile(`URIs: \S+`).FindAllString(string(asked), -1)
	if got := strings.Join(hosts, " "); got != "URIs: http://down.test/debian/ URIs: http://mirror.test/debian/" {
		t.Errorf("asked %s", got)
	}
	used, err := os.ReadFile(filepath.Join(f.dir, "used.sources"))
	must(t, err)
	want := "Types: deb-src\nURIs: http://mirror.test/debian/\nSuites: trixie\nComponents: main\nSigned-By: /keys/mirror.gpg\n"
	if string(used) != want {
		t.Errorf("source list:\n%swant\n%s", used, want)
	}
}

func TestDebianServesSomethingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.debian()
	f.write(filepath.Join(f.tarballs, "leveldb-1.23.tar.gz"), "tampered with")
	f.command().fail(1, "the tarball from Debian is refused", "no source has the tarball of leveldb 1.23")
	if left := f.tarballsLeft(); left != nil {
		t.Errorf("refused files were kept: %v", left)
	}
}

// The one-line format names the key in brackets.
func TestDebianKeyOfOneLineSources(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.debian()
	f.write(filepath.Join(f.dir, "debian.sources"),
		"# deb [signed-by=/keys/old.gpg] http://old.test/debian bookworm main\n"+
			"deb [arch=amd64 signed-by=/keys/line.gpg] http://mirror.test/debian bookworm main\n")
	f.command().succeed()
	used, err := os.ReadFile(filepath.Join(f.dir, "used.sources"))
	must(t, err)
	if !strings.HasSuffix(string(used), "\nSigned-By: /keys/line.gpg\n") {
		t.Errorf("source list:\n%s", used)
	}
}
