// Package cgroupfs finds the limits of this process's processor time and memory.
package cgroupfs

import (
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// CPUStats are where this process sees the CPU quotas that it is under: its cgroup's and
// those of all above it, as far as they are there. Most containers see their cgroup as the
// root; where a container doesn't, the path in /proc is the node's, and not there.
func CPUStats() []string {
	return append(Files(Own(), "cpu", "cpu.stat", "cpu.stat"),
		"/sys/fs/cgroup/cpu.stat",
		"/sys/fs/cgroup/cpu/cpu.stat",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.stat")
}

// MemoryLimit is the lowest limit of memory that this process is under, in bytes; the greatest number
// without any.
func MemoryLimit() int64 { return leastLimit(memoryLimits()) }

func memoryLimits() []string {
	return append(Files(Own(), "memory", "memory.limit_in_bytes", "memory.max"),
		"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes")
}

// noLimit is more than any machine has.
const noLimit = 1 << 60

// leastLimit is the lowest of the limits in these files, in bytes; the greatest number without any.
func leastLimit(paths []string) int64 {
	least := int64(math.MaxInt64)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// "max" is none, and so is the largest multiple of a page in version 1.
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit < noLimit {
			least = min(least, limit)
		}
	}
	return least
}

// Own is /proc/self/cgroup; without it the roots are left.
func Own() []byte {
	text, _ := os.ReadFile("/proc/self/cgroup")
	return text
}

// Files are the files of the cgroups that /proc/self/cgroup names, and of those above
// them (cgroups(7)): of version 1 of the one with the controller, and of the one of version 2.
func Files(text []byte, controller, version1, version2 string) (paths []string) {
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		var mounts []string
		var file string
		switch controllers := fields[1]; {
		case slices.Contains(strings.Split(controllers, ","), controller):
			mounts, file = []string{path.Join("/sys/fs/cgroup", controller), path.Join("/sys/fs/cgroup", controllers)}, version1
		case fields[0] == "0":
			mounts, file = []string{"/sys/fs/cgroup"}, version2
		}
		for own := path.Clean("/" + fields[2]); ; own = path.Dir(own) {
			for _, mount := range mounts {
				paths = append(paths, path.Join(mount, own, file))
			}
			if own == "/" {
				break
			}
		}
	}
	return paths
}
