package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Markdown writes the header as a list, the comparison as a table, and the
// warnings.
func Markdown(w io.Writer, rec *bench.Record, s Style) error {
	s.Bold = false
	var b strings.Builder
	if !s.NoHeader {
		b.WriteString("```\n" + header(rec, s) + "```\n\n")
	}
	m := newModel(rec)
	for i, t := range m.sections(s) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.markdown())
	}
	for _, p := range m.positions {
		for _, engine := range m.engines {
			for _, g := range unmeasured(p.rows[engine]) {
				fmt.Fprintf(&b, "\n- %s, %s, %s", OneLine(engine), p.label, g)
			}
		}
	}
	for i := range rec.Warnings {
		fmt.Fprintf(&b, "\n- Warning: %s", Warning(&rec.Warnings[i]))
	}
	text := strings.TrimRight(b.String(), "\n") + "\n"
	_, err := io.WriteString(w, text)
	return err
}
