package memcached

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Usage asks all members at once for their processor time. What memory a member has it
// doesn't say: only how much of it the items take.
func (o *observer) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	deadline := stores.DeadlineOf(ctx, timeout)
	return stores.GatherUsage(len(o.members), func(i int) *stores.Usage { return o.members[i].usage(deadline) })
}

// usage is nil when the member doesn't tell.
func (w *watched) usage(deadline time.Time) *stores.Usage {
	w.mu.Lock()
	defer w.mu.Unlock()
	found, process, err := w.stats(deadline, "rusage_user", "rusage_system")
	if err != nil {
		return nil
	}
	var micros int64
	for _, text := range found {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0 && seconds < math.MaxInt32) {
			return nil
		}
		micros += int64(seconds * 1e6)
	}
	return &stores.Usage{Member: w.name, CPUMicros: &micros, Process: process}
}
