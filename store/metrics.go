package store

// A Figure is a number that an engine may not tell. The zero value is one that
// is not known.
type Figure struct {
	value uint64
	known bool
}

// Known returns a figure with the value n.
func Known(n uint64) Figure { return Figure{value: n, known: true} }

// Value returns the number, and whether the engine told it. The number is 0
// if it didn't.
func (f Figure) Value() (n uint64, known bool) { return f.value, f.known }

// Known tells whether the engine told the figure.
func (f Figure) Known() bool { return f.known }

// Metrics are figures about a store at one moment. Sizes are in bytes. Each
// engine's Metrics method says which figures it tells and where they come
// from.
type Metrics struct {
	// Engine is the engine's name.
	Engine string

	// DiskBytes is the size of all files of the store, logs included.
	DiskBytes Figure
	// TableBytes is the size of the live table files.
	TableBytes Figure
	// Levels has what is known of each level; nil if nothing is.
	Levels []LevelMetrics

	// MemoryBytes is what the engine holds in memtables and its block cache
	// together.
	MemoryBytes Figure
	// MemtableBytes is the size of the memtables, those being flushed included.
	MemtableBytes Figure
	// ImmutableMemtables is the number of memtables that wait for a flush.
	ImmutableMemtables Figure
	// TableReaderBytes is the memory of table readers (indexes and filters that
	// are not in the block cache).
	TableReaderBytes Figure
	// BlockCacheBytes is what the block cache holds, BlockCacheCapacity what it
	// may hold.
	BlockCacheBytes    Figure
	BlockCacheCapacity Figure

	// PendingCompactionBytes estimates what compaction has to rewrite yet.
	PendingCompactionBytes Figure
	// RunningCompactions and RunningFlushes are under way now.
	RunningCompactions Figure
	RunningFlushes     Figure
	// CompactionReadBytes and CompactionWriteBytes have been moved by flushes
	// and compactions since the store was opened.
	CompactionReadBytes  Figure
	CompactionWriteBytes Figure

	// EstimatedKeys is the engine's estimate of the number of entries.
	EstimatedKeys Figure

	// OpenIterators and OpenSnapshots are those that this program has open.
	OpenIterators Figure
	OpenSnapshots Figure
}

// LevelMetrics are figures about one level.
type LevelMetrics struct {
	Files Figure
	Bytes Figure
}

// FilesPerLevel returns the number of files of each level, or nil if the
// engine doesn't tell all of them.
func (m *Metrics) FilesPerLevel() []int {
	files := make([]int, 0, len(m.Levels))
	for _, l := range m.Levels {
		n, ok := l.Files.Value()
		if !ok {
			return nil
		}
		files = append(files, int(n))
	}
	if len(files) == 0 {
		return nil
	}
	return files
}

// Table is a table file of a store.
type Table struct {
	Number uint64 // in its name; a number is not used twice
	Level  int
	Bytes  uint64
}

// A TableLister tells which table files make up the store now. A compaction's
// work shows in the files that it has replaced. Both engines are TableListers.
type TableLister interface {
	// Tables returns the live table files, ordered by level and number.
	Tables() ([]Table, error)
}
