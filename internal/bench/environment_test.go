package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestReadEnvironment(t *testing.T) {
	dir := t.TempDir()
	e := ReadEnvironment(context.Background(), filepath.Join(dir, "not", "there"))
	if e.OS == "" || e.Cores < 1 || e.CopyMBPerSec < 100 || e.Filesystem == "" || e.Mount == "" || e.FreeBytes == nil {
		t.Errorf("%+v", e)
	}
	if e.FsyncMicros == nil || *e.FsyncMicros <= 0 {
		t.Errorf("fdatasync takes %v", e.FsyncMicros)
	}
	if left := listing(t, dir); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestCgroupLimits(t *testing.T) {
	write := func(root, name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		cpus   float64 // 0: none
		memory int64
	}{
		{"no groups", nil, 0, 0},
		{"version 2, the group above is stricter", map[string]string{
			"proc/self/cgroup":                "0::/box/inner\n",
			"sys/fs/cgroup/box/cpu.max":       "150000 100000\n",
			"sys/fs/cgroup/box/memory.max":    "1073741824\n",
			"sys/fs/cgroup/box/inner/cpu.max": "max 100000\n", "sys/fs/cgroup/box/inner/memory.max": "4294967296\n",
		}, 1.5, 1 << 30},
		{"version 2, no limits", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/memory.max": "max\n",
		}, 0, 0},
		{"version 1", map[string]string{
			"proc/self/cgroup": "4:memory:/a\n3:cpu,cpuacct:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2147483648\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, 0.5, 2 << 30},
		{"nonsense", map[string]string{
			"proc/self/cgroup": "0::/\nx\n", "sys/fs/cgroup/cpu.max": "a b\n", "sys/fs/cgroup/memory.max": "-5\n",
		}, 0, 0},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			write(root, name, text)
		}
		cpus, memory := cgroupLimits(root)
		if got := deref(cpus); got != c.cpus {
			t.Errorf("%s: %v processors", c.name, got)
		}
		if got := deref(memory); got != c.memory {
			t.Errorf("%s: %v bytes", c.name, got)
		}
	}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
