package controllers

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
