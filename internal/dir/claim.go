package dir

import (
	"io/fs"
	"os"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// Mode says what an open wants of the folder.
type Mode struct {
	// Create: a store may be made where there is none, missing folders included.
	Create bool
	// ErrorIfExists refuses a store that is there.
	ErrorIfExists bool
	// ReadOnly: nothing is made or reserved, and Create is ignored.
	ReadOnly bool
	// Damaged accepts a store whose CURRENT or MANIFEST is missing or can't be
	// understood, for Repair and Destroy. It is refused still if something
	// gives it away as another engine's.
	Damaged bool
}

// A Claim is the right of one opener in this process to a folder. Its methods
// may be called by any goroutine.
type Claim struct {
	engine, op string
	path       string
	fresh      bool
	readOnly   bool
	made       []string    // folders that Acquire made, outermost first
	info       fs.FileInfo // device and inode

	// pin keeps the folder open: the inode of a folder that is removed
	// meanwhile can't come back as that of another one.
	pin *os.File

	mu       sync.Mutex
	released bool
	lockFile *os.File // LOCK, while LockFile's lock is held
}

// Acquire resolves path, refuses what must not be opened, and reserves the
// folder for this process until Release or Abandon. Its errors are of type
// *store.Error with engine, op and path as given:
//
//   - ErrInvalidArgument: the path is empty, has a NUL in it, or leads through
//     or to something that is no folder;
//   - ErrLocked: this process has reserved the folder for the same engine, by
//     this or another spelling, which is asked before the folder is looked into;
//     or another process has locked what looks damaged;
//   - ErrWrongEngine: the folder holds a store of another engine, or is
//     reserved for one; the message names it;
//   - ErrNotExist: there is no store, and none is to be made. Nothing is made;
//   - ErrExists: there is a store, and ErrorIfExists is set;
//   - ErrCorruption: as Detect tells, unless Damaged is set;
//   - ErrNoSpace, ErrIO: with the system's error.
//
// Missing folders are made with mode 0755 if a store may be made. A lock that
// another process has on the store is for the engine to find.
func Acquire(engine, op, path string, m Mode) (*Claim, error) {
	opening.Lock()
	defer opening.Unlock()
	c, e := acquire(engine, op, path, m)
	if e != nil {
		return nil, during(engine, op, path, e)
	}
	return c, nil
}

func acquire(engine, op, path string, m Mode) (*Claim, *store.Error) {
	if engine != levelDB && engine != rocksDB {
		return nil, fail(store.ErrInvalidArgument, "unknown engine", nil)
	}
	at, e := resolve(path)
	if e != nil {
		return nil, e
	}
	c := &Claim{engine: engine, op: op, path: at.path, readOnly: m.ReadOnly, fresh: true}
	if e := c.refuseHeld(); e != nil {
		return nil, e
	}
	create := m.Create && !m.ReadOnly
	if len(at.missing) > 0 {
		if !create {
			return nil, fail(store.ErrNotExist, at.missing[0]+" does not exist", nil)
		}
		if c.made, e = at.makeMissing(); e != nil {
			return nil, e
		}
	}
	if e := c.enter(m, create); e != nil {
		c.unpin()
		removeFolders(c.made)
		return nil, e
	}
	if m.ReadOnly {
		c.unpin()
	} else {
		register(c)
	}
	return c, nil
}

// enter opens the folder, which exists by now, and judges what is in it.
func (c *Claim) enter(m Mode, create bool) *store.Error {
	var err error
	if c.pin, err = os.Open(c.path); err != nil {
		return osError("", err)
	}
	if c.info, err = c.pin.Stat(); err != nil {
		return osError("", err)
	}
	if !c.info.IsDir() {
		return fail(store.ErrInvalidArgument, c.path+" is not a folder", nil)
	}
	if e := c.refuseHeld(); e != nil {
		return e
	}
	found, e := c.look()
	c.fresh = !found.store
	switch {
	case found.engine != "" && found.engine != c.engine:
		return wrongEngine(found.engine)
	case e != nil && !(m.Damaged && e.Kind == store.ErrCorruption):
		return e
	case c.fresh && !create:
		return fail(store.ErrNotExist, "", nil)
	case !c.fresh && m.ErrorIfExists:
		return fail(store.ErrExists, "", nil)
	}
	return nil
}

// look is detect for a folder that nothing else in this process has open. A
// store that another process is just repairing looks damaged: only if its lock
// is free the damage is real.
func (c *Claim) look() (finding, *store.Error) {
	found, e := detect(c.path)
	if e == nil || e.Kind != store.ErrCorruption || c.readOnly {
		return found, e
	}
	switch err := c.lock(0); {
	case err == nil:
		found, e = detect(c.path)
		c.unlock()
	case err.Kind == store.ErrLocked:
		e = err
	}
	return found, e
}

// refuseHeld refuses a folder that this process has reserved. A reader may open
// beside a writer of the same engine.
func (c *Claim) refuseHeld() *store.Error {
	other := held(c.path, c.info)
	switch {
	case other == nil:
		return nil
	case other.engine != c.engine:
		return wrongEngine(other.engine)
	case c.readOnly:
		return nil
	}
	return fail(store.ErrLocked, "this process has it open already", nil)
}

func wrongEngine(found string) *store.Error {
	return fail(store.ErrWrongEngine, "it is a store of "+found, nil)
}

// Path returns the resolved path, which is what the engine has to get.
func (c *Claim) Path() string { return c.path }

// Fresh tells whether there was no store in the folder.
func (c *Claim) Fresh() bool { return c.fresh }

// Release lets the reservation go, and the lock of LockFile with it. The engine
// must have closed the store. It may be repeated.
func (c *Claim) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.released {
		return
	}
	c.released = true
	c.unlock()
	unregister(c)
	c.unpin()
}

func (c *Claim) unpin() {
	if c.pin != nil {
		c.pin.Close()
		c.pin = nil
	}
}

// Abandon is Release for an open that failed. It also removes the folders that
// Acquire made, unless there is more in them now than the LOCK and LOG of the
// failed open, or another process has locked the store.
func (c *Claim) Abandon() {
	opening.Lock()
	defer opening.Unlock()
	c.clear()
	c.Release()
}

// clear removes what Acquire and a failed open made.
func (c *Claim) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	// If another process made the innermost folder, it is not ours to clear.
	if c.released || len(c.made) == 0 || c.made[len(c.made)-1] != c.path {
		return
	}
	entries, err := os.ReadDir(c.path)
	if err != nil {
		return
	}
	for _, e := range entries {
		if r, _ := classify(c.engine, e.Name()); e.IsDir() || r != infoLog && r != lock {
			return
		}
	}
	if len(entries) > 0 {
		// With the lock, LOCK is not another process's that has just begun.
		if c.lockFile == nil && c.lock(os.O_CREATE) != nil {
			return
		}
		for _, e := range entries {
			os.Remove(c.path + "/" + e.Name())
		}
		os.Remove(c.path + "/LOCK")
	}
	removeFolders(c.made)
}
