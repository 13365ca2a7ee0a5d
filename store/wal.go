package store

// A WALFlusher can write out its log apart from writes. RocksDB is one: there
// WriteOptions.WALBuffered, in a store that is opened for it, leaves writes in
// the memory of the process until then.
type WALFlusher interface {
	// FlushWAL hands the log of all writes that have returned to the operating
	// system: they survive a crash of the process then. With sync it goes to the
	// device, and they survive the loss of power. Unlike Flush it leaves the
	// memtable as it is.
	FlushWAL(sync bool) error
}
