package bench

import (
	"cmp"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// Engine describes an engine to the measuring core. The caller makes the
// table; this package imports no engine.
type Engine struct {
	// Name is the engine's name on the command line and in the record.
	Name string
	// Version returns the version that the library reports of itself.
	Version func() string
	// Build tells how the library was compiled: BuildStock or BuildTuned, a blank,
	// the compiler and its flags; empty if nobody knows. Nil for an engine that is
	// no library.
	Build func() string

	// Open opens the store in the folder path with the options given.
	// CreateIfMissing is set when a new store may be made.
	Open func(path string, o store.Options) (store.DB, error)
	// Destroy removes the files of the store in the folder path, and the folder
	// if that leaves it empty. Files and folders that don't belong to the store
	// stay. A folder that is missing or holds no store may be an error that is
	// store.ErrNotExist. Nil for an engine whose stores end when they are closed.
	Destroy func(path string) error
	// Detect returns the name of the engine, this one or another, whose store is
	// in the folder path; empty if there is none, or no folder. A damaged store may
	// come with an error beside the name. Nil for an engine without files.
	Detect func(path string) (string, error)

	// Stock are the options of ProfileStock: what upstream ships. The zero value
	// means the engine's own defaults.
	Stock store.Options
	// Effective returns what the engine makes of o: the options in effect after
	// defaults and clipping, and those that it doesn't let set (level sizes,
	// triggers, threads …) for the header. Options that the engine can't do are
	// an error that is store.ErrNotSupported. It touches no file.
	Effective func(o store.Options) (eff store.Options, fixed OptionList, err error)

	// ReadBack opens a store of its own with o, for a moment and in a folder of
	// temporary files, and returns what the library itself says. Nil for an engine
	// that says nothing.
	ReadBack func(o store.Options) (Told, error)
	// Slow returns what makes the engine's library slower than a release build of
	// it, such as assertions; empty if nothing is known to. Nil is the same.
	Slow func() string
	// Trim gives memory that the library has freed back to the system; Go does so
	// with its own. Nil where there is nothing to do.
	Trim func()

	// StatsProperty is the name of the property that has the engine's own
	// statistics as text; empty if there is none.
	StatsProperty string
	// InMemory: the engine has no files; the path is no more than a name.
	InMemory bool
	// Discards: the engine keeps nothing of what is written (the null engine).
	// Nothing is read back, no rate is implausible, and open is skipped.
	Discards bool
	// CompactInterruptible: a compaction ends soon after its context does.
	CompactInterruptible bool

	// TablesProperty is the name of the property that lists the table files as
	// text; empty if there is none.
	TablesProperty string
	// Stall returns the time for which the engine has held writes up since the
	// store was opened; false if it doesn't tell. Nil is the same.
	Stall func(db store.DB) (time.Duration, bool)
	// NotTold says of fields of rows, by their name in JSON, why this engine
	// doesn't tell them.
	NotTold map[string]string

	// label is what rows call it, where that is not its name.
	label string
}

// Told is what a library says of itself.
type Told struct {
	// Options are those in effect, by the names of the header. They go before what
	// Effective has said.
	Options OptionList
	// Codecs are the names of those that the library was built with.
	Codecs []string
}

// Kinds of builds.
const (
	BuildStock  = "stock"  // as its makers' releases are
	BuildTuned  = "tuned"  // profile-guided, for what benchmarks do
	BuildSystem = "system" // not by this project: the system's library, or one's own
)

// Build is how a library was compiled.
type Build struct {
	Kind string `json:"kind"`
	// Flags are the compiler, its version and its flags, where they are known.
	Flags string `json:"flags,omitempty"`
}

// String is the build in one line; of nil it is that nobody knows.
func (b *Build) String() string {
	if b == nil {
		return "unknown"
	}
	return strings.TrimSpace(b.Kind + " " + b.Flags)
}

// Compiled tells how the engine's library was compiled; nil if it has none.
func (e *Engine) Compiled() *Build {
	if e.Build == nil {
		return nil
	}
	kind, flags, _ := strings.Cut(e.Build(), " ")
	return &Build{cmp.Or(kind, BuildSystem), flags}
}

// title returns what rows call the engine.
func (e *Engine) title() string {
	if e.label != "" {
		return e.label
	}
	return e.Name
}
