package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// slowed is a record of which one workload takes longer, and one has failed.
func slowed() *bench.Record {
	rec := measured()
	for i := range rec.Results {
		r := &rec.Results[i]
		switch {
		case r.Engine == "leveldb" && r.Workload == "fillseq":
			r.OpsPerSec /= 1.2
		case r.Engine == "rocksdb" && r.Workload == bench.WriterRow && r.Round == 2:
			r.Status, r.Error = bench.StatusFailed, "rocksdb: put: disk full"
		}
	}
	rec.Config.Num = 2_000_000
	return rec
}

func TestComparisonGolden(t *testing.T) {
	c := bench.Compare(measured(), slowed(), bench.CompareOptions{MaxRegressionPercent: 5})
	for name, f := range map[string]Format{"compare.txt": FormatText, "compare.md": FormatMarkdown} {
		var b bytes.Buffer
		if err := Comparison(&b, c, f, "old.json", "new\x1b.json", Style{}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line); n > 81 && f == FormatText || strings.ContainsAny(line, "\x1b\r") {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	if err := Comparison(&bytes.Buffer{}, c, FormatCSV, "", "", Style{}); err == nil {
		t.Error("a comparison as CSV")
	}
}
