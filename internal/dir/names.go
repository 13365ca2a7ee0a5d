package dir

import (
	"strconv"
	"strings"
)

// The names of the engines.
const (
	levelDB = "leveldb"
	rocksDB = "rocksdb"
)

// A role is what a file of a store is for.
type role uint8

const (
	foreign   role = iota // belongs to no store
	current               // CURRENT, which names the MANIFEST in use
	lock                  // LOCK
	infoLog               // LOG and its predecessors: text for people
	manifest              // MANIFEST-n
	writeLog              // n.log
	table                 // n.ldb, n.sst
	blob                  // n.blob
	identity              // IDENTITY
	options               // OPTIONS-n
	temporary             // n.dbtmp, OPTIONS-n.dbtmp, n.sst.trash and the like
	metaDB                // METADB-n, which old versions of RocksDB wrote
)

// classify returns the role of a file in a folder of the engine, and the number
// in its name. It is what ParseFileName is in the engines (db/filename.cc,
// file/filename.cc).
func classify(engine, name string) (role, uint64) {
	switch name {
	case "CURRENT":
		return current, 0
	case "LOCK":
		return lock, 0
	case "LOG", "LOG.old":
		return infoLog, 0
	}
	if n, ok := number(strings.CutPrefix(name, "MANIFEST-")); ok {
		return manifest, n
	}
	if stem, ext, ok := strings.Cut(name, "."); ok {
		if n, ok := number(stem, true); ok {
			if r := byExtension[ext]; r != foreign {
				return r, n
			}
		}
	}
	if engine == rocksDB {
		return classifyRocksDB(name)
	}
	return foreign, 0
}

var byExtension = map[string]role{"log": writeLog, "ldb": table, "sst": table, "dbtmp": temporary}

// classifyRocksDB knows the names that only RocksDB gives.
func classifyRocksDB(name string) (role, uint64) {
	if name == "IDENTITY" {
		return identity, 0
	}
	if n, ok := number(strings.CutPrefix(name, "LOG.old.")); ok {
		return infoLog, n
	}
	if n, ok := number(strings.CutPrefix(name, "METADB-")); ok {
		return metaDB, n
	}
	if n, ok := number(strings.CutSuffix(name, ".blob")); ok {
		return blob, n
	}
	if rest, ok := strings.CutPrefix(name, "OPTIONS-"); ok {
		if n, ok := number(rest, true); ok {
			return options, n
		}
		if n, ok := number(strings.CutSuffix(rest, ".dbtmp")); ok {
			return temporary, n
		}
	}
	// A file that waits for its rate-limited deletion (file/delete_scheduler.cc),
	// with a count if there were several of the name: 000012.sst1.trash.
	if stem, ok := strings.CutSuffix(name, ".trash"); ok {
		switch r, n := classify(rocksDB, strings.TrimRight(stem, "0123456789")); r {
		case table, writeLog, blob:
			return temporary, n
		}
	}
	return foreign, 0
}

// number returns s as a number if found is set, s has digits only and it fits.
func number(s string, found bool) (uint64, bool) {
	if !found || s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}
