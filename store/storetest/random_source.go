package storetest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// seedEnv is the variable that repeats a random test.
const seedEnv = "LSMKIT_SEED"

// random is a source of test data that can be repeated.
type random struct {
	*rand.Rand
	bytes *rand.ChaCha8
	seed  uint64
}

// Seed returns the seed for a random test: the value of LSMKIT_SEED, or a new
// one. It prints it, and prints it again if the test fails.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv(seedEnv); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedEnv, err)
		}
	}
	t.Logf("%s=%d", seedEnv, seed)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with %s=%d", seedEnv, seed)
		}
	})
	return seed
}

func newRandom(seed uint64) *random {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &random{Rand: rand.New(rand.NewPCG(seed, 0)), bytes: rand.NewChaCha8(key), seed: seed}
}

// random returns the test's source.
func (t *env) random() *random {
	t.Helper()
	if t.shared == nil {
		t.shared = newRandom(Seed(t.T))
	}
	return t.shared
}

// chance is true once in n times.
func (r *random) chance(n int) bool { return r.IntN(n) == 0 }

// key returns a short key of few different bytes, among them the smallest and
// the greatest, so that keys are often equal, neighbours or prefixes of each
// other. It may be empty.
func (r *random) key() []byte {
	const alphabet = "\x00\x01abc\x7f\x80\xfe\xff"
	k := make([]byte, r.IntN(5))
	for i := range k {
		k[i] = alphabet[r.IntN(len(alphabet))]
	}
	return k
}

// bound returns nil or a key.
func (r *random) bound() []byte {
	if r.chance(3) {
		return nil
	}
	return r.key()
}

// value returns random bytes: none, some, and now and then more than a block
// or a chunk of an iterator.
func (r *random) value() []byte {
	n := r.IntN(100)
	switch {
	case r.chance(8):
		n = 0
	case r.chance(20):
		n = r.IntN(20 << 10)
	case r.chance(200):
		n = r.IntN(200 << 10)
	}
	return r.fill(n)
}

// fill returns n bytes that don't compress.
func (r *random) fill(n int) []byte {
	b := make([]byte, n)
	r.bytes.Read(b) // never fails
	return b
}

// keyRange returns a range whose bounds are in order.
func (r *random) keyRange() store.KeyRange {
	kr := store.KeyRange{Start: r.bound(), End: r.bound()}
	if kr.Reversed() {
		kr.Start, kr.End = kr.End, kr.Start
	}
	return kr
}

// iterOptions returns options with any bounds, those that leave nothing
// included.
func (r *random) iterOptions() *store.IterOptions {
	if r.chance(6) {
		return nil
	}
	o := &store.IterOptions{Lower: r.bound(), Upper: r.bound(), Reverse: r.chance(2), KeysOnly: r.chance(5)}
	if r.chance(3) {
		o.Prefix = bytes.Clone(r.key())
	}
	o.FillCache = store.Setting(r.IntN(3))
	o.VerifyChecksums = store.Setting(r.IntN(3))
	return o
}
