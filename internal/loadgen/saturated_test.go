package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// Five slots, 100 operations/s, and a store that takes 2 ms or 200 ms for each of them.
func TestAWaitIsTheStoresOnlyIfTheGeneratorHadCoresToSpare(t *testing.T) {
	const second = 1_000_000
	for _, c := range []struct {
		name      string
		takes     time.Duration
		machine   *bundle.Machine
		reason    string // empty for none
		saturated bool
	}{
		{
			name: "a slow store, and an idle generator", takes: 200 * time.Millisecond,
			machine: &bundle.Machine{Cores: 2, Usable: 2, OwnMicros: second / 10, IdleMicros: 3 * second / 2}, saturated: true,
		},
		{
			name: "a slow store, and a generator on a full core", takes: 200 * time.Millisecond,
			machine: &bundle.Machine{Cores: 2, Usable: 1, OwnMicros: second, IdleMicros: second}, reason: report.GeneratorSaturated,
		},
		{
			name: "a quick store, and a generator on a full core", takes: 2 * time.Millisecond,
			machine: &bundle.Machine{Cores: 2, Usable: 1, OwnMicros: second, IdleMicros: second},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			load := plan.Load{Rate: 100, Arrivals: plan.ArrivalsConstant, MaxInFlight: 5, OperationTimeoutMillis: 2000}
			reasons, files := blamed(t, scripted.Script{ServiceTime: c.takes}, load, func(j *Job, _ *results) {
				j.lost = func() lost { return lost{throttledMicros: new(int64), machine: c.machine} }
			})
			if c.reason == "" && len(reasons) > 0 || c.reason != "" && (len(reasons) != 1 || reasons[0].Reason != c.reason) {
				t.Errorf("reasons %+v, want %q", reasons, c.reason)
			}
			r, err := compute.FromBundle(files)
			if err != nil {
				t.Fatal(err)
			}
			if w := r.Workloads[0]; w.Saturated != c.saturated || w.Generator.JudgedSeconds < 29 {
				t.Errorf("saturated %t, %d seconds are judged", w.Saturated, w.Generator.JudgedSeconds)
			}
		})
	}
}

// The store would take a million operations/s, and one core of the generator doesn't.
func TestAGeneratorOnOneFullCoreIsCaught(t *testing.T) {
	t.Parallel()
	r := sabotage{perSecond: 1_000_000, measures: 3 * time.Second, cores: 1}.report(t)
	wants(t, r.InvalidReasons, report.GeneratorSaturated, 1)
	if r.Workloads[0].Saturated {
		t.Error("the store is said to be saturated")
	}
}
