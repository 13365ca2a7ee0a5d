package bench

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// SizeKind is the shape of a distribution of sizes.
type SizeKind string

const (
	SizeFixed   SizeKind = "fixed"
	SizeUniform SizeKind = "uniform"
	// SizeZipf: small sizes are the frequent ones; the k-th smallest has a weight
	// of 1/k.
	SizeZipf SizeKind = "zipf"
	// SizePareto: small sizes are the frequent ones, with a heavy tail (shape
	// 1.16, the 80-20 rule), cut at Max.
	SizePareto SizeKind = "pareto"
)

// Sizes is a size in bytes, fixed (Min is Max) or drawn from a distribution
// over Min..Max. Its text form is that of the flag: "100", "uniform:50-200".
type Sizes struct {
	Kind     SizeKind
	Min, Max int64
}

// FixedSize returns the distribution that is always n.
func FixedSize(n int64) Sizes { return Sizes{Kind: SizeFixed, Min: n, Max: n} }

// ParseSizes parses "N" or "KIND:MIN-MAX", where parse reads one number (with
// units, as the caller has them; nil: plain decimal digits).
func ParseSizes(text string, parse func(string) (int64, error)) (Sizes, error) {
	if parse == nil {
		parse = func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }
	}
	kind, span, ok := strings.Cut(text, ":")
	if !ok {
		n, err := parse(text)
		if err != nil {
			return Sizes{}, err
		}
		s := FixedSize(n)
		return s, s.check()
	}
	lo, hi, ok := strings.Cut(span, "-")
	if !ok {
		return Sizes{}, fmt.Errorf("%q is not of the form KIND:MIN-MAX", text)
	}
	s := Sizes{Kind: SizeKind(kind)}
	var err error
	if s.Min, err = parse(lo); err != nil {
		return Sizes{}, err
	}
	if s.Max, err = parse(hi); err != nil {
		return Sizes{}, err
	}
	if s.Kind == SizeFixed {
		return Sizes{}, fmt.Errorf("%q is not a distribution", kind)
	}
	return s, s.check()
}

// String returns the text form.
func (s Sizes) String() string {
	if s.Kind == SizeFixed {
		return strconv.FormatInt(s.Min, 10)
	}
	return fmt.Sprintf("%s:%d-%d", s.Kind, s.Min, s.Max)
}

// MarshalText returns the text form.
func (s Sizes) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text form.
func (s *Sizes) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSizes(string(text), nil)
	return err
}

// Mean returns the mean of the distribution, to about 1 %.
func (s Sizes) Mean() float64 {
	const steps = 1000
	sum := 0.0
	for i := range steps {
		sum += float64(s.draw((float64(i) + 0.5) / steps))
	}
	return sum / steps
}

// quantile returns the size at u, 0 <= u < 1, not rounded.
func (s Sizes) quantile(u float64) float64 {
	lo, hi := float64(s.Min), float64(s.Max)
	switch s.Kind {
	case SizeUniform:
		return lo + u*(hi-lo+1)
	case SizeZipf:
		// The inverse of the continuous 1/x on [1, n+1).
		return lo - 1 + math.Exp(u*math.Log(hi-lo+2))
	case SizePareto:
		const shape = 1.16
		from := max(lo, 1)
		cut := 1 - math.Pow(from/(hi+1), shape) // the share below hi+1
		return from/math.Pow(1-u*cut, 1/shape) - (from - lo)
	}
	return lo
}

// draw returns a size for u, 0 <= u < 1.
func (s Sizes) draw(u float64) int64 {
	return min(max(int64(s.quantile(u)), s.Min), s.Max)
}

func (s Sizes) check() error {
	switch s.Kind {
	case SizeFixed, SizeUniform, SizeZipf, SizePareto:
	default:
		return fmt.Errorf("unknown distribution %q", s.Kind)
	}
	switch {
	case s.Min < 0:
		return fmt.Errorf("%d is negative", s.Min)
	case s.Max < s.Min:
		return errors.New("the range ends before it begins")
	case s.Max > store.MaxValueSize:
		return fmt.Errorf("%d is more than %d", s.Max, int64(store.MaxValueSize))
	}
	return nil
}
