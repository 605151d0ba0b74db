package act

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/admission"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// releaseOf is the store's Helm release. Its error is a *compile.Refusal where another attempt
// would be in vain.
func (r *Actor) releaseOf(ctx context.Context, run *v1alpha1.BenchmarkRun, p *plan.Plan) (helm.Release, error) {
	if p.Store.OwnChart == nil {
		return r.objects().CatalogRelease(run, p)
	}
	// Again: a run may have waited for hours.
	if err := r.checker().CheckMayBring(ctx, run); err != nil {
		return helm.Release{}, err
	}
	held := &corev1.ConfigMap{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.ChartName(p.Run.ID)}, held)
	if client.IgnoreNotFound(err) != nil {
		return helm.Release{}, fmt.Errorf("reading the run's chart: %w", err)
	}
	if err != nil || !names.MadeFor(run, held) || status.Digest(held.BinaryData[admission.ChartFile]) != p.Store.OwnChart.SHA256 {
		return helm.Release{}, admission.ChartLost(p.Run.ID)
	}
	rendered, err := r.checker().RenderChart(ctx, held.BinaryData[admission.ChartFile], p)
	if err != nil {
		return helm.Release{}, err
	}
	return helm.Release{Name: p.Run.ID, Namespace: run.Namespace, Rendered: &rendered, Labels: names.RunLabels(run, names.RoleStore)}, nil
}

// install makes what the store and its clients prove with who they are, and deploys the observer and,
// where it doesn't run already, the store. The observer comes first: it is small, and it sees the
// members come up.
func (r *Actor) install(ctx context.Context, o *state.Observed) error {
	if made, err := r.makeCredentials(ctx, o); err != nil || !made {
		return err
	}
	observer := r.objects().Observer(o.Run, o.Plan)
	switch err := r.Create(ctx, observer); {
	case apierrors.IsAlreadyExists(err):
		if err := r.checkOwn(ctx, o, "Deployment", observer, &appsv1.Deployment{}); err != nil || status.IsTrue(o.Run, status.ConditionFailing) {
			return err
		}
	case requests.Refused(err):
		failing(o, decide.Fail("DeployRefused", "the API server refused the observer: %v", err))
		return nil
	case err != nil:
		installFailed(o, "the observer could not be made yet: "+message.Stable(err))
		return fmt.Errorf("creating the observer: %w", err)
	}
	if status.OnEndpoints(o.Run) {
		status.SetCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, status.ReasonReaching, status.ReachingMessage)
		return nil
	}
	releases, _, err := r.Releases(o.Run.Namespace, names.ServiceAccount(o.Run))
	if err != nil {
		return err
	}
	release, err := r.releaseOf(ctx, o.Run, o.Plan)
	var refusal *compile.Refusal
	if errors.As(err, &refusal) {
		failing(o, decide.Decision{Verb: decide.DoFail, Reason: refusal.Reason, Message: refusal.Message})
		return nil
	}
	if err != nil {
		installFailed(o, "the release could not be rendered yet: "+message.Stable(err))
		return fmt.Errorf("rendering the release %s: %w", o.Plan.Run.ID, err)
	}
	// The install isn't tied to this pass: cancelled, it would go on in the background.
	if err := releases.Install(context.WithoutCancel(ctx), release); err != nil {
		if requests.Refused(err) {
			failing(o, decide.Fail("DeployRefused", "the API server refused the store, which is deployed with the rights of service account %s: %v", names.ServiceAccount(o.Run), err))
			return nil
		}
		installFailed(o, "the release could not be installed yet: "+message.Stable(err))
		return fmt.Errorf("installing the release %s: %w", o.Plan.Run.ID, err)
	}
	o.Memory.InstallTrouble = ""
	status.SetCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, "Deploying", decide.DeployingMessage)
	return nil
}

// installFailed notes why an attempt to install the store failed. It is tried again.
func installFailed(o *state.Observed, trouble string) {
	o.Memory.InstallTrouble = message.Cut(trouble, 1024)
	status.SetCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, status.ReasonInstallFailed, trouble)
}

// uninstall removes the release; that there is none is success.
func (r *Actor) uninstall(ctx context.Context, o *state.Observed) error {
	releases, _, err := r.Releases(o.Run.Namespace, names.ServiceAccount(o.Run))
	if err != nil {
		return err
	}
	if err := releases.Uninstall(context.WithoutCancel(ctx), names.RunID(o.Run)); err != nil {
		return fmt.Errorf("uninstalling the release %s: %w", names.RunID(o.Run), err)
	}
	return nil
}
