package store

import (
	"bytes"
	"encoding/binary"
	"math"
)

// The encoding of a batch is that of LevelDB's and RocksDB's WriteBatch, so
// that a commit hands over one piece of memory: a sequence number of 8 bytes
// (0 until the engine sets it), the number of records in 4, then the records,
// each a tag and strings with their lengths before them as varints. Fixed-size
// numbers are little endian.
const (
	headerSize = 12

	tagDelete      = 0x00
	tagPut         = 0x01
	tagDeleteRange = 0x0F // RocksDB's kTypeRangeDeletion
	// tagDeleteFrom is ours: a range without an end, which the engines' format
	// can't say. Bounded replaces it.
	tagDeleteFrom = 0x8F
)

// A Batch is a list of changes that Write applies in their order and
// atomically. The zero value is an empty batch. It holds Go memory only and
// needs no Close. Keys and values are copied in, and may be reused after the
// call. A batch belongs to one goroutine at a time; it must not be changed
// while a Write of it is under way.
//
// Writing a batch leaves it as it is; Reset empties it for reuse and keeps its
// memory. Where one key is changed several times, the last change wins.
type Batch struct {
	rep    []byte
	ranges int // number of range deletes
	open   int // number of those without an end
}

// NewBatch returns an empty batch with room for size bytes of encoded records.
func NewBatch(size int) *Batch {
	b := &Batch{rep: make([]byte, headerSize, headerSize+max(0, min(size, MaxBatchSize-headerSize)))}
	return b
}

// Kind tells what a record of a batch does.
type Kind uint8

const (
	// KindPut stores Value under Key.
	KindPut Kind = iota + 1
	// KindDelete removes Key.
	KindDelete
	// KindDeleteRange removes the keys from Key up to, not including, End.
	KindDeleteRange
)

// Record is one change of a batch. The slices are the batch's memory: they
// must not be changed, and are valid until the batch is next changed.
type Record struct {
	Kind  Kind
	Key   []byte // the key, or the start of the range; never nil
	Value []byte // of a put; never nil there
	End   []byte // of a range; nil is no end
}

// Put adds the storing of value under key. A key or value over its maximum, or
// one that would make the batch larger than MaxBatchSize, is ErrTooLarge, and
// the batch stays as it was.
func (b *Batch) Put(key, value []byte) error {
	if err := CheckEntry(key, value); err != nil {
		return err
	}
	if err := b.grow(len(key), len(value)); err != nil {
		return err
	}
	b.add(tagPut)
	b.addString(key)
	b.addString(value)
	return nil
}

// Delete adds the removal of key. The errors are those of Put.
func (b *Batch) Delete(key []byte) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if err := b.grow(len(key), 0); err != nil {
		return err
	}
	b.add(tagDelete)
	b.addString(key)
	return nil
}

// DeleteRange adds the removal of every key k with start <= k < end, the keys
// that the batch itself has put before included. A nil start means from the
// first key on; a nil end, all keys that there are when the batch is written.
// An empty range adds nothing. A range whose start lies behind its end is
// ErrInvalidArgument; the other errors are those of Put.
func (b *Batch) DeleteRange(start, end []byte) error {
	if err := CheckRange(start, end); err != nil {
		return err
	}
	if (KeyRange{start, end}).Empty() {
		return nil
	}
	if err := b.grow(len(start), len(end)); err != nil {
		return err
	}
	if end == nil {
		b.add(tagDeleteFrom)
		b.addString(start)
		b.ranges++
		b.open++
		return nil
	}
	b.add(tagDeleteRange)
	b.addString(start)
	b.addString(end)
	b.ranges++
	return nil
}

// Append adds all changes of other, which stays as it is. Appending a batch to
// itself doubles it. A result larger than MaxBatchSize is ErrTooLarge, and b
// stays as it was. A nil or empty batch adds nothing.
func (b *Batch) Append(other *Batch) error {
	if other.Len() == 0 {
		return nil
	}
	records, n, ranges, open := other.rep[headerSize:], other.Len(), other.ranges, other.open
	if err := b.reserve(len(records)); err != nil {
		return err
	}
	b.rep = append(b.rep, records...)
	b.ranges += ranges
	b.open += open
	b.setLen(b.Len() + n)
	return nil
}

