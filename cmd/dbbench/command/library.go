package command

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// What computes a CRC32C.
const (
	checksumHardware = "crc32c (hardware)"
	checksumSoftware = "crc32c (software)"
)

// A linked library is one that this program has in it, or beside it: what its
// symbols tell of how it was compiled.
type linked struct {
	name string // libleveldb
	// debugSymbol is part of the name of a symbol that it has only with its
	// assertions compiled in.
	debugSymbol string
}

var (
	linkedLevelDB = linked{"libleveldb", "env_initialized_"}
	linkedRocksDB = linked{"librocksdb", "_ZN7rocksdb9SyncPoint11GetInstanceEv"}
)

// slow returns what makes the library slower than it need be. flags is how it was
// compiled, the compiler and its flags, empty if that is not known.
func (l linked) slow(flags string) string {
	if flags != "" {
		if why := slowFlags(flags); why != "" {
			return why
		}
	}
	if object := mapped(l.name); object != "" {
		return assertsImported(object)
	}
	if containsAny(ownSymbols(), l.debugSymbol) {
		return "it has its assertions in it"
	}
	return ""
}

// slowFlags says which of a release's flags are missing.
func slowFlags(flags string) string {
	words := strings.Fields(flags)
	var faults []string
	if !slices.Contains(words, "-DNDEBUG") {
		faults = append(faults, "compiled without -DNDEBUG")
	}
	level := ""
	for _, w := range words {
		if strings.HasPrefix(w, "-O") {
			level = w // the last one counts
		}
		if strings.HasPrefix(w, "-fsanitize") || w == "--coverage" || w == "-pg" {
			faults = append(faults, "compiled with "+w)
		}
	}
	switch level {
	case "-O2", "-O3", "-Ofast":
	case "":
		faults = append(faults, "compiled without -O2")
	default:
		faults = append(faults, "compiled with "+level)
	}
	return strings.Join(faults, ", ")
}

// assertsImported tells whether a shared object calls what a failed assertion
// calls.
func assertsImported(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err == nil && slices.ContainsFunc(symbols, func(s elf.ImportedSymbol) bool { return s.Name == "__assert_fail" }) {
		return filepath.Base(path) + " has its assertions in it"
	}
	return ""
}

// symbolsOf returns the names of the symbols that an object defines; none if it is
// stripped.
func symbolsOf(path string) []string {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			names = append(names, s.Name)
		}
	}
	return names
}

// Symbols of this program that tell something: that it has Google's crc32c in it,
// and that it has symbols and LevelDB at all.
const (
	symbolCRC32C  = "crc32c_extend"
	symbolLevelDB = "leveldb_open"
)

// ownSymbols are those of this program that tell something. It has many others, so
// that they are read once and no more of them are kept.
var ownSymbols = sync.OnceValue(func() []string {
	own, err := os.Executable()
	if err != nil {
		return nil
	}
	var telling []string
	for _, name := range symbolsOf(own) {
		for _, part := range []string{linkedLevelDB.debugSymbol, linkedRocksDB.debugSymbol, symbolCRC32C, symbolLevelDB} {
			if strings.Contains(name, part) {
				telling = append(telling, name)
			}
		}
	}
	return telling
})

// containsAny tells whether part is in one of the names.
func containsAny(names []string, part string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, part) })
}

// mapped returns the path of the shared library of that name in this process;
// empty if there is none.
func mapped(name string) string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	return mappedIn(string(maps), name)
}

func mappedIn(maps, name string) string {
	for line := range strings.Lines(maps) {
		i := strings.IndexByte(line, '/')
		if i < 0 {
			continue
		}
		if path := strings.TrimSpace(line[i:]); strings.HasPrefix(filepath.Base(path), name+".so") {
			return path
		}
	}
	return ""
}

// levelDBChecksum is what computes LevelDB's checksums: Google's library crc32c,
// if LevelDB was built with that, which uses the processor's instructions. It is
// empty if nothing tells. A library whose build is known is one of
// scripts/build-deps.sh, which builds without it.
func levelDBChecksum(build string) string {
	switch {
	case build != "":
		return checksumSoftware
	case mapped("libcrc32c") != "" || containsAny(ownSymbols(), symbolCRC32C):
		return checksumHardware
	case mapped(linkedLevelDB.name) != "" || containsAny(ownSymbols(), symbolLevelDB):
		return checksumSoftware
	}
	return ""
}
