// Package engines opens stores by the name of their engine. It is an explicit
// table: importing it links LevelDB and RocksDB. A program that needs one of
// them only imports that engine's package instead.
package engines

import (
	"fmt"
	"strings"

	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// engine is a line of the table.
type engine struct {
	name string
	open func(path string, o store.Options) (store.DB, error)
}

var table = []engine{
	{"leveldb", openLevelDB},
	{"rocksdb", openRocksDB},
}

// Names returns the names of all engines.
func Names() []string {
	names := make([]string, len(table))
	for i, e := range table {
		names[i] = e.name
	}
	return names
}

// Open opens the store in the folder path with the engine of that name. Nil
// options are the zero value; they are only read. An unknown name is
// ErrInvalidArgument, and nothing is touched. All else is as the engine's own
// Open has it. The result is a *leveldb.DB or a *rocksdb.DB.
func Open(name, path string, o *store.Options) (store.DB, error) {
	if o == nil {
		o = &store.Options{}
	}
	for _, e := range table {
		if e.name == name {
			return e.open(path, *o)
		}
	}
	return nil, &store.Error{
		Op: "open", Path: path, Kind: store.ErrInvalidArgument,
		Msg: fmt.Sprintf("unknown engine %q; there are %s", name, strings.Join(Names(), ", ")),
	}
}

// Detect returns the name of the engine whose store is in the folder path, or
// "" if there is none: the folder is missing, empty, or holds something else.
// It opens no store, changes nothing, and may be called while the store is in
// use. A damaged store is ErrCorruption, with the engine's name if something
// gives it away.
func Detect(path string) (name string, err error) { return dir.Detect(path) }

// The two below keep a nil *DB from becoming a store.DB that is not nil.

func openLevelDB(path string, o store.Options) (store.DB, error) {
	db, err := leveldb.Open(path, &leveldb.Options{Options: o})
	if err != nil {
		return nil, err
	}
	return db, nil
}

func openRocksDB(path string, o store.Options) (store.DB, error) {
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: o})
	if err != nil {
		return nil, err
	}
	return db, nil
}
