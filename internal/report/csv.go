package report

import (
	"encoding/csv"
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
	{"disk_bytes", func(r *bench.Result) string { return integer(r.DiskBytes) }},
	{"disk_bytes_before", func(r *bench.Result) string { return integer(r.DiskBytesBefore) }},
	{"bytes_written", func(r *bench.Result) string { return integer(r.BytesWritten) }},
	{"files_per_level_before", func(r *bench.Result) string { return levels(r.FilesPerLevelBefore) }},
	{"files_per_level_after", func(r *bench.Result) string { return levels(r.FilesPerLevelAfter) }},
	{"pending_compaction_bytes", func(r *bench.Result) string { return integer(r.PendingCompactionBytes) }},
	{"verified_keys", func(r *bench.Result) string { return integer(r.VerifiedKeys) }},
}

// CSV writes one line for each row of the record, under a line of names.
func CSV(w io.Writer, rec *bench.Record) error {
	out := csv.NewWriter(w)
	fields := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		fields[i] = c.name
	}
	out.Write(fields) // errors are kept until Flush
	for i := range rec.Results {
		for k, c := range csvColumns {
			fields[k] = c.field(&rec.Results[i])
		}
		out.Write(fields)
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
