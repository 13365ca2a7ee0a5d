package rocksdb

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Property knows the names of DB::Properties in rocksdb/db.h, such as
// "rocksdb.stats". A name with a NUL in it is ErrNotFound like any other that
// RocksDB doesn't know.
//
// It stands on rocksdb_property_value. See store.DB.
func (db *DB) Property(name string) (string, error) {
	const op = "property"
	s, err := db.enter(op)
	if err != nil {
		return "", err
	}
	defer db.guard.Exit(s)
	if strings.IndexByte(name, 0) < 0 {
		if text, ok := db.engine.property(name); ok {
			return text, nil
		}
	}
	return "", &store.Error{Engine: Engine, Op: op, Path: db.path, Kind: store.ErrNotFound, Msg: fmt.Sprintf("property %q", name)}
}

// ApproximateSizes stands on rocksdb_approximate_sizes. See store.DB.
func (db *DB) ApproximateSizes(rs []store.KeyRange) ([]uint64, error) {
	const op = "approximate sizes"
	s, err := db.enter(op)
	if err != nil {
		return nil, err
	}
	defer db.guard.Exit(s)
	sizes := make([]uint64, len(rs))
	var bounds [][]byte
	var measured []int // indexes of the ranges that bounds are of
	for i, r := range rs {
		if err := store.CheckRange(r.Start, r.End); err != nil {
			return nil, db.refuse(op, err)
		}
		end := r.End
		if end == nil {
			last, err := db.last()
			if err != nil {
				return nil, err
			}
			if last != nil {
				end = store.Successor(last)
			}
		}
		if end == nil || (store.KeyRange{Start: r.Start, End: end}).Empty() {
			continue
		}
		bounds = append(bounds, r.Start, end)
		measured = append(measured, i)
	}
	var arena []byte
	var lens []uintptr
	for _, b := range bounds {
		arena = append(arena, b...)
		lens = append(lens, uintptr(len(b)))
	}
	found := make([]uint64, len(measured))
	if len(measured) > 0 {
		if text := db.engine.sizes(arena, lens, found); text != "" {
			return nil, db.fail(op, text)
		}
	}
	for k, i := range measured {
		sizes[i] = found[k]
	}
	return sizes, nil
}

// last returns the greatest key, nil if there is none. The caller holds the
// guard.
func (db *DB) last() ([]byte, error) {
	it, err := db.inner(iterSettings{keysOnly: true, verify: db.engine.verify, fillCache: true})
	if err != nil {
		return nil, err
	}
	defer it.core.Free()
	defer it.Finish()
	if it.Last() {
		return append([]byte{}, it.Key()...), nil
	}
	return nil, it.Err()
}

// Metrics tells all figures, but those of the block cache's hits and of the bytes
// moved by flushes and compactions only with Options.Statistics. Operations,
// commits and the log are counted by this package, the rest comes from integer
// properties and from the list of live files; MemoryBytes is the sum of memtables
// and block cache. Stalls are those of the method of that name.
//
// It stands on rocksdb_property_value, rocksdb_livefiles and
// rocksdb_options_statistics_get_string. See store.DB.
func (db *DB) Metrics() (store.Metrics, error) {
	const op = "metrics"
	s, err := db.enter(op)
	if err != nil {
		return store.Metrics{}, err
	}
	defer db.guard.Exit(s)
	figure := func(name string) store.Figure {
		text, _ := db.engine.property("rocksdb." + name)
		return parseFigure(text)
	}
	m := store.Metrics{
		Engine:                 Engine,
		MemtableBytes:          figure("size-all-mem-tables"),
		ImmutableMemtables:     figure("num-immutable-mem-table"),
		TableReaderBytes:       figure("estimate-table-readers-mem"),
		BlockCacheBytes:        figure("block-cache-usage"),
		BlockCacheCapacity:     figure("block-cache-capacity"),
		PendingCompactionBytes: figure("estimate-pending-compaction-bytes"),
		RunningCompactions:     figure("num-running-compactions"),
		RunningFlushes:         figure("num-running-flushes"),
		Stalls:                 db.stalls(),
		EstimatedKeys:          figure("estimate-num-keys"),
		OpenIterators:          store.Known(uint64(db.children.Len(handle.Iterator))),
		OpenSnapshots:          store.Known(uint64(db.children.Len(handle.Snapshot))),
	}
	mem, ok := m.MemtableBytes.Value()
	cache, ok2 := m.BlockCacheBytes.Value()
	if ok && ok2 {
		m.MemoryBytes = store.Known(mem + cache)
	}
	m.Levels, m.TableBytes = levels(db.engine.tables())
	if text := db.engine.statistics(); text != "" {
		tellStatistics(&m, text)
	}
	m.LogDropped = db.engine.logDropped()
	db.counts.Tell(&m)
	m.CallsInFlight = store.Known(uint64(db.guard.InFlight() + db.queue.Leading() - 1)) // this one apart
	m.CallsWaiting = store.Known(uint64(db.guard.Waiting()))
	db.queue.Tell(&m.Commits)
	size, err := dir.Size(db.path)
	if err != nil {
		return store.Metrics{}, db.refuse(op, err)
	}
	m.DiskBytes = store.Known(uint64(size))
	return m, nil
}

