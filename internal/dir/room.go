package dir

import (
	"os"
	"syscall"

	"github.com/lsmkit/lsmkit/store"
)

// Room returns nil if a file of n bytes more can be written in the folder now, as
// far as the system tells: ErrNoSpace if there is less room, and another error if
// nothing can be written there at all.
func Room(path string, n int64) error {
	return during("", "room", path, room(path, n))
}

func room(path string, n int64) *store.Error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return osError("", err)
	}
	free := int64(fs.Bavail)
	if os.Geteuid() == 0 { // who may have what is kept back for him
		free = int64(fs.Bfree)
	}
	if free*int64(fs.Bsize) < n {
		return fail(store.ErrNoSpace, "", syscall.ENOSPC)
	}
	if err := reserve(path, n); err != nil {
		return osError("", err)
	}
	return nil
}

// LogBytes adds up the sizes of the n.log files in the folder.
func LogBytes(path string) (int64, error) {
	logs, err := logNumbers(path)
	if err != nil {
		return 0, during("", "log size", path, readError(err))
	}
	var sum int64
	for _, l := range logs {
		if info, err := os.Stat(path + "/" + l.name); err == nil { // else it is gone meanwhile
			sum += info.Size()
		}
	}
	return sum, nil
}
