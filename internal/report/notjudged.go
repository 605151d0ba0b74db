package report

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
)

// notJudged are the limits that nobody could hold workers to, as their machines don't tell.
// That is no reason against their numbers, and none for them either.
func (o *observed) notJudged(w *plan.Workload) (reasons []Reason) {
	if o == nil {
		return nil
	}
	say := func(reason, format string, args ...any) {
		reasons = append(reasons, Reason{Reason: reason, Workload: w.Name, Message: fmt.Sprintf(format, args...)})
	}
	for _, c := range o.workers {
		if c.noQuota > 0 {
			say(GeneratorStarved, "worker %d could read no cpu.stat of its cgroup in %d of %d seconds: whether a CPU quota stopped it is not known",
				c.index, c.noQuota, c.measured)
		}
		if c.noStops > 0 {
			say(GeneratorStopped, "the kernel did not tell worker %d what its threads did in %d of %d seconds: whether it was stopped shows as late sends alone",
				c.index, c.noStops, c.measured)
		}
	}
	return reasons
}
