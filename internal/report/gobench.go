package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Gobench writes each measured row as a line of Go's testing package, rounds
// as repetitions, such as
//
//	BenchmarkFillseq/engine=leveldb/pos=1 1000000 1053 ns/op 105.1 MB/s
//
// so that "benchstat -col /engine" compares them. MB is 2^20 bytes, as
// everywhere in this program. Rows that are not ok, or had no operation, have
// no line, but a comment.
func Gobench(w io.Writer, rec *bench.Record) error {
	var b strings.Builder
	setting := func(key, value string) {
		if value = OneLine(value); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	setting("goos", rec.Environment.OS)
	setting("goarch", rec.Environment.Arch)
	setting("cpu", rec.Environment.CPU)
	setting("profile", string(rec.Config.Profile))
	for _, e := range rec.Engines {
		setting(configKey(e.Name)+"-version", e.LibraryVersion)
		if e.Build != nil {
			setting(configKey(e.Name)+"-build", e.Build.String())
		}
	}
	for i := range rec.Results {
		r := &rec.Results[i]
		name := fmt.Sprintf("Benchmark%s/engine=%s/pos=%d", title(r.Workload), word(r.Engine), r.Position)
		if r.ValueSize != "" {
			name += "/value=" + word(r.ValueSize)
		}
		if r.Threads > 1 {
			name += fmt.Sprintf("/threads=%d", r.Threads)
		}
		if r.Status != bench.StatusOK || r.Ops == 0 {
			fmt.Fprintf(&b, "# %s round %d: %s\n", name, r.Round, State(r))
			continue
		}
		fmt.Fprintf(&b, "%s %d %s ns/op", name, r.Ops, nanos(r.MicrosPerOp*1000))
		if r.Bytes > 0 {
			fmt.Fprintf(&b, " %s MB/s", nanos(r.MBPerSec))
		}
		if l := r.LatencyNS; l != nil && l.Count > 0 {
			fmt.Fprintf(&b, " %d p50-ns %d p99-ns", l.P50, l.P99)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// State says in words what became of a row that has no figures to count on.
func State(r *bench.Result) string {
	if r.Status == bench.StatusOK {
		return "no operations"
	}
	if r.Error == "" || strings.HasPrefix(r.Error, string(r.Status)) { // it says no more
		return string(r.Status)
	}
	return string(r.Status) + ": " + OneLine(r.Error)
}

// nanos writes a figure with four digits at least.
func nanos(x float64) string {
	switch {
	case x >= 1000:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.4f", x)
}

// title writes a workload's name as a Go benchmark's: Fillseq.
func title(s string) string {
	s = word(s)
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}

// word drops what would break a benchmark's name apart.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' || r == '=' {
			return '_'
		}
		return r
	}, s)
}

// configKey makes a key of Go's benchmark format of an engine's name: lower
// case, no blanks, no colon.
func configKey(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ':' || unicode.IsUpper(r) {
			return '_'
		}
		return r
	}, word(s))
}
