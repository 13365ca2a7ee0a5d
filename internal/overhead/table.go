package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/rocksdb"
)

// writeText writes the result for people.
func writeText(w io.Writer, r *result) {
	fmt.Fprintf(w, "%s, %d cores, %s %s, %s\n", r.Environment.CPU, r.Environment.Cores, r.Environment.OS, r.Environment.Kernel, r.Go)
	for _, engine := range r.Config.Engines {
		fmt.Fprintf(w, "%s %s", engine, r.Versions[engine])
		if command := r.Commands[engine]; command != "" {
			fmt.Fprintf(w, ": %s", command)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "all sides: write buffer %d MiB, table files %d MiB, block cache %d MiB, blocks %d KiB, Snappy, no filters; reads verify checksums: leveldb %v, rocksdb %v\n",
		writeBuffer>>20, tableFile>>20, blockCache>>20, blockSize>>10, verifies(leveldb.Engine), verifies(rocksdb.Engine))
	writeOptionDiff(w, r)
	fmt.Fprintf(w, "%d entries of %d+%d bytes, %d rounds, the sides in turns; µs an operation: median, least to most; factors of medians, and of the least\n",
		r.Config.Num, keySize, valueSize, r.Config.Rounds)
	fmt.Fprintln(w, rows(r).Render())
	for _, f := range r.Faults {
		fmt.Fprintln(w, "wrong:", f)
	}
}

func writeOptionDiff(w io.Writer, r *result) {
	switch {
	case r.OptionDiff == nil:
	case len(r.OptionDiff) == 0:
		fmt.Fprintf(w, "rocksdb: the options that C++ and Go have noted are alike, %s aside\n", strings.Join(withoutEffect, ", "))
	default:
		fmt.Fprintln(w, "rocksdb: C++ and Go have noted different options:")
		for _, line := range r.OptionDiff {
			fmt.Fprintln(w, "  "+line)
		}
	}
}

func rows(r *result) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	header := table.Row{"engine", "workload", "C++", "", "lsmkit", "", "plain", "", "lsmkit ÷ C++", "least", "plain ÷ lsmkit", "least", "found"}
	t.AppendHeader(header)
	configs := make([]table.ColumnConfig, 0, len(header))
	for i := range header {
		if i >= 2 {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	engine := ""
	for _, row := range byEngine(r) {
		if engine != "" && row.Engine != engine {
			t.AppendSeparator()
		}
		engine = row.Engine
		native, ours, plain := row.Sides[sideNative], row.Sides[sideOurs], row.Sides[sidePlain]
		t.AppendRow(table.Row{
			engine, row.Workload,
			middle(native), spread(native), middle(ours), spread(ours), middle(plain), spread(plain),
			factor(ratio(ours, native, median)), factor(ratio(ours, native, slices.Min)),
			factor(ratio(plain, ours, median)), factor(ratio(plain, ours, slices.Min)),
			found(ours),
		})
	}
	return t
}

// byEngine returns the rows with those of one engine together.
func byEngine(r *result) []*row {
	order := append(slices.Clone(r.Config.Engines), harness)
	sorted := slices.Clone(r.Rows)
	slices.SortStableFunc(sorted, func(a, b *row) int {
		return slices.Index(order, a.Engine) - slices.Index(order, b.Engine)
	})
	return sorted
}

func middle(s *series) string {
	if s == nil {
		return ""
	}
	return micros(median(s.Micros))
}

func spread(s *series) string {
	if s == nil {
		return ""
	}
	return micros(slices.Min(s.Micros)) + "–" + micros(slices.Max(s.Micros))
}

func micros(v float64) string {
	switch {
	case v < 1:
		return fmt.Sprintf("%.4f", v)
	case v < 1000:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func factor(f float64) string {
	if f == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", f)
}

func found(s *series) string {
	if s == nil || len(s.Found) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", s.Found[0], s.Lookups[0])
}
