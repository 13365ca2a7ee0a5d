// Scan shows the ways to walk over a store: a prefix, backwards, by pattern,
// keys only, in a snapshot, and by hand.
package main

import (
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

func main() {
	if err := run("scan.rdb"); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	defer os.RemoveAll(path)
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		return err
	}
	defer db.Close()
	for _, k := range []string{"2025/12/31", "2026/01/07", "2026/01/19", "2026/02/03", "2027/01/01"} {
		if err := db.Put([]byte(k), []byte("entry of "+k), nil); err != nil {
			return err
		}
	}
	snapshot, err := db.NewSnapshot()
	if err != nil {
		return err
	}
	defer snapshot.Release()
	if err := db.Delete([]byte("2026/01/07"), nil); err != nil {
		return err
	}

	year := store.PrefixRange([]byte("2026/"))
	rows, failed := store.Scan(db, year)
	if err := show("forward", rows, failed); err != nil {
		return err
	}
	rows, failed = store.ScanBackward(db, year)
	if err := show("backward", rows, failed); err != nil {
		return err
	}
	rows, failed = store.Match(db, []byte("*/01/*"))
	if err := show("pattern", rows, failed); err != nil {
		return err
	}
	rows, failed = store.Scan(snapshot, year)
	if err := show("snapshot", rows, failed); err != nil {
		return err
	}
	return byHand(db)
}

func show(title string, rows iter.Seq2[[]byte, []byte], failed func() error) error {
	fmt.Print(title, ":")
	for k := range rows {
		fmt.Printf(" %s", k) // to keep k, copy it
	}
	fmt.Println()
	return failed()
}

// byHand finds the last key before a given one, and the one after that.
func byHand(db store.DB) error {
	it, err := db.NewIterator(&store.IterOptions{KeysOnly: true})
	if err != nil {
		return err
	}
	defer it.Close()
	if it.SeekLT([]byte("2026/02/01")) {
		fmt.Printf("before February: %s\n", it.Key())
	}
	if it.Next() {
		fmt.Printf("and then: %s\n", it.Key())
	}
	return it.Err()
}
