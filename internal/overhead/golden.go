package overhead

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Expected is what a row must count, found out without an engine.
type Expected struct {
	// Ops, Lookups and Found are what whoever draws keys as LevelDB's db_bench
	// does must have exactly.
	Ops     int64 `json:"ops"`
	Lookups int64 `json:"lookups,omitempty"`
	Found   int64 `json:"found,omitempty"`
	// About is what another generator comes to on average: found keys where there
	// are lookups, otherwise operations. It must lie within Tolerance of that.
	About     float64 `json:"about"`
	Tolerance float64 `json:"tolerance"`
}

// Bounds of what another generator may come to: a share, and in runs so small
// that chance alone goes beyond it, standard deviations.
const (
	toleratedShare  = 0.003
	toleratedSigmas = 5
)

// slowShare is how many times fewer operations fillsync and fill100K do.
const slowShare = 1000

// expect returns what the rows of a list of common workloads must count.
func expect(workloads []string, num int64) []Expected {
	there := make(keySet, num/64+1)
	other := density{num: float64(num)}
	list := make([]Expected, len(workloads))
	for i, name := range workloads {
		// Every workload of a list takes the next seed, also if it draws nothing.
		keys := newLehmer(bench.DefaultSeed + int64(i) + 1)
		e := Expected{Ops: num}
		switch name {
		case "fillseq":
			clear(there)
			other.fill()
			for n := range num {
				there.add(n)
			}
		case "fillsync", "fill100K":
			clear(there)
			other.clear()
			e.Ops = num / slowShare
			there.draw(&keys, e.Ops, num)
			other.drawLow(float64(e.Ops))
		case "fillrandom", "overwrite":
			if name == "fillrandom" {
				clear(there)
				other.clear()
			}
			there.draw(&keys, num, num)
			other.draw(float64(num))
		case "compact":
			e.Ops = 1
		case "readseq", "readreverse":
			e.Ops = there.count()
		case "readrandom":
			e.Lookups = num
			e.Found = there.found(&keys, num)
		case "readmissing":
			e.Lookups = num
		}
		other.foretell(&e, name)
		list[i] = e
	}
	return list
}

// lehmer is the generator of LevelDB's db_bench.
type lehmer uint64

func newLehmer(seed int64) lehmer { return lehmer(seed) }

func (l *lehmer) below(n int64) int64 {
	*l = *l * 16807 % math.MaxInt32
	return int64(*l) % n
}

// keySet is a set of key numbers.
type keySet []uint64

func (s keySet) add(n int64)      { s[n>>6] |= 1 << (n & 63) }
func (s keySet) has(n int64) bool { return s[n>>6]&(1<<(n&63)) != 0 }

func (s keySet) count() (n int64) {
	for _, w := range s {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

// draw adds count random keys below num.
func (s keySet) draw(keys *lehmer, count, num int64) {
	for range count {
		s.add(keys.below(num))
	}
}

// found counts how many of num random keys below num are in the set.
func (s keySet) found(keys *lehmer, num int64) (n int64) {
	for range num {
		if s.has(keys.below(num)) {
			n++
		}
	}
	return n
}

// density is how full a store is on average of random keys below num. A key is
// missing with the probability of e to the power of minus the draws that it has
// had on average. The first num/slowShare keys have draws of their own, since
// RocksDB's fillsync and fill100K draw from these alone.
type density struct {
	num       float64
	low, rest float64 // draws a key
}

func (d *density) clear() { d.low, d.rest = 0, 0 }
func (d *density) fill()  { d.low, d.rest = math.Inf(1), math.Inf(1) }

func (d *density) draw(count float64) {
	d.low += count / d.num
	d.rest += count / d.num
}

func (d *density) drawLow(count float64) { d.low += count / (d.num / slowShare) }

// entries returns how many keys are there on average, and a bound of the
// variance.
func (d *density) entries() (mean, variance float64) {
	for _, zone := range []struct{ keys, draws float64 }{
		{d.num / slowShare, d.low}, {d.num * (1 - 1.0/slowShare), d.rest},
	} {
		missing := math.Exp(-zone.draws)
		mean += zone.keys * (1 - missing)
		variance += zone.keys * missing * (1 - missing)
	}
	return mean, variance
}

// foretell sets what the row of a workload comes to with another generator.
func (d *density) foretell(e *Expected, workload string) {
	mean, variance := d.entries()
	switch workload {
	case "readseq", "readreverse":
	case "readrandom":
		share := mean / d.num
		variance += d.num * share * (1 - share)
	default:
		e.About = float64(e.Ops)
		if e.Lookups > 0 {
			e.About = float64(e.Found)
		}
		return
	}
	e.About = mean
	if variance > 0 {
		e.Tolerance = max(toleratedShare*mean, toleratedSigmas*math.Sqrt(variance))
	}
}

// expectExtras is what the rows that only Go has must count: they read a store
// that has all keys.
func expectExtras(num int64) []Expected {
	var list []Expected
	for _, reads := range extraReads(num) {
		e := Expected{Ops: num, About: float64(num)}
		if reads > 0 {
			e = Expected{Ops: reads, Lookups: reads, Found: reads, About: float64(reads)}
		}
		list = append(list, e)
	}
	return list
}

// fault tells what is wrong with the counts of a cell; empty if nothing is.
// exact is for whoever draws keys as LevelDB's db_bench does.
func (e *Expected) fault(c *Cell, exact bool) string {
	found := c.Found
	// LevelDB's readmissing prints no count; here scans count what they find too.
	untold := c.Lookups == 0 && e.Found == 0
	if e.Lookups == 0 {
		untold, found = true, 0
	}
	switch {
	case c.Lookups != e.Lookups && !untold:
		return fmt.Sprintf("it looked up %d keys, and not %d", c.Lookups, e.Lookups)
	case exact && found != e.Found:
		return fmt.Sprintf("it found %d of %d keys, and not %d", c.Found, c.Lookups, e.Found)
	case exact && c.Ops != 0 && c.Ops != e.Ops:
		return fmt.Sprintf("it did %d operations, and not %d", c.Ops, e.Ops)
	case exact:
		return ""
	case e.Lookups > 0 && c.Ops != 0 && c.Ops != e.Ops:
		return fmt.Sprintf("it did %d operations, and not %d", c.Ops, e.Ops)
	}
	count, what := c.Ops, "did %d operations"
	if e.Lookups > 0 {
		count, what = c.Found, "found %d keys"
	}
	if math.Abs(float64(count)-e.About) > e.Tolerance {
		return fmt.Sprintf("it "+what+", and not %.0f, give or take %.0f", count, e.About, e.Tolerance)
	}
	return ""
}
