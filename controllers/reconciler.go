// Package controllers owns the BenchmarkRun's life: Reconcile observes (observe.go),
// decides (decide.go, pure), does one thing (a file for each step), and persists the
// status once.
//
// What always holds: an intent is in the status before it is carried out, every act is
// harmless when repeated, and the step is derived from objects and conditions.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/helm"
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
// +kubebuilder:rbac:groups="",resources=serviceaccounts,verbs=get;impersonate
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get;list
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch
// +kubebuilder:rbac:groups=chaos-mesh.org,resources=podchaos,verbs=create;delete;get;list;patch;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kvbench-system,resources=leases,verbs=create;delete;get;list;patch;update;watch
// +kubebuilder:rbac:groups="",namespace=kvbench-system,resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",namespace=kvbench-system,resources=secrets,resourceNames=kvbench-results-tls,verbs=get;update

// Results is what the controller needs of the results server.
type Results interface {
	EstimateClock(ctx context.Context, exchanges int) (bundle.Clock, error)
	Check(ctx context.Context, uid string, planJSON []byte) error
	Register(ctx context.Context, uid string, planJSON []byte) error
	Withdraw(ctx context.Context, uid string) error
	StartIn(ctx context.Context, uid, workload string, in time.Duration) (bundle.Start, error)
	PutFaults(ctx context.Context, uid string, lines []byte) error
	MakeReport(ctx context.Context, uid string) ([]byte, error)
}

// Releaser installs and removes Helm releases in one namespace, with the rights of one
// service account.
type Releaser interface {
	State(ctx context.Context, name string) (helm.State, error)
	Install(ctx context.Context, release helm.Release) error
	Uninstall(ctx context.Context, name string) error
}

// Sampler asks a run's observer for a fresh look at the members.
type Sampler func(ctx context.Context, podIP string) (*bundle.TopologyLine, error)

// Config is fixed for the life of the controller.
type Config struct {
	Namespace    string // of the operator
	LoadgenImage string
	// PullSecrets of that image, by name: they are looked for in the run's namespace.
	PullSecrets []corev1.LocalObjectReference
	ResultsURL  string // as the workers reach it
	ResultsCA   []byte // PEM
}

// Reconciler brings BenchmarkRuns to their end.
type Reconciler struct {
	client.Client
	Direct   client.Reader // past the cache
	Results  Results
	Releases func(namespace, serviceAccount string) (Releaser, client.Client, error)
	Charts   OwnCharts
	Sample   Sampler
	Recorder events.EventRecorder
	Config   Config

	time     serverTime
	memories memories
}

// accountOf is a client with the rights of the run's service account.
func (r *Reconciler) accountOf(run *v1alpha1.BenchmarkRun) (client.Client, error) {
	_, asAccount, err := r.Releases(run.Namespace, serviceAccount(run))
	return asAccount, err
}

// Reconcile does one pass.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (result ctrl.Result, err error) {
	run := &v1alpha1.BenchmarkRun{}
	if err := r.Get(ctx, request.NamespacedName, run); err != nil {
		if apierrors.IsNotFound(err) {
			r.memories.forget(request.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !controllerutil.ContainsFinalizer(run, finalizer) && run.DeletionTimestamp.IsZero() {
		return again(r.patchFinalizer(ctx, run, controllerutil.AddFinalizer))
	}
	if !controllerutil.ContainsFinalizer(run, finalizer) {
		return ctrl.Result{}, nil
	}
	before := run.DeepCopy()
	seen, err := r.observe(ctx, run, r.memories.recall(run, monotonic.Now()))
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observing the run: %w", err)
	}
	defer func() { r.memories.keep(run, seen.Memory) }()
	d, err := r.decided(ctx, seen)
	if err != nil {
		return ctrl.Result{}, err
	}
	log.FromContext(ctx).V(1).Info("decided", "verb", d.Verb, "workload", d.Workload, "fault", d.Fault, "reason", d.Reason, "message", d.Message)
	after, actErr := r.act(ctx, seen, d)
	if d.Verb == doRelease && (actErr == nil || apierrors.IsConflict(actErr)) {
		return again(actErr)
	}
	summarize(run)
	err = r.persist(ctx, before, run)
	if apierrors.IsConflict(err) && actErr == nil {
		return again(err)
	}
	if err := errors.Join(actErr, err); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// decided answers the questions of decide until it has decided.
func (r *Reconciler) decided(ctx context.Context, o *observed) (decision, error) {
	for {
		d := decide(o)
		if d.Verb != doAsk {
			return d, nil
		}
		if err := r.ask(ctx, o, d.Question); err != nil {
			return decision{}, err
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

// patchFinalizer changes the finalizers alone: an update would also write the spec as this
// version of its type reads it, which is a change of the spec. The lock keeps the
// finalizers of others.
func (r *Reconciler) patchFinalizer(ctx context.Context, run *v1alpha1.BenchmarkRun, change func(client.Object, string) bool) error {
	patch := client.MergeFromWithOptions(run.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if !change(run, finalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, run, patch))
}

// again looks once more, shortly, after a conflict: the run was read before a write, our own
// last one mostly, arrived in the cache. It isn't left to the event of that write, which may
// have been there before.
func again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: 50 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}
