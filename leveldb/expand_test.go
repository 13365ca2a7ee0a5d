package leveldb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// Batches with range deletes, which are expanded here, do what they do to the
// model.

// besideModel opens a store and its model.
func besideModel(t *testing.T) (db *DB, model store.DB) {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		t.Fatal(err)
	}
	model = memstore.New()
	t.Cleanup(func() {
		for _, s := range []store.DB{db, model} {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return db, model
}

// writeBoth writes a batch to both and compares what they hold.
func writeBoth(t *testing.T, db, model store.DB, b *store.Batch) {
	t.Helper()
	for _, s := range []store.DB{db, model} {
		if err := s.Write(b, nil); err != nil {
			t.Fatal(err)
		}
	}
	got, want := rowsOf(t, db), rowsOf(t, model)
	if !slices.Equal(got, want) {
		t.Fatalf("%d rows, the model has %d; the batch has %d records", len(got), len(want), b.Len())
	}
}

func rowsOf(t *testing.T, db store.DB) (rows []string) {
	t.Helper()
	all, errf := store.Scan(db, store.KeyRange{})
	for k, v := range all {
		rows = append(rows, fmt.Sprintf("%q=%q", k, v))
	}
	if err := errf(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestExpandRandomBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(storetest.Seed(t), 0))
	db, model := besideModel(t)
	key := func() []byte {
		k := make([]byte, rng.IntN(3))
		for i := range k {
			k[i] = "\x00\x01abcdef\xfe\xff"[rng.IntN(10)]
		}
		return k
	}
	for round := range 500 {
		b := store.NewBatch(0)
		for i := range rng.IntN(60) {
			var err error
			switch rng.IntN(8) {
			case 0, 1, 2, 3:
				err = b.Put(key(), fmt.Appendf(nil, "%d.%d", round, i))
			case 4:
				err = b.Delete(key())
			default:
				start, end := key(), key()
				if bytes.Compare(start, end) > 0 {
					start, end = end, start
				}
				if rng.IntN(4) == 0 {
					start = nil
				}
				if rng.IntN(4) == 0 {
					end = nil
				}
				err = b.DeleteRange(start, end)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		writeBoth(t, db, model, b)
	}
}

// A hundred thousand puts and ten thousand ranges: were each range held against
// each put, or each overlapping one read from the store again, this would take a
// billion steps and more than a test may.
func TestExpandLargeBatch(t *testing.T) {
	const keys, ranges = 100_000, 10_000
	key := func(i int) []byte { return fmt.Appendf(nil, "%06d", i) }
	for name, bounds := range map[string]func(rng *rand.Rand) (start, end []byte){
		"short": func(rng *rand.Rand) (start, end []byte) {
			i := rng.IntN(keys)
			return key(i), key(i + 1 + rng.IntN(10))
		},
		"overlapping": func(rng *rand.Rand) (start, end []byte) {
			return key(rng.IntN(keys / 2)), key(keys/2 + rng.IntN(keys/2))
		},
		"to the end": func(rng *rand.Rand) (start, end []byte) { return key(rng.IntN(keys)), nil },
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(storetest.Seed(t), 0))
			db, model := besideModel(t)
			fill := store.NewBatch(0)
			for i := range keys {
				if err := fill.Put(key(i), []byte("stored")); err != nil {
					t.Fatal(err)
				}
			}
			writeBoth(t, db, model, fill)
			b := store.NewBatch(0)
			for i := range keys {
				if err := b.Put(key(rng.IntN(keys)), fmt.Append(nil, i)); err != nil {
					t.Fatal(err)
				}
				if i%(keys/ranges) == 0 {
					start, end := bounds(rng)
					if err := b.DeleteRange(start, end); err != nil {
						t.Fatal(err)
					}
				}
			}
			writeBoth(t, db, model, b)
		})
	}
}

// A set of ranks does what a map does.
func TestRankSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(storetest.Seed(t), 0))
	for _, n := range []int{0, 1, 63, 64, 65, 4096, 4097, 300_000} {
		s, want := newRankSet(n), make([]bool, n)
		if i := s.next(0); i != -1 {
			t.Errorf("%d: an empty set has %d", n, i)
		}
		if n == 0 {
			continue
		}
		for range 2000 {
			i := rng.IntN(n)
			if want[i] = rng.IntN(3) > 0; want[i] {
				s.add(i)
			} else {
				s.remove(i)
			}
			from := rng.IntN(n + 1)
			next := slices.Index(want[from:], true)
			if next >= 0 {
				next += from
			}
			if got := s.next(from); got != next {
				t.Fatalf("%d: next(%d) is %d, want %d", n, from, got, next)
			}
		}
	}
}
