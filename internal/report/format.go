package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
)

// notShown stands where a difference is not shown.
const notShown = "~"

// Rate writes a number with four significant digits and a unit prefix, such as
// 949.7k or 12.35M.
func Rate(x float64) string {
	prefixes := []string{"", "k", "M", "G", "T"}
	i := 0
	for i < len(prefixes)-1 && math.Abs(x) >= 999.95 {
		x /= 1000
		i++
	}
	digits := 3
	for a := math.Abs(x); a >= 10 && digits > 0; a /= 10 {
		digits--
	}
	if i == 0 && x == math.Trunc(x) {
		digits = 0
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + prefixes[i]
}

// FormatSize writes n in the largest binary unit that divides it: the text is
// exact.
func FormatSize(n int64) string {
	unit := ""
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, next
	}
	return strconv.FormatInt(n, 10) + unit
}

// OneLine returns s with line breaks and other control characters shown as
// blanks or escapes, so that no text from outside can break up a line or drive
// the terminal.
func OneLine(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(s) {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lines is OneLine for text of several lines, which stay.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.TrimRight(OneLine("."+line), " ")[1:])
	}
	return out
}

// factor writes a ratio as levelup's benchmarks did: (2.99x).
func factor(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("(%.0fx)", x)
	case x < 0.1:
		return fmt.Sprintf("(%.3fx)", x)
	}
	return fmt.Sprintf("(%.2fx)", x)
}

// change writes a percentage with its sign.
func change(percent float64) string {
	if math.Abs(percent) >= 99.95 {
		return fmt.Sprintf("%+.0f%%", percent)
	}
	return fmt.Sprintf("%+.1f%%", percent)
}

// spread writes the larger half of an interval around a median in percent.
func spread(median, low, high float64) string {
	if median <= 0 {
		return ""
	}
	return fmt.Sprintf("±%.0f%%", 100*max(high-median, median-low)/median)
}

// about writes a number of bytes to three digits or so.
func about(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// micros writes a time that is given in microseconds, with three digits.
func micros(us float64) string {
	x, unit := us, "µs"
	switch {
	case us >= 1e6:
		x, unit = us/1e6, "s"
	case us >= 1000:
		x, unit = us/1e3, "ms"
	}
	digits := 2
	for a := x; a >= 10 && digits > 0; a /= 10 {
		digits--
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + " " + unit
}

// wrap writes a label and text behind it, broken at blanks so that lines stay
// within 80 columns where the words allow it; further lines are indented.
func wrap(b *strings.Builder, label string, indent int, text string) {
	const width = 80
	fmt.Fprintf(b, "%-*s", indent, label)
	column := max(indent, len([]rune(label)))
	first := true
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case first:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
		first = false
	}
	b.WriteByte('\n')
}
