package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// A codec is either at work or refused, never ignored.
func codecCases() []diskCase {
	return []diskCase{{"A19_Codecs", codecs, true}}
}

func codecs(t *diskEnv) {
	for _, c := range []store.Compression{
		store.DefaultCompression, store.NoCompression, store.Snappy, store.LZ4, store.Zstd, store.Zlib, "gzip", "SNAPPY",
	} {
		path := t.path()
		o := store.Options{CreateIfMissing: true, Compression: c}
		switch {
		case c == "gzip" || c == "SNAPPY": // no names of codecs
			t.refuseOpen(path, o, store.ErrInvalidArgument, string(c))
			t.untouched(path, string(c))
		case c != store.DefaultCompression && !slices.Contains(t.engine.Codecs, c):
			_, err := t.openWith(path, o)
			t.wantKind(err, store.ErrNotSupported, string(c))
			if err == nil || !strings.Contains(err.Error(), string(c)) {
				t.Errorf("error %v does not name the codec %s", err, c)
			}
			t.untouched(path, string(c))
		default:
			t.compresses(path, o)
		}
	}
}

// compresses writes 10 MiB that any codec makes small, and measures what lies in
// the folder.
func (t *diskEnv) compresses(path string, o store.Options) {
	t.Helper()
	const rows, size = 2560, 4 << 10
	db := t.openO(path, o)
	value := bytes.Repeat([]byte("compressible "), size/13+1)[:size]
	want := make([]row, rows)
	for i := range want {
		want[i] = row{fmt.Appendf(nil, "key%06d", i), value}
	}
	t.writeAll(db, want)
	t.must(db.Compact(nil, store.KeyRange{}), "compact")
	t.close(db)
	// Opened once more: what was in logs is gone.
	db = t.openO(path, o)
	disk := folderBytes(t, path)
	t.Logf("%q: %d bytes", o.Compression, disk)
	switch {
	case o.Compression == store.NoCompression && disk < rows*size:
		t.Errorf("without compression %d bytes take %d", rows*size, disk)
	case o.Compression != store.NoCompression && disk > rows*size/3:
		t.Errorf("with %q, %d bytes take %d", o.Compression, rows*size, disk)
	}
	t.wantContents(db, want, "reopened with "+string(o.Compression))
	t.close(db)
	// What is in the tables says how to read it: the option is for new ones.
	db = t.openO(path, store.Options{Compression: store.NoCompression})
	t.wantContents(db, want, "reopened with another option")
	t.close(db)
}
