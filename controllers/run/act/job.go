package act

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

func (r *Actor) createJob(ctx context.Context, o *state.Observed, d decide.Decision) error {
	w, ok := o.Plan.FindWorkload(d.Workload)
	if !ok {
		return fmt.Errorf("the plan has no workload %s: this is a bug", d.Workload)
	}
	status.EnsureWorkload(o.Run, d.Workload)
	job := r.objects().Job(o.Run, o.Plan, w, d.Role)
	err := r.Create(ctx, job)
	switch {
	case err == nil:
		created(o.Run, w, d.Role)
		return nil
	case apierrors.IsAlreadyExists(err):
		forgetTrouble(o.Run, w, decide.StepOf(d.Role))
		return r.checkOwn(ctx, o, "Job", job, &batchv1.Job{})
	case requests.Refused(err):
		failing(o, decide.Fail("JobRefused", "the API server refused the Job %s of workload %s: %v", job.Name, w.Name, err))
		return nil
	}
	setWorkloadAnew(o.Run, decide.Decision{
		Workload: w.Name, Condition: decide.StepOf(d.Role), Reason: status.ReasonJobNotCreated,
		Message: fmt.Sprintf("the Job %s could not be created yet: %s", job.Name, message.Stable(err)),
	}, metav1.ConditionUnknown)
	return fmt.Errorf("creating the Job %s: %w", job.Name, err)
}

func created(run *v1alpha1.BenchmarkRun, w *plan.Workload, role string) {
	forgetTrouble(run, w, decide.StepOf(role))
	if role == names.RoleWorker {
		arming(run, w)
	}
}

// forgetTrouble ends the note of attempts that failed: the deadline of the step's next Job
// must not count from them.
func forgetTrouble(run *v1alpha1.BenchmarkRun, w *plan.Workload, step string) {
	if c := status.WorkloadCondition(run, w.Name, step); c != nil && c.Reason == status.ReasonJobNotCreated {
		meta.RemoveStatusCondition(&status.EnsureWorkload(run, w.Name).Conditions, step)
	}
}

// arming notes when the workers were made, by the clock that their deadline is counted with:
// the API server's, which stamps the Job, may be another one.
func arming(run *v1alpha1.BenchmarkRun, w *plan.Workload) {
	meta.RemoveStatusCondition(&status.EnsureWorkload(run, w.Name).Conditions, v1alpha1.ConditionArmed)
	setWorkload(run, decide.Decision{
		Workload: w.Name, Condition: v1alpha1.ConditionArmed, Reason: status.ReasonArming,
		Message: fmt.Sprintf("waiting until %d workers are connected", w.Load.Workers),
	}, metav1.ConditionUnknown)
}

// checkOwn looks whether an object that exists already is this run's: the cache may not
// have shown it yet, or somebody took its name.
func (r *Actor) checkOwn(ctx context.Context, o *state.Observed, kind string, wanted, existing client.Object) error {
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(wanted), existing); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !names.MadeFor(o.Run, existing) {
		failing(o, decide.Fail(status.ReasonNameTaken, "the %s %s exists and isn't this run's: delete it, and create the run again", kind, wanted.GetName()))
	}
	return nil
}
