package store

// Operations are the calls of a store since it was opened, its snapshots'
// included, by kind. A call that failed is not among them: it is in
// Metrics.Failures.
type Operations struct {
	// Get is Get and AppendGet. Its items are the keys that were found, its
	// bytes those of the values.
	Get Operation
	// Has moves no bytes. Its items are the keys that were found.
	Has Operation
	// MultiGet: items and bytes as for Get; the keys asked for are in
	// MultiGetKeys.
	MultiGet Operation
	// MultiGetKeys is the number of keys that MultiGet was asked for.
	MultiGetKeys Figure

	// Put: an item for each call, and the bytes of key and value.
	Put Operation
	// Delete: an item for each call, and the bytes of the key.
	Delete Operation
	// DeleteRange: an item for each call, and the bytes of the bounds.
	DeleteRange Operation
	// Write: the items are the records of the batches, the bytes their encoded
	// size. Batches without a record count for nothing.
	Write Operation

	// Iterators and Snapshots have been made.
	Iterators Figure
	Snapshots Figure
	// Seeks have positioned an iterator: First, Last, SeekGE, SeekLT, and the
	// first step after a change of direction.
	Seeks Figure
	// Scan is what iterators have read. Its calls are chunks: an iterator fetches
	// entries many at a time, up to a chunk of 16 KiB ahead of its user. The
	// items are entries, the bytes those of keys and values. An engine that
	// doesn't fetch chunks tells only the items.
	Scan Operation
}

// An Operation says what calls of one kind have done.
type Operation struct {
	// Calls that have returned without an error; that a key was not found is
	// none.
	Calls Figure
	// Items are keys, entries or records, as the kind says.
	Items Figure
	// Bytes that were moved, as the kind says.
	Bytes Figure
}

// Commits are the writes of the engine, and how they came about: many
// goroutines that write at once are committed together.
type Commits struct {
	// Writes is how often something was handed to the engine to be written. It is
	// less than the calls that asked for it if there were groups.
	Writes Figure
	// Groups is how many of them had changes of more than one call.
	Groups Figure
	// Grouped is how many calls those were of.
	Grouped Figure
	// Largest is the number of calls in the largest group.
	Largest Figure
	// Waiting is the number of calls that wait now, for their turn or for their
	// group.
	Waiting Figure
}

// WAL is what was written to the log.
type WAL struct {
	// Bytes of the records, without what the log puts around them (7 bytes for
	// each piece of a block of 32 KiB).
	Bytes Figure
	// Syncs is how often a write has waited for the device.
	Syncs Figure
}

// Cache is what happened to the block cache since the store was opened.
type Cache struct {
	// Hits and Misses are look-ups of blocks.
	Hits   Figure
	Misses Figure
}

// HitRate returns the part of look-ups that hit, from 0 to 1. It is not known
// without look-ups, or if the engine doesn't count them.
func (c Cache) HitRate() (rate float64, known bool) {
	hits, ok := c.Hits.Value()
	misses, ok2 := c.Misses.Value()
	if !ok || !ok2 || hits+misses == 0 {
		return 0, false
	}
	return float64(hits) / float64(hits+misses), true
}

// Since returns what happened after before was read. It is not known if either
// isn't.
func (c Cache) Since(before Cache) Cache {
	return Cache{Hits: c.Hits.Since(before.Hits), Misses: c.Misses.Since(before.Misses)}
}
