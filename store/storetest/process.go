package storetest

import (
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
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run="+runPattern(t.Name()), "-test.v", "-test.count=1",
		fmt.Sprintf("-test.timeout=%s", childTime))
	cmd.Env = append(os.Environ(), childEnv+"="+t.Name(), helperEnv+"="+arg)
	out, err := cmd.CombinedOutput()
	died := false
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, said); ok {
			lines = append(lines, text)
			died = text == lastWords
		}
	}
	if died {
		return lines[:len(lines)-1]
	}
	if err == nil && !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		err = fmt.Errorf("the test did not run")
	}
	if err != nil {
		t.Fatalf("in the helper process (%s): %v\n%s", arg, err, indent(string(out)))
	}
	return lines
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
