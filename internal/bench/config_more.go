package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// Duration is a time.Duration whose text form, in the record too, is "1.5s".
type Duration time.Duration

// String returns the text form.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns the text form.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the text form.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// SizeAt returns the distribution of value sizes at a position of the list,
// which counts from 1: that of the payload whose turn it is.
func (c *Config) SizeAt(position int) Sizes {
	if len(c.Payloads) == 0 || len(c.Workloads) == 0 {
		return c.ValueSize
	}
	each := len(c.Workloads) / len(c.Payloads)
	return c.Payloads[min(max(position-1, 0)/max(each, 1), len(c.Payloads)-1)]
}

// KeyLengths returns the least and the greatest length of the keys of the numbers
// below Num, and their mean. They are KeySize, but for plain keys.
func (c *Config) KeyLengths() (least, most int, mean float64) {
	if c.KeyFormat != KeyPlain || c.Num < 1 {
		return c.KeySize, c.KeySize, float64(c.KeySize)
	}
	sum := 0.0
	from, to, digits := int64(0), int64(10), 1 // the numbers of so many digits
	for ; from < c.Num; digits++ {
		sum += float64(min(to, c.Num)-from) * float64(digits)
		from, to = to, to*10
	}
	prefix := len(c.KeyPrefix)
	return prefix + 1, prefix + digits - 1, float64(prefix) + sum/float64(c.Num)
}

// EngineLabels returns the names by which the rows tell the engines of the
// configuration apart: an engine that is named a second time, to see what two
// measurements of the same thing differ by, is "NAME#2".
func (c *Config) EngineLabels() []string {
	seen := map[string]int{}
	labels := make([]string, len(c.Engines))
	for i, name := range c.Engines {
		seen[name]++
		if labels[i] = name; seen[name] > 1 {
			labels[i] = fmt.Sprintf("%s#%d", name, seen[name])
		}
	}
	return labels
}

// Limits of times and rates.
const (
	maxDuration = Duration(30 * 24 * time.Hour)
	minInterval = Duration(10 * time.Millisecond)
	maxRate     = 1e9
)

func checkTimes(c Config) error {
	for _, t := range []struct {
		flag string
		d    Duration
	}{{"duration", c.Duration}, {"warmup", c.Warmup}, {"interval", c.Interval}} {
		if t.d < 0 || t.d > maxDuration {
			return badConfig(t.flag, "%v is not between 0 and %v", t.d, maxDuration)
		}
	}
	switch {
	case c.Interval > 0 && c.Interval < minInterval:
		return badConfig("interval", "%v is less than %v", c.Interval, minInterval)
	case !(c.Rate >= 0 && c.Rate <= maxRate):
		return badConfig("rate", "%v is not between 0 and %v", c.Rate, float64(maxRate))
	case c.Rate > 0 && !c.Latency:
		return badConfig("rate", "needs --latency")
	case c.WriteRate < 0 || c.WriteRate > maxRate:
		return badConfig("write-rate", "%d is not between 0 and %d", c.WriteRate, int64(maxRate))
	}
	return nil
}

func checkShapes(c Config) error {
	switch {
	case c.ScanLength < 1 || c.ScanLength > math.MaxInt32:
		return badConfig("scan-length", "%d is not between 1 and %d", c.ScanLength, math.MaxInt32)
	case c.RangeLength < 1 || c.RangeLength > MaxNum:
		return badConfig("range-length", "%d is not between 1 and %d", c.RangeLength, int64(MaxNum))
	case c.ReadPercent < 0 || c.ReadPercent > 100:
		return badConfig("read-percent", "%d is not between 0 and 100", c.ReadPercent)
	case c.KeyFormat == KeyPlain && slices.Contains(c.Workloads, "deleterange"):
		return badConfig("key-format", "plain keys are not in the order of their numbers, which deleterange needs")
	case c.KeysFromDB && !c.UseExistingDB:
		return badConfig("keys-from-db", "needs --use-existing-db")
	}
	if _, err := store.ParsePattern([]byte(c.Pattern)); err != nil {
		return badConfig("pattern", "%q is malformed", c.Pattern)
	}
	return nil
}

// space returns the number of keys that a run can come to use: Num, and those
// that its workloads insert. (The table of workloads leads back to here, so that
// their names must stand here.)
func (c *Config) space() int64 {
	n := c.Num
	for _, name := range c.Workloads {
		if name != "ycsb-d" && name != "ycsb-e" {
			continue
		}
		if c.Duration > 0 { // there is no saying how many
			return max(c.Num, MaxNum)
		}
		n = min(n+c.Reads+int64(c.Threads), 10*MaxNum)
	}
	return n
}

// checkPayloads checks each payload as if it were the only size.
func checkPayloads(c Config) error {
	if len(c.Payloads) > 0 && c.Preset == "" {
		return badConfig("value-size", "several sizes need a --preset, whose list is run for each")
	}
	for _, p := range c.Payloads {
		one := c
		one.ValueSize = p
		if err := checkValues(one); err != nil {
			return err
		}
	}
	return nil
}
