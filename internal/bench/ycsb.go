package bench

import "math"

// The six core workloads of YCSB, with its constants. Num records are there
// before; inserts add keys behind them.

// ycsbMix is one of them: shares in percent, the rest are reads.
type ycsbMix struct {
	put, insert, update, scan uint64
	latest                    bool // keys by age, and not by popularity
}

// inserter is a script that extends the key space.
type inserter interface {
	// inserted returns how many keys it has inserted.
	inserted() uint64
}

// zipfian draws ranks below n, the k-th with a weight of 1/k^theta, after Gray
// and others, "Quickly generating billion-record synthetic databases".
type zipfian struct {
	n          float64
	zeta, eta  float64
	alpha      float64
	secondRank float64
}

const zipfTheta = 0.99

func newZipfian(n int64) zipfian {
	z := zipfian{n: float64(max(n, 1)), alpha: 1 / (1 - zipfTheta)}
	z.zeta = zeta(z.n)
	z.eta = (1 - math.Pow(2/z.n, 1-zipfTheta)) / (1 - zeta(2)/z.zeta)
	z.secondRank = 1 + math.Pow(0.5, zipfTheta)
	return z
}

// zeta returns the sum of 1/k^theta for k from 1 to n; from where the terms are
// smooth, by Euler and Maclaurin.
func zeta(n float64) float64 {
	const exact = 10_000
	sum := 0.0
	for k := 1.0; k <= min(n, exact); k++ {
		sum += math.Pow(k, -zipfTheta)
	}
	if n > exact {
		sum += (math.Pow(n, 1-zipfTheta)-math.Pow(exact, 1-zipfTheta))/(1-zipfTheta) +
			(math.Pow(n, -zipfTheta)-math.Pow(exact, -zipfTheta))/2
	}
	return sum
}

// rank returns the rank at u, 0 <= u < 1.
func (z *zipfian) rank(u float64) uint64 {
	switch uz := u * z.zeta; {
	case z.n == 1 || uz < 1:
		return 0
	case uz < z.secondRank:
		return 1
	}
	return uint64(min(z.n*math.Pow(z.eta*u-z.eta+1, z.alpha), z.n-1))
}

// scramble spreads ranks over all numbers, as YCSB does: FNV-1a of the 8 bytes.
func scramble(rank uint64) uint64 {
	h := uint64(0xCBF29CE484222325)
	for range 8 {
		h = (h ^ rank&0xFF) * 0x100000001B3
		rank >>= 8
	}
	return h
}

// ycsb is the script of one worker. Worker w of T inserts the keys base+w,
// base+w+T, base+w+2T, …
type ycsb struct {
	mix       ycsbMix
	rng       splitmix
	zipf      zipfian
	base      uint64 // keys that were there when the cell began
	worker    uint64
	workers   uint64
	own       uint64 // inserted so far
	maxLength uint64
}

func newYCSB(mix ycsbMix) makeScript {
	return func(p *plan, w int) script {
		return &ycsb{
			mix: mix, rng: splitmix(p.seed + int64(w)), zipf: newZipfian(p.base), base: uint64(p.base),
			worker: uint64(w), workers: uint64(p.workers), maxLength: uint64(p.config.ScanLength),
		}
	}
}

func (s *ycsb) inserted() uint64 { return s.own }

func (s *ycsb) next() step {
	m, x := &s.mix, s.rng.below(100)
	switch {
	case x < m.put:
		return step{act: actPut, num: s.key()}
	case x < m.put+m.update:
		return step{act: actUpdate, num: s.key()}
	case x < m.put+m.update+m.insert:
		num := s.base + s.own*s.workers + s.worker
		s.own++
		return step{act: actInsert, num: num}
	case x < m.put+m.update+m.insert+m.scan:
		return step{act: actScan, num: s.key(), length: 1 + int(s.rng.below(s.maxLength))}
	}
	return step{act: actRead, num: s.key()}
}

// key returns the number of a key that is there.
func (s *ycsb) key() uint64 {
	rank := s.zipf.rank(s.rng.unit())
	if !s.mix.latest {
		return scramble(rank) % max(s.base, 1)
	}
	// The youngest first: those that this worker has inserted, then those that
	// were there. What other workers insert meanwhile may not be there yet.
	if rank < s.own {
		return s.base + (s.own-1-rank)*s.workers + s.worker
	}
	return s.base - 1 - min(rank-s.own, s.base-1)
}
