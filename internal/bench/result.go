package bench

// Schema is the version of the record's form.
const Schema = 1

// Record is what a run measured, with everything needed to judge and repeat
// it. Its JSON form is the file that --json writes. A figure that an engine, or
// the machine, doesn't tell is absent, never zero; every number is finite.
type Record struct {
	Schema      int          `json:"schema"`
	Tool        Tool         `json:"tool"`
	Environment Environment  `json:"environment"`
	Engines     []EngineInfo `json:"engines"`
	Config      Config       `json:"config"`
	Results     []Result     `json:"results"`
	Summary     []Summary    `json:"summary"`
	Warnings    []Warning    `json:"warnings"`
}

// Failed tells whether a row failed.
func (r *Record) Failed() bool { return r.has(StatusFailed) }

// Interrupted tells whether a row was interrupted.
func (r *Record) Interrupted() bool { return r.has(StatusInterrupted) }

func (r *Record) has(s Status) bool {
	for i := range r.Results {
		if r.Results[i].Status == s {
			return true
		}
	}
	return false
}

// Tool is the program that measured. Run fills Go, and what the build recorded
// of the version and the commit; the caller may set them.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Environment is the machine, and the file system under the stores.
type Environment struct {
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Kernel      string `json:"kernel,omitempty"`
	CPU         string `json:"cpu,omitempty"`
	Cores       int    `json:"cores"`
	MemoryBytes *int64 `json:"memory_bytes,omitempty"`

	// CgroupCPUs and CgroupMemoryBytes are the limits set on the control group
	// of the process.
	CgroupCPUs        *float64 `json:"cgroup_cpus,omitempty"`
	CgroupMemoryBytes *int64   `json:"cgroup_memory_bytes,omitempty"`

	// Filesystem is the type of the file system that the stores are on.
	Filesystem string `json:"filesystem,omitempty"`
	Mount      string `json:"mount,omitempty"`
	Device     string `json:"device,omitempty"`
	// MountOptions are those of the mount, separated by commas.
	MountOptions string `json:"mount_options,omitempty"`
	FreeBytes    *int64 `json:"free_bytes,omitempty"`

	Governor string `json:"governor,omitempty"`
	// Load is the load average of one minute when the run began.
	Load *float64 `json:"load,omitempty"`
	// FsyncMicros is the median time of an fdatasync after a small append, in the
	// folder of the stores.
	FsyncMicros *float64 `json:"fsync_us,omitempty"`
	// CopyMBPerSec is the rate at which one core copies memory that is in its
	// cache: the bound for what a worker can hand over.
	CopyMBPerSec float64 `json:"copy_mb_per_sec"`
}

// EngineInfo is an engine of the run, with the options in effect.
type EngineInfo struct {
	// Name is what rows call it: the engine's name, or "NAME#2" where the same
	// engine is measured against itself.
	Name string `json:"name"`
	// LibraryVersion is the version that the library reports of itself.
	LibraryVersion string `json:"library_version"`
	// Codecs are those for table blocks that the library was built with, where that
	// is known.
	Codecs []string `json:"codecs,omitempty"`
	// Build is how the library was compiled; absent for an engine that is none.
	Build *Build `json:"build,omitempty"`
	// Options are those in effect, after what the engine clips; fixed ones
	// included. Where the library tells them itself, they are what it tells.
	Options OptionList `json:"options"`
	// Requested are the options whose effective value is not the one asked for.
	Requested OptionList `json:"requested,omitempty"`
	// Notes explain options, by name.
	Notes map[string]string `json:"notes,omitempty"`
	// NotTold says of fields that rows of this engine don't have, by their name
	// in JSON, why they don't.
	NotTold map[string]string `json:"not_told,omitempty"`
}

// Status says what became of a row.
type Status string

const (
	// StatusOK: measured to the end, and found right.
	StatusOK Status = "ok"
	// StatusFailed: an error, or a result that can't be right; Error says which.
	StatusFailed Status = "failed"
	// StatusSkipped: not run; Error says why.
	StatusSkipped Status = "skipped"
	// StatusInterrupted: ended by the user; the figures are those until then.
	StatusInterrupted Status = "interrupted"
)

