// Package suite owns the BenchmarkSuite's life. A pass observes the runs, decides (decide, pure), makes one run at most, and
// writes the status once. What was done follows from the runs that exist, so a pass that was killed is made again.
package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/suite"
)

// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarksuites,verbs=get;list;watch
// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarksuites/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarksuites/finalizers,verbs=update
// +kubebuilder:rbac:groups=kvbench.io,resources=benchmarkruns,verbs=create

// lookAgain is the pause before a suite that is hindered looks whether it still is.
const lookAgain = 10 * time.Second

// Reconciler brings BenchmarkSuites to their end.
type Reconciler struct {
	client.Client
	Recorder events.EventRecorder
	Results  Results
	// AccountOf gives a client with the rights of a run's service account.
	AccountOf  func(*v1alpha1.BenchmarkRun) (client.Client, error)
	ResultsURL string
	memories   memories
}

// SetupWithManager starts the controller with its watches.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.BenchmarkSuite{}).
		Owns(&v1alpha1.BenchmarkRun{}, builder.WithPredicates(newsOfRuns())).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4, RateLimiter: requests.Backoff()}).
		Complete(r)
}

// Reconcile does one pass.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	of := &v1alpha1.BenchmarkSuite{}
	if err := r.Get(ctx, request.NamespacedName, of); err != nil {
		if apierrors.IsNotFound(err) {
			r.memories.forget(request.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// The garbage collector takes the runs, and each cleans up behind itself.
	if of.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	before := of.DeepCopy()
	if holds(of, v1alpha1.ConditionFailed) {
		if of.Status.ObservedGeneration == of.Generation {
			return ctrl.Result{}, nil
		}
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionFailed) // it may have too many trials no more
	}
	again, passErr := r.pass(ctx, of)
	err := r.persist(ctx, before, of)
	if apierrors.IsConflict(err) && passErr == nil {
		return requests.Again(err)
	}
	return ctrl.Result{RequeueAfter: again}, errors.Join(passErr, err)
}

func (r *Reconciler) pass(ctx context.Context, of *v1alpha1.BenchmarkSuite) (again time.Duration, err error) {
	digest, err := suite.Digest(&of.Spec)
	if err != nil {
		return 0, err
	}
	combinations, problems := suite.Expand(&of.Spec)
	if !holds(of, v1alpha1.ConditionAccepted) {
		hindered, err := r.admit(ctx, of, combinations, problems)
		if err != nil {
			return 0, err
		}
		if hindered != "" {
			again = lookAgain
		}
		if hindered != "" || holds(of, v1alpha1.ConditionFailed) {
			summarize(of, decide.Decision{}, nil, message.StableText(hindered))
			return again, nil
		}
		of.Status.SpecSHA256 = digest
	}
	switch {
	case of.Status.SpecSHA256 != digest:
		return stop(of, "its template, axes, exclusions, comparison, seed or retries are others than those that it was accepted with: put them back, or create another suite")
	case isOver(of):
		of.Status.ObservedGeneration = of.Generation
		for i := range of.Status.Conditions { // what they say is true of this generation too
			of.Status.Conditions[i].ObservedGeneration = of.Generation
		}
		if waitsToBeKept(of) {
			return r.keepNow(ctx, of), nil
		}
		return 0, nil
	case len(problems) > 0: // there are too many trials by now
		return stop(of, problems.String())
	}
	if holds(of, v1alpha1.ConditionComplete) { // there are other trials than then
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionComplete)
		of.Status.CompletionTime = nil
		noteUnjudged(of)
		summarize(of, decide.Decision{Verb: decide.Wait}, nil, "")
	}
	if !suite.SearchIsOver(of) {
		return r.search(ctx, of, combinations)
	}
	state, err := r.observe(ctx, of, combinations)
	if err != nil {
		return 0, err
	}
	d, progress := decide.Decide(state)
	log.FromContext(ctx).V(1).Info("decided", "verb", d.Verb, "run", d.Name)
	if next, further := suite.NextLook(of); d.Verb == decide.Finish && further {
		enough, err := r.knowsEnough(ctx, state, &progress)
		if err != nil || !enough {
			return goOn(state, &progress, next, err)
		}
	}
	hindered, err := r.act(ctx, state, d, &progress)
	if err != nil {
		return 0, err
	}
	if d.Verb == decide.Finish && hindered == "" {
		hindered, again = r.conclude(ctx, state, emptyOf(state, &progress))
	}
	if hindered != "" {
		d.Verb, again = decide.Blocked, lookAgain
	}
	note(of, state, d, &progress)
	summarize(of, d, emptyOf(state, &progress), message.StableText(hindered))
	return again, nil
}

