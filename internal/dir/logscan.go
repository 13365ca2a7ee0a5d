package dir

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"strconv"
)

// A logFault is where a log does not go on as it should.
type logFault struct {
	offset int64
	what   string
	torn   bool // nothing but zeros follows: the log was cut short there
}

// scanLog reads a log of the number to its end, or to the first fault. It is the
// engines' own reader (db/log_reader.cc) without their leniency: a record that
// claims more than is left, and zeros, are no end if records follow. Where a log
// of RocksDB was used again, what is left of its former life is one.
func scanLog(r io.Reader, number uint64) (*logFault, error) {
	s := logScan{number: uint32(number), buf: make([]byte, blockSize), zeros: -1, begun: -1}
	for {
		n, err := io.ReadFull(r, s.buf)
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			s.last = true
		default:
			return nil, err
		}
		s.block = s.buf[:n]
		fault := s.scanBlock()
		if fault != nil || s.ended {
			return fault, nil
		}
		if s.last {
			return s.end(), nil
		}
		s.base += int64(n)
	}
}

// A logScan is at work on one log.
type logScan struct {
	number uint32
	buf    []byte

	block []byte
	base  int64 // the block's place in the file
	last  bool  // the file ends with the block
	ended bool  // the log ends before the file does

	recycled bool  // the log was made of an older one
	opaque   bool  // its records are compressed
	zeros    int64 // where zeros began that reach up to here, or -1
	begun    int64 // where the record began whose fragments are being read, or -1

	// What is known of the sequence numbers of the batches: the one that the next
	// has, if seen is set, and the head of the present one.
	seen bool
	next uint64
	head []byte
}

// batchHead is the size of the head of a record, which is a batch: a sequence
// number and a count.
const batchHead = 12

func (s *logScan) scanBlock() *logFault {
	for pos := 0; ; {
		rest := s.block[pos:]
		at := s.base + int64(pos)
		if len(rest) < headerSize {
			if s.last && len(rest) > 0 {
				return s.cut(at)
			}
			return nil // a trailer
		}
		size, kind := int(binary.LittleEndian.Uint16(rest[4:])), rest[6]
		if kind == typeZero && size == 0 {
			return s.skipZeros(at, rest)
		}
		if s.zeros >= 0 {
			return s.damage(s.zeros, "zeros before records")
		}
		header := headerSize
		if kind >= 5 && kind <= 8 || kind == typeHighest {
			header = recycledHeader
		}
		end := header + size
		if end > len(rest) {
			switch {
			case !s.last:
				return s.damage(at, "record longer than its block")
			case s.recycled:
				return s.former(at)
			case s.recordBehind(pos):
				return s.damage(at, "record longer than the file, with others behind it")
			}
			return s.cut(at)
		}
		if header == recycledHeader && binary.LittleEndian.Uint32(rest[headerSize:]) != s.number && s.recycled {
			return s.former(at)
		}
		if !checksumFits(rest, end) {
			return s.damage(at, "checksum mismatch")
		}
		if header == recycledHeader && !s.recycled {
			// RocksDB 9.10 reads on for ever at one that is not the first.
			if at > 0 {
				return s.damage(at, "record of a log that was used again")
			}
			s.recycled = true
			continue
		}
		if fault := s.fragment(at, kind, rest[header:end]); fault != nil {
			return fault
		}
		pos += end
	}
}

// checksumFits tells whether the record of end bytes at the start of b has the
// checksum that it says.
func checksumFits(b []byte, end int) bool {
	sum := crc32.Checksum(b[6:end], castagnoli)
	return (sum>>15|sum<<17)+0xa282ead8 == binary.LittleEndian.Uint32(b)
}

// skipZeros takes note of zeros, for which the engines skip the rest of the
// block.
func (s *logScan) skipZeros(at int64, rest []byte) *logFault {
	for i, c := range rest {
		if c != 0 {
			return s.damage(at, "zeros before byte "+strconv.FormatInt(at+int64(i), 10))
		}
	}
	switch {
	case s.begun >= 0:
		return s.damage(at, "zeros in the middle of a record")
	case s.zeros < 0 && len(rest) >= recycledHeader: // less is a trailer too
		s.zeros = at
	}
	return nil
}

// fragment follows how fragments make a record.
func (s *logScan) fragment(at int64, kind byte, payload []byte) *logFault {
	if kind >= 5 && kind <= 8 {
		kind -= 4
	}
	switch kind {
	case typeFull, typeFirst:
		if s.begun >= 0 && len(s.head) > 0 {
			return s.damage(s.begun, "record without an end")
		}
		s.begun, s.head = at, s.head[:0]
	case typeMiddle, typeLast:
		if s.begun < 0 {
			return s.damage(at, "record without a start")
		}
	case typeCompression:
		s.opaque = true
		return nil
	case typeTimestamps, typeHighest:
		return nil
	default:
		return s.damage(at, "unknown record type "+strconv.Itoa(int(kind)))
	}
	s.head = append(s.head, payload[:min(len(payload), batchHead-len(s.head))]...)
	if kind == typeFull || kind == typeLast {
		if len(s.head) < batchHead && !s.opaque {
			return s.damage(s.begun, "record too short for a batch")
		}
		s.follow()
		s.begun, s.head = -1, s.head[:0]
	}
	return nil
}

// follow takes the sequence number of the record that the head is of.
func (s *logScan) follow() {
	if len(s.head) == batchHead && !s.opaque {
		s.seen = true
		s.next = binary.LittleEndian.Uint64(s.head) + uint64(binary.LittleEndian.Uint32(s.head[8:]))
	}
}

// recordBehind tells whether there is a record in the block behind pos, where
// one claims to be longer than what is left of the file. If so, its length is
// damaged, and it was not cut short. A value may look like a record; that its
// sequence number would follow those before it as well is not to be thought of.
func (s *logScan) recordBehind(pos int) bool {
	if s.begun >= 0 {
		s.follow() // as far as is known
	}
	for at := pos + 1; len(s.block)-at >= headerSize+batchHead; at++ {
		rest := s.block[at:]
		kind, end := rest[6], headerSize+int(binary.LittleEndian.Uint16(rest[4:]))
		if kind != typeFull && kind != typeFirst || end > len(rest) || end < headerSize+batchHead {
			continue
		}
		if s.seen && !s.opaque && binary.LittleEndian.Uint64(rest[headerSize:])-s.next > blockSize {
			continue // a block has room for fewer changes
		}
		if checksumFits(rest, end) {
			return true
		}
	}
	return false
}

// damage is a fault, but where a log was used again: there it is what is left of
// its former life.
func (s *logScan) damage(at int64, what string) *logFault {
	if s.recycled {
		return s.former(at)
	}
	return &logFault{offset: at, what: what}
}

// former ends a log that was used again.
func (s *logScan) former(at int64) *logFault {
	s.ended = true
	if s.begun >= 0 {
		return s.cut(at)
	}
	return nil
}

// cut is the fault of a log that ends in the middle of a record.
func (s *logScan) cut(at int64) *logFault {
	if s.begun >= 0 {
		at = s.begun
	}
	return &logFault{offset: at, what: "record cut short", torn: true}
}

// end is what is to be said at the end of the file.
func (s *logScan) end() *logFault {
	switch {
	case s.begun >= 0:
		return s.cut(s.begun)
	case s.zeros >= 0:
		return &logFault{offset: s.zeros, what: "zeros at the end", torn: true}
	}
	return nil
}
