package bench

import (
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// Workload describes a workload that Run knows.
type Workload struct {
	Name    string
	Aliases []string
	// Description is one line.
	Description string
	// Fresh: the store is closed, destroyed and opened anew before it.
	Fresh bool
	// Writes: it changes entries. A list with such a workload begins on a fresh
	// store; others leave what they find.
	Writes bool
	// Reads: it counts lookups and found entries.
	Reads bool
	// Single: it has one worker, whatever the number of threads.
	Single bool

	// noFigures: it has text in place of figures.
	noFigures bool
	// draws: it takes numbers of the seed sequence, one a worker.
	draws bool
	// large: it writes values of largeValue bytes.
	large bool
	// plan makes the workload's operations for one cell.
	plan func(c *Config) *plan
}

// Workloads returns all workloads, in the order of the documentation.
func Workloads() []Workload { return slices.Clone(workloads) }

// FindWorkload returns the workload of that name or alias.
func FindWorkload(name string) (Workload, bool) {
	for _, w := range workloads {
		if w.Name == name || slices.Contains(w.Aliases, name) {
			return w, true
		}
	}
	return Workload{}, false
}

// Preset is a named workload list, with settings that go with it.
type Preset struct {
	Name        string
	Description string
	Workloads   []string
	// Labels are what the preset's own table calls the workloads; nil where it
	// has no table of its own.
	Labels []string
	// settings are those that the preset sets where the user has not, by flag.
	settings map[string]func(*Config)
}

// Apply sets what the preset sets, but for the flags (without dashes) that were
// given. A nil given stands for none.
func (p *Preset) Apply(c *Config, given func(flag string) bool) {
	for flag, set := range p.settings {
		if given == nil || !given(flag) {
			set(c)
		}
	}
}

// Presets returns all presets.
func Presets() []Preset { return slices.Clone(presets) }

// FindPreset returns the preset of that name.
func FindPreset(name string) (Preset, bool) {
	for _, p := range presets {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}

var presets = []Preset{
	{
		Name:        "leveldb",
		Description: "the default list of LevelDB's db_bench",
		Workloads: []string{
			"fillseq", "fillsync", "fillrandom", "overwrite", "readrandom", "readrandom", "readseq", "readreverse",
			"compact", "readrandom", "readseq", "readreverse", "fill100K",
		},
	},
	{
		Name:        "core",
		Description: "durable puts, sequential puts, random gets, compaction, batches",
		Workloads:   []string{"fillsync", "fillseq", "readrandom", "compact", "batch"},
	},
}

var workloads = []Workload{
	{Name: "fillseq", Description: "write N entries in key order",
		Fresh: true, Writes: true, draws: true, plan: writePlan(ascendingKeys)},
	{Name: "fillbatch", Aliases: []string{"batch"}, Description: "write N entries in key order, in batches",
		Fresh: true, Writes: true, draws: true, plan: batchPlan},
	{Name: "fillrandom", Description: "write N entries in random order (63.2 % distinct keys)",
		Fresh: true, Writes: true, draws: true, plan: writePlan(randomKeys)},
	{Name: "filluniquerandom", Description: "write N entries in random order, each key once",
		Fresh: true, Writes: true, draws: true, plan: writePlan(permutedKeys)},
	{Name: "overwrite", Description: "write N entries in random order over those that are there",
		Writes: true, draws: true, plan: writePlan(randomKeys)},
	{Name: "fillsync", Description: "write N/1000 entries in random order, each synced",
		Fresh: true, Writes: true, draws: true, plan: slowWritePlan(true)},
	{Name: "fill100K", Description: "write N/1000 values of 100,000 bytes in random order",
		Fresh: true, Writes: true, large: true, draws: true, plan: slowWritePlan(false)},
	{Name: "readseq", Description: "read entries in key order with one iterator",
		Reads: true, draws: true, plan: scanPlan(store.IterOptions{})},
	{Name: "readreverse", Description: "read entries in reverse key order with one iterator",
		Reads: true, draws: true, plan: scanPlan(store.IterOptions{Reverse: true})},
	{Name: "readkeys", Description: "read keys in key order, without values",
		Reads: true, draws: true, plan: scanPlan(store.IterOptions{KeysOnly: true})},
	{Name: "readrandom", Description: "get random keys",
		Reads: true, draws: true, plan: readPlan(pointUnit, randomKeys, getKernel)},
	{Name: "readmissing", Description: "get random keys that lie between those that are there",
		Reads: true, draws: true, plan: readPlan(pointUnit, missingKeys, getMissingKernel)},
	{Name: "readhot", Description: "get random keys of the first 1 %",
		Reads: true, draws: true, plan: readPlan(pointUnit, hotKeys, getKernel)},
	{Name: "multireadrandom", Description: "get random keys, a batch of them a call",
		Reads: true, draws: true, plan: multigetPlan},
	{Name: "seekrandom", Description: "seek random keys with a new iterator each",
		Reads: true, draws: true, plan: seekPlan(randomKeys, seekKernel)},
	{Name: "seekordered", Description: "seek ascending keys with one iterator",
		Reads: true, draws: true, plan: seekPlan(steppingKeys, seekOrderedKernel)},
	{Name: "deleteseq", Description: "delete N keys in key order",
		Writes: true, draws: true, plan: deletePlan(ascendingKeys)},
	{Name: "deleterandom", Description: "delete N keys in random order",
		Writes: true, draws: true, plan: deletePlan(randomKeys)},
	{Name: "compact", Description: "compact the whole store",
		Single: true, draws: true, plan: compactPlan},
	{Name: "flush", Description: "write the memtable out",
		Single: true, plan: flushPlan},
	{Name: "open", Description: "close and open the store N/10000 times",
		Single: true, draws: true, plan: openPlan},
	{Name: "stats", Description: "the engine's own statistics as text",
		Single: true, noFigures: true, plan: statsPlan},
}
