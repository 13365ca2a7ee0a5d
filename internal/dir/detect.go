package dir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Detect tells which engine's store is in the folder: "leveldb", "rocksdb", or
// "" if there is none: a missing folder, an empty one, or one whose files belong
// to no store, or are LOG and LOCK alone.
//
// Tables, logs or a MANIFEST without CURRENT, or a CURRENT that names no
// readable MANIFEST, are ErrCorruption; the engine is returned as well if
// something else gives it away. It opens CURRENT and the MANIFEST only, and
// changes nothing.
func Detect(path string) (engine string, err error) {
	at, e := resolve(path)
	if e == nil && len(at.missing) == 0 {
		engine, e = detect(at.path)
	}
	return engine, during("", "detect", path, e)
}

// detect is Detect for a folder that exists. RocksDB's rules for names include
// LevelDB's, and what tells RocksDB without opening anything.
func detect(path string) (string, *store.Error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", osError("", err)
	}
	var s signs
	for _, e := range entries {
		if !e.IsDir() {
			s.add(e.Name())
		}
	}
	if !s.current {
		if s.data == "" {
			return "", nil
		}
		return s.guess(), fail(store.ErrCorruption, "there is "+s.data+", but no CURRENT", nil)
	}
	name, e := readCurrent(path)
	if e != nil {
		return s.guess(), e
	}
	engine, e := readManifest(path, name, s.rocksDB)
	if e != nil {
		return s.guess(), e
	}
	return engine, nil
}

// signs are what the names in a folder tell.
type signs struct {
	current bool
	rocksDB bool   // OPTIONS, IDENTITY or a blob file is there
	ldb     bool   // a table with the ending that only LevelDB gives is there
	data    string // a file that a store needs CURRENT for
}

func (s *signs) add(name string) {
	r, _ := classify(rocksDB, name)
	switch r {
	case current:
		s.current = true
	case options, identity, blob:
		s.rocksDB = true
	case table:
		s.ldb = s.ldb || strings.HasSuffix(name, ".ldb")
	}
	if r.holdsData() {
		s.data = name
	}
}

// guess returns the engine of a store that is damaged, or "".
func (s *signs) guess() string {
	switch {
	case s.rocksDB:
		return rocksDB
	case s.ldb:
		return levelDB
	}
	return ""
}

// readCurrent returns the name of the MANIFEST in use.
func readCurrent(path string) (string, *store.Error) {
	const longest = 64 // more than any name with a number takes
	var text []byte
	err := readRegular(filepath.Join(path, "CURRENT"), func(f io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(f, longest))
		return err
	})
	if err != nil {
		return "", damage("CURRENT", err)
	}
	name, ended := strings.CutSuffix(string(text), "\n")
	if r, _ := classify("", name); !ended || r != manifest {
		return "", fail(store.ErrCorruption, fmt.Sprintf("CURRENT holds %q, not the name of a MANIFEST", text), nil)
	}
	return name, nil
}

// readManifest tells whose the MANIFEST is. If RocksDB is known to be the
// owner, its contents are for that engine to judge.
func readManifest(path, name string, known bool) (string, *store.Error) {
	engine := rocksDB
	err := readRegular(filepath.Join(path, name), func(f io.Reader) (err error) {
		if !known {
			engine, err = manifestEngine(f)
		}
		return err
	})
	if err != nil {
		return "", damage("CURRENT names "+name, err)
	}
	return engine, nil
}

var errIrregular = errors.New("not a regular file")

// readRegular opens a file for read. It does not open a pipe, which could wait
// for ever.
func readRegular(path string, read func(io.Reader) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errIrregular
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f)
}

// damage returns the error for a file that can't be read or understood. What
// the system refuses to show is not thereby damaged.
func damage(what string, err error) *store.Error {
	var refused *fs.PathError
	if errors.As(err, &refused) && !errors.Is(err, fs.ErrNotExist) {
		return osError(what, err)
	}
	return fail(store.ErrCorruption, what, err)
}
