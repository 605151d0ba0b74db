package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/storechart"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// check looks whether the cluster has what the plan needs.
func (r *Checker) check(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if !status.OnEndpoints(run) || len(compiled.Faults) > 0 {
		if err := r.checkServiceAccount(ctx, run); err != nil {
			return err
		}
	}
	if compiled.Store.Persistent {
		if err := r.checkStorageClass(ctx, run.Spec.Store.Storage.ClassName); err != nil {
			return err
		}
	}
	if err := r.checkFaults(ctx, compiled); err != nil {
		return err
	}
	if err := r.tryJobs(ctx, run, compiled); err != nil {
		return err
	}
	if err := r.CheckCredentials(ctx, run, compiled); err != nil {
		return err
	}
	if status.OnEndpoints(run) {
		return r.checkTargets(ctx, run, compiled)
	}
	if status.HasOwnChart(run) {
		return r.checkOwnChart(ctx, run, compiled)
	}
	release, err := r.objects().CatalogRelease(run, compiled)
	if err != nil {
		return err
	}
	if _, err := helm.Render(release); err != nil {
		return storechart.Unrendered(compiled.Store.Name, err)
	}
	return nil
}

// tryJobs asks the API server whether it would take the Jobs: resources that make no sense,
// and what quotas and policies say of Jobs, show here, and not when the store is deployed. What
// they say of pods shows when those are made.
func (r *Checker) tryJobs(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if len(compiled.Workloads) == 0 {
		return nil
	}
	for _, role := range []string{names.RoleLoad, names.RoleWorker} {
		job := r.objects().Job(run, compiled, &compiled.Workloads[0], role)
		err := r.Create(ctx, job, client.DryRunAll)
		if requests.Refused(err) {
			return &compile.Refusal{Reason: "JobRefused", Message: fmt.Sprintf("the API server would refuse the Job %s: %v", job.Name, err)}
		}
		if client.IgnoreAlreadyExists(err) != nil {
			return err
		}
	}
	return nil
}

func (r *Checker) checkServiceAccount(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	account := &corev1.ServiceAccount{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.ServiceAccount(run)}, account)
	if apierrors.IsNotFound(err) {
		return &compile.Refusal{Reason: "ServiceAccountMissing", Message: fmt.Sprintf(
			"the service account %s, with whose rights Helm deploys the store, doesn't exist in namespace %s: add the namespace to deployer.namespaces of kvbench's chart, or name another one in spec.serviceAccountName",
			names.ServiceAccount(run), run.Namespace)}
	}
	return err
}

func (r *Checker) checkStorageClass(ctx context.Context, name string) error {
	classes := &storagev1.StorageClassList{}
	if err := r.Direct.List(ctx, classes); err != nil {
		return err
	}
	var names []string
	for i := range classes.Items {
		class := &classes.Items[i]
		isDefault := class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true"
		if class.Name == name || name == "" && isDefault {
			return nil
		}
		names = append(names, class.Name)
	}
	if name == "" {
		return &compile.Refusal{Reason: "StorageClassMissing", Message: fmt.Sprintf(
			"the members' data needs a volume, and the cluster has no default storage class (it has: %s): set spec.store.storage.className, or storage.ephemeral: true", message.FirstOf(message.List(names, 8), "none"))}
	}
	return &compile.Refusal{Reason: "StorageClassMissing", Message: fmt.Sprintf(
		"spec.store.storage.className: there is no storage class %q; the cluster has: %s", name, message.FirstOf(message.List(names, 8), "none"))}
}

func (r *Checker) checkFaults(ctx context.Context, compiled *plan.Plan) error {
	for _, fault := range compiled.Faults {
		builder, ok := chaosmesh.BuilderOf(fault.Action)
		if !ok {
			return &compile.Refusal{Reason: "UnknownFault", Message: fmt.Sprintf("faults[%s].action: %q is not known; there are: %s", fault.Name, fault.Action, message.List(faults.Names(), 20))}
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		err := r.Direct.Get(ctx, client.ObjectKey{Name: builder.Kind.Definition}, definition)
		if apierrors.IsNotFound(err) {
			return &compile.Refusal{Reason: "ChaosMeshMissing", Message: fmt.Sprintf(
				"faults[%s] needs Chaos Mesh, which isn't installed (no definition %s): install its Helm chart, or drop spec.faults", fault.Name, builder.Kind.Definition)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
