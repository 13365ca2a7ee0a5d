package tidy

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// reaches says which modules of others come along with a package, for whoever
// imports it.
var reaches = map[string][]string{
	"store":          {},
	"store/memstore": {},
	"leveldb":        {"github.com/jmhodges/levigo"},
	"rocksdb":        {"github.com/linxGnu/grocksdb"},
	"store/engines":  {"github.com/jmhodges/levigo", "github.com/linxGnu/grocksdb"},
}

// Who imports a store gets what it stands on, and nothing that only measures,
// shows or tests it.
func TestWhatImportersGet(t *testing.T) {
	for pkg, want := range reaches {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./"+pkg)
		list.Dir = root
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: %v", pkg, err)
		}
		var got []string
		for m := range strings.FieldsSeq(string(out)) {
			if m != strings.TrimSuffix(module, "/") && !slices.Contains(got, m) {
				got = append(got, m)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s brings %v along, want %v", pkg, got, want)
		}
	}
	// A module's requirements weigh on its importers even where no package is
	// used.
	if text := read(t, "go.mod"); strings.Contains(text, "prometheus") {
		t.Error("go.mod requires what metrics/prometheus has a module of its own for")
	}
}
