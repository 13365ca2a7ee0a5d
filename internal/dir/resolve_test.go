package dir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// realDir is a folder whose own path has no links in it.
func realDir(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return root
}

// shop is a folder with links of all kinds.
func shop(t *testing.T) string {
	t.Helper()
	root := tree{"a/b/c/": "", "d/": "", "file": "content"}.write(t, realDir(t))
	for link, target := range map[string]string{
		"toc":      "a/b/c",
		"abs":      root + "/a/b",
		"two":      "./toc/",
		"back":     "a/b/c/../..",
		"dangling": "a/new/store",
		"loop":     "pool",
		"pool":     "loop",
		"self":     "self/x",
		"tofile":   "file",
		"a/up":     "../d",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root
}

func TestResolve(t *testing.T) {
	root := shop(t)
	t.Chdir(root)
	for _, c := range []struct{ path, want, missing string }{
		{"a", "a", ""},
		{".", ".", ""},
		{"./", ".", ""},
		{"./a/.//b///c/", "a/b/c", ""},
		{"a/b/..", "a", ""},
		{"a/../d/.", "d", ""},
		{"toc", "a/b/c", ""},
		{"toc/", "a/b/c", ""},
		{"two", "a/b/c", ""},
		{"abs/c", "a/b/c", ""},
		{"back", "a", ""},
		{"a/up", "d", ""},
		// After a link, .. leads to the parent of where it leads to.
		{"toc/..", "a/b", ""},
		{"toc/../../up", "d", ""},
		{"new", "new", "new"},
		{"new/", "new", "new"},
		{"new/./more//store", "new/more/store", "new new/more new/more/store"},
		{"toc/new", "a/b/c/new", "a/b/c/new"},
		{"dangling", "a/new/store", "a/new a/new/store"},
		{"dangling/below", "a/new/store/below", "a/new a/new/store a/new/store/below"},
		{" ", " ", " "},
		{"with space", "with space", "with space"},
		{"Ünïcødé-数据", "Ünïcødé-数据", "Ünïcødé-数据"},
		{"line\nbreak", "line\nbreak", "line\nbreak"},
		{"\xff\xfe", "\xff\xfe", "\xff\xfe"},
		{"...", "...", "..."},
		{"~", "~", "~"},
	} {
		var missing []string
		for _, m := range strings.Split(c.missing, " ") {
			if c.missing != "" && !strings.Contains(c.path, " ") {
				missing = append(missing, filepath.Join(root, m))
			}
		}
		if strings.Contains(c.path, " ") {
			missing = []string{root + "/" + c.missing}
		}
		for _, path := range []string{c.path, root + "/" + c.path, "/../" + root + "//" + c.path} {
			at, err := resolve(path)
			if err != nil {
				t.Errorf("resolve(%q): %v", path, err)
				continue
			}
			if want := filepath.Join(root, c.want); at.path != want || !slices.Equal(at.missing, missing) {
				t.Errorf("resolve(%q) = %q, missing %q; want %q, %q", path, at.path, at.missing, want, missing)
			}
		}
	}
	if at, err := resolve("//"); err != nil || at.path != "/" || at.missing != nil {
		t.Errorf("resolve(//) = %v, %v", at, err)
	}
}

func TestResolveRefuses(t *testing.T) {
	root := shop(t)
	unchanged(t, root)
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		path  string
		kind  error
		words string
	}{
		{"", store.ErrInvalidArgument, "empty path"},
		{"\x00", store.ErrInvalidArgument, "NUL"},
		{root + "/a\x00b", store.ErrInvalidArgument, "NUL"},
		{root + "/file", store.ErrInvalidArgument, root + "/file is not a folder"},
		{root + "/file/", store.ErrInvalidArgument, root + "/file is not a folder"},
		{root + "/file/more/store", store.ErrInvalidArgument, root + "/file is not a folder"},
		{root + "/file/..", store.ErrInvalidArgument, root + "/file is not a folder"},
		{root + "/tofile", store.ErrInvalidArgument, root + "/file is not a folder"},
		{root + "/loop", store.ErrInvalidArgument, syscall.ELOOP.Error()},
		{root + "/loop/x", store.ErrInvalidArgument, syscall.ELOOP.Error()},
		{root + "/self", store.ErrInvalidArgument, syscall.ELOOP.Error()},
		{"/dev/null", store.ErrInvalidArgument, "/dev/null is not a folder"},
		{root + "/" + long, store.ErrInvalidArgument, long},
		{root + "/new/../a", store.ErrNotExist, root + "/new does not exist"},
	} {
		for _, m := range []Mode{{}, {Create: true}, {ReadOnly: true}} {
			_, err := Acquire(levelDB, "open", c.path, m)
			wantKind(t, err, c.kind, "leveldb: open", c.words)
		}
	}
}

// A path in a folder that has been removed can't be made absolute, or has no
// parents to make.
func TestResolveGoneWorkingFolder(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(gone, 0o755))
	t.Chdir(gone)
	must(t, os.Remove(gone))
	if c, err := Acquire(levelDB, "open", "store", Mode{}); err == nil {
		t.Errorf("acquired %s", c.Path())
	}
}

func TestMakeMissingRefused(t *testing.T) {
	root := realDir(t)
	must(t, os.Chmod(root, 0o555))
	t.Cleanup(func() { os.Chmod(root, 0o755) })
	unchanged(t, root)
	var err error
	asNobody(t, func() { _, err = Acquire(levelDB, "open", root+"/new/store", Mode{Create: true}) })
	wantKind(t, err, store.ErrIO, root+"/new")
	wantKind(t, err, os.ErrPermission)
}

func TestResolveRefused(t *testing.T) {
	root := levelDBStore().write(t, filepath.Join(realDir(t), "closed", "store"))
	closed := filepath.Dir(root)
	must(t, os.Chmod(closed, 0))
	t.Cleanup(func() { os.Chmod(closed, 0o755) })
	for _, m := range []Mode{{}, {Create: true}, {ReadOnly: true}} {
		var err error
		asNobody(t, func() { _, err = Acquire(levelDB, "open", root, m) })
		wantKind(t, err, store.ErrIO)
		wantKind(t, err, os.ErrPermission)
	}
}
