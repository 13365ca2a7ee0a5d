package store

// Metrics are figures about a store at one moment. Sizes are in bytes. Each
// engine's Metrics method says which figures it tells and where they come
// from.
type Metrics struct {
	// Engine is the engine's name.
	Engine string

	// Operations are the calls of the store, by kind.
	Operations Operations
	// Failures are calls that the engine did not do, with an error of its own:
	// not those with bad arguments, or after Close.
	Failures Figure
	// CallsInFlight is the number of calls that are in the engine, Metrics apart,
	// each with a thread of the system; CallsWaiting, of those that wait to be let
	// in (see Options.MaxCalls). Writes that wait for each other are in Commits.
	CallsInFlight Figure
	CallsWaiting  Figure
	// Commits tell how writes were grouped.
	Commits Commits
	// WAL is what was written to the log.
	WAL WAL

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
	// Cache tells how often a block was found there.
	Cache Cache

	// PendingCompactionBytes estimates what compaction has to rewrite yet.
	PendingCompactionBytes Figure
	// RunningCompactions and RunningFlushes are under way now.
	RunningCompactions Figure
	RunningFlushes     Figure
	// CompactionReadBytes and CompactionWriteBytes have been moved by flushes
	// and compactions since the store was opened.
	CompactionReadBytes  Figure
	CompactionWriteBytes Figure

	// Stalls tell how writes are held back.
	Stalls Stalls

	// EstimatedKeys is the engine's estimate of the number of entries.
	EstimatedKeys Figure

	// OpenIterators and OpenSnapshots are those that this program has open.
	OpenIterators Figure
	OpenSnapshots Figure

	// LogDropped is the number of lines of the engine's own log that were not
	// given to Options.Logger, which could not keep up.
	LogDropped Figure
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
