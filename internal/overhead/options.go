package overhead

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rocksOptions reads what RocksDB wrote down of its options when a store was
// opened: its OPTIONS file and, since that leaves the block cache out, its log.
// The result is empty if there are none.
func rocksOptions(dir string) map[string]string {
	options := map[string]string{}
	if text, err := os.ReadFile(newest(filepath.Join(dir, "OPTIONS-*"))); err == nil {
		section := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				section = line
			} else if name, value, ok := strings.Cut(line, "="); ok {
				options[section+" "+name] = value
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "LOG"))
	if err != nil {
		return options
	}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		name = strings.TrimSpace(name)
		if ok && slices.Contains(cacheOptions, name) {
			options["block cache "+name] = strings.TrimSpace(value)
		}
	}
	return options
}

var cacheOptions = []string{"capacity", "num_shard_bits", "strict_capacity_limit", "high_pri_pool_ratio", "low_pri_pool_ratio"}

// withoutEffect are options in which the sides differ and which nothing of what
// is measured looks at: three for opening, one that db_bench always sets, and one
// of another compaction style.
var withoutEffect = []string{"error_if_exists", "create_missing_column_families", "wal_recovery_mode", "listeners", "compaction_options_fifo"}

// optionDiff lists the options whose values differ.
func optionDiff(a, b map[string]string) []string {
	var diff []string
	for name, value := range a {
		short := name[strings.LastIndexByte(name, ' ')+1:]
		if other, ok := b[name]; ok && other != value && !slices.Contains(withoutEffect, short) {
			diff = append(diff, name+": "+value+" | "+other)
		}
	}
	slices.Sort(diff)
	return diff
}

// newest returns the last of the files that match, whose names carry rising
// numbers.
func newest(pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return ""
	}
	return slices.Max(files)
}