// Calls fulfils store.CallCounter.
func (db *DB) Calls() (inFlight, waiting int) {
	return db.guard.InFlight() + db.queue.Leading(), db.guard.Waiting() + db.queue.Waiting()
}

// Tables stands on rocksdb_livefiles. See store.TableLister.
func (db *DB) Tables() ([]store.Table, error) {
	s, err := db.enter("tables")
	if err != nil {
		return nil, err
	}
	defer db.guard.Exit(s)
	tables := db.engine.tables()
	slices.SortFunc(tables, func(a, b store.Table) int {
		if a.Level != b.Level {
			return a.Level - b.Level
		}
		return int(a.Number) - int(b.Number)
	})
	return tables, nil
}

// numLevels is the default of num_levels.
const numLevels = 7

func levels(tables []store.Table) (ls []store.LevelMetrics, total store.Figure) {
	var sum uint64
	files, bytes := make([]uint64, numLevels), make([]uint64, numLevels)
	for _, t := range tables {
		for t.Level >= len(files) { // a store made with more levels
			files, bytes = append(files, 0), append(bytes, 0)
		}
		files[t.Level]++
		bytes[t.Level] += t.Bytes
		sum += t.Bytes
	}
	for i := range files {
		ls = append(ls, store.LevelMetrics{Files: store.Known(files[i]), Bytes: store.Known(bytes[i])})
	}
	return ls, store.Known(sum)
}

func parseFigure(text string) store.Figure {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return store.Figure{}
	}
	return store.Known(n)
}

// version asks once.
var version = sync.OnceValues(func() (string, error) {
	temp, err := os.MkdirTemp("", "lsmkit-version-")
	if err != nil {
		return "", &store.Error{Engine: Engine, Op: "version", Kind: store.ErrIO, Err: err}
	}
	defer os.RemoveAll(temp)
	db, err := Open(filepath.Join(temp, "db"), &Options{Options: store.Options{CreateIfMissing: true}})
	if err != nil {
		return "", err
	}
	defer db.Close()
	return optionsVersion(db.path)
})

// Version returns the version of the RocksDB library that the program is
// linked with, as the library itself reports it. The C API doesn't tell, but
// each OPTIONS file that RocksDB writes does: the first call makes a store in a
// temporary folder, and removes it.
func Version() (string, error) { return version() }

// optionsVersion reads rocksdb_version from a store's newest OPTIONS file.
func optionsVersion(path string) (string, error) {
	options, err := dir.Options(path)
	if err != nil {
		return "", err
	}
	if v := options["Version.rocksdb_version"]; v != "" {
		return v, nil
	}
	return "", &store.Error{Engine: Engine, Op: "version", Path: path, Kind: store.ErrUnknown, Msg: "no rocksdb_version in the OPTIONS file"}
}
