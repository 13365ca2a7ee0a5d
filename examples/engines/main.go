// Engines runs the same code on each engine, chosen by name, and tells errors
// apart by kind.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

func main() {
	dir, err := os.MkdirTemp("", "engines-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range engines.Names() {
		if err := use(name, filepath.Join(dir, name)); err != nil {
			log.Print(err)
		}
	}
}

func use(name, path string) (err error) {
	db, err := engines.Open(name, path, &store.Options{CreateIfMissing: true, BloomBits: 10})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for i := range 1000 {
		if err := db.Put(fmt.Appendf(nil, "key%03d", i), []byte("value"), nil); err != nil {
			return err
		}
	}
	// Many keys in one go.
	var values store.Values
	if err := db.MultiGet([][]byte{[]byte("key007"), []byte("key7777")}, &values); err != nil {
		return err
	}
	v, found := values.At(0)
	_, missing := values.At(1)
	fmt.Printf("%s: %s %v, %v\n", name, v, found, missing)

	// The folder is taken, and it is this engine's.
	_, err = engines.Open(name, path, nil)
	fmt.Printf("%s: open again: locked %v\n", name, errors.Is(err, store.ErrLocked))
	for _, other := range engines.Names() {
		if other != name {
			_, err = engines.Open(other, path, nil)
			fmt.Printf("%s: opened as %s: wrong engine %v\n", name, other, errors.Is(err, store.ErrWrongEngine))
		}
	}
	return nil
}
