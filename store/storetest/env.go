package storetest

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// env is a running case: the test, and the engine it is about.
type env struct {
	*testing.T
	cfg     Config
	variant Variant
	shared  *random // made at the first use
}

func newEnv(t *testing.T, cfg Config, v Variant) *env {
	return &env{T: t, cfg: cfg, variant: v}
}

// options returns the variant's options with CreateIfMissing set.
func (t *env) options() store.Options {
	o := t.variant.Options
	o.CreateIfMissing, o.ErrorIfExists, o.ReadOnly = true, false, false
	return o
}

func (t *env) openWith(path string, o store.Options) (store.DB, error) {
	open := t.cfg.Open
	if t.variant.Open != nil {
		open = t.variant.Open
	}
	db, err := open(t.T, path, o)
	if err != nil || len(t.variant.Namespaces) == 0 {
		return db, err
	}
	return t.inside(db, o), nil
}

// open opens the store at path and fails the test if it can't. The test closes
// it.
func (t *env) open(path string) store.DB {
	t.Helper()
	db, err := t.openWith(path, t.options())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return db
}

// path returns a path for a new store.
func (t *env) path() string { return filepath.Join(t.TempDir(), "db") }

// fresh returns a new, empty store, which is checked and closed with the test.
func (t *env) fresh() store.DB {
	t.Helper()
	return OpenTemp(t.T, t.openWith2, t.options())
}

func (t *env) openWith2(_ testing.TB, path string, o store.Options) (store.DB, error) {
	return t.openWith(path, o)
}

// OpenTemp opens a new store in a temporary folder. When the test ends it is
// closed, unless the test has done that, and the test fails if anything of it
// was left open.
func OpenTemp(t testing.TB, open Opener, o store.Options) store.DB {
	t.Helper()
	o.CreateIfMissing = true
	db, err := open(t, filepath.Join(t.TempDir(), "db"), o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Errorf("closing the store at the end of the test: %v", err)
		}
	})
	return db
}

// close closes db, which must have nothing open.
func (t *env) close(db store.DB) {
	t.Helper()
	t.must(db.Close(), "close")
}

// must ends the test if err is not nil.
func (t *env) must(err error, what string) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// wantKind checks that err is of the kind and tells where it comes from.
func (t *env) wantKind(err, kind error, what string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: got error %v, want one that is %q", what, err, kind)
		return
	}
	if err == store.ErrNotFound {
		return // bare on hot paths
	}
	var e *store.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: error %q is not a *store.Error", what, err)
		return
	}
	if e.Engine != t.cfg.Name || e.Op == "" || e.Path == "" {
		t.Errorf("%s: error %q has engine %q, op %q, path %q; want engine %q and none empty",
			what, err, e.Engine, e.Op, e.Path, t.cfg.Name)
	}
}

func (t *env) put(db store.Writer, key, value string) {
	t.Helper()
	t.must(db.Put([]byte(key), []byte(value), nil), "put")
}

func (t *env) iterator(r store.Reader, o *store.IterOptions) store.Iterator {
	t.Helper()
	it, err := r.NewIterator(o)
	t.must(err, "new iterator")
	return it
}

func (t *env) snapshot(db store.DB) store.Snapshot {
	t.Helper()
	s, err := db.NewSnapshot()
	t.must(err, "new snapshot")
	return s
}

func (t *env) release(s store.Snapshot) {
	t.Helper()
	t.must(s.Release(), "release")
}

func (t *env) closeIter(it store.Iterator) {
	t.Helper()
	t.must(it.Close(), "close iterator")
}

// wantGet checks that key has the value.
func (t *env) wantGet(r store.Reader, key, value string) {
	t.Helper()
	got, err := r.Get([]byte(key))
	if err != nil || got == nil || string(got) != value {
		t.Errorf("get %s: got %s, %v, want %s", show([]byte(key)), show(got), err, show([]byte(value)))
	}
}

// wantMissing checks that key is not there, by every method that looks one up.
func (t *env) wantMissing(r store.Reader, key string) {
	t.Helper()
	k := []byte(key)
	if v, err := r.Get(k); v != nil || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("get %s: got %s, %v, want nil, not found", show(k), show(v), err)
	}
	if v, err := r.AppendGet([]byte("dst"), k); string(v) != "dst" || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("append get %s: got %s, %v, want the destination as it was, not found", show(k), show(v), err)
	}
	if ok, err := r.Has(k); ok || err != nil {
		t.Errorf("has %s: got %v, %v, want false, nil", show(k), ok, err)
	}
	var vs store.Values
	if err := r.MultiGet([][]byte{k}, &vs); err != nil || vs.Len() != 1 {
		t.Errorf("multiget %s: %d results, %v, want 1, nil", show(k), vs.Len(), err)
	}
	if v, ok := vs.At(0); ok || v != nil {
		t.Errorf("multiget %s: got %s, %v, want nil, false", show(k), show(v), ok)
	}
}
