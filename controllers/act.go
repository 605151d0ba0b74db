package controllers

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// act does the one thing decided, writes what follows from it into the run's status (in
// memory), and says when to look again.
func (r *Reconciler) act(ctx context.Context, o *observed, d decision) (time.Duration, error) {
	switch d.Verb {
	case doNothing:
		return 0, nil
	case doWait:
		switch {
		case d.Workload != "":
			setWorkload(o.Run, d, metav1.ConditionUnknown)
		case d.Condition != "":
			setCondition(o.Run, d.Condition, metav1.ConditionUnknown, d.Reason, d.Message)
		}
		return d.After, nil
	case doAdmit:
		return r.admit(ctx, o)
	case doTakeSlot:
		return r.takeSlot(ctx, o)
	case doAccept:
		return 0, r.accept(ctx, o)
	case doInstall:
		return d.After, r.install(ctx, o)
	case doRepair:
		return time.Second, r.uninstall(ctx, o)
	case doStoreReady:
		setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionTrue, "Steady", d.Message)
		return 0, nil
	case doCreateJob:
		return 0, r.createJob(ctx, o, d)
	case doSetWorkload:
		if d.Condition == v1alpha1.ConditionMeasured {
			noteMeasured(o, d)
			return 0, nil
		}
		setWorkload(o.Run, d, unless(d.Reason == reasonNotHealed || d.Reason == reasonNotWhole))
		return d.After, nil
	case doStart:
		return 0, r.start(ctx, o, d.Workload)
	case doProgress:
		return d.After, r.progress(o, d.Workload)
	case doIntendFault, doInjectFault, doNoteInjected, doHealFault, doForceFault, doNoteHealed:
		return r.actOnFault(ctx, o, d)
	case doCollect:
		return r.collect(ctx, o)
	case doFail:
		boundFaults(o)
		failing(o, d)
		return 0, nil
	case doStopWorkers:
		return d.After, r.deleteJobs(ctx, o)
	case doTearDown:
		return d.After, r.tearDown(ctx, o)
	case doTidy:
		r.tidy(ctx, o)
		return d.After, nil
	case doNoteGone:
		setCondition(o.Run, v1alpha1.ConditionCleanedUp, unless(d.Reason == reasonTimedOut), d.Reason, d.Message)
		return 0, nil
	case doFinish:
		return 0, r.finish(ctx, o, d)
	case doRelease:
		return 0, r.letGo(ctx, o)
	}
	return 0, fmt.Errorf("no act for the decision %q: this is a bug", d.Verb)
}

// failing notes why the run fails, and what that means for its faults, so that the report can
// say so.
func failing(o *observed, d decision) {
	setCondition(o.Run, conditionFailing, metav1.ConditionTrue, d.Reason, d.Message)
	if o.Plan != nil {
		failFaults(o, d)
	}
}

// unless is True, unless it failed.
func unless(failed bool) metav1.ConditionStatus {
	if failed {
		return metav1.ConditionFalse
	}
	return metav1.ConditionTrue
}

func setWorkload(run *v1alpha1.BenchmarkRun, d decision, status metav1.ConditionStatus) {
	meta.SetStatusCondition(&ensureWorkload(run, d.Workload).Conditions, metav1.Condition{
		Type: d.Condition, Status: status, Reason: d.Reason, Message: cut(d.Message, 1024),
		ObservedGeneration: run.Generation, LastTransitionTime: stamp(),
	})
}

// setWorkloadAnew is setConditionAnew for a workload.
func setWorkloadAnew(run *v1alpha1.BenchmarkRun, d decision, status metav1.ConditionStatus) {
	if old := workloadCondition(run, d.Workload, d.Condition); old != nil && old.Reason != d.Reason {
		meta.RemoveStatusCondition(&ensureWorkload(run, d.Workload).Conditions, d.Condition)
	}
	setWorkload(run, d, status)
}

// finish gives the right to run back and sets the end: Complete, or Failed with the
// reason that was noted when it happened.
func (r *Reconciler) finish(ctx context.Context, o *observed, d decision) error {
	if err := r.giveSlot(ctx, o.Run); err != nil {
		return err
	}
	now := stamp()
	o.Run.Status.CompletionTime = &now
	if d.Condition == v1alpha1.ConditionComplete {
		setCondition(o.Run, v1alpha1.ConditionComplete, metav1.ConditionTrue, "Finished", completeMessage(o.Run))
		return nil
	}
	r.withdraw(ctx, o.Run)
	reason, message := "Failed", "the run failed"
	if noted := meta.FindStatusCondition(o.Run.Status.Conditions, conditionFailing); noted != nil {
		reason, message = noted.Reason, noted.Message
	}
	setCondition(o.Run, v1alpha1.ConditionFailed, metav1.ConditionTrue, reason, message)
	return nil
}

// completeMessage speaks of the spec alone, so that it is the same on each pass.
func completeMessage(run *v1alpha1.BenchmarkRun) string {
	return fmt.Sprintf("workloads measured: %d, faults injected: %d; the report is stored", len(run.Spec.Workloads), len(run.Spec.Faults))
}

// letGo removes the finalizer: the deleted run may go.
func (r *Reconciler) letGo(ctx context.Context, o *observed) error {
	if err := r.giveSlot(ctx, o.Run); err != nil {
		return err
	}
	r.withdraw(ctx, o.Run)
	if err := r.patchFinalizer(ctx, o.Run, controllerutil.RemoveFinalizer); err != nil {
		return err
	}
	r.tellLetGo(o)
	return nil
}

// withdrawPatience is for how long a run that is deleted waits for the results server, and others
// with it.
const withdrawPatience = 500 * time.Millisecond

// withdraw tells the results server of a run that ends before it was begun: its place is another
// one's. Where it can't be told, it forgets the run by itself, later.
func (r *Reconciler) withdraw(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	if !toReport(run) {
		return
	}
	soon, cancel := context.WithTimeout(ctx, withdrawPatience)
	defer cancel()
	if err := r.Results.Withdraw(soon, string(run.UID)); err != nil {
		log.FromContext(ctx).Info("the results server wasn't told that the run was deleted, and keeps its place", "trouble", err.Error())
	}
}
