package decide

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestTheMergeOfALongMeasurementMayTakeLonger(t *testing.T) {
	long := func(o *state.Observed) {
		o.Plan.Workloads[0].Load.Workers, o.Plan.Workloads[0].DurationMillis = 95, time.Hour.Milliseconds()
	}
	set := func(o *state.Observed) { o.Run.Spec.Timeouts.Collect = "1m" }
	for name, c := range map[string]struct {
		given *state.Observed
		want  time.Duration
	}{
		"a short one":       {statetest.Given(statetest.Planned), 5 * time.Minute},
		"95 hours":          {statetest.Given(statetest.Planned, long), 5*time.Minute + 950*time.Second},
		"what the run says": {statetest.Given(statetest.Planned, long, set), time.Minute},
	} {
		if got := mergeDeadline(c.given); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
