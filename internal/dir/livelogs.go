package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// liveLogs tells, by its number, whether the engine replays a log: the others'
// contents are in tables, and they are only not removed yet. If the MANIFEST
// does not tell, each log counts as live: the engine will refuse the store.
func liveLogs(engine, path string) (live func(number uint64) bool) {
	all := func(uint64) bool { return true }
	text, e := readCurrent(path)
	if e != nil {
		return all
	}
	data, err := os.ReadFile(filepath.Join(path, strings.TrimSuffix(text, "\n")))
	if err != nil {
		return all
	}
	state := logState{families: map[uint64]uint64{0: 0}}
	log := logReader{data: data}
	for {
		record, whole, err := log.record()
		if err != nil {
			return all
		}
		if !whole {
			break
		}
		if err := state.edit(record); err != nil {
			return all
		}
	}
	return func(number uint64) bool { return state.live(engine, number) }
}

// logState is what a MANIFEST says about logs.
type logState struct {
	families map[uint64]uint64 // the number from which on a column family has data in logs
	previous uint64            // LevelDB: one more log
	keep     uint64            // RocksDB: logs before are not needed
}

func (l *logState) live(engine string, number uint64) bool {
	if number == l.previous && engine == levelDB && number > 0 {
		return true
	}
	first := ^uint64(0)
	for _, n := range l.families {
		first = min(first, n)
	}
	return number >= max(first, l.keep)
}

// edit takes what a version edit of either engine says.
func (l *logState) edit(edit []byte) error {
	d := decoder{rest: edit}
	var family, log uint64
	var dropped bool
	for len(d.rest) > 0 && d.err == nil {
		switch tag := d.varint(); tag {
		case tagComparator, tagFamilyAdd:
			d.bytes()
		case tagLogNumber:
			log = d.varint()
		case tagPrevLogNumber:
			l.previous = d.varint()
		case tagMinLogToKeep:
			l.keep = max(l.keep, d.varint())
		case tagNextFile, tagLastSequence, tagMaxFamily, tagAtomicGroup:
			d.varint()
		case tagCompactPointer:
			d.varint() // level
			d.bytes()  // key
		case tagDeletedFile:
			d.varint() // level
			d.varint() // number
		case tagNewFile, tagNewFile2, tagNewFile3, tagNewFile4:
			d.newFile(tag)
		case tagFamily:
			family = d.varint()
		case tagFamilyDrop:
			dropped = true
		default:
			if tag&tagIgnorable == 0 {
				return errors.New("unknown tag")
			}
			d.bytes()
		}
	}
	switch {
	case d.err != nil:
		return d.err
	case dropped:
		delete(l.families, family)
	case log > 0:
		l.families[family] = max(l.families[family], log)
	}
	return nil
}

// newFile takes a table off the front of a version edit.
func (d *decoder) newFile(tag uint64) {
	d.varint() // level
	d.varint() // number
	if tag == tagNewFile3 {
		d.varint() // path
	}
	d.varint() // size
	d.bytes()  // smallest key
	d.bytes()  // largest key
	if tag == tagNewFile {
		return
	}
	d.varint() // smallest sequence number
	d.varint() // largest sequence number
	if tag != tagNewFile4 {
		return
	}
	const terminate = 1
	for field := d.varint(); field != terminate && d.err == nil; field = d.varint() {
		d.bytes()
	}
}
