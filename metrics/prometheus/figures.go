package prometheus

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lsmkit/lsmkit/store"
)

// a figure is a metric without a label of its own.
type figure struct {
	name, help string
	kind       prometheus.ValueType
	unit       float64 // of the metric, in those of the figure
	of         func(m *store.Metrics) store.Figure
}

// a family is a metric with one.
type family struct {
	name, help string
	label      string
	kind       prometheus.ValueType
	each       func(m *store.Metrics, send func(label string, f store.Figure))
}

func gauge(name, help string, of func(m *store.Metrics) store.Figure) figure {
	return figure{name, help, prometheus.GaugeValue, 1, of}
}

func counter(name, help string, of func(m *store.Metrics) store.Figure) figure {
	return figure{name, help, prometheus.CounterValue, 1, of}
}

// seconds is a counter of a figure in nanoseconds.
func seconds(name, help string, of func(m *store.Metrics) store.Figure) figure {
	return figure{name, help, prometheus.CounterValue, 1e9, of}
}

// states are those of a stall that a store can be in; one is 1 and the others 0.
// With the state unknown none is told.
func states(name, help string) family {
	return family{name, help, "state", prometheus.GaugeValue, func(m *store.Metrics, send func(string, store.Figure)) {
		if m.Stalls.State == store.StallUnknown {
			return
		}
		for s := store.StallNone; s <= store.StallStopped; s++ {
			var on uint64
			if s == m.Stalls.State {
				on = 1
			}
			send(s.String(), store.Known(on))
		}
	}}
}

func perLevel(name, help string, of func(l store.LevelMetrics) store.Figure) family {
	return family{name, help, "level", prometheus.GaugeValue, func(m *store.Metrics, send func(string, store.Figure)) {
		for i, l := range m.Levels {
			send(strconv.Itoa(i), of(l))
		}
	}}
}

func perOperation(name, help string, of func(o store.Operation) store.Figure) family {
	return family{name, help, "operation", prometheus.CounterValue, func(m *store.Metrics, send func(string, store.Figure)) {
		for _, o := range operations(&m.Operations) {
			send(o.name, of(o.op))
		}
	}}
}

type operation struct {
	name string
	op   store.Operation
}

// operations are the kinds of calls, by their names in the label operation.
func operations(o *store.Operations) []operation {
	return []operation{
		{"get", o.Get},
		{"has", o.Has},
		{"multi_get", o.MultiGet},
		{"put", o.Put},
		{"delete", o.Delete},
		{"delete_range", o.DeleteRange},
		{"write", o.Write},
		{"scan", o.Scan},
	}
}

