package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// The examples run on memstore, which needs no C. With leveldb.Open or
// rocksdb.Open in its place they print the same.

// check keeps the examples short. A program returns the error instead.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example() {
	db := memstore.New()
	defer db.Close()

	check(db.Put([]byte("apple"), []byte("red"), nil))
	check(db.Put([]byte("lemon"), []byte("yellow"), store.Sync)) // survives power loss

	color, err := db.Get([]byte("lemon"))
	check(err)
	fmt.Printf("a lemon is %s\n", color)

	_, err = db.Get([]byte("plum"))
	if errors.Is(err, store.ErrNotFound) {
		fmt.Println("no plums")
	}
	// Output:
	// a lemon is yellow
	// no plums
}

func ExampleBatch() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("alice"), []byte("10"), nil))

	var b store.Batch
	check(b.Put([]byte("alice"), []byte("7")))
	check(b.Put([]byte("bob"), []byte("3")))
	check(b.Delete([]byte("carol")))
	check(db.Write(&b, store.Sync)) // all of it or nothing
	fmt.Println(b.Len(), "changes of", b.Size(), "bytes")

	b.Reset() // empty again, with its memory
	check(b.DeleteRange([]byte("a"), []byte("b")))
	check(db.Write(&b, nil))

	rows, errf := store.Scan(db, store.KeyRange{})
	for k, v := range rows {
		fmt.Printf("%s=%s\n", k, v)
	}
	check(errf())
	// Output:
	// 3 changes of 35 bytes
	// bob=3
}

func ExampleBatch_Each() {
	var b store.Batch
	check(b.Put([]byte("k"), []byte("v")))
	check(b.Delete([]byte("old")))
	check(b.DeleteRange([]byte("tmp/"), store.PrefixEnd([]byte("tmp/"))))
	check(b.Each(func(r store.Record) error {
		switch r.Kind {
		case store.KindPut:
			fmt.Printf("put %s=%s\n", r.Key, r.Value)
		case store.KindDelete:
			fmt.Printf("delete %s\n", r.Key)
		case store.KindDeleteRange:
			fmt.Printf("delete from %s to %s\n", r.Key, r.End)
		}
		return nil
	}))
	// Output:
	// put k=v
	// delete old
	// delete from tmp/ to tmp0
}

func ExampleBatch_Load() {
	var b store.Batch
	check(b.Put([]byte("k"), []byte("v")))

	var c store.Batch
	check(c.Load(b.Encoded()))
	fmt.Println(c.Len(), "change")

	err := c.Load(b.Encoded()[:14]) // cut off
	fmt.Println(err)
	fmt.Println(errors.Is(err, store.ErrInvalidArgument), c.Len())
	// Output:
	// 1 change
	// batch: invalid argument: malformed record
	// true 1
}

func ExampleScan() {
	db := memstore.New()
	defer db.Close()
	for _, k := range []string{"user/1", "user/2", "user/3", "zoo"} {
		check(db.Put([]byte(k), []byte("of "+k), nil))
	}
	rows, errf := store.Scan(db, store.KeyRange{Start: []byte("user/2"), End: []byte("z")})
	for k, v := range rows {
		fmt.Printf("%s=%s\n", k, v) // valid until the loop's next turn
	}
	check(errf()) // the end of the data, or an error?
	// Output:
	// user/2=of user/2
	// user/3=of user/3
}

func ExampleScanBackward() {
	db := memstore.New()
	defer db.Close()
	for day := 1; day <= 9; day++ {
		check(db.Put(fmt.Appendf(nil, "day%d", day), nil, nil))
	}
	rows, errf := store.ScanBackward(db, store.PrefixRange([]byte("day")))
	n := 0
	for k := range rows {
		fmt.Printf("%s\n", k)
		if n++; n == 3 {
			break // leaves nothing open
		}
	}
	check(errf())
	// Output:
	// day9
	// day8
	// day7
}

func ExampleKeys() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("a"), make([]byte, 1<<20), nil))
	check(db.Put([]byte("b"), make([]byte, 1<<20), nil))
	keys, errf := store.Keys(db, store.KeyRange{}) // moves no values
	for k := range keys {
		fmt.Printf("%s\n", k)
	}
	check(errf())
	// Output:
	// a
	// b
}

func ExampleMatch() {
	db := memstore.New()
	defer db.Close()
	for _, k := range []string{"user/1/age", "user/1/name", "user/2/name", "zoo/name"} {
		check(db.Put([]byte(k), nil, nil))
	}
	rows, errf := store.Match(db, []byte("user/*/name")) // reads only user/...
	for k := range rows {
		fmt.Printf("%s\n", k)
	}
	check(errf())
	// Output:
	// user/1/name
	// user/2/name
}

func ExampleAll() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("a"), []byte("1"), nil))
	check(db.Put([]byte("b"), []byte("2"), nil))

	it, err := db.NewIterator(&store.IterOptions{Lower: []byte("a"), Upper: []byte("c")})
	check(err)
	defer it.Close()
	for k, v := range store.All(it) {
		fmt.Printf("%s=%s\n", k, v)
	}
	check(it.Err())
	// Output:
	// a=1
	// b=2
}

func ExampleBackward() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("a"), []byte("1"), nil))
	check(db.Put([]byte("b"), []byte("2"), nil))

	it, err := db.NewIterator(&store.IterOptions{Reverse: true})
	check(err)
	defer it.Close()
	for k, v := range store.Backward(it) {
		fmt.Printf("%s=%s\n", k, v)
	}
	check(it.Err())
	// Output:
	// b=2
	// a=1
}

