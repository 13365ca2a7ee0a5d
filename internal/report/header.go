package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// headerIndent is where the text behind the labels begins.
const headerIndent = 13

// sizeOptions are those whose value is a number of bytes.
var sizeOptions = []string{
	bench.OptWriteBufferSize, bench.OptMaxFileSize, bench.OptCacheSize, bench.OptBlockSize, bench.OptL1Size,
}

// header says what is measured, on what, and how the engines are set.
func header(rec *bench.Record, s Style) string {
	var b strings.Builder
	c := &rec.Config
	line := func(label, text string) {
		if text = OneLine(text); text != "" {
			wrap(&b, label, headerIndent, text)
		}
	}
	line("tool", strings.Join(nonEmpty(rec.Tool.Name, rec.Tool.Version, rec.Tool.Commit, rec.Tool.Go), " "))
	var engines []string
	for _, e := range rec.Engines {
		engines = append(engines, library(&e))
	}
	line("engines", strings.Join(engines, ", "))
	line("machine", machine(&rec.Environment))
	line("workloads", workloads(c))
	line("entries", entries(c))
	line("rounds", rounds(c))
	line("pace", pace(c))
	line("shapes", shapes(c))
	line("durability", durability(c))
	if set := settings(c); len(set) > 0 {
		line("options set", strings.Join(set, ", "))
	}
	if len(rec.Engines) > 0 {
		b.WriteByte('\n')
		b.WriteString(optionTable(rec, s))
	}
	return b.String()
}

// workloads is the list, once if it is run for each of several value sizes.
func workloads(c *bench.Config) string {
	names := c.Workloads
	if n := len(c.Payloads); n > 1 && len(names)%n == 0 {
		names = names[:len(names)/n]
	}
	list := strings.Join(names, ", ")
	if len(names) < len(c.Workloads) {
		list += fmt.Sprintf("; for each of the %d value sizes", len(c.Payloads))
	}
	if c.Preset != "" {
		list = "preset " + c.Preset + ": " + list
	}
	return list
}

