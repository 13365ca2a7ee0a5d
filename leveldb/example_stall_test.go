package leveldb_test

import (
	"context"
	"fmt"
	"time"
)

func ExampleDB_Stalls() {
	db, done := example("k=v")
	defer done()

	s, err := db.Stalls()
	check(err)
	n, known := s.Count.Value()
	held, _ := s.Held()
	fmt.Println(s.State, n, known, held)
	// Output: none 0 true 0s
}

// Whoever can wait does so before the work is done that ends in a write.
func ExampleDB_WaitWritable() {
	db, done := example()
	defer done()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := db.WaitWritable(ctx); err != nil {
		fmt.Println("try again later:", err)
		return
	}
	check(db.Put([]byte("k"), []byte("v"), nil))
	fmt.Println("written")
	// Output: written
}
