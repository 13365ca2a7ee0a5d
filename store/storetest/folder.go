package storetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FolderState describes the files below a folder: name, size, hash and time. LOG
// and LOCK are left out, and LOCK is never opened: closing it would drop the
// lock of a store that this process has open.
func FolderState(t testing.TB, folder string) map[string]string {
	t.Helper()
	state := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(strings.TrimPrefix(path, folder), "/")
		if name == "LOCK" || strings.HasPrefix(name, "LOG") {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			state[name] = info.Mode().String()
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		state[name] = fmt.Sprintf("%d bytes of %s, %x", len(content), info.ModTime(), sha256.Sum256(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// SameFolder checks that nothing was added, changed or removed below a folder
// since its state was taken.
func SameFolder(t testing.TB, folder string, state map[string]string, what string) {
	t.Helper()
	now := FolderState(t, folder)
	for name, was := range state {
		if now[name] != was {
			t.Errorf("%s: %s was %s, is %q", what, name, was, now[name])
		}
	}
	for name, is := range now {
		if _, ok := state[name]; !ok {
			t.Errorf("%s: %s is new: %s", what, name, is)
		}
	}
}

// tableFiles returns the paths of the table files in a folder, sorted.
func tableFiles(t testing.TB, folder string) []string {
	t.Helper()
	var tables []string
	for _, pattern := range []string{"*.ldb", "*.sst"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, found...)
	}
	if len(tables) == 0 {
		t.Fatalf("there are no table files in %s", folder)
	}
	return tables
}

// flip inverts n bytes of a file from offset on.
func flip(t testing.TB, path string, offset int64, n int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := offset; i < min(offset+int64(n), int64(len(content))); i++ {
		content[i] ^= 0xFF
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// copyFolder copies the files of a store that is not open.
func copyFolder(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// folderBytes returns the size of all files below a folder.
func folderBytes(t testing.TB, folder string) (sum int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// RenameComparator exchanges the comparator's name in the MANIFEST of a closed
// LevelDB store for one of the same length. It is in the first record: 4 bytes of
// checksum, 2 of length and the type, then the contents.
func RenameComparator(t testing.TB, path, old, name string) {
	t.Helper()
	current, err := os.ReadFile(filepath.Join(path, "CURRENT"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, string(bytes.TrimSpace(current)))
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const header = 7
	length := int(binary.LittleEndian.Uint16(content[4:]))
	record := content[header-1 : header+length] // the checksum is of type and contents
	if len(old) != len(name) || bytes.Count(record, []byte(old)) != 1 {
		t.Fatalf("the first record of %s is %q", file, record)
	}
	copy(record, bytes.Replace(record, []byte(old), []byte(name), 1))
	sum := crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(content, (sum>>15|sum<<17)+0xa282ead8) // masked, see util/crc32c.h
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
