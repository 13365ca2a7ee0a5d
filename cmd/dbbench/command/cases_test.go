package command

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

// The tests of this file run the whole tool on both engines. Each bears the
// number of the required behaviour that it holds the tool to.

// each runs fn for each engine.
func each(t *testing.T, fn func(t *testing.T, engine string)) {
	for _, name := range engines.Names() {
		t.Run(name, func(t *testing.T) { fn(t, name) })
	}
}

// tool runs dbbench run on the real engines; it returns the record as well when
// there is one.
func tool(t *testing.T, args ...string) (output, *bench.Record) {
	t.Helper()
	return toolWith(t, Deps{Engines: Engines()}, args...)
}

func toolWith(t *testing.T, d Deps, args ...string) (output, *bench.Record) {
	t.Helper()
	got := execute(t, d, append([]string{"run", "--format", "json", "--progress", "never"}, args...)...)
	if got.out == "" {
		return got, nil
	}
	rec, err := report.Read(strings.NewReader(got.out))
	if err != nil {
		t.Fatalf("stdout is no record: %v", err)
	}
	return got, rec
}

// good is tool for runs that must end well.
func good(t *testing.T, args ...string) *bench.Record {
	t.Helper()
	got, rec := tool(t, args...)
	if got.code != exitOK || rec == nil {
		t.Fatalf("%v: code %d, stderr %s", args, got.code, got.err)
	}
	return rec
}

// keys reads all keys of a store.
func keys(t *testing.T, engine, path string) []string {
	t.Helper()
	db, err := engines.Open(engine, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all []string
	rows, errf := store.Scan(db, store.KeyRange{})
	for k := range rows {
		all = append(all, string(k))
	}
	if err := errf(); err != nil {
		t.Fatal(err)
	}
	return all
}

// fill makes a store with n entries in table files.
func fill(t *testing.T, engine, path string, n, valueSize int) {
	t.Helper()
	db, err := engines.Open(engine, path, &store.Options{CreateIfMissing: true, Compression: store.NoCompression})
	if err != nil {
		t.Fatal(err)
	}
	b := store.NewBatch(0)
	for i := range n {
		value := binary.AppendUvarint(bytes.Repeat([]byte{'v'}, valueSize), uint64(i))
		if err := b.Put(fmt.Appendf(nil, "%016d", i), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Write(b, nil), db.Compact(nil, store.KeyRange{}), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// A damaged block ends a sequential read with a failed row and no rate.
func TestA13CorruptBlockFailsTheRow(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		path := filepath.Join(dir, engine)
		fill(t, engine, path, 20000, 100)
		damageTable(t, path)
		got := execute(t, Deps{Engines: Engines()}, "run", "--engines", engine, "--db", dir, "--use-existing-db",
			"--workloads", "readseq", "--num", "20000", "--rounds", "1", "--progress", "never")
		if got.code != exitFailed || !strings.Contains(got.err, "corruption") || !strings.Contains(got.out, "corruption") {
			t.Errorf("code %d, stderr %s", got.code, got.err)
		}
		if strings.Contains(got.out, "micros/op") || strings.Contains(got.out, "MB/s  ") {
			t.Errorf("a rate is printed:\n%s", got.out)
		}
	})
}

// Paths that are odd are used, paths that can't be are refused in one line.
func TestA16Paths(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		for _, name := range []string{"no/such/parent/db", "with space/db", "Ünïcødé-数据/db"} {
			path := filepath.Join(dir, name)
			good(t, "--engines", engine, "--db", path, "--workloads", "fillseq", "--num", "10", "--rounds", "1")
			if n := len(keys(t, engine, filepath.Join(path, engine))); n != 10 {
				t.Errorf("%s: %d keys", name, n)
			}
		}
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, filepath.Join(file, "below"), filepath.Join(dir, "a\x00b"), ""} {
			got, _ := tool(t, "--engines", engine, "--db", path, "--workloads", "fillseq", "--num", "10", "--rounds", "1")
			if got.code != exitFailed && got.code != exitUsage || strings.Count(got.err, "\n") != 1 {
				t.Errorf("%q: code %d, stderr %s", path, got.code, got.err)
			}
		}
		if text, _ := os.ReadFile(file); string(text) != "mine" {
			t.Errorf("the file holds %q now", text)
		}
	})
}

