package leveldb

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/dir"
	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// Property knows "leveldb.num-files-at-level<N>", "leveldb.stats",
// "leveldb.sstables" and "leveldb.approximate-memory-usage". A name with a NUL
// in it is ErrNotFound like any other that LevelDB doesn't know.
//
// It stands on leveldb_property_value. See store.DB.
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

// ApproximateSizes stands on leveldb_approximate_sizes. See store.DB.
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

// Metrics tells the number and bytes of tables per level (from the property
// leveldb.sstables), memory (leveldb.approximate-memory-usage: memtables and
// block cache together), the bytes moved by compactions, in whole MiB
// (leveldb.stats), the capacity of the block cache, the size of the store's
// files, and stalls, as the method Stalls does. LevelDB doesn't tell memtables and cache apart, pending or running
// compactions, table readers, or the number of keys.
//
// It stands on leveldb_property_value. See store.DB.
func (db *DB) Metrics() (store.Metrics, error) {
	const op = "metrics"
	s, err := db.enter(op)
	if err != nil {
		return store.Metrics{}, err
	}
	defer db.guard.Exit(s)
	m := store.Metrics{
		Engine:             Engine,
		BlockCacheCapacity: store.Known(uint64(db.options.BlockCacheSize)),
		OpenIterators:      store.Known(uint64(db.children.Len(handle.Iterator))),
		OpenSnapshots:      store.Known(uint64(db.children.Len(handle.Snapshot))),
		Stalls:             db.stalls(),
	}
	if text, ok := db.engine.property("leveldb.approximate-memory-usage"); ok {
		m.MemoryBytes = parseFigure(text)
	}
	if text, ok := db.engine.property("leveldb.stats"); ok {
		m.CompactionReadBytes, m.CompactionWriteBytes = parseStats(text)
	}
	if text, ok := db.engine.property("leveldb.sstables"); ok {
		tables, err := parseTables(text)
		if err != nil {
			return store.Metrics{}, db.refuse(op, err)
		}
		m.Levels, m.TableBytes = levels(tables)
	}
	if db.logTail != nil {
		m.LogDropped = store.Known(0) // it waits in the file
	}
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

// Tables stands on leveldb_property_value of "leveldb.sstables". See
// store.TableLister.
func (db *DB) Tables() ([]store.Table, error) {
	const op = "tables"
	s, err := db.enter(op)
	if err != nil {
		return nil, err
	}
	defer db.guard.Exit(s)
	text, _ := db.engine.property("leveldb.sstables")
	tables, err := parseTables(text)
	if err != nil {
		return nil, db.refuse(op, err)
	}
	return tables, nil
}

// numLevels is config::kNumLevels in dbformat.h.
const numLevels = 7

func levels(tables []store.Table) (ls []store.LevelMetrics, total store.Figure) {
	var files, bytes [numLevels]uint64
	var sum uint64
	for _, t := range tables {
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

// parseStats adds up what compactions have read and written, columns 5 and 6
// of the table in leveldb.stats, in MiB.
func parseStats(text string) (read, written store.Figure) {
	var r, w uint64
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 6 {
			continue
		}
		if _, err := strconv.Atoi(f[0]); err != nil {
			continue // the heading
		}
		a, errA := strconv.ParseUint(f[4], 10, 64)
		b, errB := strconv.ParseUint(f[5], 10, 64)
		if errA != nil || errB != nil {
			return store.Figure{}, store.Figure{}
		}
		r, w = r+a, w+b
	}
	return store.Known(r << 20), store.Known(w << 20)
}

// parseTables reads leveldb.sstables: a heading "--- level 0 ---", then a line
// " 17:123['a' @ 1 : 1 .. 'd' @ 9 : 1]" for each file, with its number and size.
// Bytes of keys that are not printable are escaped there, line ends too.
func parseTables(text string) ([]store.Table, error) {
	var tables []store.Table
	level := 0
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if n, ok := strings.CutPrefix(line, "--- level "); ok {
			l, err := strconv.Atoi(strings.TrimSuffix(n, " ---"))
			if err != nil || l < 0 || l >= numLevels {
				return nil, malformed(line)
			}
			level = l
			continue
		}
		if line == "" {
			continue
		}
		number, rest, ok := strings.Cut(line, ":")
		size, _, ok2 := strings.Cut(rest, "[")
		n, err := strconv.ParseUint(number, 10, 64)
		b, err2 := strconv.ParseUint(size, 10, 64)
		if !ok || !ok2 || err != nil || err2 != nil {
			return nil, malformed(line)
		}
		tables = append(tables, store.Table{Number: n, Level: level, Bytes: b})
	}
	slices.SortFunc(tables, func(a, b store.Table) int {
		if a.Level != b.Level {
			return a.Level - b.Level
		}
		return int(a.Number) - int(b.Number)
	})
	return tables, nil
}

func malformed(line string) error {
	return &store.Error{Kind: store.ErrUnknown, Msg: fmt.Sprintf("leveldb.sstables has a line %q", line)}
}
