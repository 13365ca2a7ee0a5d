package bench

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Bounds of the read-back.
const (
	sampleKeys     = 1000
	sampleBytes    = 256 << 20 // of values, at most
	sampleLeast    = 10
	wholeSample    = 300_000 // changes up to which each one's key is looked up
	countedNumbers = 1 << 28 // key numbers, a bit each, up to which entries are counted
	countedEntries = 1 << 25 // entries up to which the store is walked to count them
)

// expected is what must be under a key.
type expected struct {
	row     int // that wrote it last
	deleted bool
	// values are the possible ones: several workers of one workload may have
	// written the key, in an order that is not known; the last of each counts.
	values [][]byte
	by     []int // the worker of each
}

func (e *expected) allows(value []byte) bool {
	return slices.ContainsFunc(e.values, func(v []byte) bool { return bytes.Equal(v, value) })
}

// readBack compares what the pass has written to its store with what is there,
// and tells so in the rows. It is called just before the store is renewed or
// closed.
func (p *pass) readBack() {
	if p.over() || p.db == nil || p.engine.Discards || len(p.history) == 0 {
		return
	}
	for _, h := range p.history {
		if p.rec.Results[h.row].Status != StatusOK {
			return // what was written by then is not known
		}
	}
	b := &readBack{pass: p, verified: map[int]int64{}, failures: map[int]error{}}
	err := p.await(callPatience, b.run)
	if p.over() {
		return
	}
	for _, h := range p.history {
		row := &p.rec.Results[h.row]
		if err != nil {
			row.fail(fmt.Errorf("read back: %w", err))
		} else if failure := b.failures[h.row]; failure != nil {
			row.fail(fmt.Errorf("read back: %w", failure))
		} else if n := b.verified[h.row]; n > 0 || row.Ops == 0 {
			row.VerifiedKeys = &n
		}
		p.obs.CellRevised(p.rec, h.row)
	}
	for _, text := range b.notes {
		p.warn(WarnNotVerified, text)
	}
	if b.uncompressed {
		rows := make([]int, len(p.history))
		for i, h := range p.history {
			rows[i] = h.row
		}
		p.warn(WarnUncompressed, fmt.Sprintf("%s: compression is on, and the tables are not smaller than the data", p.engine.title()), rows...)
	}
	p.history = nil
	p.known = false
}

// readBack is the work of one read-back. It goes through the history twice: to
// choose keys that were written and to learn which are there, then to learn
// what those chosen must have.
type readBack struct {
	*pass
	sample  map[uint64]*expected
	there   bitmap // the keys that the store must have; nil if not known
	entries int64  // their number

	verified     map[int]int64 // by row
	failures     map[int]error // by row
	notes        []string
	uncompressed bool
}

func (b *readBack) run() error {
	if err := b.choose(); err != nil {
		return err
	}
	if err := b.expect(); err != nil {
		return err
	}
	if err := b.compare(); err != nil {
		return err
	}
	if len(b.failures) > 0 {
		return nil // the rows to blame are known
	}
	if err := b.walk(); err != nil {
		return err
	}
	return b.weigh()
}

// each calls fn with every change of h, in the order of each worker.
func (h *written) each(stopped func() error, fn func(worker int, num uint64, value []byte)) error {
	for w, count := range h.counts {
		each := h.eachKey
		if h.plan.script != nil {
			each = h.eachStep
		}
		if err := each(w, count, stopped, fn); err != nil {
			return err
		}
	}
	return nil
}

// eachStep is each for one worker of a mixed workload.
func (h *written) eachStep(w int, count int64, stopped func() error, fn func(worker int, num uint64, value []byte)) error {
	steps, values := h.plan.script(h.plan, w), h.plan.stream(w)
	for i := range count {
		if i%block == 0 {
			if err := stopped(); err != nil {
				return err
			}
		}
		if s := steps.next(); s.act.writes() {
			fn(w, s.num, values.next())
		}
	}
	return nil
}

// eachKey is each for one worker of any other workload.
func (h *written) eachKey(w int, left int64, stopped func() error, fn func(worker int, num uint64, value []byte)) error {
	var buf [block]uint64
	seq, values := h.plan.sequence(w), h.plan.stream(w)
	span := uint64(max(h.plan.span, 1))
	last := uint64(h.plan.config.Num)
	for left > 0 {
		if err := stopped(); err != nil {
			return err
		}
		nums := buf[:min(left, block)]
		seq.fill(nums)
		for _, num := range nums {
			if h.plan.change == putsKeys {
				fn(w, num, values.next())
				continue
			}
			for n := num * span; n < min((num+1)*span, last); n++ {
				fn(w, n, nil)
			}
		}
		left -= int64(len(nums))
	}
	return nil
}

