package status

import (
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Each text that the engines were seen to report, or that their source says
// they do, is of its kind; what nobody knows is unknown, never guessed.
func TestKind(t *testing.T) {
	for text, want := range map[string]error{
		"NotFound: ":                          store.ErrNotFound,
		"Corruption: block checksum mismatch": store.ErrCorruption,
		"Corruption: block checksum mismatch: stored = 1, computed = 2, type = 4  in /x/000009.sst":                        store.ErrCorruption,
		"IO error: /x/000003.log: No space left on device":                                                                 store.ErrNoSpace,
		"IO error: No space left on device: While appending to file: /x/000004.log: No space left on device":               store.ErrNoSpace,
		"IO error: /x/000003.log: Disk quota exceeded":                                                                     store.ErrNoSpace,
		"IO error: /x/000003.log: Permission denied":                                                                       store.ErrIO,
		"IO error: While open a file for appending: /x":                                                                    store.ErrIO,
		"IO error: /x/000005.ldb: Invalid argument":                                                                        store.ErrCorruption,
		"NotFound: /x/000005.ldb: No such file or directory":                                                               store.ErrCorruption,
		"NotFound: /x/000005.log: No such file or directory":                                                               store.ErrNotFound,
		"IO error: No such file or directory: While open a file for random read: /x/000009.sst: No such file or directory": store.ErrCorruption,
		"Not implemented: ": store.ErrNotSupported,
		"Invalid argument: end key comes before start key":                        store.ErrInvalidArgument,
		"Operation timed out: Timeout waiting to lock key":                        store.ErrTimeout,
		"Resource busy: Deadlock":                                                 store.ErrDeadlock,
		"Resource busy: ":                                                         store.ErrConflict,
		"Operation failed. Try again.: Transaction could not check for conflicts": store.ErrConflict,
		"Result incomplete: Manual compaction paused":                             store.ErrBusy,
		"Shutdown in progress: ":                                                  store.ErrClosed,
		"":                                                                        store.ErrUnknown,
		"corruption: spelt otherwise":                                             store.ErrUnknown,
		"Something: that nobody knows":                                            store.ErrUnknown,
		"my value holds Corruption: no":                                           store.ErrUnknown,
	} {
		if got := Kind(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// Opening tells more apart.
func TestOpenKind(t *testing.T) {
	for text, want := range map[string]error{
		"IO error: lock /x/LOCK: Resource temporarily unavailable":                                               store.ErrLocked,
		"IO error: lock /x/LOCK: already held by process":                                                        store.ErrLocked,
		"IO error: While lock file: /x/LOCK: Resource temporarily unavailable":                                   store.ErrLocked,
		"IO error: lock hold by current process, acquire time 1 acquiring thread 2: /x/LOCK: No locks available": store.ErrLocked,
		"IO error: lock /x/LOCK: Permission denied":                                                              store.ErrIO,
		"Invalid argument: other does not match existing comparator leveldb.BytewiseComparator":                  store.ErrIncompatible,
		"Invalid argument: Column families not opened: a, b":                                                     store.ErrIncompatible,
		"Invalid argument: Compression type LZ4 is not linked with the binary.":                                  store.ErrNotSupported,
		"Corruption: CURRENT file does not end with newline":                                                     store.ErrCorruption,
	} {
		if got := OpenKind(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}
