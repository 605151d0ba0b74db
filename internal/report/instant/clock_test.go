package instant

import (
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
)

func TestAMeasurementLastsUntilItsPlannedEndOrTheLastWorkers(t *testing.T) {
	const start, seconds = 1_000_000_000_000, 1_000_000
	load := plan.Load{WarmupMillis: 2000, CooldownMillis: 1000}
	for _, c := range []struct {
		name        string
		workload    plan.Workload
		endedMicros int64 // of the last worker, from the start; -1 for none
		measured    int64
		recorded    FromStart
	}{
		{"as planned", plan.Workload{DurationMillis: 10_000, Load: load}, 13_500_000, 10 * seconds, 13 * seconds},
		{"no worker got to its end", plan.Workload{DurationMillis: 10_000, Load: load}, -1, 10 * seconds, 13 * seconds},
		{"it was told to stop", plan.Workload{DurationMillis: 10_000, Load: load}, 7_500_000, 5_500_000, 7_500_000},
		{"in the warm-up", plan.Workload{DurationMillis: 10_000, Load: load}, 1_500_000, 0, 2 * seconds},
		{"its operations were made first", plan.Workload{DurationMillis: 10_000, Operations: 5, Load: load}, 4 * seconds, 2 * seconds, 4 * seconds},
		{"operations", plan.Workload{Operations: 5, Load: load}, 4 * seconds, 2 * seconds, 4 * seconds},
	} {
		ended := Unix(start + c.endedMicros*NanosPerMicro)
		if c.endedMicros < 0 {
			ended = 0
		}
		clock := NewClock(&c.workload, start, ended)
		if clock.MeasuredMicros != c.measured || clock.Recorded != c.recorded {
			t.Errorf("%s: measured for %d, recorded until %d, want %d and %d", c.name, clock.MeasuredMicros, clock.Recorded, c.measured, c.recorded)
		}
	}
}
