package admission

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/targets"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

// checkOwnChart looks whether the cluster has what the chart's resources need, and whether the
// run may do what it is going to.
func (r *Checker) checkOwnChart(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	for i, ready := range compiled.Store.OwnChart.Ready {
		if err := r.checkResource(ctx, run, i, ready); err != nil {
			return err
		}
	}
	if !run.Spec.Store.AllowFaults || len(compiled.Faults) == 0 {
		return nil
	}
	for _, member := range compiled.Store.Members {
		if err := r.checkMayFault(ctx, run, &compiled.Faults[0], member); err != nil {
			return err
		}
	}
	return nil
}

func (r *Checker) checkResource(ctx context.Context, run *v1alpha1.BenchmarkRun, i int, ready plan.Ready) error {
	field := fmt.Sprintf("spec.store.chart.ready[%d]", i)
	kind := schema.FromAPIVersionAndKind(ready.APIVersion, ready.Kind)
	mapping, err := r.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return &compile.Refusal{Reason: "KindMissing", Message: fmt.Sprintf(
			"%s: the cluster has no kind %s of %s: install the operator that defines it, or correct the field", field, ready.Kind, ready.APIVersion)}
	}
	if err != nil {
		return fmt.Errorf("looking for the kind %s: %w", ready.Kind, err)
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return &compile.Refusal{Reason: "KindMissing", Message: fmt.Sprintf("%s: %s is of no namespace, and a run reads in its own alone: name another resource", field, ready.Kind)}
	}
	may, err := r.mayDo(ctx, run, "get", authorizationv1.ResourceAttributes{
		Group: mapping.Resource.Group, Version: mapping.Resource.Version, Resource: mapping.Resource.Resource, Name: ready.Name,
	})
	if err != nil {
		return err
	}
	if !may {
		return &compile.Refusal{Reason: "ReadyForbidden", Message: fmt.Sprintf(
			"%s: service account %s may not get %s of %s: give it create, get, list, watch, patch, update and delete on them by a Role",
			field, names.ServiceAccount(run), mapping.Resource.Resource, ready.APIVersion)}
	}
	return nil
}

// checkMayFault asks for the right to hit pods that others make for the run.
func (r *Checker) checkMayFault(ctx context.Context, run *v1alpha1.BenchmarkRun, fault *plan.Fault, member plan.Member) error {
	why, err := r.lacks(ctx, run, targets.VerbFault, authorizationv1.ResourceAttributes{Resource: "pods", Name: member.Name})
	if err != nil {
		return err
	}
	if why != "" {
		return &compile.Refusal{Reason: targets.ReasonFaultsForbidden, Message: fmt.Sprintf(
			"fault %s would hit the pod %s %s, and service account %s %s: give it that verb alone by a Role, name another account in spec.serviceAccountName, or leave spec.faults out",
			fault.Name, member.Name, targets.PlaceOf(run, member), names.ServiceAccount(run), why)}
	}
	return nil
}

// recheckOwn looks at a member of a chart, now that the fault is due.
func (r *Checker) recheckOwn(ctx context.Context, o *state.Observed, fault *plan.Fault, member plan.Member) error {
	pod := &corev1.Pod{}
	if err := r.Direct.Get(ctx, client.ObjectKey{Namespace: o.Run.Namespace, Name: member.Name}, pod); err != nil {
		return err
	}
	if err := targets.CheckStranger(o, pod, fault); err != nil {
		return err
	}
	if !targets.OfStore(o, pod) {
		if err := r.checkMayFault(ctx, o.Run, fault, member); err != nil {
			return err
		}
	}
	return targets.CheckPod(pod, o.Run, o.Plan, fault, member)
}
