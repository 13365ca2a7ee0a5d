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

// The libraries themselves report their versions.
func TestLibraryVersions(t *testing.T) {
	for _, e := range Engines() {
		if v := e.Version(); !regexp.MustCompile(`^\d+\.\d+(\.\d+)?$`).MatchString(v) {
			t.Errorf("%s reports %q", e.Name, v)
		}
	}
}
