package bench

import "github.com/lsmkit/lsmkit/store"

// A drainer is a kernel whose operations are not all done when run has returned.
type drainer interface {
	// drain does the rest. It is called once, with the clock running, after the
	// last run, also after one that failed.
	drain() error
}

// bufferedPutter puts one entry an operation through the store.Buffered that all
// workers share.
type bufferedPutter struct {
	putter
	buffered *store.Buffered
	owner    bool // closes it
}

func (k *bufferedPutter) run(t *tally, n int64) (done int64, err error) {
	var bytes int
	for done < n && err == nil {
		nums := k.nums[:min(n-done, block)]
		k.seq.fill(nums)
		for _, num := range nums {
			key, value := k.keys.at(num), k.values.next()
			if err = k.buffered.Put(nil, key, value); err != nil {
				break
			}
			bytes += len(key) + len(value)
			done++
		}
	}
	t.bytes += int64(bytes)
	t.written += int64(bytes)
	return done, err
}

func (k *bufferedPutter) drain() error { return k.buffered.Flush(nil) }

func (k *bufferedPutter) finish() error {
	if !k.owner {
		return nil
	}
	return k.buffered.Close()
}

func bufferedPlan(c *Config) *plan {
	p := writePlan(ascendingKeys)(c)
	var shared *store.Buffered
	p.kernel = func(p *plan, db store.DB, w int, first, _ int64) (_ kernel, err error) {
		if w == 0 {
			if shared, err = store.NewBuffered(db, &store.BufferedOptions{Write: p.writeOptions()}); err != nil {
				return nil, err
			}
		}
		return &bufferedPutter{putter: *newPutter(p, db, w, first), buffered: shared, owner: w == 0}, nil
	}
	return p
}
