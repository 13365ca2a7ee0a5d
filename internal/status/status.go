// Package status reads the text of an engine's status. Only text crosses the
// C API of LevelDB and RocksDB; here, and nowhere else, it is told apart.
package status

import (
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// prefixes are how Status::ToString of the two engines begins, with what
// follows the code in RocksDB (the subcode) where that says more.
var prefixes = []struct {
	text string
	kind error
}{
	{"IO error: No space left on device", store.ErrNoSpace},
	{"IO error: Space limit reached", store.ErrNoSpace},
	{"Resource busy: Deadlock", store.ErrDeadlock},
	{"Resource busy: ", store.ErrConflict},
	{"Operation timed out: ", store.ErrTimeout},
	{"Operation expired: ", store.ErrTimeout},
	{"Operation failed. Try again.: ", store.ErrConflict},
	{"NotFound: ", store.ErrNotFound},
	{"Corruption: ", store.ErrCorruption},
	{"Not implemented: ", store.ErrNotSupported},
	{"Invalid argument: ", store.ErrInvalidArgument},
	{"IO error: ", store.ErrIO},
	{"Result incomplete: ", store.ErrBusy},
	{"Shutdown in progress: ", store.ErrClosed},
}

// noSpace is how strerror says ENOSPC and EDQUOT; LevelDB has it at the end.
var noSpace = []string{"No space left on device", "Disk quota exceeded"}

// damage is how errors of the system end that mean a table which is cut short
// (LevelDB reads beyond its end) or gone.
var damage = []string{
	".ldb: Invalid argument", ".sst: Invalid argument",
	".ldb: No such file or directory", ".sst: No such file or directory",
}

// openTexts tell apart what the engines report when a store is opened under a
// code that says too little.
var openTexts = []struct {
	text string
	kind error
}{
	{"does not match existing comparator", store.ErrIncompatible},
	{"Column families not opened", store.ErrIncompatible},
	{"Column family not found", store.ErrIncompatible},
	{"is not linked with the binary", store.ErrNotSupported},
	{"already held by process", store.ErrLocked},
	{"lock hold by current process", store.ErrLocked},
}

// Kind returns the kind of error that an engine's text tells: one of store's
// sentinels, ErrUnknown for a text of no known form.
func Kind(text string) error {
	for _, p := range prefixes {
		if !strings.HasPrefix(text, p.text) {
			continue
		}
		if p.kind == store.ErrIO || p.kind == store.ErrNotFound {
			return system(text, p.kind)
		}
		return p.kind
	}
	return store.ErrUnknown
}

// system tells errors of the operating system apart, which LevelDB reports as
// IO errors, and as NotFound for a file that is gone.
func system(text string, kind error) error {
	for _, s := range noSpace {
		if strings.Contains(text, s) {
			return store.ErrNoSpace
		}
	}
	for _, s := range damage {
		if strings.HasSuffix(text, s) {
			return store.ErrCorruption
		}
	}
	return kind
}

// OpenKind is Kind for an error of opening a store.
func OpenKind(text string) error {
	for _, o := range openTexts {
		if strings.Contains(text, o.text) {
			return o.kind
		}
	}
	// The lock is held by another process: "lock PATH/LOCK: Resource
	// temporarily unavailable" (LevelDB), "While lock file: ..." (RocksDB).
	if strings.Contains(text, "lock") && strings.Contains(text, "LOCK: Resource temporarily unavailable") {
		return store.ErrLocked
	}
	return Kind(text)
}
