package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/leveldb"
)

// nativeArgs returns the arguments of the engine's db_bench: the workloads, and
// every option whose default there is another than what our side has.
func nativeArgs(c *config, engine, dir string) []string {
	args := []string{
		"--benchmarks=" + strings.Join(c.Workloads, ","),
		"--db=" + dir,
		fmt.Sprintf("--num=%d", c.Num),
		fmt.Sprintf("--value_size=%d", valueSize),
		"--compression_ratio=0.5",
		"--threads=1",
		fmt.Sprintf("--write_buffer_size=%d", writeBuffer),
		fmt.Sprintf("--cache_size=%d", blockCache),
		fmt.Sprintf("--block_size=%d", blockSize),
		fmt.Sprintf("--open_files=%d", openFiles(engine)),
		"--bloom_bits=-1",
	}
	if engine == leveldb.Engine {
		return append(args, fmt.Sprintf("--max_file_size=%d", tableFile))
	}
	return append(args, rocksdbArgs...)
}

// rocksdbArgs are what RocksDB's db_bench needs to be told beyond that to open
// its store as rocksdb.Open does; optionDiff shows what is left. Its own
// defaults are those of its authors' experiments. The last lines are defaults
// on both sides, said for the reader.
var rocksdbArgs = []string{
	"--seed=1000",
	fmt.Sprintf("--key_size=%d", keySize),
	fmt.Sprintf("--target_file_size_base=%d", tableFile),
	"--cache_high_pri_pool_ratio=0.5",
	"--table_cache_numshardbits=6",
	"--auto_readahead_size=true",
	"--enable_pipelined_write=false",
	"--paranoid_checks=true",
	"--level_compaction_dynamic_level_bytes=true",
	"--delayed_write_rate=16777216",
	"--hard_pending_compaction_bytes_limit=274877906944",
	"--index_shortening_mode=1",
	"--pin_top_level_index_and_filter=true",
	"--dump_malloc_stats=false",

	"--compression_type=snappy",
	"--verify_checksum=true",
	"--disable_wal=false",
	"--sync=false",
	"--statistics=false",
	"--max_write_buffer_number=2",
	"--max_background_jobs=2",
	"--num_levels=7",
	"--level0_file_num_compaction_trigger=4",
	"--level0_slowdown_writes_trigger=20",
	"--level0_stop_writes_trigger=36",
	"--max_bytes_for_level_base=268435456",
}

var (
	rowPattern   = regexp.MustCompile(`^(\w+) *: +([0-9.]+) micros/op`)
	ratePattern  = regexp.MustCompile(`micros/op ([0-9]+) ops/sec`)
	foundPattern = regexp.MustCompile(`\((\d+) of (\d+) found\)`)
)

// parseRow reads a line of db_bench's output. ok is false if it is no result.
func parseRow(line string) (c cell, ok bool) {
	m := rowPattern.FindStringSubmatch(line)
	if m == nil {
		return cell{}, false
	}
	c = cell{Workload: m[1], Found: -1}
	var err error
	if c.Micros, err = strconv.ParseFloat(m[2], 64); err != nil {
		return cell{}, false
	}
	// The rate, where it is told, has more digits for fast operations.
	if r := ratePattern.FindStringSubmatch(line); r != nil && c.Micros < 10 {
		if rate, err := strconv.ParseFloat(r[1], 64); err == nil && rate > 0 {
			c.Micros = 1e6 / rate
		}
	}
	if f := foundPattern.FindStringSubmatch(line); f != nil {
		found, err1 := strconv.ParseInt(f[1], 10, 64)
		lookups, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 == nil && err2 == nil {
			c.Found, c.Lookups = found, lookups
		}
	}
	return c, true
}

// runNative makes one pass of the engine's db_bench.
func runNative(ctx context.Context, c *config, engine, dir string) ([]cell, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.program(engine), nativeArgs(c, engine, dir)...)
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	cells := readRows(stdout)
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	if len(cells) != len(c.Workloads) {
		return nil, fmt.Errorf("%d results for %d workloads: %s", len(cells), len(c.Workloads), lastLine(stderr.String()))
	}
	for i := range cells {
		if cells[i].Workload != c.Workloads[i] {
			return nil, fmt.Errorf("result %d is %s, not %s", i+1, cells[i].Workload, c.Workloads[i])
		}
	}
	return cells, nil
}

func readRows(stdout io.Reader) []cell {
	var cells []cell
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if c, ok := parseRow(lines.Text()); ok {
			cells = append(cells, c)
		}
	}
	return cells
}

// lastLine returns the last line of a text whose lines may also end in \r.
func lastLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return "no message"
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
