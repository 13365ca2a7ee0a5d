package engines_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

func TestOpenByName(t *testing.T) {
	if want := []string{"leveldb", "rocksdb"}; !slices.Equal(engines.Names(), want) {
		t.Errorf("Names() = %v, want %v", engines.Names(), want)
	}
	for _, name := range engines.Names() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "db")
			if db, err := engines.Open(name, path, nil); !errors.Is(err, store.ErrNotExist) || db != nil {
				t.Fatalf("a missing store opens as %v, %v", db, err)
			}
			db, err := engines.Open(name, path, &store.Options{CreateIfMissing: true})
			if err != nil {
				t.Fatal(err)
			}
			switch db.(type) {
			case *leveldb.DB:
				if name != "leveldb" {
					t.Errorf("%s opens as %T", name, db)
				}
			case *rocksdb.DB:
				if name != "rocksdb" {
					t.Errorf("%s opens as %T", name, db)
				}
			default:
				t.Errorf("%s opens as %T", name, db)
			}
			if got, err := engines.Detect(path); got != name || err != nil {
				t.Errorf("Detect() of an open store = %q, %v", got, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := engines.Detect(path); got != name || err != nil {
				t.Errorf("Detect() = %q, %v", got, err)
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	for _, name := range []string{"", "LevelDB", "leveldb ", "sqlite"} {
		db, err := engines.Open(name, path, &store.Options{CreateIfMissing: true})
		if !errors.Is(err, store.ErrInvalidArgument) || db != nil || !strings.Contains(err.Error(), "leveldb, rocksdb") {
			t.Errorf("Open(%q) = %v, %v", name, db, err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the folder was made")
	}
}

func TestDetectNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing"), t.TempDir()} {
		if name, err := engines.Detect(path); name != "" || err != nil {
			t.Errorf("Detect(%s) = %q, %v", path, name, err)
		}
	}
}

func Example() {
	path, err := os.MkdirTemp("", "engines")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(path)
	for _, name := range engines.Names() {
		db, err := engines.Open(name, filepath.Join(path, name), &store.Options{CreateIfMissing: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		db.Put([]byte("answer"), []byte("42"), store.Sync)
		value, err := db.Get([]byte("answer"))
		fmt.Printf("%s: %s %v\n", name, value, err)
		db.Close()
	}
	// Output:
	// leveldb: 42 <nil>
	// rocksdb: 42 <nil>
}
