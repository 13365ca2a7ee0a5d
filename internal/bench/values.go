package bench

// values is the memory that all values of a run are windows of. It is made
// before any clock starts and only read afterwards.
type values struct {
	data  []byte
	sizes []uint32 // drawn sizes, used in turn; nil for a fixed size
	size  int      // the fixed size
	max   int
	mean  float64
}

const (
	valueBuffer = 1 << 20 // db_bench's
	valuePiece  = 100     // the length over which values repeat themselves
	valueSeed   = 301     // db_bench's
	drawnSizes  = 1 << 16
)

// newValues returns values of the sizes s, each piece of which is meant to
// compress to the ratio.
func newValues(s Sizes, ratio float64, seed int64) *values {
	v := &values{max: int(s.Max), size: int(s.Min), mean: s.Mean()}
	if s.Min != s.Max {
		rng := splitmix(seed)
		v.sizes = make([]uint32, drawnSizes)
		for i := range v.sizes {
			v.sizes[i] = uint32(s.draw(rng.unit()))
		}
	}
	// Room for some windows of the largest size that differ, if it is not huge.
	length := max(valueBuffer, v.max, min(4*v.max, 256<<20))
	v.data = make([]byte, 0, length+valuePiece)
	rng := newLehmer(valueSeed)
	for len(v.data) < length {
		v.data = appendPiece(v.data, &rng, ratio)
	}
	return v
}

// appendPiece appends valuePiece bytes: random printable ones, a share of
// ratio, repeated to the length, as db_bench makes them.
func appendPiece(dst []byte, rng *lehmer, ratio float64) []byte {
	raw := max(int(valuePiece*ratio), 1)
	start := len(dst)
	for range raw {
		dst = append(dst, byte(' '+rng.next()%95))
	}
	for len(dst) < start+valuePiece {
		dst = append(dst, dst[start:min(start+raw, start+start+valuePiece-len(dst))]...)
	}
	return dst
}

// stream returns the values of one worker's operations, in order. Made again
// for the same worker it gives the same values.
func (v *values) stream(worker int) *valueStream {
	s := &valueStream{data: v.data, size: v.size, sizes: v.sizes}
	if v.sizes != nil {
		// Workers begin at different places of the drawn sizes.
		s.turn = worker * 4099 % len(v.sizes)
	}
	return s
}

// valueStream hands out windows of the buffer, one after the other and round
// again.
type valueStream struct {
	data  []byte
	pos   int
	size  int
	sizes []uint32
	turn  int
}

// next returns the next value. It must not be changed.
func (s *valueStream) next() []byte {
	if s.sizes != nil {
		s.size = int(s.sizes[s.turn])
		s.turn = (s.turn + 1) % drawnSizes
	}
	end := s.pos + s.size
	if end > len(s.data) {
		s.pos, end = 0, s.size
	}
	v := s.data[s.pos:end:end]
	s.pos = end
	return v
}
