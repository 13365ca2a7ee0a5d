package overhead

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/plain"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/store"
)

// seekRows are the numbers of rows that are read from a seek on.
var seekRows = []int{1, 10, 100}

// extraRows are the names of the rows of a pass of extras, in order.
func extraRows() []string {
	names := []string{fmt.Sprintf("batches of %d", batchSize), fmt.Sprintf("multi-get of %d", batchSize)}
	for _, rows := range seekRows {
		names = append(names, seekName(rows))
	}
	return append(names, "puts, buffered")
}

func seekName(rows int) string {
	if rows == 1 {
		return "seek, 1 row"
	}
	return fmt.Sprintf("seek, %d rows", rows)
}

// extraReads are the numbers of lookups of the same rows.
func extraReads(num int64) []int64 {
	reads := []int64{0, num / 2}
	for _, rows := range seekRows {
		reads = append(reads, num/int64(4+rows/2))
	}
	return append(reads, 0)
}

// runExtras makes a pass of what only Go has: batches; on the store that they have
// filled, once it is compacted, multi-gets and seeks; and, on another one, puts
// through store.NewBuffered, which the plain side has not: it puts one by one.
func runExtras(ctx context.Context, c *Config, engine string, s Side, dir string) (answer, error) {
	names, reads := extraRows(), extraReads(c.Num)
	batches, err := runBatches(c, engine, s, dir)
	if err != nil {
		return answer{}, err
	}
	e := engineOf(engine, s)
	b := benchConfig(c, engine)
	b.DB, b.UseExistingDB = dir, true
	b.BatchSize = batchSize
	b.Reads = reads[1]
	b.Workloads = []string{"compact", "multireadrandom"}
	out, err := runBench(ctx, b, e)
	if err != nil {
		return out, err
	}
	if compact := out.Cells[0]; compact.Error != "" {
		return answer{}, fmt.Errorf("compact: %s", compact.Error)
	}
	out.Cells[0] = batches
	for i, rows := range seekRows {
		b.Workloads = []string{"seekrandom"}
		b.SeekNexts = rows - 1
		b.Reads = reads[i+2]
		seeks, err := runBench(ctx, b, e)
		if err != nil {
			return answer{}, err
		}
		out.Cells = append(out.Cells, seeks.Cells...)
	}
	buffered, err := runBuffered(c, engine, s, dir)
	if err != nil {
		return answer{}, err
	}
	out.Cells = append(out.Cells, buffered)
	for i := range out.Cells {
		out.Cells[i].Workload = names[i]
	}
	return out, nil
}

// A batcher collects entries and writes them. The harness fills batches of
// store's, which the plain side would have to take apart again; here each side
// fills its own.
type batcher interface {
	put(key, value []byte) error
	write() error // after each batchSize puts
	end() error
}

type ourBatcher struct {
	db    store.DB
	batch store.Batch
}

func (b *ourBatcher) put(key, value []byte) error { return b.batch.Put(key, value) }

func (b *ourBatcher) write() error {
	err := b.db.Write(&b.batch, store.NoSync)
	b.batch.Reset()
	return err
}

func (b *ourBatcher) end() error { return nil }

type plainBatcher struct{ plain.Batch }

func (b plainBatcher) put(key, value []byte) error {
	b.Put(key, value)
	return nil
}

func (b plainBatcher) write() error {
	err := b.Write(store.NoSync)
	b.Clear()
	return err
}

func (b plainBatcher) end() error { return nil }

// ourPutter puts through store.NewBuffered.
type ourPutter struct{ buffered *store.Buffered }

func (p ourPutter) put(key, value []byte) error { return p.buffered.Put(nil, key, value) }

func (p ourPutter) write() error { return nil }

func (p ourPutter) end() error { return p.buffered.Close() }

// plainPutter makes a call for each put.
type plainPutter struct{ db store.DB }

func (p plainPutter) put(key, value []byte) error { return p.db.Put(key, value, store.NoSync) }

func (p plainPutter) write() error { return nil }

func (p plainPutter) end() error { return nil }

// runBuffered fills a new store in key order, put by put.
func runBuffered(c *Config, engine string, s Side, dir string) (Cell, error) {
	path := filepath.Join(dir, "buffered")
	defer os.RemoveAll(path)
	db, err := engineOf(engine, s).Open(path, storeOptions(engine))
	if err != nil {
		return Cell{}, err
	}
	var p batcher = plainPutter{db}
	if s == Ours {
		var buffered *store.Buffered
		if buffered, err = store.NewBuffered(db, nil); err == nil {
			p = ourPutter{buffered}
		}
	}
	var measured Cell
	if err == nil {
		measured, err = measureBatches(p, c.Num, keyWriter(engine))
	}
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	return measured, err
}

// runBatches fills a new store in key order with batches of batchSize puts.
func runBatches(c *Config, engine string, s Side, dir string) (Cell, error) {
	path := filepath.Join(dir, engine)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return Cell{}, err
	}
	db, err := engineOf(engine, s).Open(path, storeOptions(engine))
	if err != nil {
		return Cell{}, err
	}
	var b batcher = &ourBatcher{db: db}
	if s == Plain {
		own := plain.NewBatch(db)
		defer own.Close()
		b = plainBatcher{own}
	}
	measured, err := measureBatches(b, c.Num, keyWriter(engine))
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	return measured, err
}

func measureBatches(b batcher, num int64, writeKey func(key []byte, n int64)) (Cell, error) {
	runtime.LockOSThread() // as the harness's workers are
	defer runtime.UnlockOSThread()
	key := []byte(strings.Repeat("0", keySize))
	values := halfRandom(1 << 20)
	began := time.Now()
	at := 0
	for n := int64(0); n < num; {
		for range min(batchSize, num-n) {
			writeKey(key, n)
			if at+valueSize > len(values) {
				at = 0
			}
			if err := b.put(key, values[at:at+valueSize]); err != nil {
				return Cell{}, err
			}
			at += valueSize
			n++
		}
		if err := b.write(); err != nil {
			return Cell{}, err
		}
	}
	if err := b.end(); err != nil {
		return Cell{}, err
	}
	wall := time.Since(began)
	return Cell{Micros: float64(wall.Nanoseconds()) / 1e3 / float64(num), Ops: num}, nil
}

// keyWriter returns what writes key numbers as the harness does for the engine,
// so that it finds the keys afterwards.
func keyWriter(engine string) func(key []byte, n int64) {
	if engine == leveldb.Engine {
		return func(key []byte, n int64) {
			for i := len(key) - 1; n > 0; i-- {
				key[i] = byte('0' + n%10)
				n /= 10
			}
		}
	}
	return func(key []byte, n int64) { binary.BigEndian.PutUint64(key, uint64(n)) }
}

// halfRandom returns bytes that compress to half: in each piece of a value's
// size the second half repeats the first.
func halfRandom(size int) []byte {
	data := make([]byte, size)
	x := uint32(bench.DefaultSeed)
	for i := range data {
		if i%valueSize >= valueSize/2 {
			data[i] = data[i-valueSize/2]
			continue
		}
		x = x*1664525 + 1013904223
		data[i] = byte(' ' + x>>24%95)
	}
	return data
}
