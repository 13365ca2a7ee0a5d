package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// csvColumns are the record's fields by their names in JSON. What an engine
// doesn't tell is an empty field; numbers per level are separated by blanks.
var csvColumns = []struct {
	name  string
	field func(r *bench.Result) string
}{
	{"engine", func(r *bench.Result) string { return r.Engine }},
	{"workload", func(r *bench.Result) string { return r.Workload }},
	{"position", func(r *bench.Result) string { return strconv.Itoa(r.Position) }},
	{"value_size", func(r *bench.Result) string { return OneLine(r.ValueSize) }},
	{"round", func(r *bench.Result) string { return strconv.Itoa(r.Round) }},
	{"threads", func(r *bench.Result) string { return strconv.Itoa(r.Threads) }},
	{"status", func(r *bench.Result) string { return string(r.Status) }},
	{"error", func(r *bench.Result) string { return OneLine(r.Error) }},
	{"ops", func(r *bench.Result) string { return strconv.FormatInt(r.Ops, 10) }},
	{"bytes", func(r *bench.Result) string { return strconv.FormatInt(r.Bytes, 10) }},
	{"seconds", func(r *bench.Result) string { return float(&r.Seconds) }},
	{"ops_per_sec", func(r *bench.Result) string { return float(&r.OpsPerSec) }},
	{"micros_per_op", func(r *bench.Result) string { return float(&r.MicrosPerOp) }},
	{"mb_per_sec", func(r *bench.Result) string { return float(&r.MBPerSec) }},
	{"lookups", func(r *bench.Result) string { return integer(r.Lookups) }},
	{"found", func(r *bench.Result) string { return integer(r.Found) }},
	{"cpu_user_seconds", func(r *bench.Result) string { return float(r.CPUUserSeconds) }},
	{"cpu_system_seconds", func(r *bench.Result) string { return float(r.CPUSystemSeconds) }},
	{"os_threads", func(r *bench.Result) string { return integer(r.OSThreads) }},
	{"group_size", func(r *bench.Result) string { return float(r.GroupSize) }},
	{"calls_waiting", func(r *bench.Result) string { return float(r.CallsWaiting) }},
	{"rss_peak_bytes", func(r *bench.Result) string { return integer(r.RSSPeakBytes) }},
	{"rss_growth_bytes", func(r *bench.Result) string { return integer(r.RSSGrowthBytes) }},
	{"cache_hit_rate", func(r *bench.Result) string { return float(r.CacheHitRate) }},
	{"stall_seconds", func(r *bench.Result) string { return float(r.StallSeconds) }},
	{"disk_bytes", func(r *bench.Result) string { return integer(r.DiskBytes) }},
	{"disk_bytes_before", func(r *bench.Result) string { return integer(r.DiskBytesBefore) }},
	{"bytes_written", func(r *bench.Result) string { return integer(r.BytesWritten) }},
	{"write_amplification", func(r *bench.Result) string { return float(r.WriteAmplification) }},
	{"space_amplification", func(r *bench.Result) string { return float(r.SpaceAmplification) }},
	{"files_per_level_before", func(r *bench.Result) string { return levels(r.FilesPerLevelBefore) }},
	{"files_per_level_after", func(r *bench.Result) string { return levels(r.FilesPerLevelAfter) }},
	{"pending_compaction_bytes", func(r *bench.Result) string { return integer(r.PendingCompactionBytes) }},
	{"verified_keys", func(r *bench.Result) string { return integer(r.VerifiedKeys) }},
	{"settle_seconds", func(r *bench.Result) string { return float(r.SettleSeconds) }},
	{"settled_ops_per_sec", func(r *bench.Result) string { return float(r.SettledOpsPerSec) }},
	{"sample_every", func(r *bench.Result) string { return unlessZero(r.SampleEvery) }},
	{"intervals", func(r *bench.Result) string { return intervals(r.Intervals) }},
}

// latencyFields are the columns behind csvColumns: the percentiles in ns, as
// measured and then corrected.
func latencyFields(r *bench.Result) (names, fields []string) {
	for _, l := range []struct {
		prefix  string
		latency *bench.Latency
	}{{"latency_ns_", uncorrected(r)}, {"latency_corrected_ns_", corrected(r)}} {
		names = append(names, l.prefix+"count")
		field := ""
		if l.latency != nil {
			field = strconv.FormatInt(l.latency.Count, 10)
		}
		fields = append(fields, field)
		for _, c := range latencyColumns {
			if field = ""; l.latency != nil {
				field = strconv.FormatFloat(c.field(l.latency), 'f', -1, 64)
			}
			names, fields = append(names, l.prefix+c.name), append(fields, field)
		}
	}
	return names, fields
}

// intervals writes each piece of the time as its end, its operations and the
// p99 in ns, with colons between them.
func intervals(list []bench.Interval) string {
	texts := make([]string, len(list))
	for i, in := range list {
		texts[i] = fmt.Sprintf("%s:%d:%s", strconv.FormatFloat(in.T, 'f', -1, 64), in.Ops, integer(in.P99NS))
	}
	return strings.Join(texts, " ")
}

func unlessZero(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// CSV writes one line for each row of the record, under a line of names.
func CSV(w io.Writer, rec *bench.Record) error {
	out := csv.NewWriter(w)
	fields := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		fields[i] = c.name
	}
	names, _ := latencyFields(&bench.Result{})
	out.Write(append(fields, names...)) // errors are kept until Flush
	for i := range rec.Results {
		for k, c := range csvColumns {
			fields[k] = c.field(&rec.Results[i])
		}
		_, latencies := latencyFields(&rec.Results[i])
		out.Write(append(fields, latencies...))
	}
	out.Flush()
	return out.Error()
}

func integer(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func float(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}

func levels(files []int) string {
	text := make([]string, len(files))
	for i, n := range files {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, " ")
}
