package overhead

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// environmentPrograms are the variables that name an engine's db_bench.
const environmentPrograms = "LSMKIT_DB_BENCH_"

// places is where db_bench programs are looked for.
type places struct {
	native string                   // of the configuration
	linked string                   // the prefix of the libraries in this program
	getenv func(name string) string // for LSMKIT_DB_BENCH_ENGINE and LSMKIT_DEPS
}

// find returns the path of the engine's db_bench: what the configuration names,
// or the environment; otherwise the one that was built with the libraries that
// this program is linked with.
func (p *places) find(engine string) (string, error) {
	name := engine + "_db_bench"
	if p.native != "" {
		for _, folder := range []string{p.native, filepath.Join(p.native, "bin")} {
			if path := filepath.Join(folder, name); runnable(path) {
				return filepath.Abs(path)
			}
		}
		return "", wrong("native", "no program %s in %s, nor in its bin", name, p.native)
	}
	variable := environmentPrograms + strings.ToUpper(engine)
	if path := p.getenv(variable); path != "" {
		if !runnable(path) {
			return "", wrong("native", "no program at %s, which %s names", path, variable)
		}
		return filepath.Abs(path)
	}
	for _, prefix := range []string{p.linked, p.getenv("LSMKIT_DEPS")} {
		if path := filepath.Join(prefix, "bin", name); prefix != "" && runnable(path) {
			return filepath.Abs(path)
		}
	}
	return "", wrong("native", "there is no %s to compare with: the system's libraries come without it; "+
		"scripts/build-deps.sh --from-source builds it with libraries of its own, and make build DEPS_FLAGS=--from-source then uses these", name)
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// linkedPrefix returns where scripts/build-deps.sh has put the libraries that
// this program is linked with, as its build recorded it; empty if they are from
// elsewhere.
func linkedPrefix() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "CGO_LDFLAGS" {
			return prefixIn(s.Value)
		}
	}
	return ""
}

// prefixIn returns the prefix of the first library folder in linker flags that
// the script has stamped.
func prefixIn(flags string) string {
	for _, flag := range splitQuoted(flags) {
		folder, ok := strings.CutPrefix(flag, "-L")
		if !ok {
			continue
		}
		prefix := filepath.Dir(folder)
		if _, err := os.Stat(filepath.Join(prefix, stampFile)); err == nil {
			return prefix
		}
	}
	return ""
}

// splitQuoted splits at blanks, but for those between quotes, as Go reads
// CGO_LDFLAGS.
func splitQuoted(s string) []string {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// stampFile is in each prefix of scripts/build-deps.sh, and says how it was made.
const stampFile = "stamp"

// Build is a build of the engines: that behind db_bench, or that in this program.
type Build struct {
	// Kind is "stock" or "tuned"; "system" for libraries that
	// scripts/build-deps.sh hasn't made.
	Kind string `json:"kind"`
	// Compiler is the one that has made it, where that is known.
	Compiler string `json:"compiler,omitempty"`
	// Key tells builds of different recipes apart: the name of the folder.
	Key string `json:"key,omitempty"`
}

// readBuild reads the stamp of a prefix.
func readBuild(prefix string) Build {
	text, err := os.ReadFile(filepath.Join(prefix, stampFile))
	if prefix == "" || err != nil {
		return Build{Kind: "system"}
	}
	b := Build{Kind: "stock", Key: filepath.Base(prefix)}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "build":
			b.Kind = value
		case "compiler":
			b.Compiler = value
		}
	}
	return b
}

// buildOf reads the stamp of the prefix that a program in its bin belongs to.
func buildOf(program string) Build { return readBuild(filepath.Dir(filepath.Dir(program))) }
