package memstore_test

import (
	"fmt"
	"log"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

func ExampleDisk() {
	disk := memstore.NewDisk()
	for run := range 3 { // each like a start of a program
		db, err := disk.Open("counter", &store.Options{CreateIfMissing: true})
		if err != nil {
			log.Fatal(err)
		}
		if err := db.Put(fmt.Appendf(nil, "run %d", run), nil, nil); err != nil {
			log.Fatal(err)
		}
		keys, errf := store.Keys(db, store.KeyRange{})
		n := 0
		for range keys {
			n++
		}
		if err := errf(); err != nil {
			log.Fatal(err)
		}
		fmt.Println("keys:", n)
		if err := db.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// keys: 1
	// keys: 2
	// keys: 3
}
