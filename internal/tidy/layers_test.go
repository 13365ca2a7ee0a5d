package tidy

import (
	"slices"
	"strings"
	"testing"
)

// boundary are the imports that bring C or unchecked memory along.
var boundary = []string{"C", "unsafe", "github.com/jmhodges/levigo", "github.com/linxGnu/grocksdb"}

// atBoundary tells whether a file may import what.
func atBoundary(s source, what string) bool {
	switch {
	case s.pkg == "internal/plain":
		return true
	case s.pkg == "internal/malloc":
		return base(s) && what == "C"
	case s.pkg == "leveldb":
		return base(s) && what != "github.com/linxGnu/grocksdb"
	case s.pkg == "rocksdb":
		return base(s) && what != "github.com/jmhodges/levigo"
	}
	// A goroutine's stack address as a number; see there.
	return s.path == "internal/handle/stripe.go" && what == "unsafe"
}

func base(s source) bool {
	name := s.path[strings.LastIndexByte(s.path, '/')+1:]
	return strings.HasPrefix(name, "capi")
}

// C, unsafe, levigo and grocksdb appear in the boundary files alone.
func TestBoundary(t *testing.T) {
	for _, s := range sources(t) {
		for _, i := range imports(s) {
			if slices.Contains(boundary, i) && !s.test && !atBoundary(s, i) {
				t.Errorf("%s imports %s", s.path, i)
			}
			// cgo is not to be had in tests; the libraries may be, to make
			// stores that the packages themselves can't.
			if s.test && (i == "C") {
				t.Errorf("%s imports C", s.path)
			}
		}
	}
}

// layers says what packages of the module a package may import. A name that
// ends in /... stands for all below it.
var layers = map[string][]string{
	"store":              {},
	"store/memstore":     {"store", "internal/handle"}, // for its counters
	"store/storetest":    {"store", "store/memstore"},
	"store/engines":      {"store", "leveldb", "rocksdb", "internal/dir"},
	"leveldb":            {"store", "internal/chunk", "internal/commit", "internal/dir", "internal/handle", "internal/status"},
	"rocksdb":            {"store", "internal/chunk", "internal/commit", "internal/dir", "internal/handle", "internal/status"},
	"internal/handle":    {"store"}, // its counters tell store.Metrics
	"internal/ratio":     {},        // for benchmarks
	"internal/chunk":     {},
	"internal/malloc":    {},                           // C's allocator belongs to neither engine
	"internal/commit":    {"store", "internal/handle"}, // the lead is a place in the guard
	"internal/dir":       {"store"},
	"internal/status":    {"store"},
	"metrics/prometheus": {"store"},
	"internal/bench":     {"store", "internal/dir"},
	"internal/report":    {"internal/bench"},
	"internal/noise":     {"internal/bench", "internal/report"},
	"internal/nullstore": {"store"},
	"internal/plain":     {"store", "leveldb", "rocksdb"},
	"internal/tidy":      {},
	// It sets all ways to an engine side by side, and measures and shows them.
	"internal/overhead": {"...", "!cmd"},
	"cmd/...":           {"..."},
	"examples/...":      {"store", "store/memstore", "store/engines", "leveldb", "rocksdb"},
	"scripts":           {},
}

// Arrows between packages point down, and the engines don't know each other.
func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		allowed, ok := layers[s.pkg]
		for l, a := range layers {
			if folder, all := strings.CutSuffix(l, "/..."); all && under(s.pkg, folder) {
				allowed, ok = a, true
			}
		}
		if !ok {
			t.Errorf("%s: package %s has no place in the layers", s.path, s.pkg)
			continue
		}
		for _, i := range imports(s) {
			pkg, own := strings.CutPrefix(i, module)
			if !own {
				if s.pkg == "store" && strings.Contains(i, ".") {
					t.Errorf("%s: store stays on the standard library, not %s", s.path, i)
				}
				continue
			}
			if slices.Contains(allowed, "...") && !(under(pkg, "cmd") && slices.Contains(allowed, "!cmd")) {
				continue
			}
			if !slices.Contains(allowed, pkg) {
				t.Errorf("%s: %s may not import %s", s.path, s.pkg, pkg)
			}
		}
	}
}