// conclude judges a suite that has ended, and has its figures kept.
func (r *Reconciler) conclude(ctx context.Context, state *decide.State, empty []string) (hindered string, again time.Duration) {
	of := state.Suite
	lost, err := r.lostBaselines(ctx, of)
	if err != nil {
		return err.Error(), 0
	}
	verdict, err := r.verdict(ctx, of)
	if err != nil {
		return err.Error(), 0
	}
	notePassed(of, verdict)
	if len(lost) > 0 && hasObjectives(of) {
		noteLostBaselines(of, lost)
	}
	return "", r.keep(ctx, of, empty, state.Adoption)
}

// goOn plans the trials up to the next look, unless nobody could look: then it says why not.
func goOn(state *decide.State, progress *decide.Progress, next int, err error) (time.Duration, error) {
	of := state.Suite
	d, hindered, again := decide.Decision{Verb: decide.Wait}, "", time.Millisecond
	if err != nil {
		d.Verb, hindered, again = decide.Blocked, message.StableText(err.Error()), lookAgain
	} else {
		of.Status.Blocks = int32(next)
	}
	note(of, state, d, progress)
	summarize(of, d, emptyOf(state, progress), hindered)
	return again, nil
}

// stop begins no further run, and says why.
func stop(of *v1alpha1.BenchmarkSuite, why string) (time.Duration, error) {
	meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionComplete)
	of.Status.CompletionTime = nil
	noteUnjudged(of)
	summarize(of, decide.Decision{Verb: decide.Blocked}, nil, why)
	return 0, nil
}

// isOver says that the suite was complete with as many trials as it has now. It stays so when its runs are deleted.
func isOver(of *v1alpha1.BenchmarkSuite) bool {
	return holds(of, v1alpha1.ConditionComplete) && of.Status.Runs != nil && int(of.Status.Runs.Total) == suite.Measured(of)*suite.Blocks(of)
}

// act tells the results server how far the suite is, and makes the run that was decided. It returns what is in the way of
// the next run, if something is.
func (r *Reconciler) act(ctx context.Context, state *decide.State, d decide.Decision, progress *decide.Progress) (hindered string, err error) {
	of := state.Suite
	if err := r.tellResults(ctx, client.ObjectKeyFromObject(of), state, progress, d.Verb == decide.Finish); err != nil {
		if d.Verb == decide.Wait {
			return "", err // a run goes on, and this is tried again
		}
		// A run that the server doesn't know of as the suite's may be forgotten there.
		return err.Error(), nil
	}
	of.Status.Report = r.reference(of)
	switch d.Verb {
	case decide.Create:
		run := runOf(of, d.Name, state.Combinations, &d.Turn, state.Seed)
		err := r.Create(ctx, run)
		switch {
		case requests.Refused(err):
			return fmt.Sprintf("the API server refused the BenchmarkRun %s: %v", d.Name, err), nil
		case client.IgnoreAlreadyExists(err) != nil: // what exists is seen by the next pass
			return "", fmt.Errorf("creating the run %s: %w", d.Name, err)
		}
	case decide.Blocked:
		return taken(state, d.Name), nil
	}
	return "", nil
}

// taken says what has the name of a run. It may be one of an earlier suite of this name, which the API server is about to remove.
func taken(state *decide.State, name string) string {
	if state.Runs[name].Leaving {
		return fmt.Sprintf("the BenchmarkRun %s of somebody else is being deleted: the suite goes on when it is gone", name)
	}
	return fmt.Sprintf("the BenchmarkRun %s exists and isn't this suite's, or has another spec than the suite wants: delete it, and the suite goes on", name)
}

// persist writes the status when it changed, and tells of its end.
func (r *Reconciler) persist(ctx context.Context, before, of *v1alpha1.BenchmarkSuite) error {
	if equality.Semantic.DeepEqual(before.Status, of.Status) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, of, patch); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.tell(before, of)
	return nil
}

// tell records what changed from one status to the next.
func (r *Reconciler) tell(before, after *v1alpha1.BenchmarkSuite) {
	if before.Status.Phase == after.Status.Phase {
		return
	}
	kind := corev1.EventTypeNormal
	if holds(after, v1alpha1.ConditionStalled) {
		kind = corev1.EventTypeWarning
	}
	ready := readyOf(after)
	r.Recorder.Eventf(after, nil, kind, ready.Reason, "Suite", "%s", message.Cut(ready.Message, maxEvent))
}
