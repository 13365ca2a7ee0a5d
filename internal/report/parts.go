package report

import (
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Parts of the report for text about other things than a record.

// Table is a table without frames, within 80 columns where its words allow it.
type Table struct {
	Header []string
	Right  []bool // the columns that are aligned to the right
	Rows   [][]string
	Footer []string // nil is none
}

// Text renders the table.
func (t *Table) Text() string {
	return grid{header: t.Header, right: t.Right, rows: t.Rows, footer: t.Footer}.text()
}

// Labelled writes a line of the header to b: a label, and text that is broken
// up within 80 columns. Nothing is written for an empty text.
func Labelled(b *strings.Builder, label, text string) {
	if text = OneLine(text); text != "" {
		wrap(b, label, headerIndent, text)
	}
}

// Paragraph writes text to b that is broken up within 80 columns.
func Paragraph(b *strings.Builder, text string) { wrap(b, "", 0, OneLine(text)) }

// Machine describes the machine and the disk in one sentence.
func Machine(e *bench.Environment) string { return machine(e) }

// OptionText writes an option in effect for people: block size 4KiB.
func OptionText(o bench.Option) string {
	return optionName(o.Name) + " " + optionText(o.Name, o.Value)
}
