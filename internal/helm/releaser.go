// Package helm installs, judges and removes Helm releases of charts in an fs.FS.
//
// It never waits until workloads are ready. The reconciler sees that without holding a worker. It writes
// nothing to standard output or to the log. What matters is in the returned errors, which keep the API
// server's status (IsForbidden).
package helm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// FieldManager owns the fields that releases set.
const FieldManager = "kvbench"

// hookTimeout bounds each of a chart's hooks, the only thing Helm waits for here.
const hookTimeout = 2 * time.Minute

// Release is what to install.
type Release struct {
	Name      string
	Namespace string
	Chart     fs.FS  // the chart's folder is its root
	Values    []byte // a JSON object, over the chart's own; empty means none
	// Rendered is in place of Chart and Values, where it isn't nil.
	Rendered *Rendered
	// Labels are added to every object, to the pods and claims that workloads make, and
	// to the record of the release.
	Labels map[string]string
}

// Releaser acts in one namespace. Make one for each reconcile: it caches what the API
// server can serve. It is not for concurrent use.
type Releaser struct {
	namespace string
	configure func(*slog.Logger) (*action.Configuration, error)
}

// setFieldManager sets a variable of Helm's package: it has no other way to say it.
var setFieldManager = sync.OnceFunc(func() { kube.ManagedFieldsManager = FieldManager })

// New acts with the rights of that configuration; the caller has set whom it impersonates.
func New(config *rest.Config, namespace string) *Releaser {
	getter := newClientGetter(config, namespace)
	return &Releaser{
		namespace: namespace,
		configure: func(logger *slog.Logger) (*action.Configuration, error) {
			setFieldManager()
			cfg := action.NewConfiguration(action.ConfigurationSetLogger(logger.Handler()))
			if err := cfg.Init(getter, namespace, "secret"); err != nil {
				return nil, fmt.Errorf("configure helm for namespace %s: %w", namespace, err)
			}
			clients, err := kubernetes.NewForConfig(getter.config)
			if err != nil {
				return nil, fmt.Errorf("make a client for namespace %s: %w", namespace, err)
			}
			secrets := driver.NewSecrets(records{clients.CoreV1().Secrets(namespace)})
			secrets.SetLogger(logger.Handler())
			cfg.Releases = storage.Init(secrets)
			return cfg, nil
		},
	}
}

// Install installs the release, which must be absent: see State and Uninstall. The
// objects exist when it returns without an error; nobody has waited for their pods.
//
// It isn't tied to a context that ends with a reconcile: Helm goes on in the background
// when its context is cancelled, and would race with what the next reconcile does.
func (r *Releaser) Install(ctx context.Context, rel Release) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	chart, values, err := load(rel)
	if err != nil {
		return err
	}
	cfg, err := r.configure(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	install := newInstall(cfg, rel)
	if _, err := install.RunWithContext(context.WithoutCancel(ctx), chart, values); err != nil {
		return fmt.Errorf("install release %s/%s: %w", r.namespace, rel.Name, err)
	}
	return nil
}

// Uninstall removes the release in whatever state it is, a pending one included: a
// controller that is killed while it installs leaves one, on which Helm would do nothing
// else any more. What it owned is being deleted when it returns, not gone yet; claims of
// StatefulSets stay if the chart doesn't say otherwise. No release is a success.
//
// When an object could not be deleted, the release is kept, as failed, for the next try.
func (r *Releaser) Uninstall(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	causes := &causes{}
	cfg, err := r.configure(slog.New(causes))
	if err != nil {
		return err
	}
	last, err := lastRelease(cfg, name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read release %s/%s: %w", r.namespace, name, err)
	}
	// Helm notes "uninstalled" whether or not an object was skipped, and its caller may be
	// killed before it hears which: of such a record nothing is known, so all is done again.
	if last.Info.Status == uninstalled {
		if err := markFailed(cfg, name, errors.New("it isn't known whether everything was deleted")); err != nil {
			return err
		}
	}
	// The record is kept until it is certain that nothing was skipped.
	keep := newUninstall(cfg)
	keep.KeepHistory = true
	_, err = keep.Run(name)
	if err = errors.Join(err, causes.err()); err != nil {
		return errors.Join(fmt.Errorf("uninstall release %s/%s: %w", r.namespace, name, err), markFailed(cfg, name, err))
	}
	if _, err := newUninstall(cfg).Run(name); err != nil {
		return fmt.Errorf("forget release %s/%s: %w", r.namespace, name, err)
	}
	return nil
}

// IsForbidden says whether the error is the API server's refusal for lack of rights.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }

func newInstall(cfg *action.Configuration, rel Release) *action.Install {
	install := action.NewInstall(cfg)
	install.ReleaseName = rel.Name
	install.Namespace = rel.Namespace
	install.WaitStrategy = kube.HookOnlyStrategy
	install.Timeout = hookTimeout
	install.SkipCRDs = true
	install.Labels = rel.Labels
	install.PostRenderer = labeler(rel.Labels)
	// The API server checks the fields of what is applied; Helm would fetch the whole
	// OpenAPI document for that, tens of megabytes.
	install.DisableOpenAPIValidation = true
	return install
}

func newUninstall(cfg *action.Configuration) *action.Uninstall {
	uninstall := action.NewUninstall(cfg)
	uninstall.WaitStrategy = kube.HookOnlyStrategy
	uninstall.Timeout = hookTimeout
	uninstall.DeletionPropagation = "background"
	// The record names the hooks, and others may have written it: no object is made from it.
	uninstall.DisableHooks = true
	return uninstall
}

func lastRelease(cfg *action.Configuration, name string) (*release.Release, error) {
	last, err := cfg.Releases.Last(name)
	if err != nil {
		return nil, err
	}
	rel, ok := last.(*release.Release)
	if !ok {
		return nil, fmt.Errorf("a release of the unknown kind %T", last)
	}
	return rel, nil
}
