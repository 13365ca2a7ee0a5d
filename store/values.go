package store

// Values holds the results of a MultiGet: one for each key, by index, all
// values in one piece of memory. The zero value is ready for use. Using it
// again as a destination reuses its memory and so ends the validity of what At
// has returned. It belongs to one goroutine at a time.
type Values struct {
	arena []byte
	ends  []int // end of value i in arena; ^end when key i is not there
}

// Len returns the number of results.
func (v *Values) Len() int { return len(v.ends) }

// At returns result i: the value, which is not nil, and true; or nil and false
// if the key was not there, or if i is out of range. The slice is valid until v
// is next used as a destination. Appending to it does not reach the next value.
func (v *Values) At(i int) ([]byte, bool) {
	if i < 0 || i >= len(v.ends) || v.ends[i] < 0 {
		return nil, false
	}
	start := 0
	if i > 0 {
		if start = v.ends[i-1]; start < 0 {
			start = ^start
		}
	}
	end := v.ends[i]
	return v.arena[start:end:end], true
}

// Reset empties v and keeps its memory.
func (v *Values) Reset() {
	v.arena = v.arena[:0]
	v.ends = v.ends[:0]
}

// Append adds a result that is present, with a copy of value. Engines call it.
func (v *Values) Append(value []byte) {
	if v.arena == nil {
		v.arena = []byte{} // an empty value is not nil
	}
	v.arena = append(v.arena, value...)
	v.ends = append(v.ends, len(v.arena))
}

// AppendMissing adds a result that is not present. Engines call it.
func (v *Values) AppendMissing() {
	v.ends = append(v.ends, ^len(v.arena))
}

// Arena returns v's memory, emptied, so that an engine can fill it in one go
// and give it back with SetArena.
func (v *Values) Arena() []byte { return v.arena[:0] }

// SetArena makes arena the memory of v, and its pieces the results: sizes[i]
// is the length of value i, or -1 where key i is not there; the values lie in
// arena one after the other. It panics if the sizes don't add up to
// len(arena). Engines call it.
func (v *Values) SetArena(arena []byte, sizes []int64) {
	if arena == nil {
		arena = []byte{}
	}
	v.arena = arena
	v.ends = v.ends[:0]
	end := 0
	for _, n := range sizes {
		if n < 0 {
			v.ends = append(v.ends, ^end)
			continue
		}
		end += int(n)
		v.ends = append(v.ends, end)
	}
	if end != len(arena) {
		panic("store: sizes do not add up to the arena")
	}
}
