package dir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lsmkit/lsmkit/store"
)

// maxLinks is the number of symbolic links after which Linux gives up.
const maxLinks = 40

// A location is a path as the system understands it.
type location struct {
	// path is absolute and has no links, dots or doubled slashes.
	path string
	// missing are the folders of path that do not exist, outermost first; the
	// last one is path itself. It is empty if path exists.
	missing []string
}

// resolve follows path as the system would (.. after a link leads to the
// parent of its target), beyond the point from which on nothing exists. All
// that exists on the way must be folders.
func resolve(path string) (location, *store.Error) {
	if path == "" {
		return location{}, fail(store.ErrInvalidArgument, "empty path", nil)
	}
	if strings.IndexByte(path, 0) >= 0 {
		return location{}, fail(store.ErrInvalidArgument, "NUL in the path", nil)
	}
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return location{}, osError("", err)
		}
		// Joining would clean the path, and take link/.. for nothing.
		path = wd + "/" + path
	}
	w := walk{at: "/", rest: strings.Split(path, "/")}
	for len(w.rest) > 0 {
		if err := w.step(); err != nil {
			return location{}, err
		}
	}
	return location{path: w.at, missing: w.missing}, nil
}

// A walk goes along a path.
type walk struct {
	at      string   // where it is; resolved
	rest    []string // the names to come
	missing []string // the folders on the way that are not there
	links   int      // how many were followed
}

func (w *walk) step() *store.Error {
	name := w.rest[0]
	w.rest = w.rest[1:]
	switch {
	case name == "" || name == ".":
		return nil
	case name == ".." && len(w.missing) > 0:
		return fail(store.ErrNotExist, w.missing[0]+" does not exist", nil)
	case name == "..":
		w.at = filepath.Dir(w.at)
		return nil
	}
	next := filepath.Join(w.at, name)
	if len(w.missing) > 0 {
		w.at, w.missing = next, append(w.missing, next)
		return nil
	}
	info, err := os.Lstat(next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.at, w.missing = next, append(w.missing, next)
		return nil
	case err != nil:
		return osError("", err)
	case info.IsDir():
		w.at = next
		return nil
	case info.Mode()&fs.ModeSymlink == 0:
		return fail(store.ErrInvalidArgument, next+" is not a folder", nil)
	}
	return w.follow(next)
}

// follow puts the target of a link before the names to come.
func (w *walk) follow(link string) *store.Error {
	if w.links++; w.links > maxLinks {
		return osError("", &fs.PathError{Op: "follow", Path: link, Err: syscall.ELOOP})
	}
	target, err := os.Readlink(link)
	if err != nil {
		return osError("", err)
	}
	if filepath.IsAbs(target) {
		w.at = "/"
	}
	w.rest = append(strings.Split(target, "/"), w.rest...)
	return nil
}

// makeMissing makes the folders of at that are missing, and returns those that
// it has made, outermost first. After an error there are none left of them.
func (at location) makeMissing() ([]string, *store.Error) {
	var made []string
	for _, folder := range at.missing {
		err := os.Mkdir(folder, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was quicker
		}
		if err == nil {
			made = append(made, folder)
			// A synced write survives the loss of power only if its folder does.
			err = syncFolder(filepath.Dir(folder))
		}
		if err != nil {
			removeFolders(made)
			return nil, osError("cannot make the folder "+folder, err)
		}
	}
	return made, nil
}

// removeFolders removes the folders that are empty, the last one first.
func removeFolders(folders []string) {
	for i := len(folders) - 1; i >= 0; i-- {
		if syscall.Rmdir(folders[i]) != nil {
			return
		}
	}
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // it may be written, but not be read
		}
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil // the file system syncs no folders
	}
	return err
}
