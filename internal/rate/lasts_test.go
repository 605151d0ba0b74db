package rate

import (
	"math"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

func TestAPlanTellsHowLongAWorkloadMeasures(t *testing.T) {
	ramp := &plan.Shape{Segments: []plan.Segment{{From: 0, To: 1000, Millis: 10_000}}}
	for name, c := range map[string]struct {
		given plan.Workload
		lasts time.Duration
		known bool
		mean  float64
	}{
		"a duration":         {plan.Workload{DurationMillis: 7000, Load: plan.Load{Rate: 10}}, 7 * time.Second, true, 10},
		"a number at a rate": {plan.Workload{Operations: 500, Load: plan.Load{Rate: 100, WarmupMillis: 3000}}, 5 * time.Second, true, 100},
		"a number while the rate rises": {
			plan.Workload{Operations: 1250, Load: plan.Load{Rate: 1000, Shape: ramp, WarmupMillis: 3000}}, 5 * time.Second, true, 1250.0 / 8},
		"a number beyond the rise": {
			plan.Workload{Operations: 10_000, Load: plan.Load{Rate: 1000, Shape: ramp}}, 15 * time.Second, true, 10_000.0 / 15},
		"a duration while the rate rises": {
			plan.Workload{DurationMillis: 5000, Load: plan.Load{Rate: 1000, Shape: ramp}}, 5 * time.Second, true, 250},
		"a trace": {
			plan.Workload{Operations: 90, Load: plan.Load{Rate: 50, WarmupMillis: 1000, Trace: &plan.Trace{Rows: 100, LastMillis: 11_000}}},
			10 * time.Second, true, 100.0 / 11},
		"a trace of an older plan": {
			plan.Workload{Operations: 100, Load: plan.Load{Rate: 50, Trace: &plan.Trace{Rows: 100}}}, 2 * time.Second, true, 50},
		"a closed loop of so many": {plan.Workload{Operations: 100}, 0, false, 0},
		"beyond all measure":       {plan.Workload{DurationMillis: math.MaxInt64}, Never / 2, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			lasts, known := Lasts(&c.given)
			if off := lasts - c.lasts; off.Abs() > time.Microsecond || known != c.known {
				t.Errorf("it lasts %s, known %t; want %s, %t", lasts, known, c.lasts, c.known)
			}
			if mean := Mean(&c.given, lasts); math.Abs(mean-c.mean) > 0.001 {
				t.Errorf("%g operations/s in the mean, want %g", mean, c.mean)
			}
		})
	}
}
