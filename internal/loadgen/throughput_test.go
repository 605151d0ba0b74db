package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// Five slots and answers after 10 ms make 500/s, whatever the rate is and however long what
// waits is served after the end.
func TestThroughputIsWhatTheStoreDidInTheMeasurement(t *testing.T) {
	for _, c := range []struct {
		slots    int
		cooldown time.Duration
		most     float64
	}{
		{5, 0, 500},
		{5, 30 * time.Second, 500},
		{3000, 5 * time.Second, 1000},
	} {
		load := plan.Load{Rate: 1000, Arrivals: plan.ArrivalsConstant, MaxInFlight: c.slots, CooldownMillis: c.cooldown.Milliseconds(), OperationTimeoutMillis: 2000}
		_, files := blamed(t, scripted.Script{ServiceTime: 10 * time.Millisecond}, load, unchanged)
		r, err := compute.FromBundle(files)
		if err != nil {
			t.Fatal(err)
		}
		// In the first 10 ms nothing ends.
		if got := r.Workloads[0].Throughput; got > c.most || got < c.most*0.999 {
			t.Errorf("%d slots, cool-down %s: %.1f operations/s, and the store does %.0f", c.slots, c.cooldown, got, c.most)
		}
	}
}
