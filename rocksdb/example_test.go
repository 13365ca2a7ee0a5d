package rocksdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

// check ends an example that can't go on.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// temp returns a path for a store, and what removes it.
func temp() (path string, remove func()) {
	folder, err := os.MkdirTemp("", "example-")
	check(err)
	return filepath.Join(folder, "things"), func() { check(os.RemoveAll(folder)) }
}

// example opens a new store and returns it with what closes and removes it.
func example(pairs ...string) (db *rocksdb.DB, done func()) {
	path, remove := temp()
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	check(err)
	for _, p := range pairs {
		k, v, _ := strings.Cut(p, "=")
		check(db.Put([]byte(k), []byte(v), nil))
	}
	return db, func() {
		if err := db.Close(); !errors.Is(err, store.ErrClosed) {
			check(err)
		}
		remove()
	}
}

func Example() {
	path, remove := temp()
	defer remove()

	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if err := db.Put([]byte("greeting"), []byte("hello"), store.Sync); err != nil {
		fmt.Println(err)
		return
	}
	v, err := db.Get([]byte("greeting"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", v)
	// Output: hello
}

func ExampleOpen() {
	path, remove := temp()
	defer remove()

	_, err := rocksdb.Open(path, nil)
	fmt.Println("missing:", errors.Is(err, store.ErrNotExist))

	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{
		CreateIfMissing: true,
		WriteBufferSize: 16 << 20,
		BlockCacheSize:  64 << 20,
		BloomBits:       10,
	}})
	check(err)
	_, err = rocksdb.Open(path, nil)
	fmt.Println("open already:", errors.Is(err, store.ErrLocked))
	check(db.Close())

	db, err = rocksdb.Open(path, nil)
	check(err)
	check(db.Close())
	// Output:
	// missing: true
	// open already: true
}

// Errors are tested with errors.Is, and tell what happened where.
func ExampleOpen_strict() {
	path, remove := temp()
	defer remove()
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	check(err)
	check(db.Put([]byte("acknowledged"), nil, nil))
	check(db.Put([]byte("cut short"), nil, nil))
	check(db.Close())
	logs, err := filepath.Glob(filepath.Join(path, "*.log"))
	check(err)
	info, err := os.Stat(logs[0])
	check(err)
	check(os.Truncate(logs[0], info.Size()-1)) // as a process may leave it that is killed

	_, err = rocksdb.Open(path, &rocksdb.Options{Options: store.Options{Recovery: store.Strict}})
	fmt.Println("strict:", errors.Is(err, store.ErrCorruption))
	db, err = rocksdb.Open(path, nil)
	check(err)
	defer db.Close()
	for _, key := range []string{"acknowledged", "cut short"} {
		found, err := db.Has([]byte(key))
		fmt.Println(key+":", found, err)
	}
	// Output:
	// strict: true
	// acknowledged: true <nil>
	// cut short: false <nil>
}

func Example_errors() {
	db, done := example()
	defer done()

	_, err := db.Get([]byte("nothing"))
	fmt.Println(errors.Is(err, store.ErrNotFound))

	err = db.DeleteRange([]byte("z"), []byte("a"), nil)
	fmt.Println(errors.Is(err, store.ErrInvalidArgument))
	if e := (*store.Error)(nil); errors.As(err, &e) {
		fmt.Printf("%s: %s: %v: %s\n", e.Engine, e.Op, e.Kind, e.Msg)
	}
	// Output:
	// true
	// true
	// rocksdb: delete range: invalid argument: range with its start behind its end
}

func ExampleDB_Put() {
	db, done := example()
	defer done()

	// Survives a crash of the process.
	check(db.Put([]byte("k"), []byte("v"), nil))
	// Survives the loss of power, and makes earlier writes do so.
	check(db.Put([]byte("k"), []byte("v2"), store.Sync))
	v, err := db.Get([]byte("k"))
	fmt.Printf("%s %v\n", v, err)

	check(db.Delete([]byte("k"), nil))
	_, err = db.Get([]byte("k"))
	fmt.Println(err)
	// Output:
	// v2 <nil>
	// not found
}

func ExampleDB_Get() {
	db, done := example("empty=")
	defer done()

	v, err := db.Get([]byte("empty"))
	fmt.Println(v != nil, len(v), err)
	_, err = db.Get([]byte("missing"))
	fmt.Println(errors.Is(err, store.ErrNotFound))
	// Output:
	// true 0 <nil>
	// true
}

