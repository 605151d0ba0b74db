package decide

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestTheMergeOfALongMeasurementMayTakeLonger(t *testing.T) {
	long := func(o *state.Observed) {
		o.Plan.Workloads[0].Load.Workers, o.Plan.Workloads[0].DurationMillis = 95, time.Hour.Milliseconds()
	}
	counted := func(o *state.Observed) {
		long(o)
		w := &o.Plan.Workloads[0]
		w.DurationMillis, w.Operations, w.Load.Rate = 0, 3600*100, 100
	}
	closed := func(o *state.Observed) {
		counted(o)
		o.Plan.Workloads[0].Load.Rate = 0
		statetest.WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured)(o)
		conditions := o.Run.Status.Workloads[0].Conditions
		meta.FindStatusCondition(conditions, v1alpha1.ConditionArmed).LastTransitionTime = metav1.NewTime(statetest.Epoch.Add(-time.Hour))
		meta.FindStatusCondition(conditions, v1alpha1.ConditionMeasured).LastTransitionTime = metav1.NewTime(statetest.Epoch)
	}
	set := func(o *state.Observed) { o.Run.Spec.Timeouts.Collect = "1m" }
	for name, c := range map[string]struct {
		given *state.Observed
		want  time.Duration
	}{
		"a short one":                      {statetest.Given(statetest.Planned), 5 * time.Minute},
		"95 hours":                         {statetest.Given(statetest.Planned, long), 5*time.Minute + 950*time.Second},
		"95 hours by operations at a rate": {statetest.Given(statetest.Planned, counted), 5*time.Minute + 950*time.Second},
		"95 hours of a closed loop":        {statetest.Given(statetest.Planned, closed), 5*time.Minute + 950*time.Second},
		"what the run says":                {statetest.Given(statetest.Planned, long, set), time.Minute},
	} {
		if got := mergeDeadline(c.given); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
