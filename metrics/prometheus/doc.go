// Package prometheus gives a store's metrics to Prometheus.
//
// It is a module of its own, so that programs that use a store without it have
// none of its dependencies:
//
//	import (
//		"github.com/prometheus/client_golang/prometheus"
//
//		lsmprom "github.com/lsmkit/lsmkit/metrics/prometheus"
//	)
//
//	prometheus.MustRegister(lsmprom.New(db, "orders"))
//
// One collector tells of one store; a program with several stores registers one
// for each, with names of their own. A scrape reads Metrics once, which costs the
// engine's properties and a look at each of the store's files: milliseconds for
// thousands of files, nothing for calls meanwhile.
//
// All metrics begin with lsmkit_ and have the labels engine and store. A figure
// that the engine doesn't tell is left out, never 0: RocksDB's block cache and
// compaction bytes need rocksdb.Options.Statistics, and LevelDB has much less to
// tell. Once the store is closed, only lsmkit_up is left, as 0; unregister the
// collector to be rid of that too.
//
// metrics/grafana/lsmkit.json is a dashboard for them.
package prometheus
