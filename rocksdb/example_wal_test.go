package rocksdb_test

import (
	"errors"
	"fmt"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// Writes with WALBuffered stay in the process until FlushWAL. Only a store that is
// opened for it takes them.
func ExampleDB_FlushWAL() {
	path, remove := temp()
	defer remove()

	db, err := rocksdb.Open(path, &rocksdb.Options{
		Options:        store.Options{CreateIfMissing: true},
		ManualWALFlush: true,
	})
	check(err)
	for i := range 1000 {
		check(db.Put(fmt.Appendf(nil, "k%d", i), nil, store.WALBuffered))
	}
	check(db.FlushWAL(false)) // a crash of the process takes nothing any more
	check(db.FlushWAL(true))  // the loss of power neither
	check(db.Close())

	db, err = rocksdb.Open(path, nil)
	check(err)
	err = db.Put([]byte("k"), nil, store.WALBuffered)
	fmt.Println(errors.Is(err, store.ErrNotSupported))
	check(db.Close())
	// Output: true
}
