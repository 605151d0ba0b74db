package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// catalogRelease is the Helm release of a store of the catalog.
func (r *Reconciler) catalogRelease(run *v1alpha1.BenchmarkRun, p *plan.Plan) (helm.Release, error) {
	values, err := r.withRejoin(p)
	return helm.Release{
		Name: p.Run.ID, Namespace: run.Namespace, Chart: catalogChart(p), Values: values,
		Labels: runLabels(run, roleStore),
	}, err
}

func catalogChart(p *plan.Plan) fs.FS {
	chart, err := fs.Sub(charts.Stores(), p.Store.Chart)
	if err != nil {
		return charts.Stores() // a chart that isn't there fails to load, with its name
	}
	return chart
}

// effectiveValues are those that a store of the catalog is deployed with, for the report; nil for
// others. rejoin is left out: its image is kvbench's, which is no setting of the store, and in no plan.
func effectiveValues(p *plan.Plan) (json.RawMessage, error) {
	if p.Store.Chart == "" {
		return nil, nil
	}
	values, err := helm.Values(helm.Release{Chart: catalogChart(p), Values: p.Store.Values})
	if err != nil {
		return nil, fmt.Errorf("reading the values of the chart %s: %w", p.Store.Chart, err)
	}
	delete(values, "rejoin")
	return json.Marshal(values)
}

// withRejoin are the plan's values, and the image of kvbench where members need its help to come
// back.
func (r *Reconciler) withRejoin(p *plan.Plan) ([]byte, error) {
	if !p.Store.Rejoins {
		return p.Store.Values, nil
	}
	values := map[string]any{}
	if err := json.Unmarshal(p.Store.Values, &values); err != nil {
		return nil, fmt.Errorf("reading the values of the plan: %w", err)
	}
	secrets := []any{}
	for _, secret := range r.Config.PullSecrets {
		secrets = append(secrets, map[string]any{"name": secret.Name})
	}
	values["rejoin"] = map[string]any{"image": r.Config.LoadgenImage, "pullSecrets": secrets}
	return json.Marshal(values)
}

// install makes what the store and its clients prove with who they are, and deploys the observer and,
// where it doesn't run already, the store. The observer comes first: it is small, and it sees the
// members come up.
func (r *Reconciler) install(ctx context.Context, o *observed) error {
	if made, err := r.makeCredentials(ctx, o); err != nil || !made {
		return err
	}
	observer := r.observerObject(o.Run, o.Plan)
	switch err := r.Create(ctx, observer); {
	case apierrors.IsAlreadyExists(err):
		if err := r.checkOwn(ctx, o, "Deployment", observer, &appsv1.Deployment{}); err != nil || isTrue(o.Run, conditionFailing) {
			return err
		}
	case err != nil:
		installFailed(o, "the observer could not be made yet: "+stable(err))
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
	release, err := r.releaseOf(ctx, o.Run, o.Plan)
	var refusal *compile.Refusal
	if errors.As(err, &refusal) {
		failing(o, decision{Verb: doFail, Reason: refusal.Reason, Message: refusal.Message})
		return nil
	}
	if err != nil {
		installFailed(o, "the release could not be rendered yet: "+stable(err))
		return fmt.Errorf("rendering the release %s: %w", o.Plan.Run.ID, err)
	}
	// The install isn't tied to this pass: cancelled, it would go on in the background.
	if err := releases.Install(context.WithoutCancel(ctx), release); err != nil {
		if refused(err) {
			failing(o, fail("DeployRefused", "the API server refused the store, which is deployed with the rights of service account %s: %v", serviceAccount(o.Run), err))
			return nil
		}
		installFailed(o, "the release could not be installed yet: "+stable(err))
		return fmt.Errorf("installing the release %s: %w", o.Plan.Run.ID, err)
	}
	o.Memory.InstallTrouble = ""
	setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, "Deploying", deployingMessage)
	return nil
}

// installFailed notes why an attempt to install the store failed. It is tried again.
func installFailed(o *observed, trouble string) {
	o.Memory.InstallTrouble = cut(trouble, 1024)
	setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, reasonInstallFailed, trouble)
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
