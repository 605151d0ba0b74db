package report

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// clockStep is the largest change between two estimates in a row that neither their bounds
// nor any drift explains; 0 without one. A worker's own clock is monotonic: it is the
// server's that was set, while it was restarted, or the worker's machine that stood still.
func clockStep(clocks []bundle.Clock) (step int64) {
	for i := 1; i < len(clocks); i++ {
		moved := clocks[i].OffsetNanos - clocks[i-1].OffsetNanos
		if abs(moved)-clocks[i].BoundNanos-clocks[i-1].BoundNanos > int64(maxClockStep) && abs(moved) > abs(step) {
			step = moved
		}
	}
	return step
}

// judgeSteps names the worker, or the observer, that saw the largest step; nil when none saw
// one.
func judgeSteps(in *Input) *Reason {
	var worst int64
	var reason *Reason
	for i := range in.Plan.Workloads {
		name := in.Plan.Workloads[i].Name
		m := in.Workloads[name]
		if m == nil {
			continue
		}
		if _, step, _ := in.ObserverClock.within(m.clock); abs(step) > abs(worst) {
			worst = step
			reason = stepped(step, name, "the observer's", fmt.Sprintf("while workload %q was under way", name))
		}
		for _, worker := range m.workers {
			if step := clockStep(worker.clocks); abs(step) > abs(worst) {
				worst = step
				reason = stepped(step, name, fmt.Sprintf("worker %d's", worker.writer.Index), "in the middle of the measurement")
			}
		}
	}
	return reason
}

func stepped(by int64, workload, whose, when string) *Reason {
	return &Reason{Reason: ClockStepped, Workload: workload, Message: fmt.Sprintf(
		"the results server's clock moved by %s against %s %s: one of them was set, or its machine stood still",
		time.Duration(by).Round(time.Millisecond), whose, when)}
}
