package dir

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// RocksDB 9.10 reads on for ever where a record has the type of a log that was
// used again and is not the first: its reader returns without having moved
// (ReadPhysicalRecord in db/log_reader.cc). One bit makes that type of any other.
// CheckLogs keeps it from such logs; here are the MANIFEST, which has the same
// reader, and Repair, which has to read what is damaged.

// refuseEndless returns ErrCorruption if RocksDB would read the MANIFEST for ever.
func refuseEndless(path string) *store.Error {
	text, e := readCurrent(path)
	if e != nil || text == "" {
		return e
	}
	name := strings.TrimSuffix(text, "\n")
	at := int64(-1)
	err := readRegular(filepath.Join(path, name), func(f *os.File) (err error) {
		at, err = endlessRecord(f, 0)
		return err
	})
	switch {
	case err != nil:
		return damage("CURRENT names "+name, err)
	case at >= 0:
		return fail(store.ErrCorruption, fmt.Sprintf("%s, byte %d: record of a log that was used again", name, at), nil)
	}
	return nil
}

// MendLogs makes logs readable for RocksDB's Repair: a record that it would read
// for ever gets its type back, or one that there is not, so that it is passed
// over. The lock is held meanwhile.
func (c *Claim) MendLogs() error {
	unlock, err := c.LockFile()
	if err != nil {
		return err
	}
	defer unlock()
	logs, err := logNumbers(c.path)
	if err != nil {
		return during(c.engine, c.op, c.path, readError(err))
	}
	for _, l := range logs {
		err := readRegular(filepath.Join(c.path, l.name), func(f *os.File) error { return mendLog(f, l.number) })
		if err != nil {
			return during(c.engine, c.op, c.path, osError(l.name, err))
		}
	}
	return nil
}

func mendLog(f *os.File, number uint64) error {
	for {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		at, err := endlessRecord(f, number)
		if err != nil || at < 0 {
			return err
		}
		kind, err := typeOf(f, at)
		if err != nil {
			return err
		}
		w, err := os.OpenFile(f.Name(), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = w.WriteAt([]byte{kind}, at+headerSize-1)
		if closed := w.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
}

// typeOf returns the type with which the record at an offset has its checksum,
// or one that there is not.
func typeOf(f *os.File, at int64) (byte, error) {
	rest := make([]byte, blockSize-at%blockSize)
	n, err := f.ReadAt(rest, at)
	if err != nil && err != io.EOF {
		return 0, err
	}
	rest = rest[:n]
	end := headerSize + int(binary.LittleEndian.Uint16(rest[4:]))
	for kind := byte(typeFull); kind <= typeLast && end <= len(rest); kind++ {
		if rest[headerSize-1] = kind; checksumFits(rest, end) {
			return kind, nil
		}
	}
	return 0x7F, nil
}

// endlessRecord returns where the record begins that RocksDB would read for ever,
// or -1. It goes from record to record as RocksDB's reader does.
func endlessRecord(r io.Reader, number uint64) (int64, error) {
	buf := make([]byte, blockSize)
	var seen, recycled, begun bool
	for base := int64(0); ; base += blockSize {
		n, err := io.ReadFull(r, buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return -1, err
		}
		for rest := buf[:n]; len(rest) >= headerSize; {
			size, kind, header := int(binary.LittleEndian.Uint16(rest[4:])), rest[6], headerSize
			if kind >= 5 && kind <= 8 || kind == typeHighest {
				if seen && !recycled {
					return base + int64(n-len(rest)), nil
				}
				recycled, header = true, recycledHeader
			}
			end := header + size
			if end > len(rest) {
				break
			}
			if header == recycledHeader && binary.LittleEndian.Uint32(rest[headerSize:]) != uint32(number) {
				return -1, nil // the end, for the reader
			}
			if kind == typeZero && size == 0 || !checksumFits(rest, end) {
				break
			}
			if kind >= 5 && kind <= 8 {
				kind -= 4
			}
			switch kind {
			case typeFull:
				seen, begun = true, false
			case typeFirst:
				begun = true
			case typeLast:
				seen, begun = seen || begun, false
			}
			rest = rest[end:]
		}
		if n < blockSize {
			return -1, nil
		}
	}
}