// fillsync does a thousandth, at least one operation, and none of no keys.
func TestA23FillsyncOfFewKeys(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		for num, want := range map[string]int64{"0": 0, "1": 1, "10": 1, "999": 1, "1000": 1, "1001": 1, "2000": 2, "5999": 5} {
			for _, threads := range []string{"1", "4"} {
				dir := t.TempDir()
				rec := good(t, "--engines", engine, "--db", dir, "--workloads", "fillsync", "--num", num, "--threads", threads, "--rounds", "1")
				r := rec.Results[0]
				if r.Ops != want || r.Status != bench.StatusOK {
					t.Errorf("num %s, threads %s: %d operations, %s; want %d", num, threads, r.Ops, r.Status, want)
				}
				// Keys are drawn, so that few of them can be equal.
				if n := int64(len(keys(t, engine, filepath.Join(dir, engine)))); n > want || n < min(want, 1) || want == 1 && n != 1 {
					t.Errorf("num %s, threads %s: %d keys in the store, %d operations", num, threads, n, want)
				}
			}
		}
	})
}

// No keys are no error: rows of no operations, and finite numbers.
func TestA23NoKeys(t *testing.T) {
	got := execute(t, Deps{Engines: Engines()}, "run", "--num", "0", "--rounds", "4", "--progress", "never")
	if got.code != exitOK || strings.Contains(got.out, "NaN") || strings.Contains(got.out, "Inf") {
		t.Errorf("code %d, stderr %s, stdout:\n%s", got.code, got.err, got.out)
	}
}

// What doesn't divide evenly is done all the same, and operations are keys.
func TestA24Remainders(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		for _, c := range []struct {
			num, threads, batch string
		}{{"100", "3", "1000"}, {"100", "1", "7"}, {"100", "3", "7"}, {"1", "1", "1000"}, {"2", "5", "1"}} {
			for _, workload := range []string{"fillseq", "fillbatch", "fillbuffered"} {
				dir := t.TempDir()
				rec := good(t, "--engines", engine, "--db", dir, "--workloads", workload, "--num", c.num,
					"--threads", c.threads, "--batch-size", c.batch, "--rounds", "1")
				num, _ := strconv.ParseInt(c.num, 10, 64)
				if n := int64(len(keys(t, engine, filepath.Join(dir, engine)))); n != num || rec.Results[0].Ops != num {
					t.Errorf("%s %+v: %d operations, %d keys", workload, c, rec.Results[0].Ops, n)
				}
			}
		}
	})
}

// watched counts the keys that are asked for, and those that can't be there.
type watched struct {
	store.DB
	num             int64
	asked, tooLarge *atomic.Int64
}

func (w watched) note(key []byte) {
	w.asked.Add(1)
	if n, err := strconv.ParseInt(string(key), 10, 64); err != nil || n >= w.num {
		w.tooLarge.Add(1)
	}
}

func (w watched) Get(key []byte) ([]byte, error) {
	w.note(key)
	return w.DB.Get(key)
}

func (w watched) AppendGet(dst, key []byte) ([]byte, error) {
	w.note(key)
	return w.DB.AppendGet(dst, key)
}

