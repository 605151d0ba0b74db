package measurements

import (
	"runtime/debug"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/workload"
)

// Process is what YCSB prints about its own process: the time that the garbage collector took, and the time
// that the end of each session took.
type Process struct {
	mu      sync.Mutex
	cleanup *hdr.PackedHistogram
	ended   []sessionEnd
	before  debug.GCStats
	gcs     int64
	paused  time.Duration
}

// sessionEnd is the time when a session had ended, in milliseconds of Unix time, and how long its end took.
type sessionEnd struct{ atMillis, micros int64 }

// NewProcess begins to look at this process.
func NewProcess() *Process {
	p := &Process{cleanup: histogram.New()}
	debug.ReadGCStats(&p.before)
	return p
}

// SessionEnded takes how long the end of a session took. It may be called concurrently.
func (p *Process) SessionEnded(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cleanup.RecordValue(min(took.Microseconds(), bundle.HistogramMaxMicros)) // within the range
	p.ended = append(p.ended, sessionEnd{time.Now().UnixMilli(), took.Microseconds()})
}

// End ends what NewProcess began.
func (p *Process) End() {
	var now debug.GCStats
	debug.ReadGCStats(&now)
	p.gcs, p.paused = now.NumGC-p.before.NumGC, now.PauseTotal-p.before.PauseTotal
}

// gcEntries are YCSB's lines about garbage collection, without those for each of a JVM's collectors.
func (p *Process) gcEntries(runtimeMillis int64) []entry {
	millis := p.paused.Milliseconds()
	return []entry{
		{"TOTAL_GCs", "Count", p.gcs},
		{"TOTAL_GC_TIME", "Time(ms)", millis},
		{"TOTAL_GC_TIME_%", "Time(%)", float64(millis) / float64(runtimeMillis) * 100},
	}
}

// cleanupEntries are the lines about the ends of sessions. The end of a session has no intended time.
func (p *Process) cleanupEntries(c *workload.Client, prefix string, s *Samples) []entry {
	if p.cleanup.TotalCount() == 0 {
		return nil
	}
	f := &Figures{Samples: s, Totals: &Totals{Histograms: map[Latencies]*hdr.PackedHistogram{{Operation: cleanupMetric}: p.cleanup}}}
	return f.block(c, prefix, Latencies{Operation: cleanupMetric}, nil)
}

const cleanupMetric = "CLEANUP"
