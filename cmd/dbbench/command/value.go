package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// value is a flag's value: how it's parsed, and its default as text. Limits
// are the measuring core's to check.
type value struct {
	kind string
	text func() string
	set  func(string) error
}

func (v value) String() string {
	if v.text == nil {
		return ""
	}
	return v.text()
}

func (v value) Type() string       { return v.kind }
func (v value) Set(s string) error { return v.set(s) }

// count is a whole number such as 1000, 1_000 or 1e3.
func count[T int | int64](dst *T) value {
	return value{"count", func() string { return strconv.FormatInt(int64(*dst), 10) }, func(s string) error {
		n, err := parseCount(s)
		if err == nil {
			*dst = T(n)
		}
		return err
	}}
}

// derivedCount is a count that follows from another setting by default, which
// is what a negative number stands for.
func derivedCount(dst *int64) value {
	return value{"count", nil, func(s string) error {
		n, err := parseCount(s)
		if err == nil && n < 0 {
			return errors.New("is negative")
		}
		if err == nil {
			*dst = n
		}
		return err
	}}
}

// fraction is a number that need not be whole.
func fraction(dst *float64) value {
	return value{"fraction", func() string { return strconv.FormatFloat(*dst, 'g', -1, 64) }, func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return errors.New("not a number")
		}
		*dst = x
		return nil
	}}
}

// optionalCount is a count that isn't set by default.
func optionalCount(dst **int) value {
	return value{"count", nil, func(s string) error {
		n, err := parseCount(s)
		if err == nil {
			*dst = new(int(n))
		}
		return err
	}}
}

// size is a number of bytes.
func size(dst *int) value {
	return value{"size", func() string { return report.FormatSize(int64(*dst)) }, func(s string) error {
		n, err := parseSize(s)
		if err == nil {
			*dst = int(n)
		}
		return err
	}}
}

// optionalSize is a number of bytes that isn't set by default.
func optionalSize(dst **int64) value {
	return value{"size", nil, func(s string) error {
		n, err := parseSize(s)
		if err == nil {
			*dst = &n
		}
		return err
	}}
}

// sizes is a size or a distribution of them, or several of these: then all go
// to several, and the first to dst.
func sizes(dst *bench.Sizes, several *[]bench.Sizes) value {
	return value{"sizes", func() string { return dst.String() }, func(s string) error {
		var all []bench.Sizes
		for _, text := range strings.Split(s, ",") {
			z, err := bench.ParseSizes(strings.TrimSpace(text), parseSize)
			if err != nil {
				return err
			}
			if slices.Contains(all, z) {
				return fmt.Errorf("%s is named twice", z)
			}
			all = append(all, z)
		}
		*dst, *several = all[0], nil
		if len(all) > 1 {
			*several = all
		}
		return nil
	}}
}

// rate is a whole number of operations a second.
func rate(dst *float64) value {
	return value{"count", nil, func(s string) error {
		n, err := parseCount(s)
		if err == nil && n < 1 {
			err = errors.New("is not positive")
		}
		if err == nil {
			*dst = float64(n)
		}
		return err
	}}
}

// percent is a number of percent, with or without the sign for it.
func percent(dst *float64) value {
	return value{"percent", nil, func(s string) error {
		x, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
		if err != nil {
			return errors.New("not a number of percent")
		}
		if !(x >= 0 && x <= 100) {
			return errors.New("is not between 0 and 100")
		}
		*dst = x
		return nil
	}}
}

// texts collects the values of a flag that may be repeated.
func texts(dst *[]string) value {
	return value{"option", nil, func(s string) error {
		*dst = append(*dst, s)
		return nil
	}}
}

// optionalBool is a switch that isn't set by default.
func optionalBool(dst **bool) value {
	return value{"bool", nil, func(s string) error {
		b, err := strconv.ParseBool(s)
		if err == nil {
			*dst = &b
		}
		return err
	}}
}

// list is names with commas between them.
func list(dst *[]string) value {
	return value{"list", func() string { return strings.Join(*dst, ",") }, func(s string) error {
		names := strings.Split(s, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		if slices.Contains(names, "") {
			return errors.New("an empty name in the list")
		}
		*dst = names
		return nil
	}}
}

// codecs are the names of --compression.
var codecs = []string{"none", "snappy", "lz4", "zstd", "zlib"}

// choice is one of some words.
func choice[T ~string](dst *T, words ...string) value {
	return value{"name", func() string { return string(*dst) }, func(s string) error {
		if !slices.Contains(words, s) {
			return errors.New("is not one of " + strings.Join(words, ", ") + didYouMean(s, words))
		}
		*dst = T(s)
		return nil
	}}
}
