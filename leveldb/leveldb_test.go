package leveldb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/storetest"
)

func open(_ testing.TB, path string, o store.Options) (store.DB, error) {
	db, err := leveldb.Open(path, &leveldb.Options{Options: o})
	if err != nil {
		return nil, err // not a nil *DB in an interface
	}
	return db, nil
}

// The engine fulfils the contract under several sets of options.
func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Config{Name: leveldb.Engine, Open: open, ZeroAllocs: true, Variants: []storetest.Variant{
		{Name: "default"},
		{Name: "tiny", Options: store.Options{
			WriteBufferSize: 64 << 10, BlockCacheSize: 64 << 10, BlockSize: 1 << 10, BlockRestartInterval: 1,
			MaxFileSize: 1 << 20, MaxOpenFiles: 74, BloomBits: 10, ParanoidChecks: store.On, MaxCalls: 2,
		}},
		{Name: "plain", Options: store.Options{
			Compression: store.NoCompression, VerifyChecksums: store.Off, ParanoidChecks: store.Off,
			MaxOpenFiles: store.UnlimitedFiles,
		}},
	}})
}

// So does what is in a namespace of its stores.
func TestNamespace(t *testing.T) {
	storetest.Run(t, storetest.Config{Name: leveldb.Engine, Open: open, ZeroAllocs: true, Variants: storetest.Namespaced(storetest.Variant{
		Options: store.Options{WriteBufferSize: 256 << 10},
	})})
}

// The library tells the build that scripts/build-deps.sh has stamped its folder
// with. A library from elsewhere tells none.
func TestBuild(t *testing.T) {
	want := ""
	if deps := os.Getenv("LSMKIT_DEPS"); deps != "" {
		stamp, err := os.ReadFile(filepath.Join(deps, "stamp"))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(stamp), "\n")
		want = strings.TrimPrefix(first, "build ")
	}
	got, _, _ := strings.Cut(leveldb.Build(), " ")
	if got != want {
		t.Errorf("%q, want the build %q", leveldb.Build(), want)
	}
}