// AppendGet reads into memory that is used again, and allocates nothing.
func ExampleDB_AppendGet() {
	db, done := example("a=first", "b=second")
	defer done()

	buf := make([]byte, 0, 64)
	for _, k := range []string{"a", "b"} {
		v, err := db.AppendGet(buf[:0], []byte(k))
		check(err)
		fmt.Printf("%s\n", v)
		buf = v
	}
	// Output:
	// first
	// second
}

func ExampleDB_MultiGet() {
	db, done := example("a=first", "c=third")
	defer done()

	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	var values store.Values
	check(db.MultiGet(keys, &values))
	for i, k := range keys {
		v, ok := values.At(i)
		fmt.Printf("%s %s %v\n", k, v, ok)
	}
	// Output:
	// a first true
	// b  false
	// c third true
}

// A batch is applied as a whole, and can be used again.
func ExampleDB_Write() {
	db, done := example("old=1")
	defer done()

	b := store.NewBatch(0)
	check(b.Put([]byte("new"), []byte("2")))
	check(b.Delete([]byte("old")))
	check(db.Write(b, store.Sync))
	b.Reset()
	check(b.Put([]byte("newer"), []byte("3")))
	check(db.Write(b, nil))

	rows, errf := store.Scan(db, store.KeyRange{})
	for k, v := range rows {
		fmt.Printf("%s=%s\n", k, v)
	}
	check(errf())
	// Output:
	// new=2
	// newer=3
}

func ExampleDB_DeleteRange() {
	db, done := example("a=1", "b=2", "c=3", "d=4")
	defer done()

	check(db.DeleteRange([]byte("b"), []byte("d"), nil))
	keys, errf := store.Keys(db, store.KeyRange{})
	for k := range keys {
		fmt.Printf("%s ", k)
	}
	check(errf())
	// Output: a d
}

func ExampleDB_NewIterator() {
	db, done := example("a=1", "b=2", "c=3", "d=4")
	defer done()

	it, err := db.NewIterator(&store.IterOptions{Lower: []byte("b")})
	check(err)
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		fmt.Printf("%s=%s ", it.Key(), it.Value())
	}
	for ok := it.SeekLT([]byte("d")); ok; ok = it.Prev() {
		fmt.Printf("%s ", it.Key())
	}
	check(it.Err())
	// Output: b=2 c=3 d=4 c b
}

func Example_scan() {
	db, done := example("fruit/apple=red", "fruit/pear=green", "tree/oak=tall")
	defer done()

	rows, errf := store.Scan(db, store.PrefixRange([]byte("fruit/")))
	for k, v := range rows {
		fmt.Printf("%s is %s\n", k, v)
	}
	check(errf())
	// Output:
	// fruit/apple is red
	// fruit/pear is green
}

func ExampleDB_NewSnapshot() {
	db, done := example("k=before")
	defer done()

	s, err := db.NewSnapshot()
	check(err)
	defer s.Release()
	check(db.Put([]byte("k"), []byte("after"), nil))
	then, err := s.Get([]byte("k"))
	check(err)
	now, err := db.Get([]byte("k"))
	check(err)
	fmt.Printf("%s, %s\n", then, now)
	// Output: before, after
}

// After Compact all data is in one level, and what was deleted is gone.
func ExampleDB_Compact() {
	db, done := example("a=1", "b=2")
	defer done()

	check(db.Flush())
	check(db.Delete([]byte("a"), nil))
	check(db.Compact(context.Background(), store.KeyRange{}))
	tables, err := db.Tables()
	check(err)
	fmt.Println(len(tables), "table")
	// Output: 1 table
}

func ExampleDB_Tables() {
	db, done := example("a=1")
	defer done()

	check(db.Flush())
	tables, err := db.Tables()
	check(err)
	for _, t := range tables {
		fmt.Println(t.Bytes > 0)
	}
	// Output: true
}

func ExampleDB_ApproximateSizes() {
	db, done := example()
	defer done()

	for i := range 1000 {
		check(db.Put(fmt.Appendf(nil, "k%04d", i), make([]byte, 1000), nil))
	}
	ranges := []store.KeyRange{store.PrefixRange([]byte("k")), store.PrefixRange([]byte("x"))}
	sizes, err := db.ApproximateSizes(ranges)
	check(err)
	fmt.Println("before the flush:", sizes)
	check(db.Flush())
	sizes, err = db.ApproximateSizes(ranges)
	check(err)
	fmt.Println("after:", sizes[0] > 10_000, sizes[1])
	// Output:
	// before the flush: [0 0]
	// after: true 0
}

