package bench

import (
	"errors"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// Bounds of the sample of real keys.
const (
	sampledKeys  = 100_000
	sampledReach = 10_000_000 // keys that are looked at
)

// warmUp reads random keys of the store for as long as the configuration says,
// before a workload that reads, and takes the sample of real keys that it is to
// look up. It writes nothing.
func (p *pass) warmUp(plan *plan, w Workload) error {
	if !w.Reads {
		return nil
	}
	if p.cfg.KeysFromDB && p.sample == nil {
		err := p.await(callPatience, func() (err error) {
			p.sample, err = takeSample(p.db, sampledKeys, sampledReach, p.ctx.Err)
			return err
		})
		if err != nil {
			return err
		}
		if p.sample == nil {
			p.sample = keySample{} // an empty store
		}
	}
	if !w.Writes {
		plan.sample = p.sample
	}
	if p.cfg.Warmup == 0 || p.cfg.Num == 0 {
		return nil
	}
	return p.await(callPatience, func() error { return p.readFor(plan, time.Duration(p.cfg.Warmup)) })
}

// readFor gets random keys for a time.
func (p *pass) readFor(plan *plan, d time.Duration) error {
	rng := splitmix(p.cfg.Seed)
	keys := plan.newKeys("")
	buf := readBuffer(plan)
	for until := time.Now().Add(d); time.Now().Before(until); {
		for range block {
			if p.ctx.Err() != nil {
				return p.ctx.Err()
			}
			var err error
			buf, err = p.db.AppendGet(buf[:0], keys.at(rng.below(uint64(p.cfg.Num))))
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}
