package loadgen

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
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

// cgroupStats are where a container sees its own CPU quota: cgroup v2, then v1.
var cgroupStats = []string{
	"/sys/fs/cgroup/cpu.stat",
	"/sys/fs/cgroup/cpu/cpu.stat",
	"/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
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
