package loadgen

import (
	"bytes"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// self watches what keeps the generator from its work: the garbage collector and the
// pod's CPU quota.
type self struct {
	stats     debug.GCStats
	paused    time.Duration
	throttled int64
	paths     []string // of the cgroup's statistics; the first that is readable counts
}

// cgroupStats are where this process sees its own CPU quota. Most containers see their
// cgroup as the root; where a container doesn't, the path in /proc is the node's, and not
// there.
func cgroupStats() []string {
	text, _ := os.ReadFile("/proc/self/cgroup") // without it the roots are left
	return append(statsOf(text),
		"/sys/fs/cgroup/cpu.stat",
		"/sys/fs/cgroup/cpu/cpu.stat",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.stat")
}

// statsOf are the statistics of the cgroups that /proc/self/cgroup names
// (cgroups(7)): of version 1 the one with the cpu controller, and the one of version 2.
func statsOf(text []byte) (paths []string) {
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch controllers := fields[1]; {
		case slices.Contains(strings.Split(controllers, ","), "cpu"):
			paths = append(paths,
				path.Join("/sys/fs/cgroup/cpu", fields[2], "cpu.stat"),
				path.Join("/sys/fs/cgroup", controllers, fields[2], "cpu.stat"))
		case fields[0] == "0":
			paths = append(paths, path.Join("/sys/fs/cgroup", fields[2], "cpu.stat"))
		}
	}
	return paths
}

// newSelf begins now.
func newSelf(paths []string) *self {
	s := &self{paths: paths}
	s.since()
	return s
}

// since returns the microseconds lost since the last time.
func (s *self) since() (gcPauseMicros, throttledMicros int64) {
	debug.ReadGCStats(&s.stats)
	gcPauseMicros = (s.stats.PauseTotal - s.paused).Microseconds()
	s.paused = s.stats.PauseTotal

	throttled := s.readThrottled()
	throttledMicros = max(0, throttled-s.throttled)
	s.throttled = throttled
	return gcPauseMicros, throttledMicros
}

// readThrottled is 0 where there is no quota.
func (s *self) readThrottled() int64 {
	for _, path := range s.paths {
		if text, err := os.ReadFile(path); err == nil {
			return throttledMicros(text)
		}
	}
	return 0
}

// throttledMicros reads a cgroup's cpu.stat, of either version.
func throttledMicros(text []byte) int64 {
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			continue
		}
		switch string(name) {
		case "throttled_usec":
			return n
		case "throttled_time": // version 1 counts nanoseconds
			return n / 1000
		}
	}
	return 0
}
