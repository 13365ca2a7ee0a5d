package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
)

// checkApart refuses one folder for both stores, and one in the other.
func checkApart(from, to string) error {
	a, b := resolved(from), resolved(to)
	infoA, errA := os.Stat(from)
	infoB, errB := os.Stat(to)
	switch {
	case a == b || errA == nil && errB == nil && os.SameFile(infoA, infoB):
		return usageError("--from and --to are the same folder, %s", quoted(from))
	case within(a, b):
		return usageError("--to %s is in the folder of --from", quoted(to))
	case within(b, a):
		return usageError("--from %s is in the folder of --to", quoted(from))
	}
	return nil
}

// resolved returns the absolute path of a folder that need not be there, without
// links as far as it is.
func resolved(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for rest := ""; ; {
		if target, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(target, rest)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return filepath.Join(at, rest)
		}
		at, rest = parent, filepath.Join(filepath.Base(at), rest)
	}
}

// openSource opens a store to read it, read-only where the engine can.
func openSource(e *bench.Engine, path string) (store.DB, error) {
	db, err := e.Open(path, store.Options{ReadOnly: true})
	if errors.Is(err, store.ErrNotSupported) {
		return e.Open(path, store.Options{})
	}
	return db, err
}

// openDestination opens the store to copy to, which is new, or with resume may be
// there. A folder with something else in it is refused.
func openDestination(e *bench.Engine, path string, resume bool) (store.DB, error) {
	if !e.InMemory {
		if err := checkFolder(e, path); err != nil {
			return nil, err
		}
	}
	db, err := e.Open(path, store.Options{CreateIfMissing: true, ErrorIfExists: !resume})
	if !resume && errors.Is(err, store.ErrExists) {
		return nil, fmt.Errorf("%w (--resume goes on with a copy that was interrupted)", err)
	}
	return db, err
}

// checkFolder refuses a folder that has contents, but no store. Those that have a
// store are for Open to judge.
func checkFolder(e *bench.Engine, path string) error {
	if owner, err := e.Detect(path); owner != "" || err != nil {
		return nil
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return nil // Open has better words for it
	}
	var names []string
	for _, entry := range entries[:min(len(entries), 3)] {
		names = append(names, report.OneLine(entry.Name()))
	}
	if more := len(entries) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%s is no store, and not empty: %s", path, strings.Join(names, ", "))
}
