package store_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

func texts(t testing.TB, a, b store.Reader, kr store.KeyRange) []string {
	t.Helper()
	var all []string
	differences, errf := store.Diff(t.Context(), a, b, kr)
	for d := range differences {
		all = append(all, fmt.Sprintf("%s:%s:%s", d.Key, side(d.A), side(d.B)))
	}
	must(t, errf())
	return all
}

// side shows a value, or that there is none.
func side(v []byte) string {
	if v == nil {
		return "-"
	}
	return string(v)
}

func TestDiff(t *testing.T) {
	a, b := open(t, "both", "only a", "z"), open(t, "", "both", "only b", "z")
	must(t, a.Put([]byte("k"), []byte("1"), nil))
	must(t, b.Put([]byte("k"), []byte("2"), nil))
	must(t, a.Put([]byte("m"), nil, nil))
	must(t, b.Put([]byte("m"), []byte("full"), nil))
	must(t, a.Put([]byte("n"), nil, nil))
	all := []string{":-:", "k:1:2", "m::full", "n::-", "only a:ONLY A:-", "only b:-:ONLY B"}
	wantKeys(t, texts(t, a, b, store.KeyRange{}), all...)
	wantKeys(t, texts(t, a, b, store.KeyRange{Start: []byte("k"), End: []byte("n")}), all[1:3]...)
	wantKeys(t, texts(t, a, b, store.KeyRange{Start: []byte("only b")}), all[5:]...)
	wantKeys(t, texts(t, a, b, store.KeyRange{End: []byte{}}))
	wantKeys(t, texts(t, a, a, store.KeyRange{}))
	wantKeys(t, texts(t, b, open(t), store.KeyRange{End: []byte("c")}), "::-", "both:BOTH:-")

	// The loop may end early, and begin anew.
	differences, errf := store.Diff(nil, a, b, store.KeyRange{})
	for range 3 {
		n := 0
		for range differences {
			if n++; n == 2 {
				break
			}
		}
		if must(t, errf()); n != 2 {
			t.Errorf("%d differences before the break", n)
		}
	}
}

// Against maps, with stores of many small differences.
func TestDiffRandom(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	keys := make([]string, 40)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	slices.Sort(keys)
	for round := range 200 {
		var dbs [2]*memstore.DB
		var maps [2]map[string]string
		for i := range dbs {
			dbs[i], maps[i] = open(t), map[string]string{}
			for range rng.IntN(30) {
				k, v := keys[rng.IntN(len(keys))], fmt.Sprint(rng.IntN(3))
				must(t, dbs[i].Put([]byte(k), []byte(v), nil))
				maps[i][k] = v
			}
		}
		var want []string
		for _, k := range keys {
			a, inA := maps[0][k]
			b, inB := maps[1][k]
			switch {
			case inA && !inB:
				want = append(want, k+":"+a+":-")
			case inB && !inA:
				want = append(want, k+":-:"+b)
			case a != b:
				want = append(want, k+":"+a+":"+b)
			}
		}
		if got := texts(t, dbs[0], dbs[1], store.KeyRange{}); !slices.Equal(got, want) {
			t.Fatalf("seed %d, round %d: got %q, want %q", seed, round, got, want)
		}
		a, err := store.Checksum(nil, dbs[0], store.KeyRange{})
		must(t, err)
		b, err := store.Checksum(nil, dbs[1], store.KeyRange{})
		if err != nil || (a == b) != (len(want) == 0) {
			t.Fatalf("seed %d, round %d: %d differences, checksums %v and %v, %v", seed, round, len(want), a, b, err)
		}
	}
}

