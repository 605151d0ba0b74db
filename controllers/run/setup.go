package run

import (
	"context"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/observe"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// SetupWithManager starts the controller with its watches.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	toRun := handler.EnqueueRequestsFromMapFunc(r.runOf)
	definition := &metav1.PartialObjectMetadata{}
	definition.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	faultWatch := &lateWatch{cache: manager.GetCache(), toRun: toRun, watched: map[string]bool{}}
	built, err := ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.BenchmarkRun{}).
		Watches(&corev1.Pod{}, toRun).
		Watches(&batchv1.Job{}, toRun).
		Watches(&appsv1.Deployment{}, toRun).
		Watches(&appsv1.StatefulSet{}, toRun).
		Watches(&corev1.ConfigMap{}, toRun).
		Watches(&corev1.PersistentVolumeClaim{}, toRun).
		Watches(&coordinationv1.Lease{}, handler.EnqueueRequestsFromMapFunc(r.nextInQueue)).
		Watches(&v1alpha1.BenchmarkRun{}, handler.EnqueueRequestsFromMapFunc(r.nextInQueue)).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, handler.EnqueueRequestsFromMapFunc(faultWatch.onDefinition)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4, RateLimiter: requests.Backoff()}).
		Build(r)
	faultWatch.controller = built
	return err
}

// runOf maps an object of a run to the run.
func (r *Reconciler) runOf(ctx context.Context, object client.Object) []reconcile.Request {
	uid := object.GetLabels()[names.LabelUID]
	if uid == "" {
		return nil
	}
	for _, owner := range object.GetOwnerReferences() {
		if string(owner.UID) == uid {
			return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: owner.Name}}}
		}
	}
	runs := &v1alpha1.BenchmarkRunList{}
	if err := r.List(ctx, runs, client.InNamespace(object.GetNamespace())); err != nil {
		return nil
	}
	for i := range runs.Items {
		if string(runs.Items[i].UID) == uid {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(&runs.Items[i])}}
		}
	}
	return nil
}

// nextInQueue wakes the run that waits longest, when the slot or a run changed.
func (r *Reconciler) nextInQueue(ctx context.Context, _ client.Object) []reconcile.Request {
	runs := &v1alpha1.BenchmarkRunList{}
	if err := r.List(ctx, runs); err != nil {
		return nil
	}
	var next *v1alpha1.BenchmarkRun
	now := monotonic.Now()
	for i := range runs.Items {
		run := &runs.Items[i]
		if r.reader().Counts(run, now) && (next == nil || observe.Earlier(run, next)) {
			next = run
		}
	}
	if next == nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(next)}}
}

// lateWatch adds the watch on each kind of faults once its definition is there: a watch on a definition that is
// missing would end the manager.
type lateWatch struct {
	cache      cache.Cache
	toRun      handler.EventHandler
	controller controller.Controller

	mu      sync.Mutex
	watched map[string]bool // by definition
}

func (l *lateWatch) onDefinition(ctx context.Context, object client.Object) []reconcile.Request {
	i := slices.IndexFunc(chaosmesh.Kinds(), func(kind chaosmesh.Kind) bool { return kind.Definition == object.GetName() })
	if i < 0 || l.controller == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	kind := chaosmesh.Kinds()[i]
	if l.watched[kind.Definition] {
		return nil
	}
	l.watched[kind.Definition] = true
	// Not on this event's own way: while the controller starts, it waits for its first
	// events, and a new watch waits for the controller.
	go func() {
		if err := l.controller.Watch(source.Kind(l.cache, kind.New(), l.toRun)); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "watching Chaos Mesh's objects", "kind", kind.Name)
		}
	}()
	return nil
}
