package engines_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// From memory through each engine to the next and back, a copy has the same
// digest and no difference; and each difference that is made is found.
func TestCopyAcrossEngines(t *testing.T) {
	first := memstore.New()
	defer first.Close()
	for i := range 20_000 {
		key, value := fmt.Appendf(nil, "%x", i*7919%20_011), make([]byte, i%300)
		if err := first.Put(key[:min(i, len(key))], value, nil); err != nil {
			t.Fatal(err)
		}
	}
	want, err := store.Checksum(t.Context(), first, store.KeyRange{})
	if err != nil {
		t.Fatal(err)
	}
	var from store.DB = first
	names := engines.Names()
	for _, name := range append(names, names...) {
		db, err := engines.Open(name, filepath.Join(t.TempDir(), "db"), &store.Options{CreateIfMissing: true, WriteBufferSize: 256 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
		p, err := store.Copy(t.Context(), db, from, &store.CopyOptions{BatchSize: 32 << 10})
		if err != nil || p.Entries != want.Entries || p.Bytes != want.Bytes {
			t.Fatalf("to %s: %+v, %v", name, p, err)
		}
		if sum, err := store.Checksum(t.Context(), db, store.KeyRange{}); err != nil || sum != want {
			t.Errorf("%s: digest %v, %v, want %v", name, sum, err, want)
		}
		if got := differing(t, from, db); got != "" {
			t.Errorf("the copy in %s differs at %s", name, got)
		}
		from = db
	}
	if err := from.Delete([]byte("4e2"), nil); err != nil {
		t.Fatal(err)
	}
	if got := differing(t, first, from); got != "4e2 " {
		t.Errorf("differences at %q", got)
	}
}

// differing returns the keys that differ.
func differing(t *testing.T, a, b store.Reader) (keys string) {
	t.Helper()
	differences, errf := store.Diff(t.Context(), a, b, store.KeyRange{})
	for d := range differences {
		keys += string(d.Key) + " "
	}
	if err := errf(); err != nil {
		t.Error(err)
	}
	return keys
}
