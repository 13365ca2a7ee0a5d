package leveldb

import (
	"github.com/lsmkit/lsmkit/internal/status"
	"github.com/lsmkit/lsmkit/store"
)

// open opens a store with effective options. The error is the engine's text.
//
// LevelDB verifies index and filter blocks, and what compactions read, under
// paranoid_checks alone. Without it a damaged index or filter hides keys, and a
// compaction gives damaged blocks new checksums. VerifyChecksums promises better,
// and so switches it on.
//
// LevelDB then refuses damaged logs too, which is for ParanoidChecks to say. If
// that is off, such a store is opened as LevelDB does by default once, which moves
// what can be read of the logs to tables.
func open(path string, o *Options) (*engine, string) {
	e, text := openEngine(path, o, o.strict())
	if text == "" || !o.strict() || o.ParanoidChecks == store.On || status.Kind(text) != store.ErrCorruption {
		return e, text
	}
	if e, text = openEngine(path, o, false); text != "" {
		return nil, text
	}
	e.close()
	return openEngine(path, o, true)
}

// strict tells whether LevelDB's paranoid_checks is to be on, given effective
// options.
func (o *Options) strict() bool {
	return o.VerifyChecksums == store.On || o.ParanoidChecks == store.On
}
