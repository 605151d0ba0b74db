package judge

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/read"
)

// NotJudged names the limits to which workers could not be held, since their machines don't tell what it takes. That is
// neither a reason against their numbers nor one for them.
func (o *Generator) NotJudged(w *plan.Workload) (reasons []report.Reason) {
	if o == nil {
		return nil
	}
	say := func(reason, format string, args ...any) {
		reasons = append(reasons, report.Reason{Reason: reason, Workload: w.Name, Message: fmt.Sprintf(format, args...)})
	}
	for _, c := range o.workers {
		if c.noQuota > 0 {
			say(report.GeneratorStarved, "worker %d could read no cpu.stat of its cgroup in %d of %d seconds: whether a CPU quota stopped it is not known",
				c.index, c.noQuota, c.measured)
		}
		if c.queue.notTold > 0 {
			say(report.GeneratorSaturated, "operations of worker %d waited in %d of %d seconds, and its machine did not tell whether it had cores to spare: it is not known whether they waited for it, or for the store",
				c.index, c.queue.notTold, c.measured)
		}
		if c.noStops > 0 {
			say(report.GeneratorStopped, "the kernel did not tell worker %d what its threads did in %d of %d seconds: whether it was stopped shows as late sends alone",
				c.index, c.noStops, c.measured)
		}
	}
	return reasons
}

// judgeJudged gives a reason if nothing could be judged of a worker.
func judgeJudged(m *read.Measured, o *Generator, say sayer) {
	measured := int64(0)
	for _, c := range o.workers {
		measured += c.measured
		if c.measured > 0 && c.queue.notTold == c.measured {
			say(report.NothingJudged, nil, "operations of worker %d waited in each second, and its machine did not tell whether it had cores to spare: nobody knows whether they waited for it, or for the store",
				c.index)
		}
	}
	if measured == 0 && m.Timeline.Measured.Intended > 0 {
		say(report.NothingJudged, nil, "no worker says how it fared in any second of the measurement")
	}
}
