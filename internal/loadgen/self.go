package loadgen

import (
	"bytes"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// self watches what keeps the generator from its work: the garbage collector, the CPU quotas that
// it is under, and what else the machine does.
type self struct {
	stats     debug.GCStats
	paused    time.Duration
	collector []metrics.Sample
	collected time.Duration // CPU time
	groups    []*group
	cpus      *cpus
	idleGC    time.Duration // CPU time that the collector took while nobody else wanted it
	ballast   ballast
}

// What the collector did while nobody else wanted the core costs nobody anything.
var collectorMetrics = [...]string{"/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/gc/mark/idle:cpu-seconds"}

// lost is what was lost since the last time.
type lost struct {
	gcPauseMicros   int64
	gcCPUMicros     int64
	throttledMicros *int64          // nil where no cgroup tells
	machine         *bundle.Machine // nil where the kernel doesn't tell
}

// group is a cgroup with a CPU quota, maybe.
type group struct {
	path      string // of its statistics
	throttled int64  // microseconds, since its begin; -1 before it was first read
}

// newSelf begins now, with the statistics of cgroups, and the process's limit of memory in bytes.
func newSelf(paths []string, memoryLimit int64) *self {
	s := &self{ballast: ballast{room: memoryLimit >= ballastRoom}, cpus: newCPUs()}
	for _, name := range collectorMetrics {
		s.collector = append(s.collector, metrics.Sample{Name: name})
	}
	for _, path := range paths {
		s.groups = append(s.groups, &group{path: path, throttled: -1})
	}
	debug.ReadGCStats(&s.stats)
	s.ballast.seen = s.stats.NumGC // those before are nobody's of a second
	s.since()
	return s
}

// since returns what was lost since the last time.
func (s *self) since() (l lost) {
	debug.ReadGCStats(&s.stats)
	l.gcPauseMicros = (s.stats.PauseTotal - s.paused).Microseconds()
	s.paused = s.stats.PauseTotal
	s.ballast.look(s.stats.NumGC)

	metrics.Read(s.collector)
	idle := time.Duration(s.collector[1].Value.Float64() * float64(time.Second))
	collected := time.Duration(s.collector[0].Value.Float64()*float64(time.Second)) - idle
	l.gcCPUMicros = max(0, (collected - s.collected).Microseconds())
	if l.machine = s.cpus.since(); l.machine != nil {
		l.machine.OwnMicros = max(0, l.machine.OwnMicros-(idle-s.idleGC).Microseconds())
	}
	s.collected, s.idleGC = collected, idle

	for _, g := range s.groups {
		throttled, ok := g.since()
		// The quotas of two groups may have stopped it at the same time.
		if ok && (l.throttledMicros == nil || throttled > *l.throttledMicros) {
			l.throttledMicros = &throttled
		}
	}
	return l
}

// since is how long the group was without CPU since the last time, in microseconds; not ok
// where nothing is to be read.
func (g *group) since() (throttled int64, ok bool) {
	text, err := os.ReadFile(g.path)
	if err != nil {
		return 0, false
	}
	before := g.throttled
	g.throttled = throttledMicros(text)
	if before < 0 {
		return 0, true
	}
	return max(0, g.throttled-before), true
}

// throttledMicros reads a cgroup's cpu.stat, of either version; 0 where there is no quota.
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
