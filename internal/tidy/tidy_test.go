// Package tidy holds the house rules as tests: the layering of the packages,
// where C may appear, sizes, and what must be documented. It reads the source of
// the whole module and runs none of it.
package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/lsmkit/lsmkit/"

// source is one Go file of the module.
type source struct {
	path string // below the module's root, with slashes
	pkg  string // its folder
	test bool
	file *ast.File
	set  *token.FileSet
}

func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }

// root is the module's root, seen from this folder.
const root = "../.."

// sources parses all Go files of the module.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	set := token.NewFileSet()
	walk(t, ".go", func(path string) {
		file, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{
			path: path, pkg: filepath.ToSlash(filepath.Dir(path)),
			test: strings.HasSuffix(path, "_test.go"), file: file, set: set,
		})
	})
	if len(all) < 50 {
		t.Fatalf("found only %d Go files", len(all))
	}
	return all
}

// walk calls visit with each file of the module that has one of the endings.
func walk(t *testing.T, ending string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			hidden := strings.HasPrefix(e.Name(), ".") && rel != "."
			if hidden || e.Name() == "testdata" || e.Name() == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ending) {
			visit(filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func imports(s source) []string {
	var paths []string
	for _, i := range s.file.Imports {
		paths = append(paths, strings.Trim(i.Path.Value, `"`))
	}
	return paths
}

// under tells whether pkg is folder or lies below it.
func under(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}
