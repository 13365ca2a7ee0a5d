package dir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// A lock of fcntl is seen by other processes only, so these tests run their own
// program again as a child, which acquires a folder and locks it until its
// standard input ends.

const childEnv = "LSMKIT_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		child(path)
		return
	}
	os.Exit(m.Run())
}

func child(path string) {
	c, err := Acquire(levelDB, "child", path, Mode{Create: true, Damaged: true})
	if err == nil {
		_, err = c.LockFile()
	}
	switch {
	case errors.Is(err, store.ErrLocked):
		fmt.Println("locked")
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("ok")
		io.Copy(io.Discard, os.Stdin)
	}
}

// other starts another process that locks the folder, and returns what it
// reports, and a function that ends it.
func other(t *testing.T, path string) (report string, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	// The race detector would wait a second before it lets a child end.
	cmd.Env = append(os.Environ(), childEnv+"="+path, "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	report, err = bufio.NewReader(out).ReadString('\n')
	must(t, err)
	end = sync.OnceFunc(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return strings.TrimSpace(report), end
}

// wantOther fails the test if another process reports something else.
func wantOther(t *testing.T, path, want string) {
	t.Helper()
	report, end := other(t, path)
	end()
	if report != want {
		t.Fatalf("another process says %q, want %q", report, want)
	}
}

func TestLockFile(t *testing.T) {
	folder := levelDBStore().write(t, t.TempDir())
	c := mustAcquire(t, levelDB, folder, Mode{})
	wantOther(t, folder, "ok")
	unlock, err := c.LockFile()
	must(t, err)
	wantOther(t, folder, "locked")

	_, err = c.LockFile()
	wantKind(t, err, store.ErrLocked, "leveldb: open", "this claim")
	wantOther(t, folder, "locked")

	// Nothing else here opens LOCK, which would drop the lock.
	_, err = Detect(folder)
	must(t, err)
	_, err = Size(folder)
	must(t, err)
	_, _, err = Files(levelDB, folder)
	must(t, err)
	_, err = LogNumber(folder)
	must(t, err)
	mustAcquire(t, levelDB, folder, Mode{ReadOnly: true}).Release()
	for _, engine := range engines {
		if _, err := Acquire(engine, "open", folder, Mode{Create: true}); err == nil {
			t.Fatal("acquired twice")
		}
	}
	wantOther(t, folder, "locked")

	must(t, unlock())
	wantOther(t, folder, "ok")
	again, err := c.LockFile()
	must(t, err)
	must(t, unlock()) // the first lock is long gone
	wantOther(t, folder, "locked")
	c.Release()
	wantOther(t, folder, "ok")
	must(t, again())
	_, err = c.LockFile()
	wantKind(t, err, store.ErrClosed)
}

func TestLockFileOfOther(t *testing.T) {
	folder := levelDBStore().without("LOCK").write(t, t.TempDir())
	report, end := other(t, folder)
	if report != "ok" {
		t.Fatal(report)
	}
	c := mustAcquire(t, levelDB, folder, Mode{})
	_, err := c.LockFile()
	wantKind(t, err, store.ErrLocked, "another process")
	removed, err := c.Destroy()
	wantKind(t, err, store.ErrLocked, "another process")
	if len(removed) > 0 {
		t.Errorf("removed %q", removed)
	}
	end()
	unlock, err := c.LockFile()
	must(t, err)
	must(t, unlock())
}

func TestLockFileReadOnly(t *testing.T) {
	folder := rocksDBStore().write(t, t.TempDir())
	w := mustAcquire(t, rocksDB, folder, Mode{})
	_, err := w.LockFile()
	must(t, err)
	r := mustAcquire(t, rocksDB, folder, Mode{ReadOnly: true})
	_, err = r.LockFile()
	wantKind(t, err, store.ErrReadOnly)
	_, err = r.Destroy()
	wantKind(t, err, store.ErrReadOnly)
}

func TestLockFileRefused(t *testing.T) {
	folder := levelDBStore().without("LOCK").with(tree{"LOCK/": ""}).write(t, t.TempDir())
	c := mustAcquire(t, levelDB, folder, Mode{})
	_, err := c.LockFile()
	wantKind(t, err, store.ErrIO)
}

// A store that another process is repairing looks damaged, and is only locked.
func TestAcquireRepairedByOther(t *testing.T) {
	path := realDir(t) + "/store"
	report, end := other(t, path)
	if report != "ok" {
		t.Fatal(report)
	}
	tree{"000005.ldb": ""}.write(t, path)
	_, err := Acquire(levelDB, "open", path, Mode{Create: true})
	wantKind(t, err, store.ErrLocked, "another process")
	_, err = Acquire(levelDB, "repair", path, Mode{Damaged: true})
	wantKind(t, err, store.ErrLocked, "another process")
	wantOther(t, path, "locked")
	end()
	_, err = Acquire(levelDB, "open", path, Mode{Create: true})
	wantKind(t, err, store.ErrCorruption, "000005.ldb")
}

// A failed open must not take away what another process has just begun.
func TestAbandonLockedByOther(t *testing.T) {
	path := realDir(t) + "/store"
	c := mustAcquire(t, levelDB, path, Mode{Create: true})
	report, end := other(t, path)
	if report != "ok" {
		t.Fatal(report)
	}
	c.Abandon()
	if _, err := os.Stat(path + "/LOCK"); err != nil {
		t.Error(err)
	}
	wantOther(t, path, "locked")
	end()
}
