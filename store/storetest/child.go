package storetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childEnv names the one test that a child process is there for.
const childEnv = "LSMKIT_STORETEST_CHILD"

// childTime bounds a child; a test in it that hangs ends with the stacks of
// its goroutines.
const childTime = 3 * time.Minute

// Child runs a test in a process of its own: the test binary once more, with
// only this test. There fn is called; here the outcome is reported. A signal,
// an abort inside C or a hang so fails this test alone, with all that the child
// printed.
//
// The child's temporary folders lie in one of this process's, since a process
// that dies of a signal leaves them behind.
func Child(t *testing.T, fn func(t *testing.T)) {
	t.Helper()
	if os.Getenv(childEnv) == t.Name() {
		fn(t)
		return
	}
	if out, err := runChild(t, t.Name(), nil); err != nil {
		t.Errorf("in the child process: %v\n%s", err, indent(out))
	}
}

// runChild runs the named test in a child process and returns what it printed.
func runChild(t testing.TB, name string, attr *syscall.SysProcAttr) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(exe, "-test.run="+runPattern(name), "-test.v", "-test.count=1",
		fmt.Sprintf("-test.timeout=%s", childTime))
	if testing.Short() {
		cmd.Args = append(cmd.Args, "-test.short")
	}
	cmd.Env = append(os.Environ(), childEnv+"="+name, "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = attr
	if raceEnabled {
		// The race detector sleeps a second before each exit.
		cmd.Env = append(cmd.Env, "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0")
	}
	b, err := cmd.CombinedOutput()
	out := string(b)
	if err == nil && !strings.Contains(out, "--- PASS: "+name) && !strings.Contains(out, "--- SKIP: "+name) {
		err = errors.New("the test did not run")
	}
	return out, err
}

// runPattern returns the pattern for -test.run that selects the named test.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

func indent(s string) string {
	return "\t| " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n\t| ")
}