// Result is one row: one workload of one pass.
type Result struct {
	Engine string `json:"engine"`
	// Workload is the name in the list. The writer of readwhilewriting has a row
	// of its own, at the same position, with the name WriterRow.
	Workload string `json:"workload"`
	// Position is the place in the workload list, from 1, so that several rows
	// of one workload stay apart.
	Position int `json:"position"`
	// ValueSize is that of the row, in the text form of the flag, where the run
	// has several payloads.
	ValueSize string `json:"value_size,omitempty"`
	// Round is the pass of this engine, from 1.
	Round int `json:"round"`
	// Threads is the number of workers that the workload had.
	Threads int    `json:"threads"`
	Status  Status `json:"status"`
	// Error is the reason of a row that failed, was skipped or interrupted.
	Error string `json:"error,omitempty"`

	// Ops counts keys, entries, seeks, or whole calls (compact, flush, open).
	Ops int64 `json:"ops"`
	// Bytes is what counts for MBPerSec: what was written, or truly returned.
	Bytes int64 `json:"bytes"`
	// Seconds is the wall time, from the start of the first worker to the end of
	// the last.
	Seconds float64 `json:"seconds"`
	// OpsPerSec is Ops / Seconds.
	OpsPerSec float64 `json:"ops_per_sec"`
	// MicrosPerOp is Seconds × 1e6 × Threads / Ops: the mean time of an operation.
	MicrosPerOp float64 `json:"micros_per_op"`
	// MBPerSec is Bytes / 2^20 / Seconds.
	MBPerSec float64 `json:"mb_per_sec"`

	// Lookups and Found, of reading workloads: how many entries were asked for,
	// and how many of them were there. A seek has found when it stands on the key.
	Lookups *int64 `json:"lookups,omitempty"`
	Found   *int64 `json:"found,omitempty"`

	// LatencyNS is how long the operations took, of those that were timed: each
	// one, or one in SampleEvery.
	LatencyNS   *Latency `json:"latency_ns,omitempty"`
	SampleEvery int64    `json:"sample_every,omitempty"`
	// LatencyCorrectedNS, with a rate, is how long they took from the moment at
	// which they should have begun: an operation that waits for a slow one
	// before it is late, and that shows here.
	LatencyCorrectedNS *Latency `json:"latency_corrected_ns,omitempty"`
	// Intervals are the figures of each piece of the time, if asked for.
	Intervals []Interval `json:"intervals,omitempty"`

	// SettleSeconds is how long it took after the workload, or in settle, until
	// compaction had nothing left to do, if asked for; SettledOpsPerSec is Ops divided by both
	// times together.
	SettleSeconds    *float64 `json:"settle_seconds,omitempty"`
	SettledOpsPerSec *float64 `json:"settled_ops_per_sec,omitempty"`

	// CPUUserSeconds and CPUSystemSeconds are those of the whole process, the
	// engine's background threads included, while the workload ran.
	CPUUserSeconds   *float64 `json:"cpu_user_seconds,omitempty"`
	CPUSystemSeconds *float64 `json:"cpu_system_seconds,omitempty"`

	// OSThreads is the greatest number of threads of the process while the workload
	// ran, the engine's own and those of Go's included that are left from before:
	// Go keeps what it has made once, so that a row has at least as many as the
	// rows before it.
	OSThreads *int64 `json:"os_threads,omitempty"`
	// GroupSize is the mean number of calls that the engine's writes were of: more
	// than 1 where writes of several workers were committed together.
	GroupSize *float64 `json:"group_size,omitempty"`
	// CallsWaiting is the mean number of calls that waited to be let into the
	// engine, or for a group of writes. It is that of looks every 20 ms, of rows
	// with several workers, and absent if the row was over before the first.
	CallsWaiting *float64 `json:"calls_waiting,omitempty"`

	// RSSPeakBytes is the greatest resident size of the process while the
	// workload ran, RSSGrowthBytes how much that is above what it was before.
	RSSPeakBytes   *int64 `json:"rss_peak_bytes,omitempty"`
	RSSGrowthBytes *int64 `json:"rss_growth_bytes,omitempty"`

	// CacheHitRate is the share of block reads that the block cache answered, and
	// StallSeconds the time for which the engine held writes up.
	CacheHitRate *float64 `json:"cache_hit_rate,omitempty"`
	StallSeconds *float64 `json:"stall_seconds,omitempty"`

	// DiskBytes is the size of the store when the workload had ended.
	DiskBytes *int64 `json:"disk_bytes,omitempty"`
	// DiskBytesBefore is the size before compact began.
	DiskBytesBefore *int64 `json:"disk_bytes_before,omitempty"`
	// BytesWritten is what this process gave to the device while the workload
	// ran (and settled, if it did); of compact and flush, what these wrote to table files.
	BytesWritten *int64 `json:"bytes_written,omitempty"`
	// WriteAmplification is what the process gave to the device for each byte of
	// keys and values that the workload wrote.
	WriteAmplification *float64 `json:"write_amplification,omitempty"`
	// SpaceAmplification is the size of the store, its logs included, for each
	// byte of keys and values that are in it, as they are without compression; of
	// rows whose store is read back.
	SpaceAmplification *float64 `json:"space_amplification,omitempty"`
	// FilesPerLevelBefore and FilesPerLevelAfter are the number of table files
	// of each level.
	FilesPerLevelBefore []int `json:"files_per_level_before,omitempty"`
	FilesPerLevelAfter  []int `json:"files_per_level_after,omitempty"`
	// PendingCompactionBytes is what was left for compaction to do.
	PendingCompactionBytes *int64 `json:"pending_compaction_bytes,omitempty"`

	// VerifiedKeys is how many keys, last written by this row, were read back
	// and had the right value (or were gone, if it deleted). It is absent where
	// later rows have overwritten all that would have been looked at.
	VerifiedKeys *int64 `json:"verified_keys,omitempty"`

	// Text is the engine's own text, of stats.
	Text string `json:"text,omitempty"`
}

