package dir

import (
	"errors"
	"io/fs"
	"os"
	"sort"

	"github.com/lsmkit/lsmkit/store"
)

// isSubfolder tells whether stores of the engine have such a folder. RocksDB moves
// logs that are kept to archive; the repair of both engines moves to lost what it
// could not use.
func isSubfolder(engine, name string) bool {
	return name == "lost" || name == "archive" && engine == rocksDB
}

// Files lists what the folder holds: the names that belong to a store of the
// engine by that engine's own rules, and the foreign ones, both sorted. Names
// in the folders lost and archive have that folder before them ("lost/000005.log");
// the folder itself is listed as the store's if nothing foreign is in it. So
// removing own from its end to its start leaves no folder behind.
//
// A folder is never a store's file, whatever its name. No file is opened.
func Files(engine, path string) (own, others []string, err error) {
	own, others, e := files(engine, path)
	return own, others, during(engine, "files", path, e)
}

func files(engine, path string) (own, others []string, e *store.Error) {
	if engine != levelDB && engine != rocksDB {
		return nil, nil, fail(store.ErrInvalidArgument, "unknown engine", nil)
	}
	err := eachFile(engine, path, func(name string, _ fs.DirEntry, mine bool) {
		if mine {
			own = append(own, name)
		} else {
			others = append(others, name)
		}
	})
	if err != nil {
		return nil, nil, readError(err)
	}
	sort.Strings(own)
	sort.Strings(others)
	return own, others, nil
}

// eachFile calls visit for each name in the folder and in the store's own
// subfolders.
func eachFile(engine, path string, visit func(name string, e fs.DirEntry, mine bool)) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() {
			r, _ := classify(engine, name)
			visit(name, e, r != foreign)
			continue
		}
		if !isSubfolder(engine, name) {
			visit(name, e, false)
			continue
		}
		inside, err := os.ReadDir(path + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		mine := true
		for _, f := range inside {
			r, _ := classify(engine, f.Name())
			ours := r != foreign && !f.IsDir()
			visit(name+"/"+f.Name(), f, ours)
			mine = mine && ours
		}
		if mine {
			visit(name, e, true)
		}
	}
	return nil
}

// Size adds up the sizes of the store's files in the folder, logs and what lies
// in its subfolders included, by their names and stat alone. A file that goes
// away meanwhile counts nothing.
func Size(path string) (int64, error) {
	var sum int64
	var failed error
	// RocksDB's rules include LevelDB's.
	err := eachFile(rocksDB, path, func(_ string, e fs.DirEntry, mine bool) {
		if !mine || e.IsDir() {
			return
		}
		info, err := e.Info()
		switch {
		case err == nil:
			sum += info.Size()
		case !errors.Is(err, fs.ErrNotExist):
			failed = err
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, during("", "size", path, readError(err))
	}
	return sum, nil
}

// LogNumber returns the highest number of the n.log files in the folder, or 0
// if there are none.
func LogNumber(path string) (uint64, error) {
	logs, err := logNumbers(path)
	if err != nil {
		return 0, during("", "log number", path, readError(err))
	}
	if len(logs) == 0 {
		return 0, nil
	}
	return logs[len(logs)-1].number, nil
}

// readError returns the error of reading a folder.
func readError(err error) *store.Error {
	if errors.Is(err, fs.ErrNotExist) {
		return fail(store.ErrNotExist, "", err)
	}
	return osError("", err)
}
