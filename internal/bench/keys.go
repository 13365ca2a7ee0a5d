package bench

import (
	"encoding/binary"
	"strconv"
)

// keyMaker turns key numbers into keys, in a buffer that it owns. It belongs
// to one worker.
type keyMaker struct {
	key    []byte // prefix, padding, number, suffix
	number []byte // the part of key in which the number stands
	write  func(dst []byte, n uint64)
	// other, if not nil, makes the key in place of write.
	other func(n uint64) []byte
}

// newSampledKeys returns a maker that gives keys of a sample, key n of it for
// number n, and round again.
func newSampledKeys(sample keySample, suffix string) *keyMaker {
	m := &keyMaker{}
	m.other = func(n uint64) []byte {
		if len(sample) == 0 {
			return m.key
		}
		key := sample[n%uint64(len(sample))]
		if suffix == "" {
			return key
		}
		m.key = append(append(m.key[:0], key...), suffix...)
		return m.key
	}
	return m
}

// newKeyMaker returns a maker of the run's keys. A suffix makes keys that lie
// between stored ones: right behind the key that they begin with.
func newKeyMaker(c *Config, suffix string) *keyMaker {
	m := &keyMaker{key: make([]byte, c.KeySize, c.KeySize+len(suffix))}
	if c.KeyFormat == KeyPlain {
		m.key = append(m.key[:0], c.KeyPrefix...)
		m.other = func(n uint64) []byte {
			m.key = append(strconv.AppendUint(m.key[:len(c.KeyPrefix)], n, 10), suffix...)
			return m.key
		}
		return m
	}
	copy(m.key, c.KeyPrefix)
	m.number = m.key[len(c.KeyPrefix):]
	for i := range m.number {
		m.number[i] = '0'
	}
	m.key = append(m.key, suffix...)
	if c.KeyFormat == KeyBigEndian {
		m.write = writeBigEndian
		if len(m.number) > 8 {
			m.number = m.number[:8]
		}
		return m
	}
	// What lies in front of the digits that can occur stays '0'.
	digits := len(m.number)
	switch {
	case c.space() <= 1e8 && digits >= 8:
		m.number = m.number[digits-8:]
		m.write = write8
	case digits >= 16:
		m.number = m.number[digits-16:]
		m.write = write16
	default:
		m.write = writeShort
	}
	return m
}

// at returns the key of number n. It is valid until the next call.
func (m *keyMaker) at(n uint64) []byte {
	if m.other != nil {
		return m.other(n)
	}
	m.write(m.number, n)
	return m.key
}

// write8 writes n, less than 1e8, in 8 digits.
func write8(dst []byte, n uint64) {
	binary.LittleEndian.PutUint64(dst, digits8(n))
}

// write16 writes n, less than 1e16, in 16 digits.
func write16(dst []byte, n uint64) {
	hi := n / 1e8
	_ = dst[15]
	binary.LittleEndian.PutUint64(dst, digits8(hi))
	binary.LittleEndian.PutUint64(dst[8:], digits8(n-hi*1e8))
}

// writeShort writes n, less than 1e16, in len(dst) digits, fewer than 16.
func writeShort(dst []byte, n uint64) {
	var buf [16]byte
	write16(buf[:], n)
	copy(dst, buf[16-len(dst):])
}

// writeBigEndian writes the low len(dst) bytes of n, at most 8.
func writeBigEndian(dst []byte, n uint64) {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], n)
	copy(dst, buf[8-len(dst):])
}

// digits8 returns the 8 decimal digits of n, less than 1e8, as characters, the
// first one in the lowest byte. It halves all parts of the number at once:
// into two of four digits, four of two, eight of one. Each division by 100 or
// by 10 is a multiplication and a shift, exact for the numbers that can occur.
func digits8(n uint64) uint64 {
	hi := n / 10000
	x := hi | (n-hi*10000)<<32
	q := x * 10486 >> 20 & 0x0000007F_0000007F
	x = q | (x-q*100)<<16
	q = x * 103 >> 10 & 0x000F_000F_000F_000F
	return (q | (x-q*10)<<8) | 0x3030303030303030
}
