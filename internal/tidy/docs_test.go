package tidy

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// exported lists the exported functions and methods of exported types that a
// package declares outside its tests.
func exported(t *testing.T, pkg string) map[source][]*ast.FuncDecl {
	found := make(map[source][]*ast.FuncDecl)
	n := 0
	for _, s := range sources(t) {
		if s.test || s.pkg != pkg {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Name.IsExported() && (f.Recv == nil || ast.IsExported(receiver(f))) {
				found[s] = append(found[s], f)
				n++
			}
		}
	}
	if n == 0 {
		t.Fatalf("%s exports nothing", pkg)
	}
	return found
}

func receiver(f *ast.FuncDecl) string {
	r := f.Recv.List[0].Type
	if star, ok := r.(*ast.StarExpr); ok {
		r = star.X
	}
	if id, ok := r.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// pureGo are the engines' exported functions that have no C behind them.
var pureGo = map[string]bool{"Path": true, "Effective": true, "Unwrap": true, "Version": true, "Calls": true}

// Every exported function of an engine says what C function it stands on.
func TestEnginesNameTheirC(t *testing.T) {
	for _, engine := range []string{"leveldb", "rocksdb"} {
		for s, funcs := range exported(t, engine) {
			for _, f := range funcs {
				if f.Doc.Text() == "" {
					t.Errorf("%s: %s is not documented", s.at(f), f.Name.Name)
				} else if !pureGo[f.Name.Name] && !strings.Contains(f.Doc.Text(), engine+"_") {
					t.Errorf("%s: %s does not name its C function", s.at(f), f.Name.Name)
				}
			}
		}
	}
}

// No exported signature mentions C or the libraries below, but for the one
// escape hatch.
func TestEnginesHideTheirC(t *testing.T) {
	for _, engine := range []string{"leveldb", "rocksdb"} {
		for s, funcs := range exported(t, engine) {
			for _, f := range funcs {
				if f.Name.Name == "Unwrap" {
					continue
				}
				ast.Inspect(f.Type, func(n ast.Node) bool {
					if x, ok := n.(*ast.Ident); ok {
						switch x.Name {
						case "C", "levigo", "grocksdb", "unsafe":
							t.Errorf("%s: %s shows %s", s.at(f), f.Name.Name, x.Name)
						}
					}
					return true
				})
			}
		}
	}
}

// Everything that a public package exports is documented, and so are the types
// and functions of the internal ones.
func TestExportedIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.pkg, "cmd/") || s.file.Name.Name == "main" {
			continue
		}
		internal := strings.HasPrefix(s.pkg, "internal/")
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				method := d.Recv != nil
				if d.Doc == nil && d.Name.IsExported() && (!method || !internal && ast.IsExported(receiver(d))) {
					t.Errorf("%s: %s is not documented", s.at(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					ts, ok := spec.(*ast.TypeSpec)
					if ok && ts.Name.IsExported() && ts.Doc == nil && d.Doc == nil {
						t.Errorf("%s: %s is not documented", s.at(ts), ts.Name.Name)
					}
				}
			}
		}
	}
}

// helper matches the declaration of a C helper; the comment above it, if any,
// is the first group.
var helper = regexp.MustCompile(`(?m)((?:^//.*\n)*)^[a-z][\w \*]*?\**((?:ldb|rdb)_\w+)\(`)

// Every C helper, or the group that it is declared in, says why it exists.
func TestHelpersSayWhy(t *testing.T) {
	n := 0
	walk(t, "capi.h", func(path string) {
		why := ""
		for _, m := range helper.FindAllStringSubmatch(read(t, path), -1) {
			n++
			if m[1] != "" {
				why = m[1]
			}
			family := strings.TrimSuffix(strings.TrimSuffix(m[2], "_free"), "_delete")
			if !strings.Contains(why, family) && !strings.Contains(m[1], m[2]) && family == m[2] {
				t.Errorf("%s: %s says nothing about itself", path, m[2])
			}
			if !regexp.MustCompile(`\bexists?\b|copies|frees`).MatchString(why) {
				t.Errorf("%s: %s does not say why it exists", path, m[2])
			}
		}
	})
	if n < 30 {
		t.Errorf("found only %d C helpers", n)
	}
}

// The engines have the same files.
func TestEnginesMirror(t *testing.T) {
	files := map[string]map[string]bool{"leveldb": {}, "rocksdb": {}}
	for _, s := range sources(t) {
		if f, ok := files[s.pkg]; ok && !s.test {
			f[strings.TrimPrefix(s.path, s.pkg+"/")] = true
		}
	}
	for a, b := range map[string]string{"leveldb": "rocksdb", "rocksdb": "leveldb"} {
		for f := range files[a] {
			if !files[b][f] && !extra[a+"/"+f] {
				t.Errorf("%s has %s, %s has not", a, f, b)
			}
		}
	}
}

// extra are files for what only one engine can do.
var extra = map[string]bool{
	"leveldb/expand.go":     true, // range deletes, which RocksDB has itself
	"leveldb/rankset.go":    true, // what expand.go counts with
	"leveldb/mend.go":       true, // after a failed write, which RocksDB handles itself
	"rocksdb/statistics.go": true, // LevelDB has none
	"rocksdb/perf.go":       true, // LevelDB counts nothing
	"rocksdb/capi_perf.go":  true,
	"rocksdb/capi_log.go":   true, // LevelDB's C API has no logger
	"rocksdb/gate.go":       true, // LevelDB's C API can't leave the waiting to us
	"rocksdb/wal.go":        true, // LevelDB hands its log to the system with every write
}

// What the documents tell people to type exists.
func TestDocumentedCommands(t *testing.T) {
	makefile := read(t, "Makefile")
	makeTarget := regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	dbbench := regexp.MustCompile("(?m)(?:^|[` /])dbbench ([a-z]+)(?: |$|`)")
	n := 0
	walk(t, ".md", func(path string) {
		text := read(t, path)
		for _, m := range makeTarget.FindAllStringSubmatch(code(text), -1) {
			n++
			if !regexp.MustCompile(`(?m)^` + m[1] + `\b.*:`).MatchString(makefile) {
				t.Errorf("%s says make %s; the Makefile has no such target", path, m[1])
			}
		}
		for _, m := range dbbench.FindAllStringSubmatch(code(text), -1) {
			n++
			if !strings.Contains(commands(t), "\n"+m[1]+"\n") {
				t.Errorf("%s says dbbench %s; there is no such command", path, m[1])
			}
		}
	})
	if n == 0 {
		t.Error("found no command in any document")
	}
}

// code returns what a Markdown text has in code spans and blocks.
func code(text string) string {
	var b strings.Builder
	for _, m := range regexp.MustCompile("(?s)```.*?```|`[^`\n]+`").FindAllString(text, -1) {
		b.WriteString(m)
		b.WriteByte('\n')
	}
	return b.String()
}

// commands lists the names of dbbench's commands, one a line: the first word of
// each Use in the command package, and what cobra adds.
func commands(t *testing.T) string {
	names := "\nhelp\ncompletion\n"
	for _, s := range sources(t) {
		if s.test || s.pkg != "cmd/dbbench/command" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, ok := kv.Key.(*ast.Ident)
			lit, ok2 := kv.Value.(*ast.BasicLit)
			if ok && ok2 && key.Name == "Use" {
				names += strings.Fields(strings.Trim(lit.Value, `"`))[0] + "\n"
			}
			return true
		})
	}
	return names
}
