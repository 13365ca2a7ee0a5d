package report

import (
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Rate(0), "0"}, {Rate(0.5), "0.500"}, {Rate(949668), "949.7k"}, {Rate(12345678), "12.35M"}, {Rate(7), "7"},
		{Rate(999.96), "1.000k"}, {Rate(999949), "999.9k"}, {Rate(999960), "1.000M"}, {Rate(1e15), "1000T"},
		{factor(2.99), "(2.99x)"}, {factor(0.0512), "(0.051x)"}, {factor(123.4), "(123x)"},
		{change(-46.07), "-46.1%"}, {change(199), "+199%"}, {change(0), "+0.0%"},
		{spread(100, 97, 112), "±12%"}, {spread(0, 0, 0), ""},
		{micros(412), "412 µs"}, {micros(1.5), "1.50 µs"}, {micros(2500), "2.50 ms"}, {micros(2e6), "2.00 s"}, {micros(45.67e6), "45.7 s"},
		{FormatSize(0), "0"}, {FormatSize(64 << 20), "64MiB"}, {FormatSize(1000), "1000"}, {FormatSize(5 << 40), "5TiB"}, {FormatSize(1 << 62), "4194304TiB"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\nb\r\n\tc ": "a b   c", "\x1b[2J": `\x1b[2J`, "Ünïcødé 数据": "Ünïcødé 数据", "\u009b31m": `\x9b31m`,
	} {
		if got := OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
	if got := lines("  a  \n\x1bb\n\n c"); strings.Join(got, "|") != `  a|\x1bb|| c` {
		t.Errorf("lines are %q", got)
	}
}

func TestWrap(t *testing.T) {
	var b strings.Builder
	wrap(&b, "label", 8, strings.Repeat("word ", 20))
	for line := range strings.Lines(b.String()) {
		if len(line) > 81 || !(strings.HasPrefix(line, "label   word") || strings.HasPrefix(line, "        word")) {
			t.Errorf("%q", line)
		}
	}
}
