package observer

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// meterEvery is how often members are asked what they use: a page of metrics costs one of
// them some milliseconds.
const meterEvery = 2 * time.Second

// maxUntold bounds what is kept of answers until a line takes them.
const maxUntold = 256

// meter asks members until ctx ends what they use, if their store tells.
func (w *watch) meter(ctx context.Context) error {
	meter, ok := w.members.(stores.Meter)
	if !ok {
		return nil
	}
	ticks := time.NewTicker(w.meterEvery)
	defer ticks.Stop()
	for {
		w.keepUsage(meter.Usage(ctx, w.timeout))
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keepUsage stamps answers with the time that they are of; without a clock they are dropped.
func (w *watch) keepUsage(told []stores.Usage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clock == nil {
		return
	}
	now := w.now().UnixNano() + w.clock.OffsetNanos
	for _, used := range told {
		if len(w.used) < maxUntold {
			used.AtUnixNanos, used.Age = now-int64(used.Age), 0
			w.used = append(w.used, used)
		}
	}
}

// takeUsage is what no line has yet.
func (w *watch) takeUsage() []stores.Usage {
	w.mu.Lock()
	defer w.mu.Unlock()
	used := w.used
	w.used = nil
	return used
}
