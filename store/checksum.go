package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// A Digest stands for the entries of a range: two ranges have equal digests if,
// and as far as anybody can bring about only if, they have the same keys and
// values. Digests are compared with ==.
type Digest struct {
	// Sum is the SHA-256 hash of the entries in their order, each the length of
	// its key and that of its value, in 8 bytes with the lowest first, then the
	// key and the value.
	Sum [sha256.Size]byte
	// Entries is how many there are, Bytes the size of their keys and values.
	Entries uint64
	Bytes   uint64
}

// String returns Sum in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d.Sum[:]) }

// Checksum reads the entries of r within the range and returns their digest,
// which is the same on every engine, on every machine and under all options. It
// reads one state of r, the one at the call, past the block cache. A range whose
// start lies behind its end is ErrInvalidArgument. When ctx ends, so does Checksum,
// with an error that wraps ctx's; a nil ctx never ends.
func Checksum(ctx context.Context, r Reader, kr KeyRange) (d Digest, err error) {
	if err := checkReading(ctx, "checksum", kr, r); err != nil {
		return Digest{}, err
	}
	it, err := r.NewIterator(&IterOptions{Lower: kr.Start, Upper: kr.End, FillCache: Off})
	if err != nil {
		return Digest{}, err
	}
	defer func() {
		if cerr := it.Close(); err == nil && cerr != nil {
			d, err = Digest{}, cerr
		}
	}()
	const size = 32 << 10 // fed to the hash at a time: its calls cost something
	h, buf := sha256.New(), make([]byte, 0, size)
	for k, v := range All(it) {
		if len(buf)+16+len(k)+len(v) > size {
			if err := expired(ctx, "checksum", r); err != nil {
				return Digest{}, err
			}
			h.Write(buf)
			buf = buf[:0]
		}
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(k)))
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(v)))
		if len(k)+len(v) <= size-16 {
			buf = append(append(buf, k...), v...)
		} else {
			h.Write(buf)
			h.Write(k)
			h.Write(v)
			buf = buf[:0]
		}
		d.Entries++
		d.Bytes += uint64(len(k) + len(v))
	}
	if err := it.Err(); err != nil {
		return Digest{}, err
	}
	h.Write(buf)
	h.Sum(d.Sum[:0])
	return d, nil
}

// checkReading checks what is to be read. A reversed range would be empty for
// iterators, and make any two stores alike.
func checkReading(ctx context.Context, op string, kr KeyRange, rs ...Reader) error {
	bad := func(msg string) error { return &Error{Op: op, Kind: ErrInvalidArgument, Msg: msg} }
	if kr.Reversed() {
		return bad("range with its start behind its end")
	}
	for _, r := range rs {
		if r == nil {
			return bad("nil store")
		}
	}
	return expired(ctx, op, rs[0])
}

// expired returns an error, of the store that r is, if ctx, which may be nil, has
// ended.
func expired(ctx context.Context, op string, r Reader) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	e := &Error{Op: op, Kind: ErrTimeout, Msg: "stopped on the way", Err: ctx.Err()}
	if db, ok := r.(DB); ok {
		e.Engine, e.Path, _ = identify(db)
	}
	return e
}