// Len returns the number of changes. It may be called on nil.
func (b *Batch) Len() int {
	if b == nil || len(b.rep) < headerSize {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b.rep[8:headerSize]))
}

// Size returns the size of the encoding in bytes, which is about what the
// write adds to the WAL. It may be called on nil.
func (b *Batch) Size() int {
	if b == nil || len(b.rep) < headerSize {
		return headerSize
	}
	return len(b.rep)
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	if len(b.rep) >= headerSize {
		b.rep = b.rep[:headerSize]
		clear(b.rep)
	}
	b.ranges, b.open = 0, 0
}

// Each calls fn with each change in order. It ends at the first error that fn
// returns, and returns it. It may be called on nil.
func (b *Batch) Each(fn func(r Record) error) error {
	if b.Len() == 0 {
		return nil
	}
	rest := b.rep[headerSize:]
	for len(rest) > 0 {
		r, n := decodeRecord(rest)
		if n == 0 {
			return batchError(ErrCorruption, "malformed record")
		}
		if err := fn(r); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// Encoded returns the encoding, in the format of the engines' write batches.
// It is the batch's memory: it must not be changed, and is valid until the
// batch is. A batch with ranges that have no end (HasOpenRange) has an encoding
// that no engine reads; see Bounded. It may be called on nil.
func (b *Batch) Encoded() []byte {
	if b == nil || len(b.rep) < headerSize {
		return make([]byte, headerSize)
	}
	return b.rep
}

// Load makes b the batch that rep encodes: a write batch of LevelDB or RocksDB,
// as Encoded returns it or as a log holds it. Everything is checked: a wrong
// count, an unknown tag, a cut record or a reversed range is ErrInvalidArgument,
// sizes are ErrTooLarge, and b stays as it was. The sequence number is dropped.
// rep may be reused.
func (b *Batch) Load(rep []byte) error {
	if len(rep) > MaxBatchSize {
		return batchError(ErrTooLarge, "batch")
	}
	if len(rep) < headerSize {
		return batchError(ErrInvalidArgument, "shorter than its header")
	}
	count, ranges, open := 0, 0, 0
	for rest := rep[headerSize:]; len(rest) > 0; count++ {
		r, n := decodeRecord(rest)
		if n == 0 {
			return batchError(ErrInvalidArgument, "malformed record")
		}
		if err := CheckEntry(r.Key, r.Value); err != nil {
			return err
		}
		if r.Kind == KindDeleteRange {
			if err := CheckRange(r.Key, r.End); err != nil {
				return err
			}
			ranges++
			if r.End == nil {
				open++
			}
		}
		rest = rest[n:]
	}
	if uint32(count) != binary.LittleEndian.Uint32(rep[8:headerSize]) {
		return batchError(ErrInvalidArgument, "wrong number of records")
	}
	b.rep = append(b.rep[:0], rep...)
	clear(b.rep[:8])
	b.ranges, b.open = ranges, open
	return nil
}

// HasRange tells whether the batch has a DeleteRange. It may be called on nil.
func (b *Batch) HasRange() bool { return b != nil && b.ranges > 0 }

// HasOpenRange tells whether the batch has a DeleteRange without an end. It
// may be called on nil.
func (b *Batch) HasOpenRange() bool { return b != nil && b.open > 0 }

// Bounded returns b if it has no range without an end. Otherwise it returns a
// copy in which each such range ends behind last, the greatest key of the store
// (nil: the store is empty), and behind every key that the batch puts before
// it. Engines call it.
func (b *Batch) Bounded(last []byte) (*Batch, error) {
	if !b.HasOpenRange() {
		return b, nil
	}
	out := NewBatch(b.Size())
	err := b.Each(func(r Record) error {
		switch {
		case r.Kind == KindPut:
			if last == nil || bytes.Compare(r.Key, last) > 0 {
				last = r.Key
			}
			return out.Put(r.Key, r.Value)
		case r.Kind == KindDelete:
			return out.Delete(r.Key)
		case r.End != nil:
			return out.DeleteRange(r.Key, r.End)
		case last == nil || bytes.Compare(r.Key, last) > 0:
			return nil // nothing there to delete
		}
		return out.DeleteRange(r.Key, Successor(last))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// CheckKey returns ErrTooLarge, wrapped, for a key longer than MaxKeySize.
func CheckKey(key []byte) error {
	if len(key) > MaxKeySize {
		return batchError(ErrTooLarge, "key")
	}
	return nil
}

// CheckEntry returns ErrTooLarge, wrapped, for a key longer than MaxKeySize or
// a value longer than MaxValueSize.
func CheckEntry(key, value []byte) error {
	if len(key) > MaxKeySize {
		return batchError(ErrTooLarge, "key")
	}
	if len(value) > MaxValueSize {
		return batchError(ErrTooLarge, "value")
	}
	return nil
}

// CheckRange returns ErrTooLarge, wrapped, for bounds longer than MaxKeySize,
// and ErrInvalidArgument for a start behind its end. The end may be one byte
// longer than a key, since that is how Successor ends a range.
func CheckRange(start, end []byte) error {
	if len(start) > MaxKeySize || len(end) > MaxKeySize+1 {
		return batchError(ErrTooLarge, "range bound")
	}
	if (KeyRange{start, end}).Reversed() {
		return batchError(ErrInvalidArgument, "range with its start behind its end")
	}
	return nil
}

func batchError(kind error, msg string) error {
	return &Error{Op: "batch", Kind: kind, Msg: msg}
}

// grow makes room for a record with strings of n and m bytes.
func (b *Batch) grow(n, m int) error {
	return b.reserve(1 + uvarintLen(n) + n + uvarintLen(m) + m)
}

func (b *Batch) reserve(n int) error {
	if len(b.rep) < headerSize {
		b.rep = append(b.rep[:0], make([]byte, headerSize)...)
	}
	if n > MaxBatchSize-len(b.rep) {
		return batchError(ErrTooLarge, "batch")
	}
	if b.Len() == math.MaxUint32 {
		return batchError(ErrTooLarge, "batch: number of records")
	}
	return nil
}

func (b *Batch) setLen(n int) {
	binary.LittleEndian.PutUint32(b.rep[8:headerSize], uint32(n))
}

func (b *Batch) add(tag byte) {
	b.rep = append(b.rep, tag)
	b.setLen(b.Len() + 1)
}

func (b *Batch) addString(s []byte) {
	b.rep = binary.AppendUvarint(b.rep, uint64(len(s)))
	b.rep = append(b.rep, s...)
}

func uvarintLen(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// decodeRecord returns the record at the start of rep, and its length there; 0
// if it is malformed.
func decodeRecord(rep []byte) (r Record, n int) {
	tag := rep[0]
	key, rest, ok := cutString(rep[1:])
	if !ok {
		return Record{}, 0
	}
	r.Key = key
	switch tag {
	case tagDelete:
		r.Kind = KindDelete
	case tagDeleteFrom:
		r.Kind = KindDeleteRange
	case tagPut:
		r.Kind = KindPut
		r.Value, rest, ok = cutString(rest)
	case tagDeleteRange:
		r.Kind = KindDeleteRange
		r.End, rest, ok = cutString(rest)
	default:
		return Record{}, 0
	}
	if !ok {
		return Record{}, 0
	}
	return r, len(rep) - len(rest)
}

// cutString splits off a string with its length before it. Lengths are 32-bit
// varints in at most 5 bytes, as the engines read them.
func cutString(b []byte) (s, rest []byte, ok bool) {
	n, k := binary.Uvarint(b[:min(len(b), 5)])
	if k <= 0 || n > math.MaxUint32 || n > uint64(len(b)-k) {
		return nil, nil, false
	}
	end := k + int(n)
	return b[k:end:end], b[end:], true
}
