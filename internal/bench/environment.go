package bench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// ReadEnvironment describes the machine, and the file system that dir is on.
// A dir that does not exist yet stands for the folder that it would be made in;
// an empty one for the folder of temporary files. What the machine doesn't tell
// is absent. It makes a small file there for a moment, to time fdatasync.
func ReadEnvironment(ctx context.Context, dir string) Environment {
	e := Environment{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU()}
	if kernel, err := host.KernelVersionWithContext(ctx); err == nil {
		e.Kernel = kernel
	}
	if infos, err := cpu.InfoWithContext(ctx); err == nil && len(infos) > 0 {
		e.CPU = strings.TrimSpace(infos[0].ModelName)
	}
	if m, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		e.MemoryBytes = known(int64(m.Total))
	}
	if l, err := load.AvgWithContext(ctx); err == nil {
		e.Load = known(l.Load1)
	}
	e.CgroupCPUs, e.CgroupMemoryBytes = cgroupLimits("/")
	if governor, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); err == nil {
		e.Governor = strings.TrimSpace(string(governor))
	}
	if dir == "" {
		dir = os.TempDir()
	}
	if dir = existing(dir); dir != "" {
		e.readDevice(ctx, dir)
		e.FsyncMicros = probeSync(ctx, dir)
	}
	e.CopyMBPerSec = probeCopy()
	return e
}

func known[T any](v T) *T { return &v }

// existing returns dir, or the nearest folder above that exists, without
// symbolic links; empty if there is none.
func existing(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// readDevice finds the mount that dir is on: the one with the longest path, and
// of several at one path the last.
func (e *Environment) readDevice(ctx context.Context, dir string) {
	if usage, err := disk.UsageWithContext(ctx, dir); err == nil {
		e.FreeBytes = known(int64(min(usage.Free, math.MaxInt64)))
	}
	mounts, err := disk.PartitionsWithContext(ctx, true)
	if err != nil {
		return
	}
	for _, m := range mounts {
		if within(dir, m.Mountpoint) && len(m.Mountpoint) >= len(e.Mount) {
			e.Mount, e.Filesystem, e.Device = m.Mountpoint, m.Fstype, m.Device
			e.MountOptions = strings.Join(m.Opts, ",")
		}
	}
}

func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// cgroupLimits returns the least limits set on the control group of this
// process and on those above it, nil where there is none. root is "/", except
// in tests.
func cgroupLimits(root string) (cpus *float64, memory *int64) {
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil, nil
	}
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path; version 2 has no controllers.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base := filepath.Join(root, "sys/fs/cgroup")
		controllers := strings.Split(parts[1], ",")
		for dir := filepath.Join("/", parts[2]); ; dir = filepath.Dir(dir) {
			switch {
			case parts[1] == "":
				lower(&cpus, cpuMax(readWords(base, dir, "cpu.max")))
				lower(&memory, memoryMax(readWords(base, dir, "memory.max")))
			case slices.Contains(controllers, "cpu"):
				quota := readWords(base, "cpu", dir, "cpu.cfs_quota_us")
				period := readWords(base, "cpu", dir, "cpu.cfs_period_us")
				lower(&cpus, cpuMax(append(quota, period...)))
			case slices.Contains(controllers, "memory"):
				lower(&memory, memoryMax(readWords(base, "memory", dir, "memory.limit_in_bytes")))
			}
			if dir == "/" {
				break
			}
		}
	}
	return cpus, memory
}

func readWords(path ...string) []string {
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// cpuMax returns quota / period; "max" and -1 are no limit.
func cpuMax(words []string) *float64 {
	if len(words) != 2 {
		return nil
	}
	quota, err1 := strconv.ParseFloat(words[0], 64)
	period, err2 := strconv.ParseFloat(words[1], 64)
	if err1 != nil || err2 != nil || quota <= 0 || period <= 0 {
		return nil
	}
	return known(quota / period)
}

// memoryMax returns a limit in bytes; "max", and the huge numbers by which
// version 1 says so, are no limit.
func memoryMax(words []string) *int64 {
	if len(words) != 1 {
		return nil
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil || n <= 0 || n >= 1<<60 {
		return nil
	}
	return &n
}

func lower[T int64 | float64](limit **T, v *T) {
	if v != nil && (*limit == nil || *v < **limit) {
		*limit = v
	}
}

// probeSync returns the median time in µs that fdatasync takes after a small
// append, nil if dir can't be written.
func probeSync(ctx context.Context, dir string) *float64 {
	f, err := os.CreateTemp(dir, ".dbbench-probe-*")
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil
	}
	const most, longest = 21, 300 * time.Millisecond
	var micros []float64
	record := make([]byte, 128)
	for began := time.Now(); len(micros) < most && time.Since(began) < longest && ctx.Err() == nil; {
		if _, err := f.Write(record); err != nil {
			return nil
		}
		start := time.Now()
		if err := syncData(f); err != nil {
			return nil
		}
		micros = append(micros, float64(time.Since(start).Nanoseconds())/1e3)
	}
	if len(micros) == 0 {
		return nil
	}
	slices.Sort(micros)
	return known(micros[len(micros)/2])
}

// probeCopy returns the rate at which a core copies memory in its nearest
// cache, the best of some tries.
func probeCopy() float64 {
	const size, copies, tries = 8 << 10, 256, 10
	src, dst := make([]byte, size), make([]byte, size)
	best := time.Duration(math.MaxInt64)
	for range tries {
		start := time.Now()
		for range copies {
			copy(dst, src)
		}
		best = min(best, max(time.Since(start), 1))
	}
	return size * copies / megabyte / best.Seconds()
}