// WriterRow is the workload name of the row of readwhilewriting's writer.
const WriterRow = "readwhilewriting-writer"

// Latency are percentiles in ns, to three significant figures.
type Latency struct {
	Count int64   `json:"count"` // of operations that were timed
	Min   int64   `json:"min"`
	P50   int64   `json:"p50"`
	P90   int64   `json:"p90"`
	P95   int64   `json:"p95"`
	P99   int64   `json:"p99"`
	P999  int64   `json:"p99_9"`
	P9999 int64   `json:"p99_99"`
	Max   int64   `json:"max"`
	Mean  float64 `json:"mean"`
}

// Interval is a piece of a row's time.
type Interval struct {
	// T is when it ended, in seconds from the start of the clock.
	T float64 `json:"t"`
	// Ops are the operations that ended in it.
	Ops int64 `json:"ops"`
	// P99NS is the p99 of those that were timed in it; absent if none was.
	P99NS *int64 `json:"p99_ns,omitempty"`
}

// DidNothing tells whether the row is a compaction or a flush that found nothing
// to do. Such a row looks fast and is not compared.
func (r *Result) DidNothing() bool {
	return (r.Workload == "compact" || r.Workload == "flush") && r.BytesWritten != nil && *r.BytesWritten == 0
}

// Verdict is a comparison in words.
type Verdict string

const (
	VerdictFaster       Verdict = "faster"
	VerdictSlower       Verdict = "slower"
	VerdictNoDifference Verdict = "no difference shown"
	VerdictTooFew       Verdict = "too few rounds"
	// VerdictNotCompared: a side has no figure that may be compared; Note says
	// why.
	VerdictNotCompared Verdict = "not compared"
)

