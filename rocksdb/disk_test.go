package rocksdb_test

import (
	"testing"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

func openOther(_ testing.TB, path string, o store.Options) (store.DB, error) {
	db, err := leveldb.Open(path, &leveldb.Options{Options: o})
	if err != nil {
		return nil, err
	}
	return db, nil
}

// disk describes the engine to the tests of storetest.
var disk = storetest.Disk{
	Config:    storetest.Config{Name: rocksdb.Engine, Open: open, ReadOnly: true},
	Other:     openOther,
	OtherName: leveldb.Engine,
	Repair: func(path string, o store.Options) error {
		return rocksdb.Repair(path, &rocksdb.Options{Options: o})
	},
	Destroy:       rocksdb.Destroy,
	OpenWALBuffer: openWALBuffer,
	Codecs:        []store.Compression{store.NoCompression, store.Snappy, store.LZ4, store.Zstd, store.Zlib},
	Interrupts:    true,
}

// The engine's folders withstand damage, full disks, kills and foreign stores,
// and its calls leak nothing.
func TestDisk(t *testing.T) { storetest.RunDisk(t, disk) }
