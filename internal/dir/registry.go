package dir

import (
	"io/fs"
	"os"
	"sync"
)

// The registry has the folders that this process has reserved, for both
// engines. The engines' own tables go by the spelling of the path, and by
// engine.
var registry struct {
	sync.Mutex
	claims []*Claim
}

// opening is held by Acquire and Abandon for their whole time, so that no two
// of them make, judge and remove the same folders at once. Release does not
// need it, and never waits for a slow disk.
var opening sync.Mutex

// held returns the claim on a folder by its path or, if info is not nil, by its
// device and inode, or nil.
func held(path string, info fs.FileInfo) *Claim {
	registry.Lock()
	defer registry.Unlock()
	for _, c := range registry.claims {
		if c.path == path || info != nil && os.SameFile(c.info, info) {
			return c
		}
	}
	return nil
}

func register(c *Claim) {
	registry.Lock()
	defer registry.Unlock()
	registry.claims = append(registry.claims, c)
}

func unregister(c *Claim) {
	registry.Lock()
	defer registry.Unlock()
	for i, have := range registry.claims {
		if have == c {
			last := len(registry.claims) - 1
			registry.claims[i] = registry.claims[last]
			registry.claims[last] = nil
			registry.claims = registry.claims[:last]
			return
		}
	}
}
