package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// existing says that the store runs already: there is no release, and nothing of it is the
// run's.
func existing(run *v1alpha1.BenchmarkRun) bool { return len(run.Spec.Store.Endpoints) > 0 }

// Reasons of StoreReady while endpoints are waited for.
const (
	reasonReaching  = "Reaching"
	reasonNotSteady = "NotSteady"

	reachingMessage = "waiting until the observer sees the members at spec.store.endpoints"
)

// endpointsLook is how often the observer is asked what it waits for.
const endpointsLook = 5 * time.Second

// decideReach waits until the observer has seen that the endpoints are steady.
func decideReach(o *observed, deadline time.Duration) decision {
	switch {
	case o.Store.ObserverReady:
		return decision{Verb: doStoreReady, Message: "the observer sees all members at spec.store.endpoints"}
	case since(o, v1alpha1.ConditionAccepted) >= deadline:
		return fail("EndpointsNotSteady", "spec.store.endpoints: the observer has not seen all %d members well within %s%s",
			len(o.Plan.Store.Members), deadline, because(firstOf(o.Store.Trouble, seenOfEndpoints(o.Run))))
	case !o.Store.ObserverMade:
		return decision{Verb: doInstall}
	}
	return decision{Verb: doLook, After: min(endpointsLook, deadline-since(o, v1alpha1.ConditionAccepted))}
}

// seenOfEndpoints is what the observer said when it was asked last.
func seenOfEndpoints(run *v1alpha1.BenchmarkRun) string {
	if ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady); ready != nil && ready.Reason == reasonNotSteady {
		return ready.Message
	}
	return ""
}

// look asks the observer what it sees, for the condition: endpoints have no pods of the run that
// would say what is wrong with them.
func (r *Reconciler) look(ctx context.Context, o *observed) {
	line, err := r.sample(ctx, o)
	if err != nil || line.Steady {
		return // it is starting, or about to be ready
	}
	setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, reasonNotSteady, stable(fmt.Errorf("%s", line.Describe())))
}

// checkTargets looks whether faults may hit the pods of endpoints: those are not the run's, so
// its service account must have the right to delete them.
func (r *Reconciler) checkTargets(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if len(compiled.Faults) == 0 {
		return nil
	}
	_, asAccount, err := r.Releases(run.Namespace, serviceAccount(run))
	if err != nil {
		return err
	}
	for i, member := range compiled.Store.Members {
		pod := &corev1.Pod{}
		err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: member.Name}, pod)
		if apierrors.IsNotFound(err) {
			return &compile.Refusal{Reason: "PodMissing", Message: fmt.Sprintf(
				"spec.store.endpoints[%d].pod: there is no pod %s in namespace %s: correct the name, or leave spec.faults out", i, member.Name, run.Namespace)}
		}
		if err != nil {
			return err
		}
		if err := checkContainer(i, pod, compiled); err != nil {
			return err
		}
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: run.Namespace, Verb: "delete", Resource: "pods", Name: member.Name},
		}}
		if err := asAccount.Create(ctx, review); err != nil {
			return fmt.Errorf("asking whether service account %s may delete the pod %s: %w", serviceAccount(run), member.Name, err)
		}
		if !review.Status.Allowed {
			return &compile.Refusal{Reason: "FaultsForbidden", Message: fmt.Sprintf(
				"spec.faults would end the pod %s of spec.store.endpoints[%d], which service account %s may not delete: give it that right, name another one in spec.serviceAccountName, or leave spec.faults out",
				member.Name, i, serviceAccount(run))}
		}
	}
	return nil
}

// checkContainer looks for the container that faults end.
func checkContainer(i int, pod *corev1.Pod, compiled *plan.Plan) error {
	ends := func(fault plan.Fault) bool {
		action, ok := faults.Find(fault.Action)
		return ok && !action.ReplacesPod
	}
	if !slices.ContainsFunc(compiled.Faults, ends) {
		return nil
	}
	var names []string
	for _, container := range pod.Spec.Containers {
		names = append(names, container.Name)
	}
	if slices.Contains(names, compiled.Store.Container) {
		return nil
	}
	return &compile.Refusal{Reason: "ContainerMissing", Message: fmt.Sprintf(
		"spec.store.container: the pod %s of spec.store.endpoints[%d] has no container %q, which a ContainerKill would end; it has: %s",
		pod.Name, i, compiled.Store.Container, list(names, 8))}
}