func ExampleIterator() {
	db := memstore.New()
	defer db.Close()
	for _, k := range []string{"b", "d", "f"} {
		check(db.Put([]byte(k), nil, nil))
	}
	it, err := db.NewIterator(nil)
	check(err)
	defer it.Close()

	if it.SeekGE([]byte("c")) {
		fmt.Printf("at or after c: %s\n", it.Key())
	}
	if it.SeekLT([]byte("c")) {
		fmt.Printf("before c: %s\n", it.Key())
	}
	for ok := it.First(); ok; ok = it.Next() {
		fmt.Printf("%s ", it.Key())
	}
	fmt.Println("end")
	check(it.Err())
	// Output:
	// at or after c: d
	// before c: b
	// b d f end
}

func ExamplePrefixRange() {
	for _, prefix := range []string{"user/", "a\xff", "\xff"} {
		r := store.PrefixRange([]byte(prefix))
		if r.End == nil {
			fmt.Printf("%q on\n", r.Start)
			continue
		}
		fmt.Printf("%q up to %q\n", r.Start, r.End)
	}
	// Output:
	// "user/" up to "user0"
	// "a\xff" up to "b"
	// "\xff" on
}

func ExampleKeyRange() {
	all := store.KeyRange{}
	fmt.Println(all.Contains([]byte("k")), all.Empty())

	// A bound that is nil is no bound; an empty one is the smallest key.
	none := store.KeyRange{End: []byte{}}
	fmt.Println(none.Contains([]byte("k")), none.Empty())

	one := store.KeyRange{Start: []byte("k"), End: store.Successor([]byte("k"))}
	fmt.Println(one.Contains([]byte("k")), one.Contains([]byte("k0")))
	// Output:
	// true false
	// false true
	// true false
}

func ExampleError() {
	disk := memstore.NewDisk()
	_, err := disk.Open("data/fruit", nil) // no CreateIfMissing
	fmt.Println(err)
	fmt.Println(errors.Is(err, store.ErrNotExist))

	var e *store.Error
	if errors.As(err, &e) {
		fmt.Println(e.Engine, e.Op, e.Path)
	}
	// Output:
	// memstore: open data/fruit: store does not exist
	// true
	// memstore open data/fruit
}

func ExampleValues() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("a"), []byte("1"), nil))
	check(db.Put([]byte("c"), nil, nil))

	var vs store.Values // use it again for the next lookup: it keeps its memory
	keys := [][]byte{[]byte("c"), []byte("b"), []byte("a")}
	check(db.MultiGet(keys, &vs))
	for i, k := range keys {
		if v, ok := vs.At(i); ok {
			fmt.Printf("%s is %q\n", k, v)
		} else {
			fmt.Printf("%s is missing\n", k)
		}
	}
	// Output:
	// c is ""
	// b is missing
	// a is "1"
}

func ExampleReader_appendGet() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("a"), []byte("first"), nil))
	check(db.Put([]byte("b"), []byte("second"), nil))

	buf := make([]byte, 0, 64) // one buffer for all lookups
	for _, k := range []string{"a", "b", "c"} {
		v, err := db.AppendGet(buf[:0], []byte(k))
		switch {
		case err == nil:
			fmt.Printf("%s=%s\n", k, v)
		case errors.Is(err, store.ErrNotFound):
			fmt.Printf("%s is missing\n", k)
		default:
			check(err)
		}
	}
	// Output:
	// a=first
	// b=second
	// c is missing
}

func ExampleSnapshot() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("k"), []byte("before"), nil))

	snap, err := db.NewSnapshot()
	check(err)
	check(db.Put([]byte("k"), []byte("after"), nil))

	old, err := snap.Get([]byte("k"))
	check(err)
	now, err := db.Get([]byte("k"))
	check(err)
	fmt.Printf("%s, %s\n", old, now)
	check(snap.Release())

	_, err = snap.Get([]byte("k"))
	fmt.Println(errors.Is(err, store.ErrClosed))
	// Output:
	// before, after
	// true
}

func ExampleWriteOptions() {
	db := memstore.New()
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	o := &store.WriteOptions{Sync: true, Context: ctx}
	check(db.Put([]byte("k"), []byte("in time"), o))

	cancel()
	err := db.Put([]byte("k"), []byte("too late"), o) // refused, nothing is written
	fmt.Println(errors.Is(err, context.Canceled))
	v, err := db.Get([]byte("k"))
	check(err)
	fmt.Printf("%s\n", v)
	// Output:
	// true
	// in time
}

func ExampleDeleteRangePieces() {
	db := memstore.New()
	defer db.Close()
	for i := range 10_000 {
		check(db.Put(fmt.Appendf(nil, "log/%05d", i), nil, nil))
	}
	check(db.Put([]byte("other"), nil, nil))

	// In batches of about 4 KiB, so that no single one grows large.
	n, err := store.DeleteRangePieces(context.Background(), db, store.PrefixRange([]byte("log/")), 4<<10, nil)
	check(err)
	fmt.Println(n, "keys removed")
	// Output: 10000 keys removed
}

func ExampleFigure() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("k"), []byte("v"), nil))

	m, err := db.Metrics()
	check(err)
	fmt.Println(m.Engine)
	if n, known := m.EstimatedKeys.Value(); known {
		fmt.Println("keys:", n)
	}
	if !m.DiskBytes.Known() {
		fmt.Println("disk: not told") // which is not 0
	}
	// Output:
	// memstore
	// keys: 1
	// disk: not told
}

func ExampleDB_close() {
	db := memstore.New()
	_, err := db.NewIterator(nil) // and forgotten
	check(err)

	err = db.Close() // closes all the same
	fmt.Println(err)
	fmt.Println(errors.Is(err, store.ErrLeaked))
	fmt.Println(errors.Is(db.Close(), store.ErrClosed))
	// Output:
	// memstore: close: left open: 1 iterator, 0 snapshots
	// true
	// true
}
