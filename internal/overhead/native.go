package overhead

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
)

// nativeArgs returns the arguments of the engine's db_bench: the workloads, and
// every option whose default there is another than what our side has.
func nativeArgs(c *Config, engine, dir string) []string {
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
	fmt.Sprintf("--seed=%d", bench.DefaultSeed),
	// Its fillsync and fill100K divide the number of keys by 1000, and then do as
	// many writes as this says, unless it is 0; by default it is --num.
	"--writes=0",
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
	rowPattern        = regexp.MustCompile(`^(\w+) *: +([0-9.]+) micros/op`)
	ratePattern       = regexp.MustCompile(`micros/op ([0-9]+) ops/sec`)
	megabytesPattern  = regexp.MustCompile(`([0-9.]+) MB/s`)
	operationsPattern = regexp.MustCompile(`([0-9]+) operations;|\(([0-9]+) ops\)`)
	foundPattern      = regexp.MustCompile(`\((\d+) of (\d+) found\)`)
)

// parseRow reads a line of db_bench's output. ok is false if it is no result.
func parseRow(line string) (c Cell, ok bool) {
	m := rowPattern.FindStringSubmatch(line)
	if m == nil {
		return Cell{}, false
	}
	c = Cell{Workload: m[1]}
	var err error
	if c.Micros, err = strconv.ParseFloat(m[2], 64); err != nil {
		return Cell{}, false
	}
	if o := operationsPattern.FindStringSubmatch(line); o != nil {
		c.Ops, _ = strconv.ParseInt(o[1]+o[2], 10, 64) // one of them is empty
	}
	if f := foundPattern.FindStringSubmatch(line); f != nil {
		found, err1 := strconv.ParseInt(f[1], 10, 64)
		lookups, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 == nil && err2 == nil {
			c.Found, c.Lookups = found, lookups
		}
	}
	c.Micros = finer(c, line)
	return c, true
}

// finer returns the time of a row with as many digits as the line has: of fast
// operations the rates have more. RocksDB tells operations a second, LevelDB
// bytes, which are those of whole entries where it scans.
func finer(c Cell, line string) float64 {
	const printed = 0.0005 // half of the last digit
	other := 0.0
	if r := ratePattern.FindStringSubmatch(line); r != nil {
		if rate, err := strconv.ParseFloat(r[1], 64); err == nil && rate > 0 {
			other = 1e6 / rate
		}
	} else if m := megabytesPattern.FindStringSubmatch(line); m != nil && (c.Workload == "readseq" || c.Workload == "readreverse") {
		if rate, err := strconv.ParseFloat(m[1], 64); err == nil && rate > 0 {
			other = (keySize + valueSize) / (rate * (1 << 20)) * 1e6
		}
	}
	if c.Micros < 10 && other > 0 && math.Abs(other-c.Micros) <= 2*printed {
		return other
	}
	return c.Micros
}

// runNative makes one pass of the engine's db_bench. What it has measured before
// an error is returned with that.
func runNative(ctx context.Context, c *Config, program, engine, dir string) (out answer, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return out, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, nativeArgs(c, engine, dir)...)
	cmd.Stderr = &stderr
	cmd.SysProcAttr = childAttributes()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return out, err
	}
	if err := cmd.Start(); err != nil {
		return out, err
	}
	rows := readRows(stdout)
	err = cmd.Wait()
	out.use = usageOf(cmd.ProcessState)
	for i, row := range rows {
		switch {
		case i >= len(c.Workloads):
			return out, fmt.Errorf("db_bench gave %d results for %d workloads", len(rows), len(c.Workloads))
		case row.Workload != c.Workloads[i]:
			return out, fmt.Errorf("db_bench's result %d is of %s, not %s", i+1, row.Workload, c.Workloads[i])
		}
		out.Cells = append(out.Cells, row)
	}
	if err != nil {
		return out, fmt.Errorf("db_bench: %w: %s", err, lastLine(stderr.String()))
	}
	if len(rows) < len(c.Workloads) {
		return out, fmt.Errorf("db_bench gave %d results for %d workloads: %s", len(rows), len(c.Workloads), lastLine(stderr.String()))
	}
	return out, nil
}

func readRows(stdout io.Reader) []Cell {
	var cells []Cell
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if c, ok := parseRow(lines.Text()); ok {
			cells = append(cells, c)
		}
	}
	_, _ = io.Copy(io.Discard, stdout) // what follows a line without end
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
