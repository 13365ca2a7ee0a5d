package command

import (
	"slices"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store"
)

// An engine that doesn't compress what it was told to, on one side or on both, is
// noticed by what is on the disk, also while much of it is still in memory.
func TestGuardCompressionForReal(t *testing.T) {
	for _, c := range []struct {
		name     string
		without  []string // engines that don't
		oneSided bool
	}{
		{"all compress", nil, false},
		{"LevelDB doesn't", []string{"leveldb"}, true},
		{"RocksDB doesn't", []string{"rocksdb"}, true},
		{"neither does", []string{"leveldb", "rocksdb"}, false},
	} {
		d := Deps{Engines: Engines()}
		for i := range d.Engines {
			e := &d.Engines[i]
			if open := e.Open; slices.Contains(c.without, e.Name) {
				e.Open = func(path string, o store.Options) (store.DB, error) {
					o.Compression = store.NoCompression
					return open(path, o)
				}
			}
		}
		got, rec := toolWith(t, d, "--workloads", "fillseq", "--num", "6000", "--value-size", "10000", "--write-buffer-size", "16MiB", "--rounds", "1")
		if got.code != exitOK {
			t.Fatalf("%s: %s", c.name, got.err)
		}
		uncompressed, oneSided := 0, false
		for _, w := range rec.Warnings {
			switch w.Code {
			case bench.WarnUncompressed:
				uncompressed++
			case bench.WarnOneSided:
				oneSided = true
			}
		}
		if uncompressed != len(c.without) || oneSided != c.oneSided {
			t.Errorf("%s: %d are told to be uncompressed, one-sided %v; disk %v of 60 MB", c.name, uncompressed, oneSided,
				[]any{value64(rec.Results[0].DiskBytes), value64(rec.Results[1].DiskBytes)})
		}
	}
}

// Options that differ are told of where the engines' own defaults are used, and
// fewer of them where they are set alike.
func TestGuardOptionsForReal(t *testing.T) {
	differ := func(profile string) []string {
		rec := good(t, "--workloads", "fillseq", "--num", "10", "--rounds", "1", "--profile", profile)
		var names []string
		for _, d := range bench.DiffOptions(rec.Engines) {
			if d.Differs {
				names = append(names, d.Name)
			}
		}
		if !slices.ContainsFunc(rec.Warnings, func(w bench.Warning) bool { return w.Code == bench.WarnOptionsDiffer }) {
			t.Errorf("%s: no warning", profile)
		}
		return names
	}
	stock, equal := differ("stock"), differ("equal")
	for _, name := range []string{bench.OptWriteBufferSize, bench.OptMaxFileSize, bench.OptCacheSize, bench.OptVerifyChecksums} {
		if !slices.Contains(stock, name) || slices.Contains(equal, name) {
			t.Errorf("%s: stock %v, equal %v", name, stock, equal)
		}
	}
}

// A flush that finds the memtable empty is as little of a result as a compaction
// that finds nothing to rewrite.
func TestGuardNothingToDo(t *testing.T) {
	rec := good(t, "--workloads", "fillseq,flush,flush,compact", "--num", "1000", "--rounds", "4")
	for _, r := range rec.Results {
		want := r.Position == 3 // the second flush
		if r.Workload == "flush" && r.DidNothing() != want {
			t.Errorf("%s %s at %d wrote %v", r.Engine, r.Workload, r.Position, value64(r.BytesWritten))
		}
	}
	for _, s := range rec.Summary {
		if s.Position == 3 && s.Baseline != "" && s.Verdict != bench.VerdictNotCompared || s.Position == 2 && s.Verdict == bench.VerdictNotCompared {
			t.Errorf("%s at %d: %s %s", s.Workload, s.Position, s.Verdict, s.Note)
		}
	}
	if !slices.ContainsFunc(rec.Warnings, func(w bench.Warning) bool {
		return w.Code == bench.WarnNothingToDo && w.Text == "leveldb: flush had nothing to flush; its rate says nothing"
	}) {
		t.Errorf("warnings: %v", rec.Warnings)
	}
}