// Summary is one engine's figures at one position of the list, over all
// rounds, and the comparison with the baseline, which is the first engine.
type Summary struct {
	Workload string `json:"workload"`
	Position int    `json:"position"`
	Engine   string `json:"engine"`
	// ValueSize is as in the rows.
	ValueSize string `json:"value_size,omitempty"`
	// Rounds is the number of rows behind the figures.
	Rounds int `json:"rounds"`
	// MedianOpsPerSec, and the interval Low to High that holds the true median
	// with the probability Confidence (order statistics). Absent when a row is
	// not ok.
	MedianOpsPerSec *float64 `json:"median_ops_per_sec,omitempty"`
	Low             *float64 `json:"low,omitempty"`
	High            *float64 `json:"high,omitempty"`
	Confidence      *float64 `json:"confidence,omitempty"`
	// MarginPercent is the relative margin of error of the mean, as benchmark.js
	// prints it: the half width of the mean's 95 % interval (Student's t) in
	// percent of the mean. Absent with fewer than two rounds.
	MarginPercent *float64 `json:"margin_percent,omitempty"`
	// MeanOpsPerSec and MeanSeconds are means of the same rows.
	MeanOpsPerSec *float64 `json:"mean_ops_per_sec,omitempty"`
	MeanSeconds   *float64 `json:"mean_seconds,omitempty"`
	// MedianMicrosPerOp and MedianMBPerSec are medians of the same rows.
	MedianMicrosPerOp *float64 `json:"median_micros_per_op,omitempty"`
	MedianMBPerSec    *float64 `json:"median_mb_per_sec,omitempty"`

	// Baseline is the engine compared with; empty for the baseline itself.
	Baseline string `json:"baseline,omitempty"`
	// Factor is the median divided by the baseline's: 2 is twice as fast.
	Factor *float64 `json:"factor,omitempty"`
	// ChangePercent is (Factor - 1) × 100.
	ChangePercent *float64 `json:"change_percent,omitempty"`
	// P is the two-sided p value of the Mann–Whitney U test.
	P       *float64 `json:"p,omitempty"`
	Verdict Verdict  `json:"verdict,omitempty"`
	// Note is the reason of VerdictNotCompared.
	Note string `json:"note,omitempty"`
}

// Warning is a way in which the numbers can mislead, or something that a run
// did to files, as data.
type Warning struct {
	Code WarningCode `json:"code"`
	Text string      `json:"text"`
	// Rows are the indexes into the record's results of the rows concerned;
	// none means the whole run.
	Rows []int `json:"rows,omitempty"`
}

// WarningCode is the kind of a warning.
type WarningCode string

const (
	WarnFitsRAM        WarningCode = "fits-ram"          // the data fits in memory
	WarnFitsCache      WarningCode = "fits-cache"        // the data fits in the block cache
	WarnSyncFree       WarningCode = "sync-free"         // a synced write costs too little to be one
	WarnTmpfs          WarningCode = "tmpfs"             // the stores are in memory
	WarnUncompressed   WarningCode = "uncompressed"      // compression is on and shrinks nothing
	WarnDebugBuild     WarningCode = "debug-build"       // built with the race detector or the like
	WarnOtherLoad      WarningCode = "other-load"        // the machine was busy when the run began
	WarnTooFewRounds   WarningCode = "too-few-rounds"    // no comparison can show anything
	WarnCompactionDebt WarningCode = "compaction-debt"   // a writing row left work to compaction
	WarnDurability     WarningCode = "durability"        // engines promise different things for a write
	WarnOptionsDiffer  WarningCode = "options-differ"    // options that are not alike
	WarnClipped        WarningCode = "clipped"           // an engine uses another value than the one asked for
	WarnReplaced       WarningCode = "store-replaced"    // a store that was there has been replaced
	WarnForeignKept    WarningCode = "foreign-kept"      // files that belong to no store were left where they are
	WarnNothingToDo    WarningCode = "nothing-rewritten" // compact or flush found nothing to do
	WarnNotVerified    WarningCode = "not-verified"      // what was written could not be checked in full
	WarnFoundDiffers   WarningCode = "found-differs"     // engines found different keys where the same were asked for
	WarnNotClosed      WarningCode = "not-closed"        // the engine could not be interrupted
	WarnKept           WarningCode = "folder-kept"       // a temporary folder is still there
	WarnOneSided       WarningCode = "one-sided"         // one engine's tables are compressed and another's are not
	WarnNotSettled     WarningCode = "not-settled"       // compaction did not come to an end
	WarnBehind         WarningCode = "behind"            // an open loop could not keep its rate
	WarnBandwidth      WarningCode = "bandwidth"         // a rate that the machine can't have
	WarnNotReadBack    WarningCode = "not-read-back"     // a library could not be asked for its options
)
