package rocksdb

import (
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// Tickers that figures come from. They are found by name: the numbers that
// grocksdb has for them are those of another version.
const (
	tickerCacheHit  = "rocksdb.block.cache.hit"
	tickerCacheMiss = "rocksdb.block.cache.miss"
	tickerRead      = "rocksdb.compact.read.bytes"
	tickerCompacted = "rocksdb.compact.write.bytes"
	tickerFlushed   = "rocksdb.flush.write.bytes"
)

// tickers reads RocksDB's statistics as text: a line "NAME COUNT : N" for each
// ticker, among those of histograms.
func tickers(text string) map[string]uint64 {
	all := make(map[string]uint64, 256)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 4 || words[1] != "COUNT" {
			continue
		}
		if n, err := strconv.ParseUint(words[3], 10, 64); err == nil {
			all[words[0]] = n
		}
	}
	return all
}

// tellStatistics sets the figures that RocksDB's statistics tell.
func tellStatistics(m *store.Metrics, text string) {
	all := tickers(text)
	// sum is not known if one of the tickers isn't.
	sum := func(names ...string) store.Figure {
		var total uint64
		for _, name := range names {
			n, ok := all[name]
			if !ok {
				return store.Figure{}
			}
			total += n
		}
		return store.Known(total)
	}
	m.Cache.Hits, m.Cache.Misses = sum(tickerCacheHit), sum(tickerCacheMiss)
	m.CompactionReadBytes = sum(tickerRead)
	m.CompactionWriteBytes = sum(tickerCompacted, tickerFlushed)
}
