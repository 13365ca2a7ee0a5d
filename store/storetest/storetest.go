// Package storetest holds an engine to the contract of package store. An
// engine's own test is a few lines:
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, storetest.Config{
//			Name: "leveldb",
//			Open: func(t testing.TB, path string, o store.Options) (store.DB, error) {
//				db, err := leveldb.Open(path, &leveldb.Options{Options: o})
//				if err != nil {
//					return nil, err // a nil *leveldb.DB in a DB would not be nil
//				}
//				return db, nil
//			},
//			Variants: []storetest.Variant{
//				{Name: "default"},
//				{Name: "small", Options: store.Options{WriteBufferSize: 64 << 10}},
//			},
//			ZeroAllocs: true,
//		})
//	}
//
// Cases named A01, A02 and so on are required behaviours that were learned
// from faults of other bindings. A case that could end the process with a
// signal runs in a child process (see Child), so that a crash fails one test
// and not the run. Order is asserted and never sorted away, nothing sleeps, and
// random tests print their seed: set LSMKIT_SEED to repeat one.
package storetest

import (
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// An Opener opens the store at path. It must not return a typed nil as DB with
// an error.
type Opener func(t testing.TB, path string, o store.Options) (store.DB, error)

// Config says what is tested.
type Config struct {
	// Name is the engine's, as its errors and metrics carry it.
	Name string

	// Open opens a store with the given options.
	Open Opener

	// Variants are the option sets under which the whole suite runs. None is
	// one with all defaults.
	Variants []Variant

	// InMemory is for an engine without C and without files: nothing runs in a
	// child process, and what needs files is left out.
	InMemory bool

	// ReadOnly tells that the engine can open a store read-only. If not, it
	// must say ErrNotSupported.
	ReadOnly bool

	// ZeroAllocs tests that the hot calls allocate nothing.
	ZeroAllocs bool
}

// A Variant is a named set of options.
type Variant struct {
	// Name is that of the subtest.
	Name string

	// Options are what the suite opens stores with. It sets CreateIfMissing,
	// ErrorIfExists and ReadOnly itself.
	Options store.Options

	// Open, if not nil, takes the place of the Config's, for options that only
	// this engine has.
	Open Opener

	// WALBuffer tells that the store can do store.WALBuffered. If not, it must
	// say ErrNotSupported.
	WALBuffer bool

	// Namespaces, if any, make the suite run in a store.Namespace of the engine's
	// stores, with the first prefix, or in a namespace with the second prefix in
	// that, and so on.
	Namespaces [][]byte
}

// Namespaced returns v in namespaces: in one that has neighbours, in one without an
// end, and in namespaces of namespaces.
func Namespaced(v Variant) []Variant {
	var all []Variant
	for _, n := range []struct {
		name     string
		prefixes [][]byte
	}{
		{"namespace", [][]byte{[]byte("tenant/")}},
		{"namespace 0xFF", [][]byte{{0xff, 0xff}}},
		{"nested namespaces", [][]byte{[]byte("a"), {0xff}, []byte("key")}},
	} {
		in := v
		in.Name, in.Namespaces = strings.TrimPrefix(v.Name+", "+n.name, ", "), n.prefixes
		all = append(all, in)
	}
	return all
}

// testCase is one subtest.
type testCase struct {
	name string
	run  func(t *env)
	// crash marks a case in which a faulty engine is likely to end the process.
	crash bool
	// whole marks a case about figures of the whole store, which a namespace has
	// not for itself.
	whole bool
}

// Run runs the suite, each case as a subtest of its own below its variant.
func Run(t *testing.T, cfg Config) {
	variants := cfg.Variants
	if len(variants) == 0 {
		variants = []Variant{{Name: "default"}}
	}
	for _, v := range variants {
		t.Run(v.Name, func(t *testing.T) {
			for _, c := range allCases() {
				if c.whole && len(v.Namespaces) > 0 {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					run := func(t *testing.T) { c.run(newEnv(t, cfg, v)) }
					if c.crash && !cfg.InMemory {
						Child(t, run)
						return
					}
					run(t)
				})
			}
		})
	}
}

func allCases() []testCase {
	var all []testCase
	for _, topic := range [][]testCase{
		basicCases(), openCases(), iteratorCases(), walkCases(), batchCases(), rangeCases(),
		snapshotCases(), lifecycleCases(), closeCases(), crowdCases(), reopenCases(), argumentCases(),
		sizeCases(), randomCases(), allocCases(), poisonCases(), metricCases(), loggerCases(), traceCases(),
		bufferedCases(), durabilityCases(), acrossCases(),
	} {
		all = append(all, topic...)
	}
	return all
}
