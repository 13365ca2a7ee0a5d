package bench

import (
	"context"

	"github.com/lsmkit/lsmkit/store"
)

// change says what a plan's operations do to their keys.
type change int

const (
	changesNothing change = iota
	putsKeys
	deletesKeys
	mixesKeys // as the script says
)

// endlessOps is a number of operations that is never reached.
const endlessOps = 1 << 62

// plan is what a workload does in one cell, for any number of workers. It is
// made for the cell and kept as long as its store is, so that the read-back can
// go through the same operations again.
type plan struct {
	config *Config
	values *values
	ops    int64
	// seed is that of worker 0; the others follow. It is set when the cell
	// begins.
	seed    int64
	workers int
	// unit is the number of operations that one run of a kernel is given: those
	// between two looks at the stop flag. An operation that may take long has 1,
	// a batch all of its entries.
	unit int64
	// batched: a unit is one call of the store.
	batched bool
	change  change
	sync    bool
	// span is the number of key numbers that an operation changes: those from
	// span times its own on; 0 is 1.
	span int64
	// script makes the operations of a mixed workload.
	script makeScript
	// base is the number of keys that the store has been given before, and
	// inserters are the scripts that add to them.
	base      int64
	inserters []inserter
	// forever: the operations begin again when they are through, until the time
	// is up.
	forever bool
	// sample are the keys to look up in place of those of numbers; nil: none.
	sample keySample
	// stopped tells whether the run has ended.
	stopped func() error
	// aside is what one more worker does for as long as the others work, and a
	// row of its own says how; nil: nothing.
	aside *plan
	// keys makes the key numbers of worker w, whose share begins at first.
	keys makeSequence
	// kernel makes the loop of worker w, whose share is count operations from
	// first on.
	kernel makeKernel
	// call is the one operation of a plan that is no loop over keys.
	call func(ctx context.Context, s *session) error
	// before and after look at the store outside the clock; after fills in the
	// row. Nil where there is nothing to look at.
	before func(s *session, row *Result) error
	after  func(s *session, row *Result) error
}

type makeSequence = func(p *plan, w int, first int64) sequence

type makeKernel = func(p *plan, db store.DB, w int, first, count int64) (kernel, error)

// Units of kernels with short operations: small enough that a slow device
// can't hold up an interrupt, large enough to cost nothing.
const (
	pointUnit = block
	scanUnit  = 1024
)

// newKeys returns a maker of the plan's keys.
func (p *plan) newKeys(suffix string) *keyMaker {
	if p.sample != nil {
		return newSampledKeys(p.sample, suffix)
	}
	return newKeyMaker(p.config, suffix)
}

// sequence returns the key numbers of worker w from its first operation on.
func (p *plan) sequence(w int) sequence {
	first, _ := split(p.ops, p.workers, w)
	return p.keys(p, w, first)
}

// stream returns the values of worker w from its first operation on.
func (p *plan) stream(w int) *valueStream { return p.values.stream(w) }

func (p *plan) writeOptions() *store.WriteOptions {
	if p.sync || p.config.Sync {
		return store.Sync
	}
	return store.NoSync
}

// Key sequences of workloads.

func ascendingKeys(p *plan, w int, first int64) sequence {
	if !p.forever {
		return &ascending{next: uint64(first)}
	}
	_, count := split(p.ops, p.workers, w)
	return &circling{first: uint64(first), count: uint64(max(count, 1))}
}

// ascendingWithin begins again behind the last key.
func ascendingWithin(p *plan, w int, first int64) sequence {
	num := uint64(max(p.config.Num, 1))
	return &circling{count: num, at: uint64(first) % num}
}

func randomKeys(p *plan, w int, _ int64) sequence {
	return newRandom(p.seed+int64(w), p.config.Num)
}

// hotKeys are the first 1 %, rounded up as db_bench does.
func hotKeys(p *plan, w int, _ int64) sequence {
	return newRandom(p.seed+int64(w), (p.config.Num+99)/100)
}

// missingKeys leaves out the last key, behind which no other lies.
func missingKeys(p *plan, w int, first int64) sequence {
	return &notLast{sequence: randomKeys(p, w, first), last: uint64(max(p.config.Num-1, 0))}
}

func permutedKeys(p *plan, _ int, first int64) sequence {
	return &permuted{perm: newPermutation(p.seed, p.config.Num), next: uint64(first)}
}

func steppingKeys(p *plan, w int, _ int64) sequence {
	return &stepping{steps: newRandom(p.seed+int64(w), 100), num: uint64(max(p.config.Num, 1))}
}

// Kernels of workloads.

func putKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return newPutter(p, db, w, first), nil
}

func newPutter(p *plan, db store.DB, w int, first int64) *putter {
	return &putter{
		db: db, keys: p.newKeys(""), seq: p.keys(p, w, first), values: p.stream(w), write: p.writeOptions(),
	}
}

func batchKernel(p *plan, db store.DB, w int, first, count int64) (kernel, error) {
	const overhead = 16 // of a record: its tag and lengths
	entry := p.config.KeySize + p.values.max + overhead
	b := store.NewBatch(int(min(count, int64(p.config.BatchSize))) * entry)
	return &batcher{putter: *newPutter(p, db, w, first), batch: b}, nil
}

func deleteKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return &deleter{
		db: db, keys: p.newKeys(""), seq: p.keys(p, w, first), write: p.writeOptions(),
	}, nil
}

// readBuffer has room for the largest value that a list can have written.
func readBuffer(p *plan) []byte { return make([]byte, 0, max(p.values.max, largeValue)) }

func getKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return &getter{db: db, keys: p.newKeys(""), seq: p.keys(p, w, first), buf: readBuffer(p)}, nil
}

// betweenSuffix makes a key that lies right behind a stored one.
const betweenSuffix = "."

func getMissingKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return &getter{db: db, keys: p.newKeys(betweenSuffix), seq: p.keys(p, w, first), buf: readBuffer(p)}, nil
}

func multigetKernel(p *plan, db store.DB, w int, first, count int64) (kernel, error) {
	n := min(count, int64(p.config.BatchSize))
	k := &multigetter{
		db: db, keys: make([]*keyMaker, n), args: make([][]byte, n), nums: make([]uint64, n), seq: p.keys(p, w, first),
	}
	sizes := make([]int64, n)
	for i := range k.keys {
		k.keys[i] = p.newKeys("")
		sizes[i] = -1
	}
	const most = 64 << 20 // more grows when it is needed
	k.dst.SetArena(make([]byte, 0, min(n*int64(p.values.max), most)), sizes)
	return k, nil
}

// scanKernel returns the kernel that walks with the options.
func scanKernel(o store.IterOptions) makeKernel {
	return func(p *plan, db store.DB, _ int, _, count int64) (kernel, error) {
		return &scanner{db: db, options: o, left: count, forever: p.forever}, nil
	}
}

func seekKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return &seeker{db: db, keys: p.newKeys(""), seq: p.keys(p, w, first), nexts: p.config.SeekNexts}, nil
}

func seekOrderedKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	it, err := db.NewIterator(nil)
	if err != nil {
		return nil, err
	}
	return &seeker{db: db, keys: p.newKeys(""), seq: p.keys(p, w, first), it: it}, nil
}
