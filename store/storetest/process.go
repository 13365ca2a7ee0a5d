package storetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// helperEnv has the argument of a helper process.
const helperEnv = "LSMKIT_STORETEST_HELPER"

// said begins the lines that a helper process prints for the one that started
// it.
const said = "helper said: "

// HelperArg returns the argument of this process if it is a helper (see
// RunHelper). The test has to do the helper's part then, and return.
func HelperArg() (arg string, ok bool) { return os.LookupEnv(helperEnv) }

// RunHelper runs the calling test once more in a process of its own, where
// HelperArg returns arg, and waits for it. It returns the lines that the process
// passed to Say. Unless the process ended by Die or successfully, the test fails
// with all that it printed.
//
// It is for tests in which a process is killed, or has a lock. It may be called
// below Child.
func RunHelper(t testing.TB, arg string) (lines []string) {
	t.Helper()
	lines, out, err := runHelper(t, arg)
	if err != nil {
		t.Fatalf("in the helper process (%s): %v\n%s", arg, err, indent(out))
	}
	return lines
}

// Crashes runs fn in a process of its own, which must not survive that: a fault
// of somebody else's code is still there. If it does, the test fails with the
// note, which says what may go now.
func Crashes(t *testing.T, note string, fn func()) {
	t.Helper()
	if _, helper := HelperArg(); helper {
		fn()
		Say("still alive")
		return
	}
	lines, out, err := runHelper(t, "crash")
	switch {
	case len(lines) > 0:
		t.Errorf("this crashes no more: %s", note)
	case err == nil || strings.Contains(out, "--- FAIL"):
		t.Errorf("no crash, but %v\n%s", err, indent(out))
	}
}

func runHelper(t testing.TB, arg string) (lines []string, output string, err error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run="+runPattern(t.Name()), "-test.v", "-test.count=1",
		fmt.Sprintf("-test.timeout=%s", childTime))
	// A process that dies does not remove its temporary folders.
	cmd.Env = append(os.Environ(), childEnv+"="+t.Name(), helperEnv+"="+arg, "TMPDIR="+t.TempDir())
	b, err := cmd.CombinedOutput()
	out, died := string(b), false
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, said); ok {
			lines = append(lines, text)
			died = text == lastWords
		}
	}
	if died {
		return lines[:len(lines)-1], out, nil
	}
	if err == nil && !strings.Contains(out, "--- PASS: "+t.Name()) {
		err = errors.New("the test did not run")
	}
	return lines, out, err
}

// Say passes a line of text to RunHelper in the process that started this one.
func Say(format string, args ...any) {
	// The testing package may have left a line of output open.
	fmt.Fprintf(os.Stdout, "\n"+said+format+"\n", args...)
}

const lastWords = "I die"

// Die ends the process as kill -9 does: nothing is closed, written out or run
// any more.
func Die() {
	Say(lastWords)
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until the signal comes
}
