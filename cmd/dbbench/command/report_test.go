package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lsmkit/lsmkit/internal/report"
)

const recordFile = "../../../internal/report/testdata/pair.json"

// What a run has shown, report shows again.
func TestReportShowsWhatRunShowed(t *testing.T) {
	for _, format := range report.Formats() {
		got := execute(t, untouched(t), "report", recordFile, "--format", format)
		ran := execute(t, replay(record(t), nil), "run", "--format", format)
		if got.code != exitOK || got.err != "" || got.out != ran.out {
			t.Errorf("%s: code %d, stderr %q (-run +report):\n%s", format, got.code, got.err, cmp.Diff(ran.out, got.out))
		}
	}
}

func TestReportWrong(t *testing.T) {
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut.json")
	if err := os.WriteFile(cut, []byte(`{"schema": 1, "results": [`), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "which file?"},
		{[]string{"a", "b"}, "unexpected argument b"},
		{[]string{filepath.Join(dir, "missing")}, "no such file"},
		{[]string{dir}, "is a directory"},
		{[]string{cut}, "not a record"},
		{[]string{empty}, "the file is empty"},
		{[]string{recordFile, "--format", "html"}, "is not one of"},
	} {
		execute(t, untouched(t), append([]string{"report"}, c.args...)...).fails(t, exitUsage, c.want)
	}
}
