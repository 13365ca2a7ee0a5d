package store

import (
	"encoding/json"
	"strconv"
)

// A Figure is a number that an engine may not tell. The zero value is one that
// is not known: absent is never mistaken for none.
type Figure struct {
	value uint64
	known bool
}

// Known returns a figure with the value n.
func Known(n uint64) Figure { return Figure{value: n, known: true} }

// Value returns the number, and whether the engine told it. The number is 0
// if it didn't.
func (f Figure) Value() (n uint64, known bool) { return f.value, f.known }

// Known tells whether the engine told the figure.
func (f Figure) Known() bool { return f.known }

// Since returns how much a figure that only grows has grown since before. It is
// not known if either isn't.
func (f Figure) Since(before Figure) Figure {
	if !f.known || !before.known || f.value < before.value {
		return Figure{}
	}
	return Known(f.value - before.value)
}

// String returns the number, or "n/a" if it is not known.
func (f Figure) String() string {
	if !f.known {
		return "n/a"
	}
	return strconv.FormatUint(f.value, 10)
}

// MarshalJSON returns the number, or null if it is not known.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.known {
		return []byte("null"), nil
	}
	return strconv.AppendUint(nil, f.value, 10), nil
}

// UnmarshalJSON takes what MarshalJSON gives.
func (f *Figure) UnmarshalJSON(text []byte) error {
	var n *uint64
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*f = Figure{}
	if n != nil {
		*f = Known(*n)
	}
	return nil
}
