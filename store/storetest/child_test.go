package storetest

import (
	"os"
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
		out, err := runChild(t.Name(), nil)
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
	_, err := runChild(t.Name(), nil)
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got error %v, want the signal", err)
	}
}

func TestChildSkips(t *testing.T) {
	if inChild(t) {
		t.Skip("no reason to run")
	}
	if out, err := runChild(t.Name(), nil); err != nil {
		t.Errorf("got error %v, output %q", err, out)
	}
}

func TestChildMissing(t *testing.T) {
	if out, err := runChild("TestThatIsNotThere", nil); err == nil {
		t.Errorf("no error for a test that is not there; output %q", out)
	}
}
