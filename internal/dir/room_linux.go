package dir

import (
	"errors"
	"os"
	"syscall"
)

// reserve allocates n bytes in the folder and gives them back: quotas, and file
// systems that have become read-only, are not to be seen otherwise. The file has a
// name that engines give to temporary ones, and remove.
func reserve(path string, n int64) (err error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err == nil && uint64(n) > limit.Cur {
		return nil // the try would be answered with a signal
	}
	name := path + "/000000.dbtmp"
	os.Remove(name) // of a process that died here
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(name)
	defer f.Close()
	for {
		err = syscall.Fallocate(int(f.Fd()), 0, 0, n)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}
