package dir

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Destroy removes the store's files, as Files lists them, under the engine's own
// lock, and the folder if nothing else is in it. It returns the names that it
// has removed, in order. Foreign files stay: RocksDB's own DestroyDB takes any
// file whose name begins with LOG for its log. The claim has to be released
// afterwards as well.
//
// CURRENT goes first and LOCK last. A Destroy that was interrupted leaves what
// is ErrCorruption, never a store that lacks some of its data, and can be
// repeated with a claim that has Damaged set.
func (c *Claim) Destroy() (removed []string, err error) {
	unlock, err := c.LockFile()
	if err != nil {
		return nil, err
	}
	defer unlock()
	own, _, e := files(c.engine, c.path)
	if e != nil {
		return nil, during(c.engine, c.op, c.path, e)
	}
	for _, name := range removalOrder(own) {
		switch err := os.Remove(c.path + "/" + name); {
		case err == nil:
			removed = append(removed, name)
		case !errors.Is(err, fs.ErrNotExist):
			return removed, during(c.engine, c.op, c.path, osError("", err))
		}
	}
	removeFolders([]string{c.path})
	return removed, nil
}

// removalOrder puts CURRENT first, what tells the engine last but for LOCK, and
// folders after their files.
func removalOrder(own []string) []string {
	rank := func(name string) int {
		switch r, _ := classify(rocksDB, name); r {
		case current:
			return 0
		case manifest, options, identity:
			return 2
		case lock:
			return 3
		}
		return 1
	}
	slices.Reverse(own)
	slices.SortStableFunc(own, func(a, b string) int { return rank(a) - rank(b) })
	return own
}
