package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// verbFault is what a service account must be allowed on pods that its runs didn't make, for
// faults to hit them. Kubernetes doesn't know the verb: nobody has it who wasn't given it for this,
// as somebody may have the right to delete pods.
const (
	verbFault             = "fault"
	reasonFaultsForbidden = "FaultsForbidden"
)

// checkTargets looks whether the plan's faults may hit the pods of endpoints, and can.
func (r *Reconciler) checkTargets(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	for i := range compiled.Faults {
		for _, member := range compiled.Store.Members {
			if err := r.checkTarget(ctx, run, compiled, &compiled.Faults[i], member); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTarget asks before anything of the pod is read: what a pod is like is not for everybody who
// may create runs. Its refusal is a *compile.Refusal.
func (r *Reconciler) checkTarget(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan, fault *plan.Fault, member plan.Member) error {
	if err := r.checkMayFault(ctx, run, fault, member); err != nil {
		return err
	}
	pod := &corev1.Pod{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: member.Name}, pod)
	if apierrors.IsNotFound(err) {
		return &compile.Refusal{Reason: "PodMissing", Message: fmt.Sprintf(
			"spec.store.endpoints[%d].pod: there is no pod %s in namespace %s: correct the name, or leave spec.faults out", member.Index, member.Name, run.Namespace)}
	}
	if err != nil {
		return err
	}
	return checkPod(pod, run, compiled, fault, member)
}

// recheckTarget looks again at a pod of endpoints or of an own chart, now that the fault is due: the
// right may have been withdrawn since the run was admitted, and the pod may be another one.
func (r *Reconciler) recheckTarget(ctx context.Context, o *observed, fault plan.Fault, target string) error {
	if !onEndpoints(o.Run) && !hasOwnChart(o.Run) {
		return nil
	}
	i := slices.IndexFunc(o.Plan.Store.Members, func(m plan.Member) bool { return m.Name == target })
	if hasOwnChart(o.Run) {
		return r.recheckOwn(ctx, o, &fault, o.Plan.Store.Members[i])
	}
	return r.checkTarget(ctx, o.Run, o.Plan, &fault, o.Plan.Store.Members[i])
}

// checkPod says whether the fault leaves a member that can come back.
func checkPod(pod *corev1.Pod, run *v1alpha1.BenchmarkRun, compiled *plan.Plan, fault *plan.Fault, member plan.Member) error {
	action, _ := faults.Find(fault.Action)
	owner := metav1.GetControllerOf(pod)
	entry, _ := catalog.Find(compiled.Store.Driver)
	switch {
	case !action.ReplacesPod && !slices.Contains(containersOf(pod), compiled.Store.Container):
		return &compile.Refusal{Reason: "ContainerMissing", Message: fmt.Sprintf(
			"spec.store.container: the pod %s %s has no container %q, which fault %s would end; it has: %s",
			pod.Name, placeOf(run, member), compiled.Store.Container, fault.Name, list(containersOf(pod), 8))}
	case action.ReplacesPod && (owner == nil || owner.Kind != "StatefulSet"):
		return &compile.Refusal{Reason: "PodNotReplaced", Message: fmt.Sprintf(
			"fault %s would delete the pod %s %s, which no StatefulSet makes again by that name: use ContainerKill", fault.Name, pod.Name, placeOf(run, member))}
	case action.ReplacesPod && entry != nil && entry.NeedsData != "" && !hasVolume(pod):
		return &compile.Refusal{Reason: compile.ReasonNeedsPersistence, Message: fmt.Sprintf(
			"fault %s would delete the pod %s %s, which has no persistent volume, and %s: use ContainerKill", fault.Name, pod.Name, placeOf(run, member), entry.NeedsData)}
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
