package storetest

import (
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Disk is what RunDisk has to know of an engine. Variants and InMemory of its
// Config are not used.
type Disk struct {
	Config

	// Other opens stores of another engine, named OtherName, which must be told
	// apart.
	Other     Opener
	OtherName string

	// Repair and Destroy are the engine's package functions.
	Repair  func(path string, o store.Options) error
	Destroy func(path string) error

	// OpenWALBuffer opens stores that can do store.WALBuffered. Nil is an engine
	// without such, which must say ErrNotSupported.
	OpenWALBuffer Opener

	// Codecs are those that the engine has. It must say ErrNotSupported for the
	// others.
	Codecs []store.Compression

	// Interrupts tells that Compact can be stopped by its context.
	Interrupts bool

	// MendsLog tells that writes go on by themselves after one to the log has
	// failed. Otherwise they may be refused until the store is reopened.
	MendsLog bool
}

// RunDisk holds an engine to what its stores must do in their folders: damage,
// full disks, kills, foreign stores, compression, repair, memory and
// descriptors. It is the second half of Run, for engines with files, and takes
// longer. Most cases run in a child process.
func RunDisk(t *testing.T, d Disk) {
	for _, c := range diskCases() {
		t.Run(c.name, func(t *testing.T) {
			run := func(t *testing.T) { c.run(&diskEnv{newEnv(t, d.Config, Variant{}), d}) }
			if c.crash {
				Child(t, run)
				return
			}
			run(t)
		})
	}
}

// diskEnv is a running case of RunDisk.
type diskEnv struct {
	*env
	engine Disk
}

type diskCase struct {
	name  string
	run   func(t *diskEnv)
	crash bool // runs in a child process; others start processes themselves
}

func diskCases() []diskCase {
	var all []diskCase
	for _, topic := range [][]diskCase{
		damageCases(), logCases(), goneCases(), foreignCases(), fullCases(), unwritableCases(), tornCases(), codecCases(), repairCases(), memoryCases(), resourceCases(), lockCases(), compactCases(), rangeDeleteCases(),
		walCases(), copyCases(),
	} {
		all = append(all, topic...)
	}
	return all
}

// openO opens the store at path with options, made if missing, and fails the
// test if it can't. The test closes it.
func (t *diskEnv) openO(path string, o store.Options) store.DB {
	t.Helper()
	o.CreateIfMissing = true
	db, err := t.openWith(path, o)
	t.must(err, "open")
	return db
}

// Incompatible checks that the store at path is refused as ErrIncompatible with
// an error that has all the words, and that nothing in its folder changes.
func (d Disk) Incompatible(t *testing.T, path string, words ...string) {
	t.Helper()
	env := &diskEnv{newEnv(t, d.Config, Variant{}), d}
	state := FolderState(t, path)
	for range 2 {
		for _, o := range []store.Options{{}, {CreateIfMissing: true}, {ParanoidChecks: store.On}} {
			db, err := env.openWith(path, o)
			if db != nil {
				t.Fatal("the store was opened")
			}
			env.wantKind(err, store.ErrIncompatible, "open")
			for _, w := range words {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("error %v does not name %s", err, w)
				}
			}
			SameFolder(t, path, state, "refused")
		}
	}
}
