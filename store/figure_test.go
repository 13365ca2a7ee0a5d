package store_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// A figure that is not known is told apart from 0 in every form, and survives
// being written down.
func TestFigureForms(t *testing.T) {
	for _, c := range []struct {
		f          store.Figure
		text, json string
	}{
		{store.Figure{}, "n/a", "null"},
		{store.Known(0), "0", "0"},
		{store.Known(math.MaxUint64), "18446744073709551615", "18446744073709551615"},
	} {
		if text := fmt.Sprint(c.f); text != c.text {
			t.Errorf("text %q, want %q", text, c.text)
		}
		out, err := json.Marshal(struct{ F store.Figure }{c.f})
		if want := `{"F":` + c.json + `}`; err != nil || string(out) != want {
			t.Errorf("JSON %s, %v, want %s", out, err, want)
		}
		back := store.Known(7)
		if err := json.Unmarshal([]byte(c.json), &back); err != nil || back != c.f {
			t.Errorf("read back %v, %v, want %v", back, err, c.f)
		}
	}
	for _, bad := range []string{`"1"`, "-1", "1.5", "{}"} {
		if err := new(store.Figure).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestFigureSince(t *testing.T) {
	for _, c := range []struct{ after, before, want store.Figure }{
		{store.Known(5), store.Known(3), store.Known(2)},
		{store.Known(3), store.Known(3), store.Known(0)},
		{store.Known(3), store.Known(5), store.Figure{}}, // of another store
		{store.Known(3), store.Figure{}, store.Figure{}},
		{store.Figure{}, store.Known(3), store.Figure{}},
	} {
		if got := c.after.Since(c.before); got != c.want {
			t.Errorf("%v since %v: %v, want %v", c.after, c.before, got, c.want)
		}
	}
}

func TestCacheHitRate(t *testing.T) {
	known := func(hits, misses uint64) store.Cache {
		return store.Cache{Hits: store.Known(hits), Misses: store.Known(misses)}
	}
	for _, c := range []struct {
		cache store.Cache
		rate  float64
		known bool
	}{
		{known(3, 1), 0.75, true},
		{known(0, 1), 0, true},
		{known(0, 0), 0, false},
		{store.Cache{Hits: store.Known(1)}, 0, false},
		{store.Cache{}, 0, false},
		{known(13, 11).Since(known(10, 10)), 0.75, true},
		{known(13, 11).Since(store.Cache{}), 0, false},
	} {
		if rate, ok := c.cache.HitRate(); rate != c.rate || ok != c.known {
			t.Errorf("%v: %v, %v, want %v, %v", c.cache, rate, ok, c.rate, c.known)
		}
	}
}
