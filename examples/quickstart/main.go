// Quickstart opens a store, writes to it, reads from it and closes it.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/store"
)

func main() {
	if err := run("quickstart.ldb"); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	defer os.RemoveAll(path)
	db, err := leveldb.Open(path, &leveldb.Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		return err
	}
	defer db.Close()

	// A single write. Sync: it survives the loss of power.
	if err := db.Put([]byte("fruit/apple"), []byte("red"), store.Sync); err != nil {
		return err
	}
	// Several, all or none of them.
	var b store.Batch
	b.Put([]byte("fruit/banana"), []byte("yellow"))
	b.Put([]byte("fruit/cherry"), []byte("red"))
	b.Delete([]byte("fruit/apple"))
	if err := db.Write(&b, nil); err != nil {
		return err
	}
	// A missing key is an error of its own, not an empty value.
	_, err = db.Get([]byte("fruit/apple"))
	fmt.Println("apple is there:", !errors.Is(err, store.ErrNotFound))
	// All keys with a prefix, in order.
	rows, failed := store.Scan(db, store.PrefixRange([]byte("fruit/")))
	for k, v := range rows {
		fmt.Printf("%s is %s\n", k, v)
	}
	return failed()
}
