package observe

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func TestADeploymentWhosePodsAreRefusedSaysWhy(t *testing.T) {
	const said = `pods "x" is forbidden: failed quota: cpu: must specify limits.cpu for: loadgen`
	deployment := &appsv1.Deployment{}
	deployment.Status.Conditions = []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse, Message: "Deployment does not have minimum availability."},
		{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: said},
	}
	if got, want := refusalOf(deployment), "its observer's pod is refused: "+said; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	deployment.Status.Conditions[1].Status = corev1.ConditionFalse
	if got := refusalOf(deployment); got != "" {
		t.Errorf("%q, once it isn't refused any more", got)
	}
}

func TestTheTroublesOfARunThatIsOverAreForgotten(t *testing.T) {
	o := statetest.Given(statetest.Accepted, func(o *state.Observed) { o.Store.Troubles = []state.PodTrouble{{Of: "pod", Kind: state.Unschedulable}} })
	dateTroubles(o)
	if len(o.Memory.Troubles) != 1 {
		t.Fatal("nothing is remembered")
	}
	statetest.Condition(status.ConditionFailing, "True", "x", 0)(o)
	dateTroubles(o)
	if len(o.Memory.Troubles) != 0 {
		t.Errorf("%v", o.Memory.Troubles)
	}
}
