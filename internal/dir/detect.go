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
// readable MANIFEST, are ErrCorruption; the engine is returned all the same if
// something gives it away. It opens CURRENT and MANIFEST files only, and changes
// nothing. The store may be in use.
func Detect(path string) (engine string, err error) {
	at, e := resolve(path)
	if e == nil && len(at.missing) == 0 {
		engine, e = detect(at.path)
	}
	return engine, during("", "detect", path, e)
}

// detect is Detect for a folder that exists.
func detect(path string) (string, *store.Error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", readError(err)
	}
	var s signs
	for _, e := range entries {
		if !e.IsDir() {
			s.add(e.Name())
		}
	}
	text, e := readCurrent(path)
	switch {
	case e != nil:
		return s.guess(path), e
	case text == "" && s.data == "":
		return "", nil
	case text == "":
		return s.guess(path), fail(store.ErrCorruption, "there is "+s.data+", but no CURRENT", nil)
	}
	engine, e := s.owner(path, text)
	if e != nil {
		return s.guess(path), e
	}
	return engine, nil
}

// signs are what the names in a folder tell.
type signs struct {
	rocksDB  bool   // OPTIONS, IDENTITY or a blob file is there
	ldb      bool   // a table with the ending that only LevelDB gives is there
	data     string // a file that must not be there without CURRENT
	manifest string // the MANIFEST with the highest number
	highest  uint64
}

// add takes a name by RocksDB's rules, which include LevelDB's.
func (s *signs) add(name string) {
	r, n := classify(rocksDB, name)
	switch r {
	case options, identity, blob:
		s.rocksDB = true
	case table:
		s.ldb = s.ldb || strings.HasSuffix(name, ".ldb")
	case manifest:
		if n >= s.highest {
			s.manifest, s.highest = name, n
		}
	}
	if r.holdsData() {
		s.data = name
	}
}

// owner returns the engine of a store whose CURRENT holds text.
func (s *signs) owner(path, text string) (string, *store.Error) {
	for tries := 0; ; tries++ {
		name, ended := strings.CutSuffix(text, "\n")
		if r, _ := classify("", name); !ended || r != manifest {
			return "", fail(store.ErrCorruption, fmt.Sprintf("CURRENT holds %q, not the name of a MANIFEST", text), nil)
		}
		engine, err := s.readManifest(path, name)
		if err == nil {
			return engine, nil
		}
		// A store in use may have begun a new MANIFEST meanwhile.
		again, e := readCurrent(path)
		if e != nil {
			return "", e
		}
		if again == text || again == "" || tries == 10 {
			return "", damage("CURRENT names "+name, err)
		}
		text = again
	}
}

// guess returns the engine of a store that is damaged, or "" if nothing gives
// it away.
func (s *signs) guess(path string) string {
	switch {
	case s.rocksDB:
		return rocksDB
	case s.ldb:
		return levelDB
	case s.manifest != "":
		if engine, err := s.readManifest(path, s.manifest); err == nil {
			return engine
		}
	}
	return ""
}

// readManifest tells whose the MANIFEST is. If RocksDB is known to be the
// owner, its contents are for that engine to judge.
func (s *signs) readManifest(path, name string) (engine string, err error) {
	err = readRegular(filepath.Join(path, name), func(f io.Reader) error {
		if s.rocksDB {
			engine = rocksDB
			return nil
		}
		engine, err = manifestEngine(f)
		return err
	})
	return engine, err
}

// readCurrent returns what CURRENT holds, or "" if there is no CURRENT.
func readCurrent(path string) (string, *store.Error) {
	const longest = 64 // more than any name with a number takes
	var text []byte
	err := readRegular(filepath.Join(path, "CURRENT"), func(f io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(f, longest))
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", damage("CURRENT", err)
	case len(text) == 0:
		return "", fail(store.ErrCorruption, "CURRENT is empty", nil)
	}
	return string(text), nil
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