// An error of either side ends the loop, and is never taken for a difference.
func TestDiffErrors(t *testing.T) {
	full := open(t, "a", "b", "c", "d", "e")
	for _, other := range []*memstore.DB{full, open(t, "b", "c", "d", "e"), open(t, "e"), open(t)} {
		for after := range 4 {
			for _, swapped := range []bool{false, true} {
				var a, b store.Reader = failing{Reader: full, after: after}, other
				if swapped {
					a, b = b, a
				}
				differences, errf := store.Diff(nil, a, b, store.KeyRange{})
				for d := range differences {
					if string(d.Key) > string(rune('a'+after)) {
						t.Errorf("error behind entry %d: difference at %q", after, d.Key)
					}
				}
				wantErr(t, errf(), errDamaged, "diff")
			}
		}
	}
	differences, errf := store.Diff(nil, full, failing{Reader: full, after: 99, atClose: errDamaged}, store.KeyRange{})
	for d := range differences {
		t.Errorf("difference at %q", d.Key)
	}
	wantErr(t, errf(), errDamaged, "close")
	closed := open(t)
	must(t, closed.Close())
	for range 2 {
		differences, errf = store.Diff(nil, full, closed, store.KeyRange{})
		for range differences {
			t.Error("a difference from a closed store")
		}
		wantErr(t, errf(), store.ErrClosed, "closed store")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	differences, errf = store.Diff(canceled, full, open(t), store.KeyRange{})
	for range differences {
		t.Error("a difference after the end of the context")
	}
	wantErr(t, errf(), context.Canceled, "canceled")
	must(t, full.Close()) // nothing was left open
}

// A range that no key can be meant by, and no store, are errors, since nothing
// would differ; so is a context that has ended, also where there is nothing to
// read.
func TestReadingRefuses(t *testing.T) {
	db := open(t, "a", "b")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for what, c := range map[string]struct {
		ctx  context.Context
		r    store.Reader
		kr   store.KeyRange
		want error
	}{
		"reversed range": {nil, db, store.KeyRange{Start: []byte("b"), End: []byte("a")}, store.ErrInvalidArgument},
		"nil store":      {nil, nil, store.KeyRange{}, store.ErrInvalidArgument},
		"canceled":       {canceled, open(t), store.KeyRange{}, context.Canceled},
	} {
		d, err := store.Checksum(c.ctx, c.r, c.kr)
		if wantErr(t, err, c.want, "checksum, "+what); d != (store.Digest{}) {
			t.Errorf("%s: digest %+v", what, d)
		}
		differences, errf := store.Diff(c.ctx, open(t), c.r, c.kr)
		for range differences {
			t.Errorf("%s: a difference", what)
		}
		wantErr(t, errf(), c.want, "diff, "+what)
	}
	d, err := store.Checksum(nil, db, store.KeyRange{Start: []byte("b"), End: []byte("b")})
	if err != nil || d.Entries != 0 {
		t.Errorf("empty range: %+v, %v", d, err)
	}
}

// The context may end on the way; then the loop ends within some entries.
func TestReadingInterrupted(t *testing.T) {
	db, empty := open(t), open(t)
	for i := range 5000 {
		must(t, db.Put(fmt.Appendf(nil, "k%04d", i), make([]byte, 20), nil))
	}
	ctx, cancel := context.WithCancel(t.Context())
	differences, errf := store.Diff(ctx, db, empty, store.KeyRange{})
	n := 0
	for range differences {
		if n++; n == 10 {
			cancel()
		}
	}
	if wantErr(t, errf(), context.Canceled, "diff"); n > 1024 {
		t.Errorf("%d differences", n)
	}
	ctx, cancel = context.WithCancel(t.Context())
	d, err := store.Checksum(ctx, cancelling{db, cancel}, store.KeyRange{})
	if wantErr(t, err, context.Canceled, "checksum"); d != (store.Digest{}) {
		t.Errorf("digest %+v", d)
	}
	must(t, db.Close()) // nothing was left open
}

// cancelling cancels when it is read.
type cancelling struct {
	store.Reader
	cancel func()
}

func (c cancelling) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	c.cancel()
	return c.Reader.NewIterator(o)
}

