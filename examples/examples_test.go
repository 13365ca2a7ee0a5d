// Package examples tests the programs in its folders: each is built, run, and
// has to print what its output.txt says.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExamples(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) < 3 {
		t.Fatalf("found %d examples, error %v", len(mains), err)
	}
	for _, main := range mains {
		name := filepath.Dir(main)
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(name, "output.txt"))
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(t.TempDir(), name)
			build := exec.Command("go", "build", "-o", program, "./"+name)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			run := exec.Command(program)
			run.Dir = t.TempDir()
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("run: %v\n%s", err, out)
			}
			if diff := cmp.Diff(string(want), string(out)); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			left, err := os.ReadDir(run.Dir)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, error %v", left, err)
			}
		})
	}
}
