package store_test

import (
	"fmt"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// A program that has more to write than the engine can take asks before it goes
// on.
func ExampleStaller() {
	var db store.DB = memstore.New()
	defer db.Close()

	s, ok := db.(store.Staller)
	if !ok {
		return
	}
	check(s.WaitWritable(nil))
	stalls, err := s.Stalls()
	check(err)
	fmt.Println(stalls.State)
	// Output: none
}

// memstore has no log to write out.
func ExampleWALFlusher() {
	var db store.DB = memstore.New()
	defer db.Close()

	if f, ok := db.(store.WALFlusher); ok {
		check(f.FlushWAL(true))
	} else {
		fmt.Println("every write is with the system, or on the device, when it returns")
	}
	// Output: every write is with the system, or on the device, when it returns
}