// The digest is what the documentation says, to the bit, for all times.
func TestChecksumIsStable(t *testing.T) {
	db := open(t)
	for _, c := range []struct {
		key, value string
		want       string
	}{
		// printf '' | sha256sum
		{want: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		// printf '\3\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0keyvalue' | sha256sum
		{"key", "value", "3263c2d54b339c78fa3a0118ccdf6fc28f771ed4580dc735e441fcd11769ff52"},
		// and '\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0missing' behind it
		{"missing", "", "6ad3076298b6c24d7993d93e0802cfee6982552f7915e0aff652a50fccadd80a"},
	} {
		if c.key != "" {
			must(t, db.Put([]byte(c.key), []byte(c.value), nil))
		}
		d, err := store.Checksum(t.Context(), db, store.KeyRange{})
		if err != nil || d.String() != c.want || hex.EncodeToString(d.Sum[:]) != c.want {
			t.Errorf("with %q: %v, %v, want %s", c.key, d, err, c.want)
		}
	}
}

// Where keys end and values begin counts, and so does what lies in the range.
func TestChecksum(t *testing.T) {
	seen := map[store.Digest]string{}
	for _, entries := range [][2]string{{"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a", "b"}} {
		db := open(t)
		must(t, db.Put([]byte(entries[0]), []byte(entries[1]), nil))
		d, err := store.Checksum(nil, db, store.KeyRange{})
		if before, there := seen[d]; there || err != nil || d.Entries != 1 {
			t.Errorf("%q and %q: %+v, %v", entries, before, d, err)
		}
		seen[d] = fmt.Sprint(entries)
	}
	// Entries around and over the size of what is hashed at a time.
	db, other := open(t), open(t)
	for i, n := range []int{0, 1, 32<<10 - 19, 32<<10 - 18, 32<<10 - 17, 32 << 10, 100_000, 5} {
		must(t, db.Put(fmt.Appendf(nil, "k%d", i), make([]byte, n), nil))
		must(t, other.Put(fmt.Appendf(nil, "k%d", i), make([]byte, n), nil))
	}
	a, err := store.Checksum(nil, db, store.KeyRange{})
	must(t, err)
	n := namespace(t, other, "k")
	part, err := store.Checksum(nil, n, store.KeyRange{Start: []byte("5"), End: []byte("6")})
	if err != nil || part.Entries != 1 || part.Bytes != 32<<10+1 {
		t.Errorf("%+v, %v", part, err)
	}
	must(t, n.Close())
	for i := range 8 { // each byte counts
		key := fmt.Appendf(nil, "k%d", i)
		value, err := other.Get(key)
		must(t, err)
		must(t, other.Put(key, append(value, 0), nil))
		if b, err := store.Checksum(nil, other, store.KeyRange{}); err != nil || b == a || b.Entries != 8 {
			t.Errorf("a byte more under %q: %+v, %v", key, b, err)
		}
		must(t, other.Put(key, value, nil))
	}
	b, err := store.Checksum(nil, other, store.KeyRange{})
	if err != nil || a != b || a.Entries != 8 {
		t.Errorf("%+v and %+v, %v", a, b, err)
	}
}

func TestChecksumErrors(t *testing.T) {
	db := open(t, "a", "b", "c")
	for _, r := range []store.Reader{failing{Reader: db, after: 1}, failing{Reader: db, after: 9, atClose: errDamaged}} {
		d, err := store.Checksum(nil, r, store.KeyRange{})
		if !errors.Is(err, errDamaged) || d != (store.Digest{}) {
			t.Errorf("%+v, %v", d, err)
		}
	}
	must(t, db.Put([]byte("large"), make([]byte, 100_000), nil))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	d, err := store.Checksum(canceled, db, store.KeyRange{})
	if !errors.Is(err, context.Canceled) || d != (store.Digest{}) {
		t.Errorf("%+v, %v", d, err)
	}
	must(t, db.Close())
	_, err = store.Checksum(nil, db, store.KeyRange{})
	wantErr(t, err, store.ErrClosed, "closed")
}

func ExampleDiff() {
	before, after := memstore.New(), memstore.New()
	defer before.Close()
	defer after.Close()
	check(before.Put([]byte("apple"), []byte("green"), nil))
	check(before.Put([]byte("plum"), []byte("blue"), nil))
	check(after.Put([]byte("apple"), []byte("red"), nil))
	check(after.Put([]byte("lemon"), []byte("yellow"), nil))

	differences, errf := store.Diff(context.Background(), before, after, store.KeyRange{})
	for d := range differences {
		switch {
		case d.A == nil:
			fmt.Printf("+ %s %s\n", d.Key, d.B)
		case d.B == nil:
			fmt.Printf("- %s %s\n", d.Key, d.A)
		default:
			fmt.Printf("  %s %s -> %s\n", d.Key, d.A, d.B)
		}
	}
	check(errf())
	// Output:
	//   apple green -> red
	// + lemon yellow
	// - plum blue
}

func ExampleChecksum() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("key"), []byte("value"), nil))

	d, err := store.Checksum(context.Background(), db, store.KeyRange{})
	check(err)
	fmt.Println(d.Entries, "entry of", d.Bytes, "bytes")
	fmt.Println(d)
	// Output:
	// 1 entry of 8 bytes
	// 3263c2d54b339c78fa3a0118ccdf6fc28f771ed4580dc735e441fcd11769ff52
}