// library names an engine with its library's version and build: rocksdb 9.10.0
// (tuned).
func library(e *bench.EngineInfo) string {
	build := ""
	if e.Build != nil {
		build = "(" + e.Build.Kind + ")"
	}
	return strings.Join(nonEmpty(e.Name, e.LibraryVersion, build), " ")
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

func entries(c *bench.Config) string {
	values := c.ValueSize.String()
	if len(c.Payloads) > 0 {
		var each []string
		for _, p := range c.Payloads {
			each = append(each, p.String())
		}
		values = strings.Join(each, ", ")
	}
	least, most, _ := c.KeyLengths()
	keys := fmt.Sprint(most)
	if least < most {
		keys = fmt.Sprintf("%d to %d", least, most)
	}
	text := fmt.Sprintf("%s of %s+%s bytes", humanize.Comma(c.Num), keys, values)
	if c.Reads != c.Num {
		text += fmt.Sprintf(", %s reads", humanize.Comma(c.Reads))
	}
	return text + fmt.Sprintf("; compression ratio %g; %s keys", c.CompressionRatio, c.KeyFormat)
}

func rounds(c *bench.Config) string {
	text := fmt.Sprintf("%d", c.Rounds)
	if c.Rounds > 1 && len(c.Engines) > 1 {
		text += ", interleaved"
	}
	text += fmt.Sprintf("; seed %d", c.Seed)
	if c.Generator != "" {
		text += " (" + c.Generator + ")"
	}
	if c.Threads > 1 {
		return text + fmt.Sprintf("; %d threads share the operations", c.Threads)
	}
	return text + "; 1 thread"
}

// pace says how long and how fast workloads run, where the number of their
// operations doesn't say so.
func pace(c *bench.Config) string {
	var parts []string
	add := func(on bool, format string, args ...any) {
		if on {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.Duration > 0, "each workload runs for %v", c.Duration)
	add(c.Warmup > 0, "%v of random reads before each that reads", c.Warmup)
	add(c.Rate > 0, "open loop of %s ops/s", Rate(c.Rate))
	add(c.Latency && c.Rate == 0, "closed loop, latency measured")
	add(c.Interval > 0, "intervals of %v", c.Interval)
	add(c.Settle, "compaction settles after each that writes")
	return strings.Join(parts, "; ")
}

// shapes are the settings that only some workloads of the list heed.
func shapes(c *bench.Config) string {
	var parts []string
	add := func(workload, format string, args ...any) {
		if slices.Contains(c.Workloads, workload) {
			parts = append(parts, workload+": "+fmt.Sprintf(format, args...))
		}
	}
	add("scanrange", "%d entries a scan", c.ScanLength)
	add("deleterange", "%d keys a range", c.RangeLength)
	add("find", "pattern %s", c.Pattern)
	add("readrandomwriterandom", "%d %% reads", c.ReadPercent)
	writes := "as many writes as it can"
	if c.WriteRate > 0 {
		writes = humanize.Comma(c.WriteRate) + " writes/s"
	}
	add("readwhilewriting", "%s", writes)
	if c.SeekNexts > 0 {
		add("seekrandom", "%d steps after each", c.SeekNexts)
	}
	if c.KeysFromDB {
		parts = append(parts, "keys are those of the store")
	}
	return strings.Join(parts, "; ")
}

// durability is the one word that each write has, in full.
func durability(c *bench.Config) string {
	if c.Sync {
		return "every write is synced (fdatasync) and survives the loss of power"
	}
	text := "writes survive a crash of the process, not the loss of power"
	if slices.Contains(c.Workloads, "fillsync") {
		text += "; those of fillsync are synced (fdatasync)"
	}
	return text
}

// settings lists the engine options that were asked for, exactly.
func settings(c *bench.Config) []string {
	var set []string
	for _, o := range []struct {
		name string
		n    *int64
	}{
		{"cache-size", c.CacheSize}, {"write-buffer-size", c.WriteBufferSize},
		{"block-size", c.BlockSize}, {"max-file-size", c.MaxFileSize},
	} {
		if o.n != nil {
			set = append(set, fmt.Sprintf("%s %d", o.name, *o.n))
		}
	}
	for _, o := range []struct {
		name string
		n    *int
	}{{"bloom-bits", c.BloomBits}, {"open-files", c.OpenFiles}} {
		if o.n != nil {
			set = append(set, fmt.Sprintf("%s %d", o.name, *o.n))
		}
	}
	if c.Compression != "" {
		set = append(set, "compression "+string(c.Compression))
	}
	if c.VerifyChecksums != nil {
		set = append(set, fmt.Sprintf("verify-checksums %v", *c.VerifyChecksums))
	}
	return set
}

// optionTable sets the options in effect side by side, marks those that
// differ, and says below what there is to say about these.
func optionTable(rec *bench.Record, s Style) string {
	g := grid{header: []string{"options (" + string(rec.Config.Profile) + ")"}, right: []bool{false}}
	for _, e := range rec.Engines {
		g.header = append(g.header, OneLine(e.Name))
		g.right = append(g.right, false)
	}
	g.header = append(g.header, "")
	g.right = append(g.right, false)
	var notes strings.Builder
	for _, d := range bench.DiffOptions(rec.Engines) {
		name := optionName(d.Name)
		row := []string{name}
		for i, v := range d.Values {
			row = append(row, optionValue(&rec.Engines[i], d.Name, v))
		}
		mark := ""
		if d.Differs {
			mark = s.mark("differs", true)
			if note := cmp.Or(d.Note, optionNotes[d.Name]); note != "" {
				wrap(&notes, "", 0, name+": "+OneLine(note))
			}
		}
		g.rows = append(g.rows, append(row, mark))
	}
	return g.text() + notes.String()
}

// optionNotes say of options that can be set why they differ all the same.
var optionNotes = map[string]string{
	bench.OptOpenFiles: "LevelDB takes a number from 74 to 50,000 and has no word for all; its most is as good as all for fewer tables",
}

// optionName writes a name for people: L0 triggers.
func optionName(name string) string {
	name = strings.ReplaceAll(OneLine(name), "_", " ")
	if strings.HasPrefix(name, "l0 ") || strings.HasPrefix(name, "l1 ") {
		name = "L" + name[1:]
	}
	return name
}

// optionValue writes a value in effect, and the one asked for where that is
// another.
func optionValue(e *bench.EngineInfo, name string, v any) string {
	if v == nil {
		return "-"
	}
	text := optionText(name, v)
	if asked, ok := e.Requested.Get(name); ok {
		text += " (asked " + optionText(name, asked.Value) + ")"
	}
	return text
}

func optionText(name string, v any) string {
	switch v := v.(type) {
	case int64:
		switch {
		case slices.Contains(sizeOptions, name):
			return FormatSize(v)
		case name == bench.OptOpenFiles && v < 0:
			return "all"
		}
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return OneLine(fmt.Sprint(v))
}
