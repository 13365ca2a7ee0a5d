package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
)

// copyResult is what copy prints, as JSON or as text.
type copyResult struct {
	Schema        int          `json:"schema"`
	From          location     `json:"from"`
	To            location     `json:"to"`
	Status        bench.Status `json:"status"`
	Error         string       `json:"error,omitempty"`
	Entries       uint64       `json:"entries"`       // that were copied
	Bytes         uint64       `json:"bytes"`         // of their keys and values
	Found         uint64       `json:"entries_found"` // that were there already
	Seconds       float64      `json:"seconds"`
	EntriesPerSec float64      `json:"entries_per_sec"`
	Verified      bool         `json:"verified"`
	VerifySeconds float64      `json:"verify_seconds,omitempty"`
	SHA256        string       `json:"sha256,omitempty"` // of both stores
}

// MarshalJSON gives engine and path fields of their own.
func (l location) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Engine string `json:"engine"`
		Path   string `json:"path"`
	}{l.engine, l.path})
}

func (r *copyResult) count(p store.CopyProgress, took time.Duration) {
	r.Entries, r.Bytes, r.Found, r.Seconds = p.Entries, p.Bytes, p.Found, took.Seconds()
	if r.Seconds > 0 {
		r.EntriesPerSec = float64(r.Entries) / r.Seconds
	}
}

// done says how much was copied.
func (r *copyResult) done() string {
	text := humanize.Comma(int64(r.Entries)) + " entries copied"
	if r.Found > 0 {
		text += fmt.Sprintf(", %s there already", humanize.Comma(int64(r.Found)))
	}
	return text
}

// rate says how fast it was; nothing if that has no meaning.
func (r *copyResult) rate() string {
	if r.Entries == 0 {
		return ""
	}
	return fmt.Sprintf(", %s entries/s", report.Rate(r.EntriesPerSec))
}

func (r *copyResult) write(w io.Writer, format report.Format) error {
	if format == report.FormatJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(r)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, text string) { fmt.Fprintf(t, "%s\t%s\n", name, report.OneLine(text)) }
	line("from", r.From.String())
	line("to", r.To.String())
	line("status", string(r.Status)+strings.TrimSuffix(": "+r.Error, ": "))
	line("entries", r.done())
	line("bytes", humanize.IBytes(r.Bytes)+" of keys and values")
	line("time", fmt.Sprintf("%.2f s%s", r.Seconds, r.rate()))
	if r.Verified {
		line("verified", fmt.Sprintf("sha256 %s of both, in %.2f s", r.SHA256, r.VerifySeconds))
	} else {
		line("verified", "no")
	}
	return t.Flush()
}
