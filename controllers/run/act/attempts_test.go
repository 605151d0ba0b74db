package act

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func TestAFailedRunIsNotHeldUpByAReportThatCannotBeMade(t *testing.T) {
	lost := statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", time.Hour)
	gone := func(o *state.Observed) { o.Jobs = nil }
	since := func(ago time.Duration) statetest.Situation {
		return statetest.Condition(v1alpha1.ConditionReported, "Unknown", status.ReasonNotStored, ago)
	}
	for _, c := range []struct {
		name  string
		given *state.Observed
		over  bool
	}{
		{"the first attempt", statetest.Given(statetest.Measuring(time.Hour), lost, gone), false},
		{"within the deadline", statetest.Given(statetest.Measuring(time.Hour), lost, gone, since(4*time.Minute)), false},
		{"past the deadline", statetest.Given(statetest.Measuring(time.Hour), lost, gone, since(6*time.Minute)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decide.Decide(c.given); got.Verb != decide.DoCollect {
				t.Fatalf("it decides %s %s", got.Verb, got.Reason)
			}
			_, err := (&Actor{Set: clients.Set{Client: fake.NewClientBuilder().Build(), Results: statetest.FailingResults{Err: statetest.ErrAway}}}).collect(t.Context(), c.given)
			noted := meta.FindStatusCondition(c.given.Run.Status.Conditions, v1alpha1.ConditionReported)
			if over := noted.Status == metav1.ConditionFalse; over != c.over || (err == nil) != c.over {
				t.Errorf("%+v: %v", noted, err)
			}
			if c.over && decide.Decide(c.given).Verb != decide.DoTearDown {
				t.Errorf("then it decides %s", decide.Decide(c.given).Verb)
			}
		})
	}
}
