package leveldb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// A range delete that becomes too large a batch is refused, and nothing of its
// batch is applied. The limit is lowered, since the true one takes 2 GiB.

const limitKeys = 1000

// limited returns a store whose range deletes may take up to limit bytes.
func limited(t *testing.T, limit int) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "db"), &Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b := store.NewBatch(0)
	for k := range limitKeys {
		if err := b.Put(limitKey(k), []byte("v")); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Write(b, nil); err != nil {
		t.Fatal(err)
	}
	db.limit = limit
	return db
}

func limitKey(k int) []byte { return fmt.Appendf(nil, "k%05d", k) }

func wantKeys(t *testing.T, db *DB, want int, what string) {
	t.Helper()
	keys, errf := store.Keys(db, store.KeyRange{})
	n := 0
	for range keys {
		n++
	}
	if n != want || errf() != nil {
		t.Errorf("%s: %d keys, %v; want %d", what, n, errf(), want)
	}
}

func TestDeleteRangeTooLarge(t *testing.T) {
	const header, record = 12, 2 + 6 // tag, length and key
	db := limited(t, header+100*record)
	for what, err := range map[string]error{
		"range":    db.DeleteRange(limitKey(0), limitKey(101), nil),
		"open end": db.DeleteRange(limitKey(0), nil, store.Sync),
		"all":      db.DeleteRange(nil, nil, nil),
	} {
		var e *store.Error
		if !errors.Is(err, store.ErrTooLarge) || !errors.As(err, &e) || e.Engine != Engine || e.Path != db.Path() {
			t.Errorf("%s: %v", what, err)
		}
	}
	b := store.NewBatch(0)
	err := errors.Join(b.Put([]byte("own"), []byte("v")), b.DeleteRange(limitKey(0), limitKey(200)), b.Delete(limitKey(500)))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(b, nil); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("batch: %v", err)
	}
	wantKeys(t, db, limitKeys, "after refusals")
	if err := db.DeleteRange(limitKey(0), limitKey(100), nil); err != nil {
		t.Errorf("as much as fits: %v", err)
	}
	wantKeys(t, db, limitKeys-100, "after a range that fits")
	n, err := store.DeleteRangePieces(context.Background(), db, store.KeyRange{}, 50*record, nil)
	if err != nil || n != limitKeys-100 {
		t.Errorf("in pieces: %d, %v", n, err)
	}
	wantKeys(t, db, 0, "after pieces")
}

// Refused ranges do no harm to writers that are at work at the same time, which
// may be committed together with them.
func TestDeleteRangeTooLargeAmongWriters(t *testing.T) {
	db := limited(t, 200)
	var wg sync.WaitGroup
	const writers, rounds = 8, 200
	for g := range writers {
		wg.Go(func() {
			for i := range rounds {
				if g%4 == 0 {
					if err := db.DeleteRange(limitKey(0), nil, nil); !errors.Is(err, store.ErrTooLarge) {
						t.Errorf("range: %v", err)
					}
				} else if err := db.Put(fmt.Appendf(nil, "g%d/%d", g, i), []byte("v"), &store.WriteOptions{Sync: i%50 == 0}); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	wg.Wait()
	wantKeys(t, db, limitKeys+writers*3/4*rounds, "at the end")
}
