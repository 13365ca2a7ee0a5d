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
// over; one of another schema, or that contradicts itself, is an error.
func Read(r io.Reader) (*bench.Record, error) {
	dec := json.NewDecoder(r)
	rec := &bench.Record{}
	if err := dec.Decode(rec); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty")
		}
		return nil, fmt.Errorf("not a record: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the record")
	}
	if err := rec.Check(); err != nil {
		return nil, err
	}
	return rec, nil
}
