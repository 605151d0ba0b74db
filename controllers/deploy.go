package controllers

import (
	"context"
	"fmt"
	"io/fs"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// releaseOf is the store's Helm release.
func releaseOf(run *v1alpha1.BenchmarkRun, p *plan.Plan) helm.Release {
	chart, err := fs.Sub(charts.Stores(), p.Store.Chart)
	if err != nil {
		chart = charts.Stores() // a chart that isn't there fails to load, with its name
	}
	return helm.Release{
		Name: p.Run.ID, Namespace: run.Namespace, Chart: chart, Values: p.Store.Values,
		Labels: runLabels(run, roleStore),
	}
}

// install deploys the observer and, where it doesn't run already, the store. The observer
// comes first: it is small, and it sees the members come up.
func (r *Reconciler) install(ctx context.Context, o *observed) error {
	observer := r.observerObject(o.Run, o.Plan)
	switch err := r.Create(ctx, observer); {
	case apierrors.IsAlreadyExists(err):
		if err := r.checkOwn(ctx, o, "Deployment", observer, &appsv1.Deployment{}); err != nil || isTrue(o.Run, conditionFailing) {
			return err
		}
	case err != nil:
		setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, reasonInstallFailed, "the observer could not be made yet: "+stable(err))
		return fmt.Errorf("creating the observer: %w", err)
	}
	if onEndpoints(o.Run) {
		setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, reasonReaching, reachingMessage)
		return nil
	}
	releases, _, err := r.Releases(o.Run.Namespace, serviceAccount(o.Run))
	if err != nil {
		return err
	}
	// The install isn't tied to this pass: cancelled, it would go on in the background.
	if err := releases.Install(context.WithoutCancel(ctx), releaseOf(o.Run, o.Plan)); err != nil {
		if refused(err) {
			failing(o, fail("DeployRefused", "the API server refused the store, which is deployed with the rights of service account %s: %v", serviceAccount(o.Run), err))
			return nil
		}
		setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, reasonInstallFailed, "the release could not be installed yet: "+stable(err))
		return fmt.Errorf("installing the release %s: %w", o.Plan.Run.ID, err)
	}
	setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, "Deploying",
		"the release is installed; waiting until all members are ready and the observer sees them")
	return nil
}

// uninstall removes the release; that there is none is success.
func (r *Reconciler) uninstall(ctx context.Context, o *observed) error {
	releases, _, err := r.Releases(o.Run.Namespace, serviceAccount(o.Run))
	if err != nil {
		return err
	}
	if err := releases.Uninstall(context.WithoutCancel(ctx), runID(o.Run)); err != nil {
		return fmt.Errorf("uninstalling the release %s: %w", runID(o.Run), err)
	}
	return nil
}
