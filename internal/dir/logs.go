package dir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// CheckLogs looks through the logs that the engine is about to replay, and
// returns ErrCorruption, with the log and the place, for damage that has records
// behind it. The engines don't promise that: what LevelDB does about it hangs on
// paranoid_checks, RocksDB on wal_recovery_mode and paranoid_checks, and both pass
// over zeros, and over a record that claims to be longer than what is left of the
// file, with all that follows in the block of 32 KiB.
//
// And RocksDB 9.10 can read on for ever in a damaged log, or MANIFEST.
//
// A log may end in a record that was cut short, or in zeros behind a whole one,
// unless strict is set. Logs whose contents are in tables already are not looked
// at, whatever state they are in.
//
// ErrLocked is returned for damage if another process has the store open, and
// may be at work on what was read; ErrIO if a log can't be read. Each log is read
// once from start to end. The engine must not have the store open.
func (c *Claim) CheckLogs(strict bool) error {
	e := c.checkLogs(strict)
	return during(c.engine, c.op, c.path, e)
}

func (c *Claim) checkLogs(strict bool) *store.Error {
	if c.engine == rocksDB {
		if e := refuseEndless(c.path); e != nil {
			return e
		}
	}
	logs, err := logNumbers(c.path)
	if err != nil {
		return readError(err)
	}
	var live func(number uint64) bool // read at the first need
	for _, l := range logs {
		fault, err := checkLog(filepath.Join(c.path, l.name), l.number)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a writer beside this reader has removed it
		case err != nil:
			return osError(l.name, err)
		case fault == nil || fault.torn && !strict:
			continue
		}
		if live == nil {
			live = liveLogs(c.engine, c.path)
		}
		if !live(l.number) {
			continue
		}
		if e := c.lockedElsewhere(); e != nil {
			return e
		}
		return fail(store.ErrCorruption, fmt.Sprintf("%s, byte %d: %s", l.name, fault.offset, fault.what), nil)
	}
	return nil
}

// lockedElsewhere returns an error if another process has the store open.
func (c *Claim) lockedElsewhere() *store.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.readOnly || c.lockFile != nil {
		return nil
	}
	e := c.lock(0)
	if e == nil {
		c.unlock()
	}
	if e != nil && e.Kind == store.ErrLocked {
		return e
	}
	return nil
}

// logFile is a file n.log.
type logFile struct {
	name   string
	number uint64
}

// logNumbers lists the logs in a folder by their numbers.
func logNumbers(path string) ([]logFile, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var logs []logFile
	for _, e := range entries {
		if r, n := classify("", e.Name()); r == writeLog && !e.IsDir() {
			logs = append(logs, logFile{e.Name(), n})
		}
	}
	slices.SortFunc(logs, func(a, b logFile) int { return cmp.Compare(a.number, b.number) })
	return logs, nil
}

// checkLog looks for a fault in one log.
func checkLog(path string, number uint64) (fault *logFault, err error) {
	err = readRegular(path, func(f *os.File) error {
		fault, err = scanLog(f, number)
		return err
	})
	return fault, err
}
