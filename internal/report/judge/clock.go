package judge

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// ClockBounds are the largest errors, in nanoseconds: of the clocks of workers and observers, and of all clocks, the
// controller's included. Each is nil if no clock was compared. Observers watch from the deployment on, and only the lines
// around the workloads count.
func ClockBounds(in *read.Input) (writers, all *int64) { return clockBounds(in, nil) }

// clockBounds are those of the clocks beside these workloads.
func clockBounds(in *read.Input, beside map[string]bool) (writers, all *int64) {
	take := func(largest **int64, nanos int64) {
		if *largest == nil || nanos > **largest {
			*largest = &nanos
		}
	}
	for i := range in.Plan.Workloads {
		m := in.Workloads[in.Plan.Workloads[i].Name]
		if m == nil || beside[in.Plan.Workloads[i].Name] {
			continue
		}
		for _, worker := range m.Workers {
			if len(worker.Clocks) > 0 {
				take(&writers, clocks.Error(worker.Clocks))
			}
		}
		if errNanos, _, any := in.ObserverClock.Within(m.Clock); any {
			take(&writers, errNanos)
		}
	}
	if writers != nil {
		take(&all, *writers)
	}
	for i := range in.Faults {
		if nanos := in.Faults[i].ClockBoundNanos; nanos > 0 {
			take(&all, nanos)
		}
	}
	return writers, all
}

// judgeSteps names for each workload the worker or the observer that saw the largest step of a clock, where one saw any.
func judgeSteps(in *read.Input) (reasons []report.Reason) {
	for i := range in.Plan.Workloads {
		name := in.Plan.Workloads[i].Name
		if m := in.Workloads[name]; m != nil {
			if reason := judgeStep(in, name, m); reason != nil {
				reasons = append(reasons, *reason)
			}
		}
	}
	return reasons
}

func judgeStep(in *read.Input, name string, m *read.Measured) (reason *report.Reason) {
	var worst int64
	if _, step, _ := in.ObserverClock.Within(m.Clock); step != 0 {
		worst = step
		reason = stepped(step, name, "the observer's", fmt.Sprintf("while workload %q was under way", name))
	}
	for _, worker := range m.Workers {
		if step := clocks.Step(worker.Clocks); clocks.Abs(step) > clocks.Abs(worst) {
			worst = step
			reason = stepped(step, name, fmt.Sprintf("worker %d's", worker.Writer.Index), "in the middle of the measurement")
		}
	}
	return reason
}

func stepped(by int64, workload, whose, when string) *report.Reason {
	return &report.Reason{Reason: report.ClockStepped, Workload: workload, Message: fmt.Sprintf(
		"the results server's clock moved by %s against %s %s: one of them was set, or its machine stood still",
		time.Duration(by).Round(time.Millisecond), whose, when)}
}

// Clock gives the reasons of clocks that moved, one for each workload with such a clock, and one if those of the others don't agree
// well enough.
func Clock(in *read.Input, c report.Clock) []report.Reason {
	reasons, bound := judgeSteps(in), c.BoundMicros
	if len(reasons) > 0 {
		moved := map[string]bool{}
		for i := range reasons {
			moved[reasons[i].Workload] = true // which is why its clocks don't agree
		}
		_, all := clockBounds(in, moved)
		bound = clocks.MicrosUp(all)
	}
	if bound == nil || micros(*bound) <= limits.MaxClockBound {
		return reasons // a worker that never compared its clock is a reason of its workload
	}
	return append(reasons, report.Reason{Reason: report.ClockUncertain, Message: fmt.Sprintf(
		"the clocks agree to %s only; %s is needed", micros(*bound), limits.MaxClockBound)})
}
