package handle

import (
	"math/bits"

	"github.com/lsmkit/lsmkit/store"
)

// Tell puts what has been counted into m.
func (c *Counters) Tell(m *store.Metrics) {
	number := func(e Event) store.Figure { return store.Known(c.Sum(e).Number) }
	amount := func(e Event) store.Figure { return store.Known(c.Sum(e).Amount) }
	// each is of calls that have one item each.
	each := func(e Event) store.Operation {
		s := c.Sum(e)
		return store.Operation{Calls: store.Known(s.Number), Items: store.Known(s.Number), Bytes: store.Known(s.Amount)}
	}
	lookup := func(hit, miss Event) store.Operation {
		h, calls := c.Sum(hit), c.Sum(miss).Number
		return store.Operation{Calls: store.Known(h.Number + calls), Items: store.Known(h.Number), Bytes: store.Known(h.Amount)}
	}
	many := func(calls, items Event) store.Operation {
		n, s := c.Sum(items).Amount, c.Sum(calls)
		return store.Operation{Calls: store.Known(s.Number), Items: store.Known(n), Bytes: store.Known(s.Amount)}
	}
	m.Operations = store.Operations{
		Get:          lookup(GetHit, GetMiss),
		Has:          lookup(HasHit, HasMiss),
		MultiGet:     many(MultiGet, MultiHits),
		MultiGetKeys: amount(MultiKeys),
		Put:          each(Put),
		Delete:       each(Delete),
		DeleteRange:  each(DeleteRange),
		Write:        many(Write, Records),
		Iterators:    number(MadeIterator),
		Snapshots:    number(MadeSnapshot),
		Seeks:        number(Seek),
		Scan:         many(Chunk, Entries),
	}
	m.Failures = number(Failure)
	log := c.Sum(Log)
	m.Commits.Writes = store.Known(log.Number)
	m.WAL = store.WAL{Bytes: store.Known(log.Amount), Syncs: number(Sync)}
}

// PutSize and DeleteSize return the size of the log record of one call.
func PutSize(key, value int) int { return DeleteSize(key) + varint(value) + value }

// DeleteSize: see PutSize.
func DeleteSize(key int) int { return batchHeader + 1 + varint(key) + key }

// batchHeader is the size of an encoded batch without records.
const batchHeader = 12

// varint returns the length of a size in the encoding.
func varint(n int) int { return (bits.Len32(uint32(n)|1) + 6) / 7 }
