package bench

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Park and Miller give the number after 10,000 steps from 1 as the test of an
// implementation.
func TestLehmerIsParkMiller(t *testing.T) {
	l := newLehmer(1)
	var n uint32
	for range 10_000 {
		n = l.next()
	}
	if n != 1043618065 {
		t.Errorf("the 10000th number is %d", n)
	}
}

func TestLehmerSeeds(t *testing.T) {
	for _, c := range []struct {
		seed int64
		want lehmer
	}{
		{0, 1}, {1, 1}, {math.MaxInt32, 1}, {math.MaxInt32 - 1, math.MaxInt32 - 1},
		{1 << 31, 1}, {1<<31 + 5, 5}, {1001, 1001},
	} {
		if got := newLehmer(c.seed); got != c.want {
			t.Errorf("seed %d: state %d, want %d", c.seed, got, c.want)
		}
	}
}

func TestModulus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Uint32Min(1).Draw(t, "d")
		n := rapid.Uint32().Draw(t, "n")
		if got := newModulus(d).of(n); got != uint64(n%d) {
			t.Fatalf("%d mod %d = %d", n, d, got)
		}
	})
}

// model goes through a workload list with the generators alone and keeps the
// keys that are there in a bitmap.
type model struct {
	config Config
	seeds  int64
	there  bitmap
	found  []int64 // of each readrandom
}

func (m *model) run(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		w, ok := FindWorkload(name)
		if !ok {
			t.Fatalf("no workload %q", name)
		}
		if w.Fresh {
			m.there = make(bitmap, m.config.Num/64+1)
		}
		p := w.plan(&m.config)
		p.config, p.workers = &m.config, 1
		if w.draws {
			m.seeds++
			p.seed = m.config.Seed + m.seeds
		}
		if p.keys == nil {
			continue
		}
		seq, num := p.sequence(0), make([]uint64, 1)
		found := int64(0)
		for range p.ops {
			seq.fill(num)
			if num[0] >= uint64(m.config.Num) {
				t.Fatalf("%s: key number %d of %d", name, num[0], m.config.Num)
			}
			if w.Writes {
				m.there.set(num[0], true)
			} else if m.there[num[0]>>6]&(1<<(num[0]&63)) != 0 {
				found++
			}
		}
		if name == "readrandom" {
			m.found = append(m.found, found)
		}
	}
}

func newModel() *model {
	c := DefaultConfig()
	c.Reads = c.Num
	return &model{config: c}
}

// The counts are those that C++ db_bench gives for a million keys with one
// thread.
func TestGoldenCounts(t *testing.T) {
	m := newModel()
	m.run(t, "fillrandom")
	if n := m.there.count(); n != 631953 {
		t.Errorf("fillrandom leaves %d keys", n)
	}
	m.run(t, "readrandom")
	if m.found[0] != 632150 {
		t.Errorf("fillrandom,readrandom finds %d", m.found[0])
	}

	m = newModel()
	p, _ := FindPreset("leveldb")
	m.run(t, p.Workloads...)
	want := []int64{864322, 864083, 864105}
	for i, n := range m.found {
		if n != want[i] {
			t.Errorf("readrandom %d of the default list finds %d, want %d", i+1, n, want[i])
		}
	}
}
