package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goTest runs gotest.sh over a module of one package with this test file.
func goTest(t *testing.T, tests string) *run {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module sample\n\ngo 1.26\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("package sample\n\nimport \"testing\"\n\n"+tests), 0o644))
	script, err := filepath.Abs("gotest.sh")
	must(t, err)
	cmd := exec.Command("bash", script, "./...")
	cmd.Dir = dir
	return newRun(t, cmd, os.Environ()...)
}

func TestGoTestReportsSkips(t *testing.T) {
	t.Parallel()
	got := goTest(t, `
func TestA(t *testing.T) { t.Log("chatter") }
func TestB(t *testing.T) { t.Skip("no tmpfs here") }
func TestC(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Skip("nor there") }) }
`).succeed().stdout.String()
	for _, want := range []string{
		"ok  \tsample",
		"skipped: TestB\n    a_test.go:7: no tmpfs here\n",
		"skipped: TestC/sub\n    a_test.go:8: nor there\n",
		"\n2 passed, 0 failed, 2 skipped\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "chatter") {
		t.Errorf("a passing test's log is shown:\n%s", got)
	}
}

func TestGoTestShowsFailures(t *testing.T) {
	t.Parallel()
	r := goTest(t, `
func TestA(t *testing.T) {}
func TestB(t *testing.T) { t.Error("seed 42") }
`)
	if code := r.code(); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	got := r.stdout.String()
	for _, want := range []string{"--- FAIL: TestB", "seed 42", "FAIL\tsample", "\n1 passed, 1 failed, 0 skipped\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// Other modules are tested too, and fail the run as this one does.
func TestGoTestOtherModules(t *testing.T) {
	t.Parallel()
	const passes, fails = "func TestA(t *testing.T) {}\n", "func TestB(t *testing.T) { t.Error(7) }\n"
	for _, c := range []struct {
		here, there string
		code        int
		totals      string
	}{
		{passes, passes, 0, "2 passed, 0 failed"},
		{passes, fails, 1, "1 passed, 1 failed"},
		{fails, passes, 1, "1 passed, 1 failed"},
	} {
		dir := t.TempDir()
		module := func(name, tests string) {
			folder := filepath.Join(dir, name)
			must(t, os.MkdirAll(folder, 0o755))
			must(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module sample"+name+"\n\ngo 1.26\n"), 0o644))
			must(t, os.WriteFile(filepath.Join(folder, "a_test.go"), []byte("package sample\n\nimport \"testing\"\n\n"+tests), 0o644))
		}
		module("", c.here)
		module("other", c.there)
		script, err := filepath.Abs("gotest.sh")
		must(t, err)
		cmd := exec.Command("bash", script, "--also", "other", "./...")
		cmd.Dir = dir
		r := newRun(t, cmd, os.Environ()...)
		if code := r.code(); code != c.code || !strings.Contains(r.stdout.String(), c.totals) {
			t.Errorf("exit %d, want %d and %s:\n%s", code, c.code, c.totals, r.stdout.String())
		}
	}
}

// A package that does not compile has no failing test, and must still fail.
func TestGoTestShowsBrokenBuilds(t *testing.T) {
	t.Parallel()
	r := goTest(t, "func TestA(t *testing.T) { nonsense() }\n")
	if code := r.code(); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	for _, want := range []string{"undefined: nonsense", "\n0 passed, 1 failed, 0 skipped\n"} {
		if !strings.Contains(r.stdout.String(), want) {
			t.Errorf("no %q in:\n%s", want, r.stdout.String())
		}
	}
}
