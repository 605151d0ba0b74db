package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// A number of operations is intended, the duration is not over yet, and the store takes its
// time for the last of them: nothing is due any more.
func TestAStoreThatStallsAfterTheLastOperationIsNoReason(t *testing.T) {
	stall := scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{
		{Behaviour: scripted.Stall, From: 2500 * time.Millisecond, To: 4400 * time.Millisecond},
	}}
	load := plan.Load{Rate: 1000, Arrivals: plan.ArrivalsConstant, MaxInFlight: 3000, OperationTimeoutMillis: 2000}
	for _, operations := range []int64{3000, 1_000_000} { // the others end with the duration
		reasons, files := blamed(t, stall, load, func(j *Job, _ *results) { j.Workload.Operations = operations })
		if len(reasons) != 0 {
			t.Errorf("%d operations: %+v", operations, reasons)
		}
		r, err := compute.FromBundle(files)
		if err != nil {
			t.Fatal(err)
		}
		// Its last second has the last operation, and the rest of the stall.
		if w := r.Workloads[0]; w.Generator.JudgedSeconds < w.DurationMicros/1e6-2 || w.Intended != min(operations, 30_000) {
			t.Errorf("%d seconds of %d µs are judged, for %d operations of %d", w.Generator.JudgedSeconds, w.DurationMicros, w.Intended, operations)
		}
	}
}
