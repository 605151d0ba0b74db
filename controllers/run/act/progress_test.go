package act

import (
	"reflect"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func TestProgressIsNotedWhereItsWordsDiffer(t *testing.T) {
	for _, c := range []struct {
		name  string
		hours int64
		most  int
	}{{"ten hours", 10, 102}, {"so many operations", 0, 2 + 10*60}} {
		t.Run(c.name, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(0), statetest.Asked("a"))
			o.Plan.Workloads[0].DurationMillis = c.hours * time.Hour.Milliseconds()
			notes, last := 0, ""
			for range 10 * 60 * 12 {
				before := o.Run.Status.Progress
				if err := (&Actor{}).progress(o, "a"); err != nil {
					t.Fatal(err)
				}
				status.Summarize(o.Run)
				now := o.Run.Status.Progress
				if !reflect.DeepEqual(before, now) {
					notes++
					if now.Done == last {
						t.Fatalf("%q is noted again", last)
					}
					last = now.Done
				}
				o.ServerNow = o.ServerNow.Add(status.ProgressEvery)
			}
			if notes < 100 || notes > c.most {
				t.Errorf("%d notes in ten hours, want 100 to %d", notes, c.most)
			}
		})
	}
}

func TestProgressTellsOfFaults(t *testing.T) {
	o := statetest.Given(statetest.Measuring(40*time.Second), statetest.Asked("a", "b"))
	o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}, {Name: "again"}, {Name: "other", Workload: "b"}}
	for _, step := range []struct {
		fault, state, want string
	}{
		{"other", v1alpha1.FaultNotInjected, "50%"},
		{"kill", v1alpha1.FaultIntended, "50%, kill intended"},
		{"kill", v1alpha1.FaultInjected, "50%, kill injected"},
		{"kill", v1alpha1.FaultHealed, "50%, kill healed"},
		{"again", v1alpha1.FaultIntended, "50%, again intended"},
	} {
		fault := status.EnsureFault(o.Run, step.fault)
		fault.State, fault.RequestedUnixNanos = step.state, int64(len(o.Run.Status.Faults))
		if err := (&Actor{}).progress(o, "a"); err != nil {
			t.Fatal(err)
		}
		status.Summarize(o.Run)
		if got := o.Run.Status.Progress.Done; got != step.want {
			t.Errorf("%s is %s: got %q, want %q", step.fault, step.state, got, step.want)
		}
	}
	statetest.WorkloadAt("a", v1alpha1.ConditionMeasured)(o)
	status.Summarize(o.Run)
	if o.Run.Status.Progress != nil {
		t.Errorf("the measurement is over, and its progress is %+v", o.Run.Status.Progress)
	}
}
