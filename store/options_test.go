package store_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Options, settings, write options, values and metrics: zero values work, and
// what has no meaning is refused by name.

func TestOptionsValidate(t *testing.T) {
	for _, good := range []store.Options{
		{},
		{CreateIfMissing: true, ErrorIfExists: true, ReadOnly: true},
		{WriteBufferSize: 1, BlockCacheSize: math.MaxInt64, BlockSize: 1, BlockRestartInterval: 1, MaxOpenFiles: store.UnlimitedFiles,
			MaxFileSize: 1, Compression: store.Zstd, BloomBits: 10, MaxCalls: 1, VerifyChecksums: store.Off, ParanoidChecks: store.On, Recovery: store.Strict},
		{Compression: store.NoCompression}, {Compression: store.Snappy}, {Compression: store.LZ4}, {Compression: store.Zlib},
	} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for field, bad := range map[string]store.Options{
		"WriteBufferSize":      {WriteBufferSize: -1},
		"BlockCacheSize":       {BlockCacheSize: math.MinInt64},
		"BlockSize":            {BlockSize: -1},
		"BlockRestartInterval": {BlockRestartInterval: -1},
		"MaxOpenFiles":         {MaxOpenFiles: -2},
		"MaxFileSize":          {MaxFileSize: -1},
		"BloomBits":            {BloomBits: -1},
		"MaxCalls":             {MaxCalls: -1},
		"VerifyChecksums":      {VerifyChecksums: 3},
		"ParanoidChecks":       {ParanoidChecks: 255},
		"Recovery":             {Recovery: 2},
		"Compression":          {Compression: "Snappy"},
	} {
		err := bad.Validate()
		if !errors.Is(err, store.ErrInvalidArgument) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v, want an invalid argument that names it", field, err)
		}
	}
	for field, bad := range map[string]store.Options{
		"BlockRestartInterval": {BlockRestartInterval: math.MaxInt32},
		"MaxOpenFiles":         {MaxOpenFiles: math.MaxInt32},
		"BloomBits":            {BloomBits: 1 << 20},
	} {
		if err := bad.Validate(); !errors.Is(err, store.ErrInvalidArgument) {
			t.Errorf("huge %s: %v", field, err)
		}
	}
}

func TestSetting(t *testing.T) {
	for _, c := range []struct {
		s         store.Setting
		def, want bool
	}{
		{store.Default, true, true}, {store.Default, false, false},
		{store.On, false, true}, {store.On, true, true},
		{store.Off, true, false}, {store.Off, false, false},
	} {
		if got := c.s.Enabled(c.def); got != c.want {
			t.Errorf("setting %d, default %v: %v", c.s, c.def, got)
		}
	}
	for s := range 256 {
		if got := store.Setting(s).Valid(); got != (s < 3) {
			t.Errorf("setting %d is valid: %v", s, got)
		}
		if got := store.Recovery(s).Valid(); got != (s < 2) {
			t.Errorf("recovery %d is valid: %v", s, got)
		}
	}
}

func TestWriteOptions(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		o    *store.WriteOptions
		sync bool
		err  error
	}{
		{nil, false, nil}, {store.NoSync, false, nil}, {store.Sync, true, nil}, {&store.WriteOptions{}, false, nil},
		{&store.WriteOptions{Context: t.Context()}, false, nil},
		{&store.WriteOptions{Context: done, Sync: true}, true, context.Canceled},
	} {
		if c.o.Synced() != c.sync || c.o.Err() != c.err {
			t.Errorf("%+v: synced %v, err %v", c.o, c.o.Synced(), c.o.Err())
		}
	}
}

// wantValues checks v against a list in which "-" is a missing key.
func wantValues(t *testing.T, v *store.Values, want ...string) {
	t.Helper()
	if v.Len() != len(want) {
		t.Fatalf("%d values, want %d", v.Len(), len(want))
	}
	for i, w := range want {
		got, ok := v.At(i)
		if w == "-" {
			if ok || got != nil {
				t.Errorf("value %d: %s, %v, want it missing", i, show(got), ok)
			}
		} else if !ok || !same(got, []byte(w)) {
			t.Errorf("value %d: %s, %v, want %q", i, show(got), ok, w)
		}
	}
	for _, i := range []int{-1, len(want), math.MaxInt, math.MinInt} {
		if got, ok := v.At(i); ok || got != nil {
			t.Errorf("value %d out of range: %s, %v", i, show(got), ok)
		}
	}
}

func TestValues(t *testing.T) {
	var v store.Values
	wantValues(t, &v)
	v.AppendMissing()
	v.Append(nil)
	v.Append([]byte("one"))
	v.AppendMissing()
	v.AppendMissing()
	v.Append([]byte("two"))
	v.Append([]byte{})
	wantValues(t, &v, "-", "", "one", "-", "-", "two", "")
	one, _ := v.At(2)
	_ = append(one, "overwritten"...)
	wantValues(t, &v, "-", "", "one", "-", "-", "two", "")
	v.Reset()
	wantValues(t, &v)
	v.AppendMissing()
	wantValues(t, &v, "-")

	v.SetArena([]byte("onetwo"), []int64{-1, 3, 0, -1, 3})
	wantValues(t, &v, "-", "one", "", "-", "two")
	if arena := v.Arena(); len(arena) != 0 || cap(arena) < 6 {
		t.Errorf("arena: len %d, cap %d", len(arena), cap(arena))
	}
	v.SetArena(nil, []int64{-1, 0})
	wantValues(t, &v, "-", "")
	v.SetArena(nil, nil)
	wantValues(t, &v)
}

func TestValuesArenaMismatch(t *testing.T) {
	for _, sizes := range [][]int64{{1}, {3}, nil} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("sizes %v of an arena of 2 bytes: no panic", sizes)
				}
			}()
			new(store.Values).SetArena([]byte("ab"), sizes)
		}()
	}
}

func TestFigure(t *testing.T) {
	var unknown store.Figure
	if n, ok := unknown.Value(); n != 0 || ok || unknown.Known() {
		t.Errorf("zero figure: %d, %v, %v", n, ok, unknown.Known())
	}
	zero := store.Known(0)
	if n, ok := zero.Value(); n != 0 || !ok || !zero.Known() || zero == unknown {
		t.Errorf("known zero: %d, %v", n, ok)
	}
	if n, ok := store.Known(math.MaxUint64).Value(); n != math.MaxUint64 || !ok {
		t.Errorf("known: %d, %v", n, ok)
	}
}

func TestFilesPerLevel(t *testing.T) {
	two := store.LevelMetrics{Files: store.Known(2)}
	for _, c := range []struct {
		levels []store.LevelMetrics
		want   []int
	}{
		{nil, nil}, {[]store.LevelMetrics{two, {Files: store.Known(0)}}, []int{2, 0}},
		{[]store.LevelMetrics{two, {Bytes: store.Known(9)}}, nil},
	} {
		m := store.Metrics{Levels: c.levels}
		if got := m.FilesPerLevel(); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v, want %v", c.levels, got, c.want)
		}
	}
}
