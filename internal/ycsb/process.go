package ycsb

import (
	"runtime/debug"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/workload"
)

// own is what YCSB prints of its own program beside the measurement: what the garbage
// collector took, and how long the end of each session did.
type own struct {
	mu      sync.Mutex
	cleanup *hdr.PackedHistogram
	ended   []sessionEnd
	before  debug.GCStats
	gcs     int64
	paused  time.Duration
}

// sessionEnd is when a session's end was over, in milliseconds of Unix time, and how long it
// took.
type sessionEnd struct{ atMillis, micros int64 }

// newOwn begins now.
func newOwn() *own {
	o := &own{cleanup: histogram.New()}
	debug.ReadGCStats(&o.before)
	return o
}

// sessionEnded is for concurrent use.
func (o *own) sessionEnded(took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.cleanup.RecordValue(min(took.Microseconds(), bundle.HistogramMaxMicros)) // within the range
	o.ended = append(o.ended, sessionEnd{time.Now().UnixMilli(), took.Microseconds()})
}

// end ends what began with newOwn.
func (o *own) end() {
	var now debug.GCStats
	debug.ReadGCStats(&now)
	o.gcs, o.paused = now.NumGC-o.before.NumGC, now.PauseTotal-o.before.PauseTotal
}

// gcEntries are YCSB's, but for those of each of a JVM's collectors.
func (o *own) gcEntries(runtimeMillis int64) []entry {
	millis := o.paused.Milliseconds()
	return []entry{
		{"TOTAL_GCs", "Count", o.gcs},
		{"TOTAL_GC_TIME", "Time(ms)", millis},
		{"TOTAL_GC_TIME_%", "Time(%)", float64(millis) / float64(runtimeMillis) * 100},
	}
}

// cleanupEntries are those of the ends of sessions, which nothing intends at a time.
func (o *own) cleanupEntries(c *workload.Client, prefix string, s *samples) []entry {
	if o.cleanup.TotalCount() == 0 {
		return nil
	}
	f := &figures{samples: s, measured: &measured{histograms: map[latencies]*hdr.PackedHistogram{{operation: cleanupMetric}: o.cleanup}}}
	return f.block(c, prefix, latencies{operation: cleanupMetric}, nil)
}

const cleanupMetric = "CLEANUP"
