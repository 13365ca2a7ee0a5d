package dir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Options reads what RocksDB has written down of the options of the store in
// the folder: its newest OPTIONS file. Names have their section before them, as
// in "DBOptions.max_open_files" or "CFOptions default.compression". There is none
// in a folder that no RocksDB has opened: ErrNotExist.
func Options(path string) (map[string]string, error) {
	values, e := readOptions(path)
	return values, during(rocksDB, "options", path, e)
}

func readOptions(path string) (map[string]string, *store.Error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, readError(err)
	}
	newest, last := "", uint64(0)
	for _, entry := range entries {
		if r, n := classify(rocksDB, entry.Name()); r == options && n >= last {
			newest, last = entry.Name(), n
		}
	}
	if newest == "" {
		return nil, fail(store.ErrNotExist, "no OPTIONS file", nil)
	}
	text, err := os.ReadFile(filepath.Join(path, newest))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail(store.ErrNotExist, newest+" has gone meanwhile", err)
	case err != nil:
		return nil, osError("reading "+newest, err)
	}
	return parseOptions(string(text)), nil
}

// parseOptions reads lines of name=value under headings in brackets.
func parseOptions(text string) map[string]string {
	values := map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ReplaceAll(strings.Trim(line, "[]"), `"`, "")
		} else if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			values[section+"."+name] = value
		}
	}
	return values
}
