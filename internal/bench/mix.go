package bench

import (
	"bytes"
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// action is what one operation of a mixed workload does.
type action uint8

const (
	actRead action = iota
	actPut
	actInsert // a put of a key that is new
	actUpdate // a get and then a put of the same key
	actScan
)

// writes tells whether the action puts a value.
func (a action) writes() bool { return a == actPut || a == actInsert || a == actUpdate }

// step is one operation of a mixed workload.
type step struct {
	act    action
	num    uint64 // of the key
	length int    // of a scan, in entries
}

// script gives the operations of one worker, in order. Made again from the same
// arguments it gives the same ones, which is how the read-back knows what was
// written.
type script interface {
	next() step
}

type makeScript = func(p *plan, w int) script

// mixSeed sets the generator of the operation mix apart from that of the keys.
const mixSeed = 0x6D6978

// readWrite mixes reads and puts of random keys, a share of percent being reads.
type readWrite struct {
	keys    sequence
	mix     splitmix
	percent uint64
	num     [1]uint64
}

func newReadWrite(p *plan, w int) script {
	return &readWrite{
		keys: newRandom(p.seed+int64(w), p.config.Num), mix: splitmix(p.seed + int64(w) + mixSeed<<32), percent: uint64(p.config.ReadPercent),
	}
}

func (s *readWrite) next() step {
	s.keys.fill(s.num[:])
	if s.mix.below(100) < s.percent {
		return step{act: actRead, num: s.num[0]}
	}
	return step{act: actPut, num: s.num[0]}
}

// updates gets and puts random keys.
type updates struct {
	keys sequence
	num  [1]uint64
}

func newUpdates(p *plan, w int) script {
	return &updates{keys: newRandom(p.seed+int64(w), p.config.Num)}
}

func (s *updates) next() step {
	s.keys.fill(s.num[:])
	return step{act: actUpdate, num: s.num[0]}
}

// mixer is the kernel of mixed workloads.
type mixer struct {
	db     store.DB
	keys   *keyMaker
	script script
	values *valueStream
	write  *store.WriteOptions
	buf    []byte
}

func mixKernel(p *plan, db store.DB, w int, _, _ int64) (kernel, error) {
	s := p.script(p, w)
	if i, ok := s.(inserter); ok {
		p.inserters = append(p.inserters, i)
	}
	return &mixer{
		db: db, keys: p.newKeys(""), script: s, values: p.stream(w), write: p.writeOptions(), buf: readBuffer(p),
	}, nil
}

func (k *mixer) run(t *tally, n int64) (done int64, err error) {
	for ; done < n; done++ {
		s := k.script.next()
		switch s.act {
		case actRead:
			err = k.get(t, s.num)
		case actPut, actInsert:
			err = k.put(t, s.num)
		case actUpdate:
			if err = k.get(t, s.num); err == nil {
				err = k.put(t, s.num)
			}
		case actScan:
			err = k.scan(t, s)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func (k *mixer) get(t *tally, num uint64) (err error) {
	t.lookups++
	k.buf, err = k.db.AppendGet(k.buf[:0], k.keys.at(num))
	if err == nil {
		t.found++
		t.bytes += int64(len(k.buf))
		return nil
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

func (k *mixer) put(t *tally, num uint64) error {
	key, value := k.keys.at(num), k.values.next()
	if err := k.db.Put(key, value, k.write); err != nil {
		return err
	}
	size := int64(len(key) + len(value))
	t.bytes += size
	t.written += size
	return nil
}

func (k *mixer) scan(t *tally, s step) error {
	it, err := k.db.NewIterator(nil)
	if err != nil {
		return err
	}
	found, size := walkFrom(it, k.keys.at(s.num), s.length)
	t.lookups += int64(s.length)
	t.found += found
	t.bytes += size
	return errors.Join(it.Err(), it.Close())
}

func (k *mixer) finish() error { return nil }

// walkFrom reads up to n entries from key on.
func walkFrom(it store.Iterator, key []byte, n int) (found, size int64) {
	for ok := it.SeekGE(key); ok; ok = it.Next() {
		size += int64(len(it.Key()) + len(it.Value()))
		if found++; found == int64(n) {
			break
		}
	}
	return found, size
}

// ranger scans a number of entries from a key on, with a new iterator for each
// scan.
type ranger struct {
	db     store.DB
	keys   *keyMaker
	seq    sequence
	length int
	num    [1]uint64
}

func rangeKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return &ranger{db: db, keys: p.newKeys(""), seq: p.keys(p, w, first), length: p.config.ScanLength}, nil
}

func (k *ranger) run(t *tally, n int64) (done int64, err error) {
	for ; done < n; done++ {
		k.seq.fill(k.num[:])
		it, err := k.db.NewIterator(nil)
		if err != nil {
			return done, err
		}
		found, size := walkFrom(it, k.keys.at(k.num[0]), k.length)
		t.lookups += int64(k.length)
		t.found += found
		t.bytes += size
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (k *ranger) finish() error { return nil }

// rangeDeleter deletes a range of keys an operation.
type rangeDeleter struct {
	db         store.DB
	start, end *keyMaker
	seq        sequence
	length     uint64
	last       uint64 // number there is
	write      *store.WriteOptions
	num        [1]uint64
}

// rangeEnd, behind the last key of a range, is the end that a range excludes.
const rangeEnd = "\x00"

func rangeDeleteKernel(p *plan, db store.DB, w int, first, _ int64) (kernel, error) {
	return &rangeDeleter{
		db: db, start: p.newKeys(""), end: p.newKeys(rangeEnd), seq: p.keys(p, w, first), write: p.writeOptions(),
		length: uint64(p.config.RangeLength), last: uint64(p.config.Num - 1),
	}, nil
}

func (k *rangeDeleter) run(_ *tally, n int64) (done int64, err error) {
	for ; done < n; done++ {
		k.seq.fill(k.num[:])
		from := k.num[0] * k.length
		to := min(from+k.length-1, k.last)
		if err := k.db.DeleteRange(k.start.at(from), k.end.at(to), k.write); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (k *rangeDeleter) finish() error { return nil }

// finder reads the entries whose keys match a pattern.
type finder struct {
	db      store.DB
	pattern *store.Pattern
	all     bool // every key matches
	stopped func() error
	forever bool
	it      store.Iterator
	ok      bool
	passed  int
}

func findKernel(p *plan, db store.DB, _ int, _, _ int64) (kernel, error) {
	pattern, err := store.ParsePattern([]byte(p.config.Pattern))
	if err != nil {
		return nil, err
	}
	return &finder{db: db, pattern: pattern, all: p.config.Pattern == "*", stopped: p.stopped, forever: p.forever}, nil
}

func (k *finder) run(t *tally, n int64) (done int64, err error) {
	if k.it == nil {
		if err := k.begin(); err != nil {
			return 0, err
		}
	}
	done, err = k.walk(t, n)
	for k.forever && err == nil && done < n {
		if err = k.begin(); err != nil {
			break
		}
		var more int64
		if more, err = k.walk(t, n-done); more == 0 {
			break // nothing matches
		}
		done += more
	}
	return done, err
}

func (k *finder) begin() (err error) {
	if k.it == nil {
		r := k.pattern.Range()
		if k.it, err = k.db.NewIterator(&store.IterOptions{Lower: r.Start, Upper: r.End}); err != nil {
			return err
		}
	}
	k.ok = k.it.First()
	return k.it.Err()
}

// walk reads up to n entries that match. Those that don't are not counted, so
// that it looks now and then whether the run has ended.
func (k *finder) walk(t *tally, n int64) (done int64, err error) {
	it, ok := k.it, k.ok
	for ; ok && done < n; ok = it.Next() {
		key := it.Key()
		if k.passed++; k.passed%4096 == 0 {
			if err := k.stopped(); err != nil {
				k.ok = ok
				return done, err
			}
		}
		if k.all || k.pattern.Match(key) {
			t.bytes += int64(len(key) + len(it.Value()))
			done++
		}
	}
	k.ok = ok
	t.lookups += done
	t.found += done
	return done, it.Err()
}

func (k *finder) finish() error {
	if k.it == nil {
		return nil
	}
	return errors.Join(k.it.Err(), k.it.Close())
}

// keySample are keys that a store has, in place of those that numbers make.
type keySample [][]byte

// takeSample returns up to most keys of a store, each with the same chance among
// those that are seen: the first limit keys in order.
func takeSample(db store.DB, most int, limit int64, stopped func() error) (sample keySample, err error) {
	it, err := db.NewIterator(&store.IterOptions{KeysOnly: true, FillCache: store.Off})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	rng := splitmix(mixSeed)
	seen := uint64(0)
	for ok := it.First(); ok && int64(seen) < limit; ok = it.Next() {
		if seen++; len(sample) < most {
			sample = append(sample, bytes.Clone(it.Key()))
		} else if i := rng.below(seen); i < uint64(most) {
			sample[i] = bytes.Clone(it.Key())
		}
		if seen%4096 == 0 && stopped() != nil {
			return nil, stopped()
		}
	}
	return sample, it.Err()
}
