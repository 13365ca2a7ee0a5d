package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// ErrRefused says that a folder was not used, because what is in it is not
// this program's to replace, or not what was asked for. Nothing was touched.
var ErrRefused = errors.New("refused")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// place is where the stores of a run are.
type place struct {
	root      string
	temporary bool
	paths     map[string]string // by engine
	exists    map[string]bool   // engines whose store was there before the run
}

// findPlace decides where the stores of the engines go, and refuses folders
// that hold something else. table has all engines, so that the store of one
// that does not run is known for what it is. It changes nothing.
func findPlace(c *Config, engines, table []Engine) (*place, error) {
	p := &place{root: c.DB, paths: map[string]string{}, exists: map[string]bool{}}
	if c.DB == "" {
		p.temporary = true
		return p, nil
	}
	root, err := filepath.Abs(c.DB)
	if err != nil {
		return nil, refused("%s: %v", c.DB, err)
	}
	p.root = root
	owner, err := detect(table, root)
	if err != nil {
		return nil, err
	}
	if owner == "" {
		if err := checkRoot(root, table); err != nil {
			return nil, err
		}
	}
	for i := range engines {
		if err := p.add(c, &engines[i], table, owner); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add decides on the path of one engine's store. owner is the engine whose
// store the root itself is.
func (p *place) add(c *Config, e *Engine, table []Engine, owner string) error {
	if e.InMemory {
		p.paths[e.Name] = e.Name
		return nil
	}
	path, found := filepath.Join(p.root, e.Name), ""
	switch owner {
	case e.Name:
		path, found = p.root, owner
	case "":
		var err error
		if found, err = detect(table, path); err != nil {
			return err
		}
	default:
		return refused("%s is a store of %s, not of %s", p.root, owner, e.Name)
	}
	switch {
	case found != "" && found != e.Name:
		return refused("%s is a store of %s, not of %s", path, found, e.Name)
	case found == "" && c.UseExistingDB:
		return refused("there is no store of %s in %s", e.Name, path)
	case found == "":
		names, err := entries(path)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			return refused("%s is no store, and not empty: %s", path, sample(names))
		}
	}
	p.paths[e.Name] = path
	p.exists[e.Name] = found != ""
	return nil
}

// checkRoot refuses a folder that is no store, not empty, and has no store in
// a subfolder named after its engine.
func checkRoot(root string, table []Engine) error {
	names, err := entries(root)
	if err != nil || len(names) == 0 {
		return err
	}
	ours := 0
	for i := range table {
		sub := filepath.Join(root, table[i].Name)
		owner, err := detect(table, sub)
		if err != nil {
			return err
		}
		if owner != "" {
			return nil
		}
		if inside, err := entries(sub); err == nil && len(inside) == 0 {
			if _, err := os.Stat(sub); err == nil {
				ours++ // an empty folder that a run has left
			}
		}
	}
	if ours == len(names) {
		return nil
	}
	return refused("%s is no store, and not empty: %s", root, sample(names))
}

// detect returns the name of the engine whose store is in the folder. A store
// that is damaged is a store.
func detect(table []Engine, path string) (string, error) {
	for i := range table {
		if table[i].InMemory || table[i].Detect == nil {
			continue
		}
		owner, err := table[i].Detect(path)
		if owner != "" {
			return owner, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotExist) && !errors.Is(err, fs.ErrNotExist) {
			return "", refused("%v", err)
		}
	}
	return "", nil
}

// entries returns the names in a folder; none if there is no folder.
func entries(path string) ([]string, error) {
	list, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, refused("%v", err)
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
		if e.IsDir() {
			names[i] += string(filepath.Separator)
		}
	}
	return names, nil
}

// sample returns names for a message, not too many.
func sample(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// make makes the temporary folder, if the run is to have one.
func (p *place) make(engines []Engine) error {
	if !p.temporary {
		return nil
	}
	root, err := os.MkdirTemp("", "dbbench-")
	if err != nil {
		return err
	}
	p.root = root
	for i := range engines {
		p.paths[engines[i].Name] = filepath.Join(root, engines[i].Name)
	}
	return nil
}

// remove removes the temporary folder.
func (p *place) remove() error {
	if !p.temporary || p.root == "" {
		return nil
	}
	return os.RemoveAll(p.root)
}
