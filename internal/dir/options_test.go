package dir

import (
	"maps"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// The newest file counts, by its number and not by its name; temporary ones and
// remarks don't.
func TestOptions(t *testing.T) {
	const text = `# This is a RocksDB option file.

[Version]
  rocksdb_version=9.10.0

[CFOptions "default"]
  compression=kSnappyCompression
  compression_opts={checksum=false;level=32767;}
  merge_operator=

[TableOptions/BlockBasedTable "default"]
  block_size=4096
`
	path := rocksDBStore().with(tree{
		"OPTIONS-000007": "[Version]\n  rocksdb_version=1\n", "OPTIONS-999999": "[Version]\n  rocksdb_version=2\n",
		"OPTIONS-1000001": text, "OPTIONS-2000000.dbtmp": "[Version]\n  rocksdb_version=3\n", "OPTIONS-mine": "[Version]\n",
	}).write(t, t.TempDir())
	unchanged(t, path)
	got, err := Options(path)
	must(t, err)
	want := map[string]string{
		"Version.rocksdb_version":                         "9.10.0",
		"CFOptions default.compression":                   "kSnappyCompression",
		"CFOptions default.compression_opts":              "{checksum=false;level=32767;}",
		"CFOptions default.merge_operator":                "",
		"TableOptions/BlockBasedTable default.block_size": "4096",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOptionsMissing(t *testing.T) {
	for name, path := range map[string]string{
		"a store of LevelDB": levelDBStore().write(t, t.TempDir()),
		"an empty folder":    t.TempDir(),
		"no folder":          t.TempDir() + "/none",
	} {
		if options, err := Options(path); options != nil {
			t.Errorf("%s: %v", name, options)
		} else {
			wantKind(t, err, store.ErrNotExist, path)
		}
	}
}
