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
// to no store, are LOG and LOCK alone, or are what an engine leaves that was
// ended while it made a new store and had not come to CURRENT.
//
// Tables, logs or any other MANIFEST without CURRENT, or a CURRENT that names no
// readable MANIFEST, are ErrCorruption; the engine is returned all the same if
// something gives it away. It opens CURRENT and MANIFEST files only, and changes
// nothing. The store may be in use.
func Detect(path string) (engine string, err error) {
	at, e := resolve(path)
	if e != nil || len(at.missing) > 0 {
		return "", during("", "detect", path, e)
	}
	found, e := detect(at.path)
	if !found.store {
		found.engine = ""
	}
	return found.engine, during("", "detect", path, e)
}

// A finding is what is in a folder.
type finding struct {
	// store tells that there is one, damaged or not.
	store bool
	// engine is the one that wrote it, or that has begun to make a store; "" if
	// nothing gives it away.
	engine string
}

// detect looks into a folder that exists. What it finds is told with an error
// as well.
func detect(path string) (finding, *store.Error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return finding{}, readError(err)
	}
	var s signs
	for _, e := range entries {
		if !e.IsDir() {
			s.add(e.Name())
		}
	}
	text, e := readCurrent(path)
	if e == nil && text == "" {
		if e = s.refuseNew(path); e == nil {
			return finding{engine: s.begunBy()}, nil
		}
	}
	if e != nil {
		return finding{store: true, engine: s.guess(path)}, e
	}
	engine, e := s.owner(path, text)
	if e != nil {
		engine = s.guess(path)
	}
	return finding{store: true, engine: engine}, e
}

// signs are what the names in a folder tell.
type signs struct {
	rocksDB  bool   // OPTIONS, IDENTITY or a blob file is there
	ldb      bool   // a table with the ending that only LevelDB gives is there
	evidence string // a file that a store has only once it has a CURRENT
	manifest string // the MANIFEST with the highest number
	highest  uint64
}

// add takes a name by RocksDB's rules, which include LevelDB's.
func (s *signs) add(name string) {
	r, n := classify(rocksDB, name)
	switch r {
	case table, writeLog, blob:
		s.evidence = name
		s.rocksDB = s.rocksDB || r == blob
		s.ldb = s.ldb || strings.HasSuffix(name, ".ldb")
	case options, identity:
		s.rocksDB = true
	case manifest:
		if n >= s.highest {
			s.manifest, s.highest = name, n
		}
	}
	// Both engines begin a store with MANIFEST-000001, and RocksDB with IDENTITY
	// before that; then comes CURRENT. Its next MANIFEST has a higher number.
	if s.evidence == "" && (r == options || r == manifest && n != 1) {
		s.evidence = name
	}
}

// refuseNew returns an error if a folder without CURRENT holds what is left of
// a store, which the making of a new one would destroy.
func (s *signs) refuseNew(path string) *store.Error {
	if s.evidence == "" && s.manifest != "" {
		// It is one record, or what has come to the disk of it. Longer ones are
		// repair's.
		const longest = 512
		switch m, err := s.readManifest(path, s.manifest); {
		case errors.Is(err, errNoRecord):
		case err != nil:
			return damage("there is no CURRENT, and "+s.manifest, err)
		case m.size > longest || m.tables:
			s.evidence = s.manifest
		}
	}
	if s.evidence != "" {
		return fail(store.ErrCorruption, "there is "+s.evidence+", but no CURRENT", nil)
	}
	return nil
}

// begunBy returns the engine that has begun to make a store, as far as another
// one must not make a store there: LevelDB's would have RocksDB's IDENTITY.
func (s *signs) begunBy() string {
	if s.rocksDB {
		return rocksDB
	}
	return ""
}

// owner returns the engine of a store whose CURRENT holds text.
func (s *signs) owner(path, text string) (string, *store.Error) {
	for tries := 0; ; tries++ {
		name, ended := strings.CutSuffix(text, "\n")
		if r, _ := classify("", name); !ended || r != manifest {
			return "", fail(store.ErrCorruption, fmt.Sprintf("CURRENT holds %q, not the name of a MANIFEST", text), nil)
		}
		m, err := s.readManifest(path, name)
		if err == nil {
			return m.engine, nil
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
		if m, err := s.readManifest(path, s.manifest); err == nil {
			return m.engine
		}
	}
	return ""
}

// readManifest tells what a MANIFEST is. If other files give RocksDB away, its
// contents are for that engine to judge, and only its size is told.
func (s *signs) readManifest(path, name string) (m manifestInfo, err error) {
	err = readRegular(filepath.Join(path, name), func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		m.engine = rocksDB
		if !s.rocksDB {
			m, err = readManifest(f)
		}
		m.size = info.Size()
		return err
	})
	return m, err
}

// readCurrent returns what CURRENT holds, or "" if there is no CURRENT.
func readCurrent(path string) (string, *store.Error) {
	const longest = 64 // more than any name with a number takes
	var text []byte
	err := readRegular(filepath.Join(path, "CURRENT"), func(f *os.File) (err error) {
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
func readRegular(path string, read func(*os.File) error) error {
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
