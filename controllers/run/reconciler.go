// Package run owns the BenchmarkRun's life. A pass observes (observe), decides (decide, pure), does one
// thing (act), and persists the status once. Where a decision needs an answer, the pass observes that,
// and decides again; nothing decides after that.
//
// What always holds: an intent is in the status before it is carried out, every act is harmless when
// repeated, and the step is derived from objects and conditions.
package run

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/act"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/observe"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarkruns,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarkruns/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarkruns/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=create;delete;get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=create;delete;get;list;watch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=create;delete;get;list;watch
// +kubebuilder:rbac:groups="",resources=pods;services;persistentvolumeclaims,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get
// +kubebuilder:rbac:groups="",resources=serviceaccounts,verbs=get;impersonate
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get;list
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kvbench-system,resources=leases,verbs=create;delete;get;list;patch;update;watch
// +kubebuilder:rbac:groups="",namespace=kvbench-system,resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",namespace=kvbench-system,resources=secrets,resourceNames=kvbench-results-tls,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=kvbench-system,resources=configmaps,resourceNames=kvbench-results-ca,verbs=update

// Reconciler brings BenchmarkRuns to their end.
type Reconciler struct {
	clients.Set
	memories memories
}

func (r *Reconciler) reader() *observe.Reader {
	return &observe.Reader{Set: r.Set, FirstSeen: r.memories.firstSeen}
}

func (r *Reconciler) actor() *act.Actor { return &act.Actor{Set: r.Set} }

// Reconcile does one pass.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (result ctrl.Result, err error) {
	run := &v1alpha1.BenchmarkRun{}
	if err := r.Get(ctx, request.NamespacedName, run); err != nil {
		if apierrors.IsNotFound(err) {
			r.memories.forget(request.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// A run whose finalizer can't be written is seen as well: it must not hold up those behind it for ever.
	memory := r.memories.recall(run, monotonic.Now())
	if !controllerutil.ContainsFinalizer(run, names.Finalizer) && run.DeletionTimestamp.IsZero() {
		return requests.Again(r.actor().PatchFinalizer(ctx, run, controllerutil.AddFinalizer))
	}
	if !controllerutil.ContainsFinalizer(run, names.Finalizer) {
		return ctrl.Result{}, nil
	}
	before := run.DeepCopy()
	o, err := r.reader().Observe(ctx, run, memory)
	if o != nil {
		defer func() { r.memories.keep(run, o.Memory) }()
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observing the run: %w", err)
	}
	d, err := r.decided(ctx, o)
	if err != nil {
		return ctrl.Result{}, err
	}
	log.FromContext(ctx).V(1).Info("decided", "verb", d.Verb, "workload", d.Workload, "fault", d.Fault, "reason", d.Reason, "message", d.Message)
	after, actErr := r.actor().Act(ctx, o, d)
	if d.Verb == decide.DoRelease && (actErr == nil || apierrors.IsConflict(actErr)) {
		return requests.Again(actErr)
	}
	status.Summarize(run)
	err = r.persist(ctx, before, run)
	if apierrors.IsConflict(err) && actErr == nil {
		return requests.Again(err)
	}
	if err := errors.Join(actErr, err); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// decided answers the questions of decide until it has decided.
func (r *Reconciler) decided(ctx context.Context, o *state.Observed) (decide.Decision, error) {
	for {
		d := decide.Decide(o)
		if d.Verb != decide.DoAsk {
			return d, nil
		}
		if err := r.reader().Ask(ctx, o, d.Question); err != nil {
			return decide.Decision{}, err
		}
	}
}

// persist writes the status when it changed, and tells the events that follow from the
// change once it is written.
func (r *Reconciler) persist(ctx context.Context, before, run *v1alpha1.BenchmarkRun) error {
	if equality.Semantic.DeepEqual(before.Status, run.Status) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, run, patch); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.tell(before, run)
	return nil
}

// tell records what changed from one status to the next.
func (r *Reconciler) tell(before, after *v1alpha1.BenchmarkRun) {
	for _, e := range status.Story(before, after) {
		r.Recorder.Eventf(after, nil, e.Type, e.Reason, e.Action, "%s", message.Cut(e.Message, status.MaxNote))
	}
}
