// Package report renders records of package bench: as text for people, as
// Markdown, CSV, JSON and Go benchmark lines. It measures nothing and writes
// only to the io.Writer that it's given.
package report

import (
	"fmt"
	"io"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Format names a way to render a record.
type Format string

const (
	// FormatText is for people, and fits 80 columns.
	FormatText Format = "text"
	// FormatMarkdown is the same for documents.
	FormatMarkdown Format = "markdown"
	// FormatCSV has one line for each row of the record, rounds apart.
	FormatCSV Format = "csv"
	// FormatJSON is the record itself, which Read reads back.
	FormatJSON Format = "json"
	// FormatGobench are the lines of Go's testing package, for benchstat.
	FormatGobench Format = "gobench"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(FormatText), string(FormatMarkdown), string(FormatCSV), string(FormatJSON), string(FormatGobench)}
}

// Style says how text looks.
type Style struct {
	// Bold sets off headings and winners with escape codes, for a terminal.
	Bold bool
	// NoHeader leaves out what stands before the results.
	NoHeader bool
}

// Write renders rec in the given format.
func Write(w io.Writer, rec *bench.Record, f Format, s Style) error {
	switch f {
	case FormatText:
		return Text(w, rec, s)
	case FormatMarkdown:
		return Markdown(w, rec, s)
	case FormatCSV:
		return CSV(w, rec)
	case FormatJSON:
		return JSON(w, rec)
	case FormatGobench:
		return Gobench(w, rec)
	}
	return fmt.Errorf("unknown format %q", f)
}
