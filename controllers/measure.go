package controllers

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// startIn is how far ahead the start is posted: every worker must hear of it at least
// 500 ms before, or the measurement is lost.
const startIn = 3 * time.Second

func (r *Reconciler) createJob(ctx context.Context, o *observed, d decision) error {
	w, ok := o.Plan.FindWorkload(d.Workload)
	if !ok {
		return fmt.Errorf("the plan has no workload %s: this is a bug", d.Workload)
	}
	ensureWorkload(o.Run, d.Workload)
	job := r.jobObject(o.Run, o.Plan, w, d.Role)
	err := r.Create(ctx, job)
	switch {
	case err == nil:
		created(o.Run, w, d.Role)
		return nil
	case apierrors.IsAlreadyExists(err):
		forgetTrouble(o.Run, w, stepOf(d.Role))
		return r.checkOwn(ctx, o, "Job", job, &batchv1.Job{})
	case refused(err):
		failing(o, fail("JobRefused", "the API server refused the Job %s of workload %s: %v", job.Name, w.Name, err))
		return nil
	}
	setWorkloadAnew(o.Run, decision{
		Workload: w.Name, Condition: stepOf(d.Role), Reason: reasonJobNotCreated,
		Message: fmt.Sprintf("the Job %s could not be created yet: %s", job.Name, stable(err)),
	}, metav1.ConditionUnknown)
	return fmt.Errorf("creating the Job %s: %w", job.Name, err)
}

func created(run *v1alpha1.BenchmarkRun, w *plan.Workload, role string) {
	forgetTrouble(run, w, stepOf(role))
	if role == roleWorker {
		arming(run, w)
	}
}

// forgetTrouble ends the note of attempts that failed: the deadline of the step's next Job
// must not count from them.
func forgetTrouble(run *v1alpha1.BenchmarkRun, w *plan.Workload, step string) {
	if c := workloadCondition(run, w.Name, step); c != nil && c.Reason == reasonJobNotCreated {
		meta.RemoveStatusCondition(&ensureWorkload(run, w.Name).Conditions, step)
	}
}

// arming notes when the workers were made, by the clock that their deadline is counted with:
// the API server's, which stamps the Job, may be another one.
func arming(run *v1alpha1.BenchmarkRun, w *plan.Workload) {
	meta.RemoveStatusCondition(&ensureWorkload(run, w.Name).Conditions, v1alpha1.ConditionArmed)
	setWorkload(run, decision{
		Workload: w.Name, Condition: v1alpha1.ConditionArmed, Reason: reasonArming,
		Message: fmt.Sprintf("waiting until %d workers are connected", w.Load.Workers),
	}, metav1.ConditionUnknown)
}

// checkOwn looks whether an object that exists already is this run's: the cache may not
// have shown it yet, or somebody took its name.
func (r *Reconciler) checkOwn(ctx context.Context, o *observed, kind string, wanted, existing client.Object) error {
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(wanted), existing); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !madeFor(o.Run, existing) {
		failing(o, fail(reasonNameTaken, "the %s %s exists and isn't this run's: delete it, and create the run again", kind, wanted.GetName()))
	}
	return nil
}

// refused says that the API server will not take the object, now or later: it is not
// valid, or a policy or a quota forbids it.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

// start posts the start time. The server keeps the first one, so that a repeated post
// changes nothing.
func (r *Reconciler) start(ctx context.Context, o *observed, workload string) error {
	started, err := r.Results.StartIn(ctx, string(o.Run.UID), workload, startIn)
	if err != nil {
		return notStarted(o, workload, fmt.Errorf("posting the start of workload %s: %w", workload, err))
	}
	status := ensureWorkload(o.Run, workload)
	status.StartedAtUnixNanos = started.StartUnixNanos
	meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionMeasured) // of attempts that failed
	r.time.begin()
	return nil
}

// progress notes how far the measurement is, where people would see a difference: each note is a
// write, and a row of kubectl get -w.
func (r *Reconciler) progress(o *observed, workload string) error {
	if o.ServerNow.IsZero() {
		return nil
	}
	w, _ := o.Plan.FindWorkload(workload)
	begin := time.Unix(0, findWorkload(o.Run, workload).StartedAtUnixNanos).Add(time.Duration(w.Load.WarmupMillis) * time.Millisecond)
	noted := o.Run.Status.Progress
	now := progressAt(w, o.ServerNow.Sub(begin))
	if noted == nil || noted.Workload != now.Workload || howFar(noted) != howFar(now) {
		o.Run.Status.Progress = now
	}
	return nil
}
