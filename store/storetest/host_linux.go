package storetest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// WithSmallDisk runs fn in a child process (see Child) with a file system of the
// given size of its own. No other process sees it, and it is gone with the child,
// however that ends. Where the system does not allow it, the test is skipped.
func WithSmallDisk(t *testing.T, bytes int, fn func(t *testing.T, folder string)) {
	t.Helper()
	if os.Getenv(childEnv) != t.Name() {
		out, err := runChild(t, t.Name(), &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS})
		switch {
		case errors.Is(err, os.ErrPermission):
			t.Skipf("no right to mount a small file system: %v", err)
		case err != nil:
			t.Errorf("in the child process: %v\n%s", err, indent(out))
		case strings.Contains(out, "--- SKIP: "+t.Name()):
			t.Skipf("in the child process:\n%s", indent(out))
		}
		return
	}
	if _, helper := HelperArg(); helper { // of the process that has mounted it
		fn(t, "")
		return
	}
	folder := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+strconv.Itoa(bytes)); err != nil {
		t.Skipf("no right to mount a small file system: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	}()
	fn(t, folder)
}

// WithUnwritable runs fn with a folder, and a function that makes it, and all
// below, unwritable, and writable again. No file there may be open for writing
// then. For root, whom permissions don't hold, it is a file system of its own (see
// WithSmallDisk).
func WithUnwritable(t *testing.T, fn func(t *testing.T, folder string, writable func(bool))) {
	t.Helper()
	if os.Geteuid() != 0 {
		folder := t.TempDir()
		writable := func(yes bool) { setWritable(t, folder, yes) }
		defer writable(true)
		fn(t, folder, writable)
		return
	}
	WithSmallDisk(t, 64<<20, func(t *testing.T, folder string) {
		fn(t, folder, func(yes bool) {
			flags := uintptr(syscall.MS_REMOUNT)
			if !yes {
				flags |= syscall.MS_RDONLY
			}
			if err := syscall.Mount("", folder, "", flags, ""); err != nil {
				t.Fatalf("remount: %v", err)
			}
		})
	})
}

// setWritable gives or takes the permission to write below a folder.
func setWritable(t testing.TB, folder string, yes bool) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return err
		}
		mode := info.Mode().Perm() &^ 0o222
		if yes {
			mode |= 0o200
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// LimitFiles makes every write fail that would make a file of this process
// longer than size, after as much as fits. The function that it returns ends
// that.
func LimitFiles(t testing.TB, size int64) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	set := func(l syscall.Rlimit) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}
	}
	set(syscall.Rlimit{Cur: uint64(size), Max: old.Max})
	return func() { set(old) }
}

// LimitProcessor ends the process when it has used that many seconds of processor
// time: something that it does has no end.
func LimitProcessor(t testing.TB, seconds uint64) {
	t.Helper()
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}); err != nil {
		t.Fatal(err)
	}
}

// ResidentBytes returns the process's resident memory.
func ResidentBytes(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("no way to measure resident memory: %v", err)
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		t.Fatalf("statm is %q", text)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// openDescriptors returns what the process's descriptors stand for.
func openDescriptors(t testing.TB) []string {
	t.Helper()
	return linksIn(t, "/proc/self/fd")
}

// threadCount returns the number of the process's threads.
func threadCount(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skipf("no way to count threads: %v", err)
	}
	return len(entries)
}

func linksIn(t testing.TB, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Skipf("no way to count descriptors: %v", err)
	}
	var links []string
	for _, e := range entries {
		link, err := os.Readlink(filepath.Join(folder, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // the descriptor that read the folder
		}
		links = append(links, link)
	}
	return links
}