// figures are the metrics without a label of their own.
var figures = []figure{
	// Calls.
	counter("multi_get_keys_total", "Keys that multi-gets have asked for.",
		func(m *store.Metrics) store.Figure { return m.Operations.MultiGetKeys }),
	counter("iterators_total", "Iterators that have been made.",
		func(m *store.Metrics) store.Figure { return m.Operations.Iterators }),
	counter("snapshots_total", "Snapshots that have been made.",
		func(m *store.Metrics) store.Figure { return m.Operations.Snapshots }),
	counter("seeks_total", "How often an iterator was positioned.",
		func(m *store.Metrics) store.Figure { return m.Operations.Seeks }),
	counter("failures_total", "Calls that the engine did not do, with an error of its own.",
		func(m *store.Metrics) store.Figure { return m.Failures }),
	gauge("calls_in_flight", "Calls that are in the engine.",
		func(m *store.Metrics) store.Figure { return m.CallsInFlight }),
	gauge("calls_waiting", "Calls that wait to be let in.",
		func(m *store.Metrics) store.Figure { return m.CallsWaiting }),
	gauge("open_iterators", "Iterators that are open.",
		func(m *store.Metrics) store.Figure { return m.OpenIterators }),
	gauge("open_snapshots", "Snapshots that are open.",
		func(m *store.Metrics) store.Figure { return m.OpenSnapshots }),

	// Writing.
	counter("commits_total", "Writes that were handed to the engine, a group of calls as one.",
		func(m *store.Metrics) store.Figure { return m.Commits.Writes }),
	counter("commit_groups_total", "Commits of more than one call.",
		func(m *store.Metrics) store.Figure { return m.Commits.Groups }),
	counter("commit_grouped_calls_total", "Calls that were committed with others.",
		func(m *store.Metrics) store.Figure { return m.Commits.Grouped }),
	gauge("commit_largest_group_calls", "Calls in the largest group yet.",
		func(m *store.Metrics) store.Figure { return m.Commits.Largest }),
	gauge("commit_waiting_calls", "Calls that wait to be committed.",
		func(m *store.Metrics) store.Figure { return m.Commits.Waiting }),
	counter("wal_bytes_total", "Bytes of records written to the log.",
		func(m *store.Metrics) store.Figure { return m.WAL.Bytes }),
	counter("wal_syncs_total", "How often a write has waited for the device.",
		func(m *store.Metrics) store.Figure { return m.WAL.Syncs }),

	counter("stalls_total", "How often a write was held back.",
		func(m *store.Metrics) store.Figure { return m.Stalls.Count }),
	seconds("stalled_seconds_total", "For how long writes were held back.",
		func(m *store.Metrics) store.Figure { return m.Stalls.Nanos }),

	// Memory.
	gauge("memory_bytes", "Memtables and block cache together.",
		func(m *store.Metrics) store.Figure { return m.MemoryBytes }),
	gauge("memtable_bytes", "Memtables, those being flushed included.",
		func(m *store.Metrics) store.Figure { return m.MemtableBytes }),
	gauge("immutable_memtables", "Memtables that wait for a flush.",
		func(m *store.Metrics) store.Figure { return m.ImmutableMemtables }),
	gauge("table_reader_bytes", "Memory of table readers outside the block cache.",
		func(m *store.Metrics) store.Figure { return m.TableReaderBytes }),
	gauge("block_cache_bytes", "What the block cache holds.",
		func(m *store.Metrics) store.Figure { return m.BlockCacheBytes }),
	gauge("block_cache_capacity_bytes", "What the block cache may hold.",
		func(m *store.Metrics) store.Figure { return m.BlockCacheCapacity }),
	counter("block_cache_hits_total", "Blocks that were found in the block cache.",
		func(m *store.Metrics) store.Figure { return m.Cache.Hits }),
	counter("block_cache_misses_total", "Blocks that were not found in the block cache.",
		func(m *store.Metrics) store.Figure { return m.Cache.Misses }),

	// Disk.
	gauge("disk_bytes", "All files of the store.",
		func(m *store.Metrics) store.Figure { return m.DiskBytes }),
	gauge("table_bytes", "Live table files.",
		func(m *store.Metrics) store.Figure { return m.TableBytes }),
	gauge("estimated_keys", "The engine's estimate of the number of entries.",
		func(m *store.Metrics) store.Figure { return m.EstimatedKeys }),
	gauge("pending_compaction_bytes", "What compaction has to rewrite yet, estimated.",
		func(m *store.Metrics) store.Figure { return m.PendingCompactionBytes }),
	gauge("running_compactions", "Compactions under way.",
		func(m *store.Metrics) store.Figure { return m.RunningCompactions }),
	gauge("running_flushes", "Flushes under way.",
		func(m *store.Metrics) store.Figure { return m.RunningFlushes }),
	counter("compaction_read_bytes_total", "Bytes that flushes and compactions have read.",
		func(m *store.Metrics) store.Figure { return m.CompactionReadBytes }),
	counter("compaction_written_bytes_total", "Bytes that flushes and compactions have written.",
		func(m *store.Metrics) store.Figure { return m.CompactionWriteBytes }),

	counter("dropped_log_lines_total", "Lines of the engine's log that the logger has not got.",
		func(m *store.Metrics) store.Figure { return m.LogDropped }),
}

// families are those with one.
var families = []family{
	perOperation("operations_total", "Calls that have returned without an error.",
		func(o store.Operation) store.Figure { return o.Calls }),
	perOperation("operation_items_total", "Keys found, entries read, or records written.",
		func(o store.Operation) store.Figure { return o.Items }),
	perOperation("operation_bytes_total", "Bytes of keys and values moved.",
		func(o store.Operation) store.Figure { return o.Bytes }),
	states("stall_state", "Whether writes are held back now: none, delayed or stopped."),
	perLevel("level_files", "Table files of a level.",
		func(l store.LevelMetrics) store.Figure { return l.Files }),
	perLevel("level_bytes", "Bytes of table files of a level.",
		func(l store.LevelMetrics) store.Figure { return l.Bytes }),
}
