package command

import (
	"context"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
)

func TestEnv(t *testing.T) {
	environment := record(t).Environment
	d := untouched(t)
	d.Environment = func(context.Context, string) bench.Environment { return environment }
	got := execute(t, d, "env")
	golden(t, "env.out", got.out)
	if got.code != exitOK || got.err != "" {
		t.Errorf("code %d, stderr %q", got.code, got.err)
	}
}

// This machine tells something, whatever it is.
func TestEnvHere(t *testing.T) {
	if got := execute(t, untouched(t), "env"); got.code != exitOK || got.out == "" || got.err != "" {
		t.Errorf("code %d, stdout %q, stderr %q", got.code, got.out, got.err)
	}
}
