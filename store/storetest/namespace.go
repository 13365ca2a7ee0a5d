package storetest

import (
	"bytes"
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// maxKeySize is the length of the longest key, which in a namespace is less than
// in the store.
func (t *env) maxKeySize() int { return store.MaxKeySize - len(t.prefix()) }

// prefix is what the keys of the stores that are tested have before them in the
// store below.
func (t *env) prefix() []byte { return bytes.Join(t.variant.Namespaces, nil) }

// A tenant is the innermost of the variant's namespaces of a store, which it
// takes for its own. The store has entries of others all around it, which must
// never be seen, nor changed.
type tenant struct {
	store.DB
	t      *env
	levels []store.DB // the store and its namespaces, the innermost last
	others []row
}

// inside returns the innermost namespace of db. Closing it closes db.
func (t *env) inside(db store.DB, o store.Options) store.DB {
	x := &tenant{t: t, levels: []store.DB{db}, others: t.neighbours()}
	for _, e := range x.others {
		if !o.ReadOnly {
			t.must(db.Put(e.k, e.v, nil), "put of a neighbour's entry")
		}
	}
	for _, prefix := range t.variant.Namespaces {
		given := bytes.Clone(prefix)
		n, err := store.Namespace(x.levels[len(x.levels)-1], given)
		t.must(err, "namespace")
		clear(given)
		x.levels = append(x.levels, n)
	}
	x.DB = x.levels[len(x.levels)-1]
	return x
}

// neighbours returns entries just outside of the namespace.
func (t *env) neighbours() []row {
	prefix := t.prefix()
	last := len(prefix) - 1
	before := append(bytes.Clone(prefix[:last]), prefix[last]-1, 0xff, 0xff)
	keys := [][]byte{{}, prefix[:last], before[:last+1], before}
	if end := store.PrefixEnd(prefix); end != nil {
		keys = append(keys, end, append(bytes.Clone(end), 0), []byte{0xff, 0xff, 0xff})
	}
	all := make([]row, len(keys))
	for i, k := range keys {
		all[i] = row{k, []byte("a neighbour's")}
	}
	return all
}

// Close closes the namespace, and then all below it. What was left open in the
// one is left open in the others.
func (x *tenant) Close() error {
	err := x.DB.Close()
	if errors.Is(err, store.ErrClosed) {
		return err
	}
	for i := len(x.levels) - 2; i >= 0; i-- {
		db := x.levels[i]
		for _, e := range x.others {
			if i == 0 {
				x.t.wantGet(db, string(e.k), string(e.v))
			}
		}
		if below := db.Close(); below != nil && !(errors.Is(err, store.ErrLeaked) && errors.Is(below, store.ErrLeaked)) {
			x.t.Errorf("closing what the namespace is in: %v", below)
		}
	}
	return err
}
