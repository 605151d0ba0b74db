package admission

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/run/targets"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// checkTargets looks whether the plan's faults may hit the pods of endpoints, and can.
func (r *Checker) checkTargets(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
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
func (r *Checker) checkTarget(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan, fault *plan.Fault, member plan.Member) error {
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
	return targets.CheckPod(pod, run, compiled, fault, member)
}

// RecheckTargets looks again at pods of endpoints or of an own chart, now that the fault is due: the
// right may have been withdrawn since the run was admitted, and a pod may be another one. A fault with two
// sides is at work on both.
func (r *Checker) RecheckTargets(ctx context.Context, o *state.Observed, fault plan.Fault, sides faults.Sides) error {
	if !status.OnEndpoints(o.Run) && !status.HasOwnChart(o.Run) {
		return nil
	}
	for _, name := range sides.All() {
		i := slices.IndexFunc(o.Plan.Store.Members, func(m plan.Member) bool { return m.Name == name })
		if err := r.recheck(ctx, o, &fault, o.Plan.Store.Members[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Checker) recheck(ctx context.Context, o *state.Observed, fault *plan.Fault, member plan.Member) error {
	if status.HasOwnChart(o.Run) {
		return r.recheckOwn(ctx, o, fault, member)
	}
	return r.checkTarget(ctx, o.Run, o.Plan, fault, member)
}
