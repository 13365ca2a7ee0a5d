package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readmeProgram is the first Go program of README.md.
func readmeProgram(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	must(t, err)
	for _, block := range strings.Split(string(readme), "```go\n")[1:] {
		program, _, ok := strings.Cut(block, "```")
		if ok && strings.HasPrefix(program, "package main\n") {
			return program
		}
	}
	t.Fatal("README.md has no ```go block that begins with package main")
	return ""
}

// Imported from outside: a module in an empty folder requires this one by a
// replace, finds the script in the module's own directory, takes the flags from
// it, and runs the program of the README.
func TestImportedFromOutside(t *testing.T) {
	t.Parallel()
	program := readmeProgram(t)
	checkout, err := filepath.Abs("..")
	must(t, err)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))

	// `make test` has set the flags already, and they must come from the script.
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "CGO_") {
			env = append(env, entry)
		}
	}
	in := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		r := newRun(t, cmd, env...).succeed()
		return strings.TrimSpace(r.stdout.String())
	}
	in("go", "mod", "init", "importer.test/program")
	in("go", "mod", "edit", "-require", "github.com/lsmkit/lsmkit@v0.0.0", "-replace", "github.com/lsmkit/lsmkit="+checkout)
	in("go", "mod", "tidy")

	module := in("go", "list", "-m", "-f", "{{.Dir}}", "github.com/lsmkit/lsmkit")
	if module != checkout {
		t.Errorf("the module's directory is %s, want %s", module, checkout)
	}
	script := append([]string{filepath.Join(module, "scripts", "build-deps.sh"), "--print-env"}, realFlags(t)...)
	env, _ = evaluated(t, in("bash", script...))
	if out := in("go", "run", "."); out == "" {
		t.Error("the program printed nothing")
	}
}

// The collector is a module of its own: who imports it needs a replace for each,
// as the README says, and no C.
func TestCollectorImportedFromOutside(t *testing.T) {
	t.Parallel()
	checkout, err := filepath.Abs("..")
	must(t, err)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"fmt"

	lsmprom "github.com/lsmkit/lsmkit/metrics/prometheus"
	"github.com/lsmkit/lsmkit/store/memstore"
	"github.com/prometheus/client_golang/prometheus"
)

func main() {
	prometheus.MustRegister(lsmprom.New(memstore.New(), "one"))
	all, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		panic(err)
	}
	for _, family := range all {
		if family.GetName() == "lsmkit_up" {
			fmt.Println(family.GetMetric()[0].GetGauge().GetValue())
		}
	}
}
`), 0o644))
	in := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		return strings.TrimSpace(newRun(t, cmd, append(os.Environ(), "CGO_ENABLED=0")...).succeed().stdout.String())
	}
	const module = "github.com/lsmkit/lsmkit"
	in("mod", "init", "importer.test/collector")
	in("mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+checkout)
	in("mod", "edit", "-require", module+"/metrics/prometheus@v0.0.0",
		"-replace", module+"/metrics/prometheus="+filepath.Join(checkout, "metrics", "prometheus"))
	in("mod", "tidy")
	if out := in("run", "."); out != "1" {
		t.Errorf("got %q", out)
	}
}
