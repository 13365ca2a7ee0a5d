package tidy

import (
	"go/ast"
	"strings"
	"testing"
)

const (
	maxFileLines = 500
	maxFuncLines = 70
)

// Files and functions stay short enough to be read.
func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.set.File(s.file.Pos()).LineCount(); n > maxFileLines+1 {
			t.Errorf("%s has %d lines, more than %d", s.path, n, maxFileLines)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				return true
			}
			lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			if lines -= tableLines(s, f); lines > maxFuncLines {
				t.Errorf("%s: %s has %d lines, more than %d", s.at(f), f.Name.Name, lines, maxFuncLines)
			}
			return true
		})
	}
	for _, ending := range []string{".c", ".h", ".sh"} {
		walk(t, ending, func(path string) {
			if n := strings.Count(read(t, path), "\n"); n > maxFileLines {
				t.Errorf("%s has %d lines, more than %d", path, n, maxFileLines)
			}
		})
	}
}

// tableLines counts the lines of the tables in a function: composite literals
// whose elements are literals themselves.
func tableLines(s source, f *ast.FuncDecl) int {
	lines := 0
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, e := range c.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			if _, ok := e.(*ast.CompositeLit); ok {
				lines += s.set.Position(c.End()).Line - s.set.Position(c.Pos()).Line
				return false
			}
		}
		return true
	})
	return lines
}

// No package does anything by being imported.
func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s: init", s.at(f))
			}
		}
	}
}

// The measuring core and the renderers neither print nor exit: what they have
// to say they return.
func TestQuietCore(t *testing.T) {
	forbidden := map[string][]string{
		"os":  {"Exit", "Stdout", "Stderr", "Stdin"},
		"fmt": {"Print", "Printf", "Println"},
	}
	for _, s := range sources(t) {
		if s.test || !under(s.pkg, "internal/bench") && !under(s.pkg, "internal/report") && !under(s.pkg, "internal/overhead") {
			continue
		}
		for _, i := range imports(s) {
			if i == "log" || i == "log/slog" {
				t.Errorf("%s imports %s", s.path, i)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok {
				for _, name := range forbidden[x.Name] {
					if sel.Sel.Name == name {
						t.Errorf("%s: %s.%s", s.at(sel), x.Name, name)
					}
				}
			}
			return true
		})
	}
}

// Only main functions end the process.
func TestExit(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Exit" {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && s.path != "store/storetest/child.go" {
					t.Errorf("%s: os.Exit", s.at(sel))
				}
			}
			return true
		})
	}
}

// A test's sleep is a race that has not been lost yet. Where something has to be
// slow, a comment on the line says why.
func TestNoSleep(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test && s.pkg != "store/storetest" {
			continue
		}
		commented := make(map[int]bool)
		for _, g := range s.file.Comments {
			for _, c := range g.List {
				commented[s.set.Position(c.Pos()).Line] = true
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Sleep" {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if ok && x.Name == "time" && !commented[s.set.Position(sel.Pos()).Line] {
				t.Errorf("%s: time.Sleep", s.at(sel))
			}
			return true
		})
	}
}
