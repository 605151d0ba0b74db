package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
	results "github.com/kvbench/kvbench/internal/results/client"
)

const defaultServiceAccount = "kvbench-deployer"

func serviceAccount(run *v1alpha1.BenchmarkRun) string {
	return firstOf(run.Spec.ServiceAccountName, defaultServiceAccount)
}

// admitDeadline bounds the attempts to admit a run, from the first one that failed.
const admitDeadline = 10 * time.Minute

// admit says yes or no to a spec before anything is deployed. What can't be said now is
// tried again, for a while.
func (r *Reconciler) admit(ctx context.Context, o *observed) (time.Duration, error) {
	err := r.tryAdmit(ctx, o)
	var refusal *compile.Refusal
	if errors.As(err, &refusal) {
		return 0, r.refuse(ctx, o, refusal)
	}
	if err == nil {
		reason, message := reasonPlanned, "the spec makes sense, and its plan is kept"
		if d := decideQueue(o); d.Reason == reasonQueued {
			reason, message = d.Reason, d.Message
		}
		setCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, reason, message)
		return 0, nil
	}
	if since(o, v1alpha1.ConditionAccepted) > admitDeadline {
		return 0, r.refuse(ctx, o, &compile.Refusal{Reason: resultsReason(err, "AdmitTimedOut"), Message: fmt.Sprintf("the run could not be admitted within %s: %s", admitDeadline, stable(err))})
	}
	setCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, resultsReason(err, reasonAdmitting), "not admitted yet: "+stable(err))
	return 0, err
}

// maxPlanBytes leaves room for the CA beside the plan in a ConfigMap of 1 MiB, which is also
// what the results server takes.
const maxPlanBytes = 960 << 10

// tryAdmit reads the run's files and its chart, compiles the plan, looks whether the cluster has what
// the plan needs, notes what the catalog's chart makes of the values, and keeps the files, the chart
// and the plan.
func (r *Reconciler) tryAdmit(ctx context.Context, o *observed) error {
	files, kept, err := r.readFiles(ctx, o.Run)
	if err != nil {
		return err
	}
	compiled, err := compile.Compile(o.Run, files)
	if err != nil {
		return err
	}
	chart, chartKept, err := r.readChart(ctx, o.Run)
	if err != nil {
		return err
	}
	if err := r.judgeChart(ctx, chart, compiled); err != nil {
		return err
	}
	if err := r.check(ctx, o.Run, compiled); err != nil {
		return fmt.Errorf("checking the spec against the cluster: %w", err)
	}
	if compiled.Store.EffectiveValues, err = effectiveValues(compiled); err != nil {
		return err
	}
	planJSON, err := json.Marshal(compiled)
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	if len(planJSON) > maxPlanBytes {
		return &compile.Refusal{Reason: "PlanTooLarge", Message: fmt.Sprintf(
			"the run's plan has %d bytes, and can have %d: shorten spec.load.rateShape's file, or make several runs of the workloads", len(planJSON), maxPlanBytes)}
	}
	if err := checkSamePlan(o.Run, planJSON); err != nil {
		return err
	}
	if len(files) > 0 && !kept {
		if err := r.keepFiles(ctx, o.Run, files); err != nil {
			return err
		}
	}
	if hasOwnChart(o.Run) && !chartKept {
		if err := r.keepChart(ctx, o.Run, chart); err != nil {
			return err
		}
	}
	// It is registered when its turn comes: while it waits it must not take the place of a report.
	if err := r.Results.Check(ctx, string(o.Run.UID), planJSON); err != nil {
		if !results.Transient(err) {
			return &compile.Refusal{Reason: "ResultsRefused", Message: "the results server refused the run: " + err.Error()}
		}
		return fmt.Errorf("asking the results server about the run: %w", err)
	}
	if err := r.keepPlan(ctx, o.Run, planJSON); err != nil {
		return err
	}
	o.Run.Status.PlanSHA256, o.Run.Status.Mode = digest(planJSON), compiled.Store.Mode
	return nil
}

// keepPlan writes the ConfigMap that the run's pods and later passes read.
func (r *Reconciler) keepPlan(ctx context.Context, run *v1alpha1.BenchmarkRun, planJSON []byte) error {
	object := planObject(run, planJSON, r.Config.ResultsCA)
	err := r.Create(ctx, object)
	switch {
	case err == nil:
		return nil
	case refused(err):
		return &compile.Refusal{Reason: "PlanRefused", Message: fmt.Sprintf("the API server refused the ConfigMap %s with the plan: %v", object.Name, err)}
	case !apierrors.IsAlreadyExists(err):
		return fmt.Errorf("keeping the plan: %w", err)
	}
	// Of an earlier pass that the cache doesn't show yet, or somebody else's.
	existing := &corev1.ConfigMap{}
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(object), existing); err != nil {
		return fmt.Errorf("reading the plan that exists: %w", err)
	}
	if !madeFor(run, existing) || existing.Data[plan.FileName] != string(planJSON) {
		return &compile.Refusal{Reason: reasonNameTaken, Message: fmt.Sprintf(
			"the ConfigMap %s exists and isn't this run's plan: delete it, and create the run again", object.Name)}
	}
	return nil
}

