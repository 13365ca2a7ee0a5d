package storetest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// These tests show that a child process reports what happened in it: success,
// a failure with its message, and a signal. They call runChild, since a
// failing Child would fail them.

func inChild(t *testing.T) bool { return os.Getenv(childEnv) == t.Name() }

func TestChildPasses(t *testing.T) {
	ran := false
	Child(t, func(*testing.T) { ran = true })
	if ran != inChild(t) {
		t.Errorf("ran here: %v, in the child: %v", ran, inChild(t))
	}
}

func TestChildFails(t *testing.T) {
	t.Run("sub test (with odd.name)", func(t *testing.T) {
		if inChild(t) {
			t.Fatal("the reason")
		}
		out, err := runChild(t, t.Name(), nil)
		if err == nil || !strings.Contains(out, "the reason") {
			t.Errorf("got error %v and output %q", err, out)
		}
	})
}

func TestChildKilled(t *testing.T) {
	if inChild(t) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	_, err := runChild(t, t.Name(), nil)
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got error %v, want the signal", err)
	}
}

// What a process that dies leaves in its temporary folders goes with those of the
// one that started it.
func TestDeadLeaveNothing(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	die := func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(t.TempDir(), "left"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		Die()
	}
	t.Run("child", func(t *testing.T) {
		if inChild(t) {
			die(t)
		}
		if _, err := runChild(t, t.Name(), nil); err == nil {
			t.Error("the child did not die")
		}
	})
	t.Run("helper", func(t *testing.T) {
		if _, helper := HelperArg(); helper {
			die(t)
		}
		RunHelper(t, "die")
	})
	t.Run("crash", func(t *testing.T) {
		Crashes(t, "", func() {
			t.TempDir()
			if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			select {}
		})
	})
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestChildSkips(t *testing.T) {
	if inChild(t) {
		t.Skip("no reason to run")
	}
	if out, err := runChild(t, t.Name(), nil); err != nil {
		t.Errorf("got error %v, output %q", err, out)
	}
}

func TestChildMissing(t *testing.T) {
	if out, err := runChild(t, "TestThatIsNotThere", nil); err == nil {
		t.Errorf("no error for a test that is not there; output %q", out)
	}
}
