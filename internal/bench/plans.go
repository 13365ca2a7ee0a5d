package bench

import (
	"github.com/lsmkit/lsmkit/store"
)

// largeValue is the size of fill100K's values, whatever the value size.
const largeValue = 100_000

// slowOps is the number of operations of the workloads that are a thousand
// times slower than others.
func slowOps(c *Config) int64 { return fraction(c.Num, 1000) }

// openOps is the number of times that open opens the store.
func openOps(c *Config) int64 { return fraction(c.Num, 10_000) }

// fraction returns n/d, but at least 1 of what is there at all.
func fraction(n, d int64) int64 {
	if n == 0 {
		return 0
	}
	return max(1, n/d)
}

// Plans, by what a workload has in common with others.

func writePlan(keys makeSequence) func(*Config) *plan {
	return func(c *Config) *plan {
		return &plan{ops: c.Num, unit: pointUnit, change: putsKeys, after: recordSize, keys: keys, kernel: putKernel}
	}
}

func slowWritePlan(sync bool) func(*Config) *plan {
	return func(c *Config) *plan {
		return &plan{ops: slowOps(c), unit: 1, change: putsKeys, after: recordSize, sync: sync, keys: randomKeys, kernel: putKernel}
	}
}

func batchPlan(c *Config) *plan {
	return &plan{ops: c.Num, unit: int64(c.BatchSize), batched: true, change: putsKeys, after: recordSize, keys: ascendingKeys, kernel: batchKernel}
}

func deletePlan(keys makeSequence) func(*Config) *plan {
	return func(c *Config) *plan {
		return &plan{ops: c.Num, unit: pointUnit, change: deletesKeys, after: recordSize, keys: keys, kernel: deleteKernel}
	}
}

func readPlan(unit int64, keys makeSequence, k makeKernel) func(*Config) *plan {
	return func(c *Config) *plan { return &plan{ops: c.Reads, unit: unit, keys: keys, kernel: k} }
}

func multigetPlan(c *Config) *plan {
	return &plan{ops: c.Reads, unit: int64(c.BatchSize), batched: true, keys: randomKeys, kernel: multigetKernel}
}

// seekPlan has short units when each seek is followed by many steps.
func seekPlan(keys makeSequence, k makeKernel) func(*Config) *plan {
	return func(c *Config) *plan {
		return &plan{ops: c.Reads, unit: max(1, scanUnit/int64(16+c.SeekNexts)), keys: keys, kernel: k}
	}
}

func scanPlan(o store.IterOptions) func(*Config) *plan {
	return readPlan(scanUnit, nil, scanKernel(o))
}

// mixPlan does what a script says.
func mixPlan(ops func(*Config) int64, s makeScript) func(*Config) *plan {
	return func(c *Config) *plan {
		return &plan{ops: ops(c), unit: pointUnit, change: mixesKeys, after: recordSize, script: s, kernel: mixKernel}
	}
}

func numOps(c *Config) int64 { return c.Num }

// readOps is the number of operations of YCSB's workloads: Num is that of the
// records.
func readOps(c *Config) int64 { return c.Reads }

// ycsbPlan has short units where operations are scans.
func ycsbPlan(mix ycsbMix) func(*Config) *plan {
	return func(c *Config) *plan {
		p := mixPlan(readOps, newYCSB(mix))(c)
		if c.Num == 0 {
			p.ops = 0
		}
		if mix.scan > 0 {
			p.unit = max(1, scanUnit/int64(16+c.ScanLength))
		}
		return p
	}
}

// scanRangePlan does a hundredth of the reads, each a scan.
func scanRangePlan(c *Config) *plan {
	return &plan{ops: fraction(c.Reads, 100), unit: max(1, scanUnit/int64(16+c.ScanLength)), keys: randomKeys, kernel: rangeKernel}
}

func findPlan(c *Config) *plan {
	return &plan{ops: c.Reads, unit: scanUnit, kernel: findKernel}
}

func deleteRangePlan(c *Config) *plan {
	return &plan{
		ops: fraction(c.Num, c.RangeLength), unit: 1, change: deletesKeys, span: c.RangeLength, after: recordSize,
		keys: ascendingKeys, kernel: rangeDeleteKernel,
	}
}

// readWhileWritingPlan has readers, and beside them a writer.
func readWhileWritingPlan(c *Config) *plan {
	p := readPlan(pointUnit, randomKeys, getKernel)(c)
	p.after = recordSize
	p.aside = &plan{ops: endlessOps, unit: 1, change: putsKeys, keys: randomKeys, kernel: putKernel}
	return p
}
