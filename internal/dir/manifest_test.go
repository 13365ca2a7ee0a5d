package dir

import (
	"bytes"
	"strings"
	"testing"
)

func TestReadManifest(t *testing.T) {
	var recycled, compressed, marked logWriter
	recycled.fragment(5, levelDBEdit)
	compressed.fragment(9, "\x07\x00\x00\x00")
	marked.fragment(11, "\x00")
	manyFiles := strings.Repeat(levelDBFiles, 2*manifestBound/len(levelDBFiles))

	for _, c := range []struct {
		name, data, want string
	}{
		{"leveldb", logOf(levelDBEdit), levelDB},
		{"leveldb with files", logOf(levelDBEdit, levelDBFiles, levelDBFiles), levelDB},
		{"leveldb over several blocks", logOf(levelDBEdit + strings.Repeat(levelDBFiles, 3000)), levelDB},
		{"leveldb beyond the bound", logOf(levelDBEdit + manyFiles), levelDB},
		{"leveldb beyond the bound later", logOf(levelDBEdit, manyFiles), levelDB},
		{"leveldb, empty edit", logOf(""), levelDB},
		{"leveldb, unwritten space", logOf(levelDBEdit) + strings.Repeat("\x00", 3*blockSize), levelDB},
		{"leveldb, torn second record", logOf(levelDBEdit, levelDBFiles)[:len(logOf(levelDBEdit))+12], levelDB},
		{"leveldb, damaged second record", logOf(levelDBEdit) + "damaged, and longer than a header", levelDB},
		{"leveldb, number of 64 bits", logOf("\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), levelDB},
		{"rocksdb, id", logOf(rocksDBEdit), rocksDB},
		{"rocksdb, ignorable tag of the future", logOf("\xff\x7f"), rocksDB},
		{"rocksdb, NewFile4", logOf(levelDBEdit, "\x67\x00"), rocksDB},
		{"rocksdb, NewFile2", logOf("\x64"), rocksDB},
		{"rocksdb, families", logOf(comparatorEdit, "\xc8\x01\x01"), rocksDB},
		{"rocksdb, MinLogNumberToKeep", logOf("\x0a\x01"), rocksDB},
		{"rocksdb, atomic group", logOf("\xac\x02\x01"), rocksDB},
		{"rocksdb, blob file", logOf("\x90\x03\x01"), rocksDB},
		{"rocksdb, after a record over several blocks", logOf(strings.Repeat(levelDBFiles, 3000), rocksDBEdit), rocksDB},
		{"rocksdb, recycled record", string(recycled.out), rocksDB},
		{"rocksdb, compressed", string(compressed.out), rocksDB},
		{"rocksdb, timestamp size", string(marked.out), rocksDB},
		{"rocksdb, cut after its tag", logOf(rocksDBEdit + manyFiles), rocksDB},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := readManifest(strings.NewReader(c.data))
			if err != nil || m.engine != c.want {
				t.Fatalf("readManifest = %+v, %v; want %q", m, err, c.want)
			}
		})
	}
}

func TestManifestDamage(t *testing.T) {
	whole := logOf(levelDBEdit)
	flipped := []byte(whole)
	flipped[len(flipped)-1] ^= 1
	var middle, unfinished, twice logWriter
	middle.fragment(typeMiddle, levelDBEdit)
	unfinished.fragment(typeFirst, levelDBEdit)
	twice.fragment(typeFirst, levelDBEdit)
	twice.fragment(typeFull, levelDBEdit)
	tooLong := []byte(whole + strings.Repeat("x", 2*blockSize))
	tooLong[4], tooLong[5] = 0xff, 0xff
	unknownType := []byte(whole)
	unknownType[6] = 77

	for _, c := range []struct {
		name, data, says string
	}{
		{"empty", "", "no whole record"},
		{"shorter than a header", whole[:6], "no whole record"},
		{"torn record", whole[:len(whole)-1], "no whole record"},
		{"zeros", strings.Repeat("\x00", 2*blockSize), "no whole record"},
		{"beyond the bound, zeros", strings.Repeat("\x00", 2*manifestBound), "no whole record"},
		{"flipped bit", string(flipped), "checksum"},
		{"text", "this is not a manifest of any engine", "record"},
		{"middle first", string(middle.out), "out of order"},
		{"first alone", string(unfinished.out), "no whole record"},
		{"first, then full", string(twice.out), "out of order"},
		{"longer than its block", string(tooLong), "longer"},
		{"unknown type", string(unknownType), "type 77"},
		{"unknown tag", logOf("\x32\x00"), "tag 50"},
		{"tag 8", logOf("\x08\x00"), "tag 8"},
		{"tag of more than 32 bits", logOf("\x80\xc0\x80\x80\x10"), "neither"},
		{"string beyond the record", logOf("\x01\xff\x7f"), "within a field"},
		{"string of 2^64-1 bytes", logOf("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "within a field"},
		{"number beyond 64 bits", logOf("\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "64 bits"},
		{"tag alone", logOf("\x07"), "within a field"},
		{"unknown tag in the second record", logOf(levelDBEdit, "\x32"), "record 2"},
		{"beyond the bound, unknown tag", logOf("\x32" + strings.Repeat("x", 2*manifestBound)), "tag 50"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := readManifest(strings.NewReader(c.data))
			if err == nil || m.engine != "" || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("readManifest = %+v, %v; want an error that says %q", m, err, c.says)
			}
		})
	}
}

// A MANIFEST is read to its bound only.
func TestManifestBound(t *testing.T) {
	r := &endless{start: strings.NewReader(logOf(levelDBEdit))}
	if m, err := readManifest(r); err != nil || m.engine != levelDB {
		t.Fatalf("readManifest = %+v, %v", m, err)
	}
	if r.read > manifestBound {
		t.Errorf("%d bytes read", r.read)
	}
}

// endless goes on with zeros for ever.
type endless struct {
	start *strings.Reader
	read  int
}

func (e *endless) Read(p []byte) (int, error) {
	n, _ := e.start.Read(p)
	if n == 0 {
		clear(p)
		n = len(p)
	}
	e.read += n
	return n, nil
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(logOf(levelDBEdit, levelDBFiles)), false)
	f.Add([]byte(logOf(rocksDBEdit, comparatorEdit)), false)
	f.Add([]byte(logOf(levelDBEdit, levelDBFiles+rocksDBEdit)), true)
	f.Add([]byte(levelDBEdit+levelDBFiles), false)
	f.Fuzz(func(t *testing.T, data []byte, cut bool) {
		// Once as a file, and once as the only edit of a file, which gets past
		// the checksum.
		checkManifest(t, data, cut)
		if len(data) < manifestBound {
			checkManifest(t, []byte(logOf(string(data))), cut)
		}
	})
}

func checkManifest(t *testing.T, data []byte, cut bool) {
	before := bytes.Clone(data)
	m, err := parseManifest(data, cut)
	if known := m.engine == levelDB || m.engine == rocksDB; known == (err != nil) {
		t.Fatalf("parseManifest = %+v, %v", m, err)
	}
	if !bytes.Equal(data, before) {
		t.Fatal("the data were changed")
	}
}
