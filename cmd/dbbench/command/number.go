package command

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// A number as people write it: digits with underscores between them, a decimal
// fraction, a power of ten, and for sizes a unit. The bounds on its length keep
// a hostile exponent from costing memory.
var numberPattern = regexp.MustCompile(
	`^([+-]?)([0-9]+(?:_[0-9]+)*)(\.[0-9]+)?(?:[eE]\+?([0-9]{1,2}))?(?: ?([A-Za-z]+))?$`)

const maxNumberLength = 48

// Units as dd has them: one letter, or with "iB", is a power of 1024; with "B"
// it is a power of 1000.
var units = map[string]int64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

var errOverflow = errors.New("does not fit into 64 bits")

// parseCount reads a whole number without a unit, such as 1000, 1_000 or 1e3.
func parseCount(s string) (int64, error) {
	n, unit, err := parseNumber(s)
	if err != nil {
		return 0, err
	}
	if unit != "" {
		return 0, errors.New("a count has no unit (1000, 1_000 and 1e3 are counts)")
	}
	return n, nil
}

// parseSize reads a number of bytes with an optional unit, such as 4096, 64MiB
// or 3G.
func parseSize(s string) (int64, error) {
	n, _, err := parseNumber(s)
	return n, err
}

// parseNumber reads s exactly, in arbitrary precision, and refuses what is no
// whole number or does not fit into an int64.
func parseNumber(s string) (n int64, unit string, err error) {
	m := numberPattern.FindStringSubmatch(s)
	if m == nil || len(s) > maxNumberLength {
		return 0, "", errors.New("not a number")
	}
	sign, whole, fraction, exponent, unit := m[1], m[2], m[3], m[4], m[5]
	factor, ok := units[strings.ToLower(unit)]
	if !ok {
		return 0, "", fmt.Errorf("unknown unit %q (KiB, MiB, GiB and TiB are powers of 1024, as K, M, G and T; KB, MB, GB and TB of 1000)", unit)
	}
	text := sign + strings.ReplaceAll(whole, "_", "") + fraction
	if exponent != "" {
		text += "e" + exponent
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, "", errors.New("not a number")
	}
	r.Mul(r, new(big.Rat).SetInt64(factor))
	if !r.IsInt() {
		if factor == 1 && unit == "" {
			return 0, "", errors.New("not a whole number")
		}
		return 0, "", errors.New("not a whole number of bytes")
	}
	if !r.Num().IsInt64() {
		return 0, "", errOverflow
	}
	return r.Num().Int64(), unit, nil
}
