package command

import (
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
)

func TestList(t *testing.T) {
	for _, what := range []string{"workloads", "engines", "presets"} {
		got := execute(t, untouched(t), "list", what)
		golden(t, "list."+what+".out", got.out)
		if got.code != exitOK || got.err != "" {
			t.Errorf("list %s: code %d, stderr %q", what, got.code, got.err)
		}
	}
	got := execute(t, untouched(t), "list", "workloads")
	for _, w := range bench.Workloads() {
		if !strings.Contains(got.out, w.Name) {
			t.Errorf("%s is not listed", w.Name)
		}
	}
}

func TestListWrong(t *testing.T) {
	execute(t, untouched(t), "list").fails(t, exitUsage, "workloads, engines, presets")
	execute(t, untouched(t), "list", "engine").fails(t, exitUsage, "did you mean engines?")
	execute(t, untouched(t), "list", "engines", "more").fails(t, exitUsage, "unexpected argument more")
}
