package command

import (
	"math"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/internal/report"
)

func TestParseCount(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "1": 1, "-1": -1, "1000": 1000, "1_000_000": 1e6, "1e6": 1e6, "1E6": 1e6, "1e+6": 1e6, "1.5e6": 1500000,
		"12.50e2": 1250, "2147483648": 1 << 31, "4294967296": 1 << 32, "9223372036854775807": math.MaxInt64,
		"007": 7,
	} {
		if got, err := parseCount(in); err != nil || got != want {
			t.Errorf("parseCount(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"": "not a number", "abc": "not a number", "1.5": "not a whole number", "1e-6": "not a number",
		"9223372036854775808": "64 bits", "99999999999999999999": "64 bits", "1e19": "64 bits", "1e99": "64 bits",
		"1e100": "not a number", "3G": "no unit", "8MiB": "no unit", "1__0": "not a number", "_1": "not a number",
		"1_": "not a number", "0x10": "not a number", "NaN": "not a number", "Inf": "not a number",
		"1 ": "not a number", " 1": "not a number", "1\n": "not a number", "½": "not a number", "１": "not a number",
		strings.Repeat("9", 100): "not a number",
	} {
		got, err := parseCount(in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseCount(%q) = %d, %v; want an error with %q", in, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "4096": 4096, "64MiB": 64 << 20, "64mib": 64 << 20, "3G": 3 << 30, "3GB": 3e9, "8MiB": 8 << 20,
		"1K": 1024, "1kB": 1000, "2T": 2 << 40, "1.5MiB": 3 << 19, "100B": 100, "64 MiB": 64 << 20, "1e6": 1e6,
		"2147483648": 1 << 31, "4294967296": 1 << 32,
	} {
		if got, err := parseSize(in); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"abc": "not a number", "1.5": "not a whole number", "0.1KiB": "not a whole number of bytes",
		"8388608T": "64 bits", "99999999999999999999": "64 bits", "3X": "unknown unit", "3GiBs": "unknown unit", "GiB": "not a number",
	} {
		got, err := parseSize(in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseSize(%q) = %d, %v; want an error with %q", in, got, err, want)
		}
	}
}

// A size is printed exactly, and reads back as itself.
func TestFormatSizeReadsBack(t *testing.T) {
	for _, n := range []int64{0, 1, 1000, 1023, 1024, 4096, 8 << 20, 1<<31 - 1, 1 << 31, 3 << 30, 1 << 40, 1 << 62, math.MaxInt64} {
		if got, err := parseSize(report.FormatSize(n)); err != nil || got != n {
			t.Errorf("%d prints as %s, which reads as %d, %v", n, report.FormatSize(n), got, err)
		}
	}
	if got := report.FormatSize(64 << 20); got != "64MiB" {
		t.Errorf("64 MiB prints as %s", got)
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1e99", "64MiB", "1_0.5k", "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parseSize(s)
		if err != nil {
			return
		}
		if again, err := parseSize(report.FormatSize(n)); err != nil || again != n {
			t.Errorf("%q is %d, which prints as %q and reads as %d, %v", s, n, report.FormatSize(n), again, err)
		}
	})
}
