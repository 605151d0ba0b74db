// Package judge says why the numbers of a run may not be believed, and what nobody could judge. The generator's and the
// observer's own errors are reasons; what the store does is a result. It is a pure function of what was read.
package judge

import (
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// Workload says why a measurement may not be believed. The store being down, slow or
// refusing is a result, and never a reason.
func Workload(m *read.Measured, w *plan.Workload, o *Generator) []report.Reason {
	if m == nil {
		return nil // NotMeasured was said when its start was looked for
	}
	var reasons []report.Reason
	say := func(reason string, seconds []instant.Second, format string, args ...any) {
		reasons = append(reasons, report.Reason{Reason: reason, Workload: w.Name, Message: fmt.Sprintf(format, args...), Seconds: indexes(seconds)})
	}
	if m.Timeline.Measured.Intended == 0 {
		say(report.NoOperations, nil, "no operation was intended in the measurement")
	}
	for _, worker := range m.Workers {
		if len(worker.Clocks) == 0 {
			say(report.ClockUncertain, nil, "worker %d never compared its clock with the results server's", worker.Writer.Index)
		}
	}
	judgeRate(o, w, say)
	judgeLag(o, say)
	judgeJudged(m, o, say)
	for _, c := range o.workers {
		judgeCondition(c, say)
	}
	return reasons
}

func judgeCondition(c *condition, say sayer) {
	inAll := func(lost badSeconds) string {
		return fmt.Sprintf("for %s of %s in all; at most %s is allowed", micros(lost.sum), micros(c.measuredMicros), micros(maxLostOf(c.measuredMicros)))
	}
	if c.paused.tooMany(c.measured) {
		say(report.GeneratorPaused, c.paused.seconds, "garbage collection paused worker %d for more than %s in %d of %d seconds",
			c.index, micros(limits.MaxGCPauseMicros), c.paused.count, c.measured)
	} else if c.paused.tooMuch(c.measuredMicros) {
		say(report.GeneratorPaused, c.paused.seconds, "garbage collection paused worker %d %s", c.index, inAll(c.paused))
	}
	if c.throttled.tooMany(c.measured) {
		say(report.GeneratorStarved, c.throttled.seconds, "its CPU quota stopped worker %d for more than %s in %d of %d seconds: raise load.resources",
			c.index, micros(limits.MaxThrottledMicros), c.throttled.count, c.measured)
	} else if c.throttled.tooMuch(c.measuredMicros) {
		say(report.GeneratorStarved, c.throttled.seconds, "its CPU quota stopped worker %d %s: raise load.resources", c.index, inAll(c.throttled))
	}
	if c.collecting.tooMany(c.measured) {
		say(report.GeneratorPaused, c.collecting.seconds, "garbage collection took more than %.0f %% of the cores of worker %d in %d of %d seconds",
			100*limits.MaxCollecting, c.index, c.collecting.count, c.measured)
	}
	c.contention.judge(c.index, say)
	c.queue.judge(c.index, say)
	if distance, allowed, ok := c.skew(); ok && distance > allowed {
		say(report.ArrivalsSkewed, nil, "the arrivals of worker %d have a Kolmogorov–Smirnov distance of %.2f from their law; at most %.2f is allowed for %d gaps between every %d of them",
			c.index, distance, allowed, c.arrivals.Gaps(), c.arrivals.Each)
	}
	if c.stopped.count > 0 {
		say(report.GeneratorStopped, c.stopped.seconds, "worker %d neither ran nor waited for a core for %s at a time; at most %s is allowed",
			c.index, micros(c.stoppedMicros), micros(limits.MaxStoppedMicros))
	} else if c.stopped.tooMuch(c.measuredMicros) {
		say(report.GeneratorStopped, nil, "worker %d neither ran nor waited for a core %s", c.index, inAll(c.stopped))
	}
	switch {
	case c.delayed.tooMany(c.measured):
		say(report.LogDelayed, c.delayed.seconds, "the disk of worker %d took more than %s for the rows of a second in %d of %d seconds",
			c.index, micros(limits.MaxWriteMicros), c.delayed.count, c.measured)
	case c.long.count > 0:
		say(report.LogDelayed, c.long.seconds, "worker %d took %s until it wrote down a second; at most %s is allowed",
			c.index, micros(c.longestMicros), micros(limits.MaxLengthMicros))
	}
}

func judgeRate(o *Generator, w *plan.Workload, say sayer) {
	planned, intended, sent, ok := o.rates.each(w.Load.Workers)
	if !ok {
		return
	}
	if sent < limits.MinAchievedRate*intended {
		say(report.RateNotAchieved, nil, "%.1f of %.1f intended operations/s were sent at most %s late outside fault windows, less than %.0f %%",
			sent, intended, micros(limits.MaxLagMicros), 100*limits.MinAchievedRate)
	}
	if w.Load.Trace != nil {
		return // its requests have times and no rate: the lags say how far off each was
	}
	// Where judged seconds begin and end, an operation more or less may be due by a law that is whole.
	wanted := o.rates.planned
	allowed := limits.MinScheduledRate*wanted - float64(o.rates.runs)
	if w.Load.Arrivals == plan.ArrivalsPoisson {
		allowed -= limits.PoissonSigmas * math.Sqrt(wanted)
	}
	if float64(o.rates.intended) < allowed {
		say(report.RateNotAchieved, nil, "%.1f operations/s were intended outside fault windows, and the plan's rate is %.1f", intended, planned)
	}
}
