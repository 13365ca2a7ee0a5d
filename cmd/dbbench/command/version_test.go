package command

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	got := execute(t, untouched(t), "version")
	for _, want := range []string{"dbbench ", runtime.Version(), "leveldb  1.23\n", "rocksdb  9.10.0\n"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in:\n%s", want, got.out)
		}
	}
	if got.code != exitOK || got.err != "" {
		t.Errorf("code %d, stderr %q", got.code, got.err)
	}
}

// Of each library it says how it was compiled: what the library tells, or that
// it isn't one of ours.
func TestVersionTellsBuilds(t *testing.T) {
	d := untouched(t)
	d.Engines[0].Build = func() string { return "" }
	d.Engines[1].Build = func() string { return "tuned g++ 12.2.0 -O2 -fprofile-use" }
	for _, command := range []string{"version", "env"} {
		got := execute(t, d, command)
		for _, want := range []string{" 1.23 (system)\n", " 9.10.0 (tuned g++ 12.2.0 -O2 -fprofile-use)\n"} {
			if !strings.Contains(got.out, want) {
				t.Errorf("%s: %q is not in:\n%s", command, want, got.out)
			}
		}
	}
}

// The libraries themselves report their versions.
func TestLibraryVersions(t *testing.T) {
	for _, e := range Engines() {
		if v := e.Version(); !regexp.MustCompile(`^\d+\.\d+(\.\d+)?$`).MatchString(v) {
			t.Errorf("%s reports %q", e.Name, v)
		}
	}
}
