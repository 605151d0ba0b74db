package loadgen

import (
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
)

func TestOperationsAreExpectedWhereTheScheduleSaysHowMany(t *testing.T) {
	open := plan.Load{Workers: 2, Rate: 100, WarmupMillis: 1000}
	for _, c := range []struct {
		name string
		job  Job
		want int64
	}{
		{"a number of operations", Job{Workload: &plan.Workload{Operations: 11, Load: open}}, 6},
		{"a number that leaves the second worker one less", Job{Index: 1, Workload: &plan.Workload{Operations: 11, Load: open}}, 6},
		{"a rate and a duration", Job{Workload: &plan.Workload{DurationMillis: 9000, Load: open}}, 500},
		{"a duration that is just a bound", Job{Workload: &plan.Workload{DurationMillis: 9000, Load: open}, Endless: true}, 0},
		{"a closed loop", Job{Workload: &plan.Workload{DurationMillis: 9000, Load: plan.Load{Workers: 2, Threads: 3}}}, 0},
	} {
		if got := c.job.expectedOperations(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