// refuse ends a run that can't work. What an attempt to admit it may have kept is removed.
// What has taken a name is not: without it the run would be admitted after all, if the note
// of its end is lost.
func (r *Reconciler) refuse(ctx context.Context, o *observed, refusal *compile.Refusal) error {
	run := o.Run
	err := errors.Join(r.deleteFiles(ctx, run), r.deleteChart(ctx, run))
	if refusal.Reason != reasonNameTaken {
		err = errors.Join(err, r.deletePlan(ctx, o))
	}
	if err != nil {
		return err
	}
	setCondition(run, v1alpha1.ConditionAccepted, metav1.ConditionFalse, refusal.Reason, refusal.Message)
	setCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, reasonNothingCreated, "nothing was created")
	setCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue, refusal.Reason, refusal.Message)
	now := stamp()
	run.Status.CompletionTime = &now
	return nil
}

// check looks whether the cluster has what the plan needs.
func (r *Reconciler) check(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if !onEndpoints(run) || len(compiled.Faults) > 0 {
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
	if err := r.checkCredentials(ctx, run, compiled); err != nil {
		return err
	}
	if onEndpoints(run) {
		return r.checkTargets(ctx, run, compiled)
	}
	if hasOwnChart(run) {
		return r.checkOwnChart(ctx, run, compiled)
	}
	release, err := r.catalogRelease(run, compiled)
	if err != nil {
		return err
	}
	if _, err := helm.Render(release); err != nil {
		return unrendered(compiled.Store.Name, err)
	}
	return nil
}

// tryJobs asks the API server whether it would take the Jobs: resources that make no sense,
// and what quotas and policies say of Jobs, show here, and not when the store is deployed. What
// they say of pods shows when those are made.
func (r *Reconciler) tryJobs(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if len(compiled.Workloads) == 0 {
		return nil
	}
	for _, role := range []string{roleLoad, roleWorker} {
		job := r.jobObject(run, compiled, &compiled.Workloads[0], role)
		err := r.Create(ctx, job, client.DryRunAll)
		if refused(err) {
			return &compile.Refusal{Reason: "JobRefused", Message: fmt.Sprintf("the API server would refuse the Job %s: %v", job.Name, err)}
		}
		if client.IgnoreAlreadyExists(err) != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) checkServiceAccount(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	account := &corev1.ServiceAccount{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: serviceAccount(run)}, account)
	if apierrors.IsNotFound(err) {
		return &compile.Refusal{Reason: "ServiceAccountMissing", Message: fmt.Sprintf(
			"the service account %s, with whose rights Helm deploys the store, doesn't exist in namespace %s: add the namespace to deployer.namespaces of kvbench's chart, or name another one in spec.serviceAccountName",
			serviceAccount(run), run.Namespace)}
	}
	return err
}

func (r *Reconciler) checkStorageClass(ctx context.Context, name string) error {
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
			"the members' data needs a volume, and the cluster has no default storage class (it has: %s): set spec.store.storage.className, or storage.ephemeral: true", firstOf(list(names, 8), "none"))}
	}
	return &compile.Refusal{Reason: "StorageClassMissing", Message: fmt.Sprintf(
		"spec.store.storage.className: there is no storage class %q; the cluster has: %s", name, firstOf(list(names, 8), "none"))}
}

func (r *Reconciler) checkFaults(ctx context.Context, compiled *plan.Plan) error {
	for _, fault := range compiled.Faults {
		builder, ok := chaosmesh.BuilderOf(fault.Action)
		if !ok {
			return &compile.Refusal{Reason: "UnknownFault", Message: fmt.Sprintf("faults[%s].action: %q is not known; there are: %s", fault.Name, fault.Action, list(faults.Names(), 20))}
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		err := r.Direct.Get(ctx, client.ObjectKey{Name: builder.Definition}, definition)
		if apierrors.IsNotFound(err) {
			return &compile.Refusal{Reason: "ChaosMeshMissing", Message: fmt.Sprintf(
				"faults[%s] needs Chaos Mesh, which isn't installed (no definition %s): install its Helm chart, or drop spec.faults", fault.Name, builder.Definition)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
