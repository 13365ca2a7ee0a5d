package leveldb_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/jmhodges/levigo"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// Stores made by others which this package can't open: it says why, and they
// stay whole.

// A20: with another order, the error names its comparator. levigo takes a
// comparator made in C only, so the name is exchanged in the MANIFEST of a store
// in the usual order.
func TestA20_Comparator(t *testing.T) {
	storetest.Child(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "db")
		db, err := open(t, path, store.Options{CreateIfMissing: true})
		must(t, err)
		for k := range 100 {
			must(t, db.Put(fmt.Appendf(nil, "%d", k), []byte("v"), nil))
		}
		must(t, db.Close())
		const usual, other = "leveldb.BytewiseComparator", "lsmkit.test.BackwardOrders"
		renameComparator(t, path, usual, other)
		disk.Incompatible(t, path, other)
		renameComparator(t, path, other, usual)
		db, err = open(t, path, store.Options{})
		must(t, err)
		for k := range 100 {
			v, err := db.Get(fmt.Appendf(nil, "%d", k))
			must(t, err)
			if string(v) != "v" {
				t.Errorf("key %d is %q", k, v)
			}
		}
		must(t, db.Close())
	})
}

// renameComparator exchanges the comparator's name in the MANIFEST for one of the
// same length. It is in the first record: 4 bytes of checksum, 2 of length and
// the type, then the contents.
func renameComparator(t *testing.T, path, old, name string) {
	t.Helper()
	current, err := os.ReadFile(filepath.Join(path, "CURRENT"))
	must(t, err)
	file := filepath.Join(path, string(bytes.TrimSpace(current)))
	content, err := os.ReadFile(file)
	must(t, err)
	const header = 7
	length := int(binary.LittleEndian.Uint16(content[4:]))
	record := content[header-1 : header+length] // the checksum is of type and contents
	if len(old) != len(name) || bytes.Count(record, []byte(old)) != 1 {
		t.Fatalf("the first record of %s is %q", file, record)
	}
	copy(record, bytes.Replace(record, []byte(old), []byte(name), 1))
	sum := crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(content, (sum>>15|sum<<17)+0xa282ead8) // masked, see util/crc32c.h
	must(t, os.WriteFile(file, content, 0o644))
}

// A store of levigo's is like any other.
func TestStoreOfLevigo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	o, wo := levigo.NewOptions(), levigo.NewWriteOptions()
	defer o.Close()
	defer wo.Close()
	o.SetCreateIfMissing(true)
	levi, err := levigo.Open(path, o)
	must(t, err)
	must(t, levi.Put(wo, []byte("k"), []byte("v")))
	levi.Close()
	db, err := open(t, path, store.Options{})
	must(t, err)
	v, err := db.Get([]byte("k"))
	must(t, err)
	if string(v) != "v" {
		t.Errorf("got %q", v)
	}
	must(t, db.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