// What is found is told, is the same on both engines, and only that counts.
func TestA25FoundOfAsked(t *testing.T) {
	var asked, tooLarge atomic.Int64
	d := Deps{Engines: Engines()}
	for i := range d.Engines {
		open := d.Engines[i].Open
		d.Engines[i].Open = func(path string, o store.Options) (store.DB, error) {
			db, err := open(path, o)
			if err != nil {
				return nil, err
			}
			return watched{db, 1000, &asked, &tooLarge}, nil
		}
	}
	found := map[string][]int64{}
	for _, list := range []string{"fillseq,readrandom", "fillrandom,readrandom", "readrandom"} {
		got, rec := toolWith(t, d, "--workloads", list, "--num", "1000", "--rounds", "1")
		if got.code != exitOK {
			t.Fatalf("%s: %s", list, got.err)
		}
		for _, r := range rec.Results {
			if r.Workload != "readrandom" {
				continue
			}
			if r.Lookups == nil || *r.Lookups != 1000 || r.Bytes != *r.Found*100 {
				t.Errorf("%s on %s: %+v", list, r.Engine, r)
			}
			found[list] = append(found[list], *r.Found)
		}
	}
	want := map[string][]int64{
		"fillseq,readrandom": {1000, 1000}, "readrandom": {0, 0},
		"fillrandom,readrandom": {found["fillrandom,readrandom"][0], found["fillrandom,readrandom"][0]},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if n := found["fillrandom,readrandom"][0]; n < 570 || n > 690 {
		t.Errorf("%d of 1000 found after fillrandom", n)
	}
	if asked.Load() < 6000 || tooLarge.Load() > 0 {
		t.Errorf("%d keys were asked for, %d of them too large", asked.Load(), tooLarge.Load())
	}
	text := execute(t, d, "run", "--workloads", "readrandom", "--num", "1000", "--rounds", "1", "--progress", "never")
	if !strings.Contains(text.out, "0.0 MB/s (0 of 1000 found)") || strings.Contains(text.out, "NaN") {
		t.Errorf("an empty store reads as\n%s", text.out)
	}
}

// Sizes are taken exactly or refused before anything is touched.
func TestA28Sizes(t *testing.T) {
	exact := map[string]int64{
		"2147483648": 1 << 31, "4294967296": 1 << 32, "3G": 3 << 30, "8MiB": 8 << 20, "65536": 1 << 16,
	}
	wrong := []string{"-1", "1.5", "abc", "99999999999999999999", "9223372036854775808", "1e30", "", "0x10", "10 apples"}
	for flag, option := range map[string]string{
		"cache-size": bench.OptCacheSize, "write-buffer-size": bench.OptWriteBufferSize,
		"block-size": bench.OptBlockSize, "max-file-size": bench.OptMaxFileSize,
	} {
		for text, want := range exact {
			got := execute(t, Deps{Engines: Engines()}, "run", "--"+flag, text, "--num", "10", "--rounds", "1", "--workloads", "fillseq", "--progress", "never")
			if got.code != exitOK || !strings.Contains(got.out, fmt.Sprintf("%s %d", flag, want)) {
				t.Errorf("--%s %s: code %d, stderr %s, stdout:\n%s", flag, text, got.code, got.err, got.out)
			}
			_, rec := tool(t, "--"+flag, text, "--num", "10", "--rounds", "1", "--workloads", "fillseq")
			for _, e := range rec.Engines {
				effective, _ := e.Options.Get(option)
				asked, clipped := e.Requested.Get(option)
				switch {
				case !clipped && effective.Value != want:
					t.Errorf("--%s %s: %s has %v", flag, text, e.Name, effective.Value)
				case clipped && (asked.Value != want || !strings.Contains(got.out, "asked "+report.FormatSize(want))):
					t.Errorf("--%s %s: %s was asked for %v, and has %v", flag, text, e.Name, asked.Value, effective.Value)
				}
			}
		}
		for _, text := range append(wrong, "0") {
			got := execute(t, untouched(t), "run", "--"+flag, text, "--num", "10", "--rounds", "1")
			got.fails(t, exitUsage, "--"+flag)
		}
	}
	for _, text := range append(wrong, "2147483648", "4294967296", "3G", "1GiB1") {
		execute(t, untouched(t), "run", "--value-size", text, "--num", "10", "--rounds", "1").fails(t, exitUsage, "--value-size")
	}
	for text, want := range map[string]string{"0": "16+0 bytes", "8MiB": "16+8388608 bytes"} {
		got := execute(t, Deps{Engines: Engines()}, "run", "--value-size", text, "--num", "3", "--batch-size", "1", "--rounds", "1", "--workloads", "fillseq,readrandom", "--progress", "never")
		if got.code != exitOK || !strings.Contains(got.out, want) || !strings.Contains(got.out, "(3 of 3 found)") {
			t.Errorf("--value-size %s: code %d, stderr %s, stdout:\n%s", text, got.code, got.err, got.out)
		}
	}
}
