package store

import (
	"iter"
)

// Match returns the entries of r whose keys match a glob pattern, in order. It
// reads only the keys that begin with the pattern's literal prefix. In a
// pattern, '*' stands for any bytes, none included, '?' for any one byte,
// [abc], [a-z] and [^a-z] for one byte of a set or of all others, and '\' takes
// the next byte literally. Everything is bytes: there is no special separator.
// The pattern covers the whole key. A malformed pattern is ErrInvalidArgument,
// returned by errf after the (empty) loop. Otherwise the rules are those of Scan.
func Match(r Reader, pattern []byte) (rows iter.Seq2[[]byte, []byte], errf func() error) {
	p, err := ParsePattern(pattern)
	if err != nil {
		return func(func(k, v []byte) bool) {}, func() error { return err }
	}
	kr := p.Range()
	return scan(r, &IterOptions{Lower: kr.Start, Upper: kr.End}, p.Match)
}

// A Pattern is a parsed glob pattern; see Match. It may be used by many
// goroutines at once.
type Pattern struct {
	prefix []byte
	parts  []part
}

// part matches one byte of a set, or with star any number of bytes.
type part struct {
	star bool
	any  bool
	neg  bool
	one  byte
	set  []byte // pairs of first and last byte; nil for a literal
}

// ParsePattern parses a pattern. The errors are ErrInvalidArgument: a set
// without its end, a backslash at the end, a range whose first byte is greater
// than its last, an empty set.
func ParsePattern(pattern []byte) (*Pattern, error) {
	p := &Pattern{}
	literal := true
	for i := 0; i < len(pattern); {
		part, n := parsePart(pattern[i:])
		if n == 0 {
			return nil, &Error{Op: "match", Kind: ErrInvalidArgument, Msg: "malformed pattern"}
		}
		i += n
		literal = literal && !part.star && !part.any && part.set == nil
		if literal {
			p.prefix = append(p.prefix, part.one)
			continue
		}
		if part.star && len(p.parts) > 0 && p.parts[len(p.parts)-1].star {
			continue // two stars are one
		}
		p.parts = append(p.parts, part)
	}
	return p, nil
}

// Range returns the keys that can match: those with the literal prefix, or the
// one key if the pattern is a literal.
func (p *Pattern) Range() KeyRange {
	if len(p.parts) == 0 {
		return KeyRange{Start: p.prefix, End: Successor(p.prefix)}
	}
	return PrefixRange(p.prefix)
}

// Match tells whether the whole key matches. It takes time proportional to the
// key's length times the pattern's at the worst.
func (p *Pattern) Match(key []byte) bool {
	if len(key) < len(p.prefix) || string(key[:len(p.prefix)]) != string(p.prefix) {
		return false
	}
	key = key[len(p.prefix):]
	// On a mismatch, let the latest star take one byte more. Earlier stars
	// need no second try: the latest can stand for all that they could.
	i, star, from := 0, -1, 0
	for pos := 0; pos < len(key); {
		switch {
		case i < len(p.parts) && p.parts[i].star:
			star, from = i, pos
			i++
		case i < len(p.parts) && p.parts[i].match(key[pos]):
			i++
			pos++
		case star >= 0:
			from++
			i, pos = star+1, from
		default:
			return false
		}
	}
	for i < len(p.parts) && p.parts[i].star {
		i++
	}
	return i == len(p.parts)
}

func (q part) match(c byte) bool {
	if q.any {
		return true
	}
	if q.set == nil {
		return q.one == c
	}
	for i := 0; i < len(q.set); i += 2 {
		if q.set[i] <= c && c <= q.set[i+1] {
			return !q.neg
		}
	}
	return q.neg
}

// parsePart returns the first part of b and its length, 0 if it is malformed.
func parsePart(b []byte) (part, int) {
	switch b[0] {
	case '*':
		return part{star: true}, 1
	case '?':
		return part{any: true}, 1
	case '\\':
		if len(b) < 2 {
			return part{}, 0
		}
		return part{one: b[1]}, 2
	case '[':
		return parseSet(b)
	}
	return part{one: b[0]}, 1
}

func parseSet(b []byte) (part, int) {
	q := part{set: []byte{}}
	i := 1
	if i < len(b) && b[i] == '^' {
		q.neg = true
		i++
	}
	for i < len(b) && b[i] != ']' {
		lo, n := parseByte(b[i:])
		if n == 0 {
			return part{}, 0
		}
		i += n
		hi := lo
		if i+1 < len(b) && b[i] == '-' && b[i+1] != ']' {
			hi, n = parseByte(b[i+1:])
			if n == 0 || hi < lo {
				return part{}, 0
			}
			i += 1 + n
		}
		q.set = append(q.set, lo, hi)
	}
	if i >= len(b) || len(q.set) == 0 {
		return part{}, 0
	}
	return q, i + 1
}

func parseByte(b []byte) (byte, int) {
	if b[0] != '\\' {
		return b[0], 1
	}
	if len(b) < 2 {
		return 0, 0
	}
	return b[1], 2
}
