package report

import (
	"fmt"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Fact is one thing that is known of the machine.
type Fact struct {
	Name string
	Text string
	// phrase is the fact in the header's sentence; empty leaves it out there.
	phrase string
}

// Facts lists what is known of the machine and the disk.
func Facts(e *bench.Environment) []Fact {
	var facts []Fact
	add := func(name, text, phrase string) {
		if text != "" {
			facts = append(facts, Fact{name, text, phrase})
		}
	}
	size := func(name string, n *int64, phrase string) {
		if n != nil {
			add(name, fmt.Sprintf("%s (%d bytes)", about(*n), *n), fmt.Sprintf(phrase, about(*n)))
		}
	}
	system := strings.Join(nonEmpty(e.OS, e.Kernel, e.Arch), " ")
	add("system", system, system)
	add("cpu", e.CPU, e.CPU)
	if e.Cores > 0 {
		add("cores", fmt.Sprint(e.Cores), fmt.Sprintf("%d cores", e.Cores))
	}
	if c := e.CgroupCPUs; c != nil {
		add("cgroup cpus", fmt.Sprintf("%.3g", *c), fmt.Sprintf("limited to %.3g", *c))
	}
	size("memory", e.MemoryBytes, "%s memory")
	size("cgroup memory", e.CgroupMemoryBytes, "limited to %s")
	add("governor", e.Governor, "governor "+e.Governor)
	add("filesystem", e.Filesystem, strings.Join(nonEmpty(e.Filesystem, e.Device), " on "))
	add("device", e.Device, "")
	add("mount", e.Mount, "")
	add("mount options", e.MountOptions, "")
	size("free", e.FreeBytes, "%s free")
	if e.FsyncMicros != nil {
		add("fdatasync", micros(*e.FsyncMicros), "fdatasync "+micros(*e.FsyncMicros))
	}
	if e.Load != nil {
		add("load", fmt.Sprintf("%.2f", *e.Load), fmt.Sprintf("load %.2f", *e.Load))
	}
	if e.CopyMBPerSec > 0 {
		add("memory copy", fmt.Sprintf("%.0f MB/s", e.CopyMBPerSec), "")
	}
	return facts
}

// machine describes the machine and the disk in one sentence.
func machine(e *bench.Environment) string {
	var phrases []string
	for _, f := range Facts(e) {
		phrases = append(phrases, f.phrase)
	}
	return strings.Join(nonEmpty(phrases...), ", ")
}