// changes returns how many changes h has made, at most.
func (h *written) changes() (total int64) {
	for _, n := range h.counts {
		total += n
	}
	return total * max(h.plan.span, 1)
}

// choose draws operations at random and takes their keys as the sample. On the
// way it notes which keys must be there.
func (b *readBack) choose() error {
	total, size := int64(0), int64(1)
	for _, h := range b.history {
		total += h.changes()
		size = max(size, int64(h.plan.values.max))
	}
	most := min(max(sampleBytes/size, sampleLeast), sampleKeys)
	if total <= wholeSample {
		most = max(most, min(total, sampleBytes/size))
	}
	drawn := drawSorted(splitmix(b.cfg.Seed), total, most)
	if extent := b.cfg.Num + b.grown; b.known && extent <= countedNumbers {
		b.there = make(bitmap, extent/64+1)
	}
	b.sample = map[uint64]*expected{}
	at := int64(0)
	for _, h := range b.history {
		puts := h.plan.change != deletesKeys
		err := h.each(b.ctx.Err, func(_ int, num uint64, _ []byte) {
			if b.there != nil {
				b.there.set(num, puts)
			}
			if len(drawn) > 0 && drawn[0] == at {
				b.sample[num] = nil
				drawn = drawn[1:]
			}
			at++
		})
		if err != nil {
			return err
		}
		b.entries = b.there.count()
		b.amplify(h)
	}
	return nil
}

// amplify sets how much larger than what is in it the store was when h had
// ended.
func (b *readBack) amplify(h *written) {
	row := &b.rec.Results[h.row]
	if b.there == nil || b.entries == 0 || row.DiskBytes == nil || *row.DiskBytes == 0 {
		return
	}
	_, _, key := b.cfg.KeyLengths()
	data := float64(b.entries) * (key + h.plan.values.mean)
	row.SpaceAmplification = known(float64(*row.DiskBytes) / data)
}

// drawSorted returns up to n different numbers below total, ascending.
func drawSorted(rng splitmix, total, n int64) []int64 {
	drawn := make([]int64, 0, n)
	if total <= n {
		for i := range total {
			drawn = append(drawn, i)
		}
		return drawn
	}
	for range n {
		drawn = append(drawn, int64(rng.below(uint64(total))))
	}
	slices.Sort(drawn)
	return slices.Compact(drawn)
}

