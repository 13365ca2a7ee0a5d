package scripts_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// makeRun runs make in the checkout, without the flags and variables of a make
// above this test.
func makeRun(t *testing.T, args ...string) *run {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "MAKE") && !strings.HasPrefix(entry, "MFLAGS=") && !strings.HasPrefix(entry, "TUNED=") {
			env = append(env, entry)
		}
	}
	return newRun(t, exec.Command("make", append([]string{"-C", "..", "--no-print-directory"}, args...)...), env...)
}

func TestMakeShowsItsMenu(t *testing.T) {
	t.Parallel()
	menu := makeRun(t).succeed().stdout.String()
	for _, target := range strings.Fields("deps build test race lint bench overhead asan fuzz clean") {
		if !strings.Contains(menu, "\n  "+target+" ") {
			t.Errorf("the menu lacks %s:\n%s", target, menu)
		}
	}
}

// The menu and clean must not build the engines first; the others must.
func TestMakeBuildsWhatATargetNeeds(t *testing.T) {
	t.Parallel()
	for target, needs := range map[string]bool{
		"help": false, "clean": false,
		"deps": true, "build": true, "test": true, "race": true, "lint": true,
		"bench": true, "overhead": true, "asan": true, "fuzz": true,
	} {
		plan := makeRun(t, "--dry-run", target).succeed().stdout.String()
		if strings.Contains(plan, "scripts/build-deps.sh") != needs {
			t.Errorf("make %s: calls build-deps.sh, want %v:\n%s", target, needs, plan)
		}
	}
}

// TUNED=1 asks for the tuned engines wherever engines are asked for, and for the
// stock ones only where the two are compared.
func TestMakeTuned(t *testing.T) {
	t.Parallel()
	for _, target := range strings.Fields("deps build test race lint bench overhead asan fuzz") {
		for tuned, want := range map[string]bool{"": false, "TUNED=0": false, "TUNED=1": true} {
			args := append(strings.Fields(tuned), "--dry-run", target)
			plan := makeRun(t, args...).succeed().stdout.String()
			calls, asked := strings.Count(plan, "scripts/build-deps.sh"), strings.Count(plan, "--tuned")
			stock := 0
			if want && target == "overhead" {
				stock = 1
			}
			if want && asked != calls-stock || !want && asked != 0 {
				t.Errorf("make %s %s: --tuned in %d of %d calls:\n%s", tuned, target, asked, calls, plan)
			}
		}
	}
}
