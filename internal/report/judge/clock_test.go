package judge

import (
	"fmt"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// Combinations of a suite may share a run, and each is judged by the reasons of its own workloads.
func TestEachWorkloadWithAClockThatMovedHasAReason(t *testing.T) {
	in := &read.Input{Plan: &plan.Plan{}, Workloads: map[string]*read.Measured{}}
	for name, offsetNanos := range map[string]int64{"a": 5e9, "b": 6e9, "c": 0, "d": 20e6} {
		in.Plan.Workloads = append(in.Plan.Workloads, plan.Workload{Name: name})
		in.Workloads[name] = &read.Measured{Workers: []*telemetry.Worker{{Clocks: []bundle.Clock{{BoundNanos: 1}, {OffsetNanos: offsetNanos, BoundNanos: 1}}}}}
	}
	found := func() map[string]string {
		_, all := ClockBounds(in)
		byWorkload := map[string]string{}
		for _, reason := range Clock(in, report.Clock{BoundMicros: clocks.MicrosUp(all)}) {
			byWorkload[reason.Workload] += reason.Reason
		}
		return byWorkload
	}
	if got, want := fmt.Sprint(found()), "map[:ClockUncertain a:ClockStepped b:ClockStepped]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	delete(in.Workloads, "d")
	if got, want := fmt.Sprint(found()), "map[a:ClockStepped b:ClockStepped]"; got != want {
		t.Errorf("without one that drifted: %s, want %s", got, want)
	}
	delete(in.Workloads, "a")
	delete(in.Workloads, "b")
	if got := found(); len(got) > 0 {
		t.Errorf("without those that moved: %v", got)
	}
}