// expect finds out what each key of the sample must have.
func (b *readBack) expect() error {
	var filter [1024]uint64 // most keys are told apart without the map
	for num := range b.sample {
		filter[num>>6%1024] |= 1 << (num & 63)
	}
	for _, h := range b.history {
		err := h.each(b.ctx.Err, func(worker int, num uint64, value []byte) {
			if filter[num>>6%1024]&(1<<(num&63)) == 0 {
				return
			}
			e, ok := b.sample[num]
			if !ok {
				return
			}
			if e == nil || e.row != h.row {
				e = &expected{row: h.row, deleted: h.plan.change == deletesKeys}
				b.sample[num] = e
			}
			if e.deleted {
				return
			}
			if i := slices.Index(e.by, worker); i >= 0 {
				e.values[i] = value
				return
			}
			e.by, e.values = append(e.by, worker), append(e.values, value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compare looks up the sample, without filling the cache.
func (b *readBack) compare() (err error) {
	it, err := b.db.NewIterator(&store.IterOptions{FillCache: store.Off, VerifyChecksums: store.On})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	nums := make([]uint64, 0, len(b.sample))
	for num := range b.sample {
		nums = append(nums, num)
	}
	slices.Sort(nums)
	keys := newKeyMaker(&b.cfg, "")
	for _, num := range nums {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		e, key := b.sample[num], keys.at(num)
		found := it.SeekGE(key) && bytes.Equal(it.Key(), key)
		if err := it.Err(); err != nil {
			return err
		}
		switch {
		case found == e.deleted && found:
			b.failures[e.row] = fmt.Errorf("key %q was deleted and is there", key)
		case found == e.deleted:
			b.failures[e.row] = fmt.Errorf("key %q was written and is not there", key)
		case found && !e.allows(it.Value()):
			b.failures[e.row] = fmt.Errorf("key %q has another value than was written", key)
		default:
			b.verified[e.row]++
		}
	}
	return nil
}

// walk goes over the store and compares its keys with those that it must have.
func (b *readBack) walk() (err error) {
	if !b.known {
		return nil
	}
	if b.there == nil || b.entries > countedEntries {
		b.notes = append(b.notes, fmt.Sprintf("%s: the store is too large to count its entries", b.engine.title()))
		return nil
	}
	it, err := b.db.NewIterator(&store.IterOptions{KeysOnly: true, FillCache: store.Off})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	keys := newKeyMaker(&b.cfg, "")
	n, ok := int64(0), it.First()
	for num := range b.inOrder() {
		if n++; n%4096 == 0 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		key := keys.at(num)
		if !ok || !bytes.Equal(it.Key(), key) {
			return errors.Join(it.Err(), fmt.Errorf("at entry %d of %d the store has %q, and not %q as written", n, b.entries, it.Key(), key))
		}
		ok = it.Next()
	}
	if ok {
		return fmt.Errorf("the store has more than the %d entries that were written: %q", b.entries, it.Key())
	}
	return it.Err()
}

// inOrder returns the numbers of the keys that must be there, in the order of
// the keys.
func (b *readBack) inOrder() iter.Seq[uint64] {
	if b.cfg.KeyFormat != KeyPlain {
		return b.there.all() // ascending, as the keys are
	}
	nums := slices.Collect(b.there.all())
	text := func(n uint64) string { return strconv.FormatUint(n, 10) }
	slices.SortFunc(nums, func(x, y uint64) int { return strings.Compare(text(x), text(y)) })
	return slices.Values(nums)
}

// weigh looks at the bytes on disk: data that takes none is not there.
func (b *readBack) weigh() error {
	m, err := b.db.Metrics()
	if err != nil {
		return err
	}
	if disk, ok := m.DiskBytes.Value(); ok && disk == 0 && b.entries > 0 {
		return errors.New("the store takes no space on disk")
	}
	return b.weighTables()
}

// weighTables compares the tables with what went into them: those of about the
// same size are not compressed. It writes the memtable out for that, so that it
// does so in the first round alone.
func (b *readBack) weighTables() error {
	raw, p := int64(0), packing{engine: b.engine.title()}
	for _, h := range b.history {
		raw += h.bytes
		p.rows = append(p.rows, h.row)
	}
	const enough = 16 << 20 // less is not worth it
	if raw < enough || b.round > 1 || !b.known || b.compression() == string(store.NoCompression) || b.cfg.CompressionRatio > 0.8 {
		return nil
	}
	if _, told, err := b.tableBytes(); err != nil || !told {
		return err // an engine that doesn't tell need not flush for it
	}
	if err := b.db.Flush(); err != nil {
		return err
	}
	tables, _, err := b.tableBytes()
	if err != nil || tables == 0 {
		return err
	}
	p.tables, p.written, p.alive = float64(tables), float64(raw), float64(raw)
	if b.there != nil {
		_, _, key := b.cfg.KeyLengths()
		p.alive = min(p.alive, float64(b.entries)*(key+b.history[len(b.history)-1].plan.values.mean))
	}
	b.packed = append(b.packed, p)
	b.uncompressed = p.loose()
	return nil
}

// tableBytes returns the size of the tables, and whether the engine tells.
func (b *readBack) tableBytes() (uint64, bool, error) {
	m, err := b.db.Metrics()
	if err != nil {
		return 0, false, err
	}
	n, ok := m.TableBytes.Value()
	return n, ok, nil
}

// compression returns the codec in effect.
func (p *pass) compression() string {
	o, _ := p.infos[p.index].Options.Get(OptCompression)
	return o.Text()
}

// bitmap is a set of numbers.
type bitmap []uint64

func (m bitmap) set(i uint64, on bool) {
	if on {
		m[i>>6] |= 1 << (i & 63)
	} else {
		m[i>>6] &^= 1 << (i & 63)
	}
}

// all returns the numbers in ascending order.
func (m bitmap) all() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i, w := range m {
			for ; w != 0; w &= w - 1 {
				if !yield(uint64(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

func (m bitmap) count() (n int64) {
	for _, w := range m {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
