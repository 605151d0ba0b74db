// Package targets says whether a fault may hit a pod, and can.
package targets

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// OfStore says that the pod carries the labels that the run's release gives it.
func OfStore(o *state.Observed, pod *corev1.Pod) bool {
	return pod.Labels[names.LabelUID] == string(o.Run.UID) && pod.Labels[names.LabelRole] == names.RoleStore
}

// PlaceOf says where the spec names the member.
func PlaceOf(run *v1alpha1.BenchmarkRun, member plan.Member) string {
	if status.HasOwnChart(run) {
		return "of spec.store.chart"
	}
	return fmt.Sprintf("of spec.store.endpoints[%d]", member.Index)
}

// Unfit is why the plan's faults can't hit a member of a chart, or may not: a run of which nothing
// is measured yet fails early.
func Unfit(o *state.Observed, pod *corev1.Pod, member plan.Member) state.Refusal {
	for i := range o.Plan.Faults {
		fault := &o.Plan.Faults[i]
		err := CheckStranger(o, pod, fault)
		if err == nil {
			err = CheckPod(pod, o.Run, o.Plan, fault, member)
		}
		var refused *compile.Refusal
		if errors.As(err, &refused) {
			return state.Refusal{Reason: refused.Reason, Message: refused.Message}
		}
	}
	return state.Refusal{}
}

// CheckStranger refuses faults on a pod that the run's release didn't make, unless they are allowed.
func CheckStranger(o *state.Observed, pod *corev1.Pod, fault *plan.Fault) error {
	if OfStore(o, pod) || o.Run.Spec.Store.AllowFaults {
		return nil
	}
	return &compile.Refusal{Reason: ReasonFaultsForbidden, Message: fmt.Sprintf(
		"fault %s would hit the pod %s, which the run's release didn't make, but an operator: set spec.store.allowFaults to true and give service account %s the verb %s on it, or leave spec.faults out",
		fault.Name, pod.Name, names.ServiceAccount(o.Run), VerbFault)}
}

// VerbFault is the verb that a service account must have on pods that its runs didn't make, for faults to
// hit them. Kubernetes doesn't know the verb. So whoever has it was given it for this purpose, which can't
// be said of the right to delete pods.
const (
	VerbFault             = "fault"
	ReasonFaultsForbidden = "FaultsForbidden"
)

// CheckPod says whether the fault hits this member alone, and leaves one that can come back.
func CheckPod(pod *corev1.Pod, run *v1alpha1.BenchmarkRun, compiled *plan.Plan, fault *plan.Fault, member plan.Member) error {
	action, _ := faults.Find(fault.Action)
	owner := metav1.GetControllerOf(pod)
	entry, _ := catalog.Find(compiled.Store.Driver)
	switch {
	case action.LeavesRules && pod.Spec.HostNetwork:
		return &compile.Refusal{Reason: "HostNetwork", Message: fmt.Sprintf(
			"fault %s would change the network of the pod %s %s, which is its Kubernetes node's: give the pod a network of its own (hostNetwork: false), or use ContainerKill",
			fault.Name, pod.Name, PlaceOf(run, member))}
	case action.EndsProcess && !action.ReplacesPod && !slices.Contains(containersOf(pod), compiled.Store.Container):
		return &compile.Refusal{Reason: "ContainerMissing", Message: fmt.Sprintf(
			"spec.store.container: the pod %s %s has no container %q, which fault %s would end; it has: %s",
			pod.Name, PlaceOf(run, member), compiled.Store.Container, fault.Name, message.List(containersOf(pod), 8))}
	case action.ReplacesPod && (owner == nil || owner.Kind != "StatefulSet"):
		return &compile.Refusal{Reason: "PodNotReplaced", Message: fmt.Sprintf(
			"fault %s would delete the pod %s %s, which no StatefulSet makes again by that name: use ContainerKill", fault.Name, pod.Name, PlaceOf(run, member))}
	case action.ReplacesPod && entry != nil && entry.NeedsData != "" && !hasVolume(pod):
		return &compile.Refusal{Reason: compile.ReasonNeedsPersistence, Message: fmt.Sprintf(
			"fault %s would delete the pod %s %s, which has no persistent volume, and %s: use ContainerKill", fault.Name, pod.Name, PlaceOf(run, member), entry.NeedsData)}
	}
	return nil
}

func containersOf(pod *corev1.Pod) (names []string) {
	for _, container := range pod.Spec.Containers {
		names = append(names, container.Name)
	}
	return names
}

func hasVolume(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
}
