package dir

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/lsmkit/lsmkit/store"
)

// LockFile takes the engine's own lock, as both engines do: F_SETLK for writing
// on the whole file LOCK, which is made if need be. It is for operations whose C
// code takes none, and keeps other processes out. The lock is held until unlock
// or Release; unlock may be repeated.
//
// It is ErrLocked if another process has the lock, or this claim, ErrClosed
// after Release, and ErrReadOnly for a read-only claim: closing LOCK would drop
// the lock of a writer in this process.
//
// The engine must not open the store between LockFile and unlock.
func (c *Claim) LockFile() (unlock func() error, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.lock(os.O_CREATE); e != nil {
		return nil, during(c.engine, c.op, c.path, e)
	}
	mine := c.lockFile
	return sync.OnceValue(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.lockFile != mine {
			return nil // Release has done it
		}
		if err := c.unlock(); err != nil {
			return during(c.engine, c.op, c.path, osError("", err))
		}
		return nil
	}), nil
}

// lock is LockFile with c.mu held. The flag may be os.O_CREATE.
func (c *Claim) lock(flag int) *store.Error {
	switch {
	case c.released:
		return fail(store.ErrClosed, "the folder has been released", nil)
	case c.readOnly:
		return fail(store.ErrReadOnly, "no lock for a reader", nil)
	case c.lockFile != nil:
		return fail(store.ErrLocked, "locked by this claim already", nil)
	}
	f, err := os.OpenFile(c.path+"/LOCK", os.O_RDWR|syscall.O_NONBLOCK|flag, 0o644)
	if err != nil {
		return osError("", err)
	}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart})
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
			return fail(store.ErrLocked, "another process has it open", nil)
		}
		return osError("", err)
	}
	c.lockFile = f
	return nil
}

// unlock drops the lock, if there is one, by closing its file.
func (c *Claim) unlock() error {
	if c.lockFile == nil {
		return nil
	}
	err := c.lockFile.Close()
	c.lockFile = nil
	return err
}