func ExampleDB_Metrics() {
	db, done := example("a=1")
	defer done()

	check(db.Flush())
	m, err := db.Metrics()
	check(err)
	size, known := m.TableBytes.Value()
	fmt.Println("tables:", size > 0, known)
	n, known := m.OpenIterators.Value()
	fmt.Println("iterators:", n, known)
	fmt.Println("pending compaction:", m.PendingCompactionBytes.Known())
	// Output:
	// tables: true true
	// iterators: 0 true
	// pending compaction: true
}

func ExampleDB_Property() {
	db, done := example("a=1")
	defer done()

	check(db.Flush())
	_, err := db.Property("rocksdb.stats")
	fmt.Println(err)
	_, err = db.Property("rocksdb.colour")
	fmt.Println(errors.Is(err, store.ErrNotFound))
	// Output:
	// <nil>
	// true
}

// Close reports what was left open, and closes it.
func ExampleDB_Close() {
	path, remove := temp()
	defer remove()
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	check(err)
	_, err = db.NewSnapshot()
	check(err)

	err = db.Close()
	if e := (*store.Error)(nil); errors.As(err, &e) {
		fmt.Println(errors.Is(err, store.ErrLeaked), e.Msg[:len("1 snapshot")])
	}
	_, err = db.Get([]byte("k"))
	fmt.Println(errors.Is(err, store.ErrClosed))
	// Output:
	// true 1 snapshot
	// true
}

func ExampleRepair() {
	db, done := example("k=v")
	defer done()
	path := db.Path()
	check(db.Close())
	check(os.Remove(filepath.Join(path, "CURRENT")))

	_, err := rocksdb.Open(path, nil)
	fmt.Println("damaged:", errors.Is(err, store.ErrCorruption))
	check(rocksdb.Repair(path, nil))
	db, err = rocksdb.Open(path, nil)
	check(err)
	defer db.Close()
	v, err := db.Get([]byte("k"))
	fmt.Printf("%s %v\n", v, err)
	// Output:
	// damaged: true
	// v <nil>
}

func ExampleDestroy() {
	path, remove := temp()
	defer remove()
	db, err := rocksdb.Open(path, &rocksdb.Options{Options: store.Options{CreateIfMissing: true}})
	check(err)
	fmt.Println("open:", errors.Is(rocksdb.Destroy(path), store.ErrLocked))
	check(db.Close())

	fmt.Println(rocksdb.Destroy(path))
	_, err = os.Stat(path)
	fmt.Println("gone:", errors.Is(err, os.ErrNotExist))
	// Output:
	// open: true
	// <nil>
	// gone: true
}

// A program that takes on work as fast as it comes can see when the store falls
// behind.
func ExampleDB_Calls() {
	db, done := example("a=1")
	defer done()
	inFlight, waiting := db.Calls()
	fmt.Println(inFlight, waiting)
	// Output: 0 0
}

func ExampleVersion() {
	v, err := rocksdb.Version()
	check(err)
	fmt.Println(v)
	// Output: 9.10.0
}

// Results of a tuned library are not those of a stock one.
func ExampleBuild() {
	kind, flags, known := strings.Cut(rocksdb.Build(), " ")
	fmt.Println(known == (kind == "stock" || kind == "tuned"), known == strings.Contains(flags, "-O"))
	// Output: true true
}

// Effective shows what RocksDB will make of the options.
func ExampleOptions_Effective() {
	o, err := (&rocksdb.Options{Options: store.Options{MaxOpenFiles: 10}}).Effective()
	check(err)
	fmt.Println(o.WriteBufferSize, o.MaxOpenFiles, o.Compression)

	_, err = (&rocksdb.Options{Options: store.Options{Compression: "middle-out"}}).Effective()
	fmt.Println(errors.Is(err, store.ErrInvalidArgument))
	// Output:
	// 67108864 20 snappy
	// true
}

// A reader takes no lock, changes nothing, and sees the state at Open.
func ExampleOpen_readOnly() {
	db, done := example("k=v")
	defer done()

	r, err := rocksdb.Open(db.Path(), &rocksdb.Options{Options: store.Options{ReadOnly: true}})
	check(err)
	v, err := r.Get([]byte("k"))
	fmt.Printf("%s %v\n", v, err)
	fmt.Println(errors.Is(r.Put([]byte("k"), nil, nil), store.ErrReadOnly))
	check(r.Close())
	// Output:
	// v <nil>
	// true
}

// Unwrap gives grocksdb's handle, for what the package doesn't offer.
func ExampleDB_Unwrap() {
	db, done := example("k=v")
	defer done()

	fmt.Println(db.Unwrap().Name() == db.Path())
	fmt.Println(db.Unwrap().GetLatestSequenceNumber())
	// Output:
	// true
	// 1
}
