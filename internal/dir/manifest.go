package dir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// manifestBound is how much of a MANIFEST is read. RocksDB's mark is in its
// first records; a store of LevelDB with more than that has many table files.
const manifestBound = 1 << 20

// The format of logs, which both engines use for MANIFEST files as well
// (db/log_format.h): blocks of 32 KiB with records in them, each a checksum, a
// length, a type and the payload.
const (
	blockSize      = 32 << 10
	headerSize     = 7
	recycledHeader = headerSize + 4 // RocksDB's, with the number of the log

	typeZero   = 0 // space that was allocated ahead
	typeFull   = 1
	typeFirst  = 2
	typeMiddle = 3
	typeLast   = 4
	// From here on they are RocksDB's: 5 to 8 and 11 have the number of the log.
	typeCompression = 9
	typeTimestamps  = 10
	typeHighest     = 11 // timestamps too
)

// Tags in the records of a MANIFEST, which are version edits (db/version_edit.cc
// of LevelDB, db/version_edit.h of RocksDB).
const (
	tagComparator     = 1
	tagLogNumber      = 2
	tagNextFile       = 3
	tagLastSequence   = 4
	tagCompactPointer = 5
	tagDeletedFile    = 6
	tagNewFile        = 7
	tagPrevLogNumber  = 9

	// From here on they are RocksDB's.
	tagMinLogToKeep = 10
	tagNewFile2     = 100
	tagNewFile3     = 102
	tagNewFile4     = 103
	tagFamily       = 200
	tagFamilyAdd    = 201
	tagFamilyDrop   = 202
	tagMaxFamily    = 203
	tagAtomicGroup  = 300

	// RocksDB's tags with this bit may be skipped by versions that don't know
	// them.
	tagIgnorable = 1 << 13
)

// manifestInfo is what was found out about a MANIFEST.
type manifestInfo struct {
	engine string
	tables bool // LevelDB's lists tables
	size   int64
}

// errNoRecord: a MANIFEST ends before its first record does.
var errNoRecord = errors.New("no whole record")

// readManifest tells which engine wrote the MANIFEST that r reads: RocksDB if
// there is anything of its own in it, LevelDB if all that was read is LevelDB's.
// An error says that the first record is damaged, or is of neither engine.
func readManifest(r io.Reader) (manifestInfo, error) {
	data, err := io.ReadAll(io.LimitReader(r, manifestBound))
	if err != nil {
		return manifestInfo{}, err
	}
	return parseManifest(data, len(data) == manifestBound)
}

// parseManifest is readManifest for data that is in memory; cut tells that the
// file may go on after it.
func parseManifest(data []byte, cut bool) (manifestInfo, error) {
	m := manifestInfo{engine: levelDB}
	log := logReader{data: data}
	for records := 0; ; records++ {
		record, whole, err := log.record()
		switch {
		case errors.Is(err, errRocksDB):
			return manifestInfo{engine: rocksDB}, nil
		case err != nil && records > 0:
			return m, nil // the engine will find the damage itself
		case err != nil:
			return manifestInfo{}, err
		case !whole && !(cut && len(record) > 0):
			if records == 0 {
				return manifestInfo{}, errNoRecord
			}
			return m, nil
		}
		err = m.edit(record)
		switch {
		case errors.Is(err, errRocksDB):
			return manifestInfo{engine: rocksDB}, nil
		case !whole && (err == nil || errors.Is(err, errShort)):
			return m, nil
		case err != nil:
			return manifestInfo{}, fmt.Errorf("record %d: %w", records+1, err)
		}
	}
}

// A fragment is a record of the log, and a record of the MANIFEST or a part
// of one.
type fragment struct {
	kind    byte
	payload []byte
}

// A logReader reads the fragments in data.
type logReader struct {
	data []byte
	pos  int
}

// record puts the next record together. It is not whole if the data end before.
func (l *logReader) record() (record []byte, whole bool, err error) {
	for begun := false; ; begun = true {
		f, err := l.next()
		switch {
		case err == io.EOF:
			return record, false, nil
		case err != nil:
			return nil, false, err
		case f.kind > typeLast:
			return nil, false, errRocksDB
		case (f.kind == typeFull || f.kind == typeFirst) == begun:
			return nil, false, errors.New("fragments out of order")
		}
		if !begun {
			record = f.payload // most have one fragment
		} else {
			record = append(record, f.payload...)
		}
		if f.kind == typeFull || f.kind == typeLast {
			return record, true, nil
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// next returns the next fragment, or io.EOF when there is none that is whole.
func (l *logReader) next() (fragment, error) {
	for {
		left := blockSize - l.pos%blockSize
		if left < headerSize {
			l.pos += left // the trailer of a block
			continue
		}
		if len(l.data)-l.pos < headerSize {
			return fragment{}, io.EOF
		}
		h := l.data[l.pos:]
		size, kind := int(binary.LittleEndian.Uint16(h[4:])), h[6]
		if kind == typeZero && size == 0 {
			l.pos += left
			continue
		}
		header := headerSize
		if kind >= 5 && kind <= 8 || kind == typeHighest {
			header = recycledHeader
		}
		end := header + size
		switch {
		case kind == typeZero || kind > typeHighest:
			return fragment{}, fmt.Errorf("unknown record type %d", kind)
		case end > left:
			return fragment{}, errors.New("record longer than its block")
		case end > len(h):
			return fragment{}, io.EOF
		}
		if !checksumFits(h, end) {
			return fragment{}, errors.New("checksum mismatch")
		}
		l.pos += end
		return fragment{kind: kind, payload: h[header:end:end]}, nil
	}
}

var (
	errShort   = errors.New("record ends within a field")
	errRocksDB = errors.New("of RocksDB alone")
)

// edit goes through the tags of a version edit. It is errRocksDB at the first
// one that only RocksDB has.
func (m *manifestInfo) edit(edit []byte) error {
	d := decoder{rest: edit}
	for len(d.rest) > 0 && d.err == nil {
		tag := d.varint()
		if d.err != nil {
			break
		}
		switch tag {
		case tagComparator:
			d.bytes()
		case tagLogNumber, tagNextFile, tagLastSequence, tagPrevLogNumber:
			d.varint()
		case tagCompactPointer:
			d.varint() // level
			d.bytes()  // key
		case tagDeletedFile:
			d.varint() // level
			d.varint() // number
		case tagNewFile:
			m.tables = true
			d.varint() // level
			d.varint() // number
			d.varint() // size
			d.bytes()  // smallest key
			d.bytes()  // largest key
		default:
			if isRocksDBTag(tag) {
				return errRocksDB
			}
			return fmt.Errorf("tag %d is of neither LevelDB nor RocksDB", tag)
		}
	}
	return d.err
}

// isRocksDBTag tells whether only RocksDB has the tag.
func isRocksDBTag(tag uint64) bool {
	switch tag {
	case tagMinLogToKeep, tagNewFile2, tagNewFile3, tagNewFile4,
		tagFamily, tagFamilyAdd, tagFamilyDrop, tagMaxFamily, tagAtomicGroup,
		400, 401: // blob files
		return true
	}
	return tag < 1<<32 && tag&tagIgnorable != 0
}

// A decoder takes fields off the front of a version edit. After an error it
// takes no more.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) varint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.err = errShort
		if n < 0 {
			d.err = errors.New("number does not fit 64 bits")
		}
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) bytes() {
	n := d.varint()
	if d.err != nil {
		return
	}
	if n > uint64(len(d.rest)) {
		d.err = errShort
		return
	}
	d.rest = d.rest[n:]
}
