package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// JSON writes the record, indented. A number that is not finite is an error:
// such a record is wrong.
func JSON(w io.Writer, rec *bench.Record) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(rec); err != nil {
		return fmt.Errorf("json: %w", err)
	}
	return nil
}

// Read reads a record that JSON wrote. Fields that it doesn't know are passed
// over; a record of another schema is an error.
func Read(r io.Reader) (*bench.Record, error) {
	dec := json.NewDecoder(r)
	rec := &bench.Record{}
	if err := dec.Decode(rec); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty")
		}
		return nil, fmt.Errorf("not a record: %w", err)
	}
	if rec.Schema != bench.Schema {
		return nil, fmt.Errorf("schema %d; this program reads schema %d", rec.Schema, bench.Schema)
	}
	if dec.More() {
		return nil, errors.New("more than one record")
	}
	return rec, nil
}
