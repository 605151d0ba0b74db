package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/plan"
)

// sampleTimeout bounds the observer's answer at injection time.
const sampleTimeout = 2 * time.Second

func (r *Reconciler) actOnFault(ctx context.Context, o *observed, d decision) (time.Duration, error) {
	switch d.Verb {
	case doHealFault:
		status := ensureFault(o.Run, d.Fault)
		err := r.deleteFault(ctx, o, d.Fault)
		// What else was said, of why it wasn't injected or not given its time, stays.
		if status.Message == "" || status.Reason == v1alpha1.FaultNotDeleted {
			say(status, "", "")
			if err != nil {
				say(status, v1alpha1.FaultNotDeleted, "the fault's object could not be deleted: "+stable(err))
			}
		}
		if err != nil {
			return time.Second, nil
		}
		return 0, nil
	case doForceFault:
		message := "Chaos Mesh did not let go of the fault's object, which was removed by force"
		if err := r.forceFault(ctx, o, d.Fault); err != nil {
			message = "Chaos Mesh did not let go of the fault's object, and force did not help: " + stable(err)
		}
		say(ensureFault(o.Run, d.Fault), "", message)
		return time.Second, nil
	case doNoteHealed:
		status := ensureFault(o.Run, d.Fault)
		status.State = v1alpha1.FaultHealed
		// The object is gone: a refusal is no longer so. The note that the deletion worked may
		// have been lost on the way to the API server, with the deletion done.
		if status.Reason == v1alpha1.FaultNotDeleted {
			say(status, "", "")
		}
		return 0, nil
	}
	fault, ok := findPlanned(o.Plan, d.Fault)
	builder, known := chaosmesh.BuilderOf(fault.Action)
	if !ok || !known {
		return 0, fmt.Errorf("the plan has no fault %s of a known action: this is a bug", d.Fault)
	}
	switch d.Verb {
	case doIntendFault:
		return r.intend(ctx, o, d, fault, builder)
	case doInjectFault:
		status := ensureFault(o.Run, fault.Name)
		if !isMember(o.Plan, status.Target) {
			say(status, "", "the target that is noted is no member of the store")
			return time.Second, nil
		}
		object := builder.Object(chaosmesh.Injection{
			Meta: metav1.ObjectMeta{
				Name: faultName(runID(o.Run), fault.Name), Namespace: o.Run.Namespace,
				Labels: runLabels(o.Run, roleFault), OwnerReferences: ownedBy(o.Run),
			},
			Pod: status.Target, Container: o.Plan.Store.Container,
		})
		if err := r.createFault(ctx, o.Run, builder, object); err != nil {
			// The reason goes into the status: past its deadline the run fails with it.
			say(status, v1alpha1.FaultNotMade, "the fault's object could not be made: "+err.Error())
			return time.Second, nil
		}
		return 0, nil
	default:
		return 0, r.noteInjected(o, fault)
	}
}

// say notes what is wrong with a fault; an empty message takes back what was noted.
func say(status *v1alpha1.FaultStatus, reason, message string) {
	status.Reason, status.Message = reason, cut(message, 1024)
}

// createFault makes the fault's object, unless it exists and the cache doesn't show it yet.
func (r *Reconciler) createFault(ctx context.Context, run *v1alpha1.BenchmarkRun, builder chaosmesh.Builder, object client.Object) error {
	err := r.Create(ctx, object)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	existing := builder.New()
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(object), existing); err != nil {
		return err
	}
	if !madeFor(run, existing) {
		return fmt.Errorf("the object %s exists and isn't this run's: delete it", object.GetName())
	}
	return nil
}

// intend notes the target that was chosen. The object is made in the next pass, when the note is kept.
func (r *Reconciler) intend(ctx context.Context, o *observed, d decision, fault plan.Fault, builder chaosmesh.Builder) (time.Duration, error) {
	status := ensureFault(o.Run, fault.Name)
	if status.Target != "" {
		made, err := r.madeAlready(ctx, o.Run, builder, fault.Name)
		if err != nil {
			say(status, "", "nobody can say whether the fault was made for its last target: "+stable(err))
		}
		if made || err != nil {
			return time.Second, nil
		}
	}
	status.State = v1alpha1.FaultIntended
	if status.RequestedUnixNanos == 0 {
		status.RequestedUnixNanos = o.ServerNow.UnixNano()
	}
	if d.Target == "" {
		say(status, "", d.Message)
		return 200 * time.Millisecond, nil
	}
	if err := r.recheckTarget(ctx, o, fault, d.Target); err != nil {
		say(status, "", err.Error())
		return time.Second, nil
	}
	now, bound, err := r.time.now(r.Results)
	if err != nil {
		return 0, err
	}
	line := o.Asked.Sample.Line
	status.ClockBoundNanos = bound.Nanoseconds()
	status.Target, status.TermBefore = d.Target, int64(line.Term)
	status.LeaderBefore = ""
	if isMember(o.Plan, line.Leader) {
		status.LeaderBefore = line.Leader
	}
	status.InjectedAfterUnixNanos = now.UnixNano()
	if status.Reason != v1alpha1.FaultNotMade {
		say(status, "", "")
	}
	return 0, nil
}

func (r *Reconciler) noteInjected(o *observed, fault plan.Fault) error {
	now, bound, err := r.time.now(r.Results)
	if err != nil {
		return err
	}
	w, _ := o.Plan.FindWorkload(fault.Workload)
	due := faultDue(w, fault, findWorkload(o.Run, fault.Workload).StartedAtUnixNanos)
	status := ensureFault(o.Run, fault.Name)
	status.State = v1alpha1.FaultInjected
	say(status, "", "")
	status.InjectedBeforeUnixNanos = now.UnixNano()
	status.ClockBoundNanos = max(status.ClockBoundNanos, bound.Nanoseconds())
	status.Late = status.InjectedAfterUnixNanos-due.UnixNano() > int64(lateMark)
	return nil
}

func (r *Reconciler) sample(ctx context.Context, o *observed) (*bundle.TopologyLine, error) {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(o.Run.Namespace), client.MatchingLabels(runLabels(o.Run, roleObserver))); err != nil {
		return nil, err
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; pod.Status.PodIP != "" && pod.Status.Phase != corev1.PodFailed && pod.DeletionTimestamp.IsZero() {
			ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
			defer cancel()
			return r.Sample(ctx, pod.Status.PodIP)
		}
	}
	return nil, fmt.Errorf("no observer pod is running")
}

// madeAlready looks past the cache for a fault's object: its target was chosen, and stays.
func (r *Reconciler) madeAlready(ctx context.Context, run *v1alpha1.BenchmarkRun, builder chaosmesh.Builder, fault string) (bool, error) {
	object := builder.New()
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: faultName(runID(run), fault)}, object)
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return madeFor(run, object), nil
}

func findPlanned(p *plan.Plan, name string) (plan.Fault, bool) {
	if p == nil {
		return plan.Fault{}, false
	}
	for _, fault := range p.Faults {
		if fault.Name == name {
			return fault, true
		}
	}
	return plan.Fault{}, false
}

// deleteFault deletes the fault's object, which heals it, and notes where that is refused.
func (r *Reconciler) deleteFault(ctx context.Context, o *observed, name string) error {
	for _, kind := range faults.Names() {
		builder, _ := chaosmesh.BuilderOf(kind)
		object := builder.New()
		object.SetNamespace(o.Run.Namespace)
		object.SetName(faultName(runID(o.Run), name))
		if err := r.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			o.Memory.refused(name, o.Faults[name].UID, o.Now)
			return fmt.Errorf("healing fault %s: %w", name, err)
		}
	}
	return nil
}

// forceFault removes an object that Chaos Mesh holds on to: it is asked to skip its own
// cleaning, and where it is gone itself, its finalizers are taken away. The faults that
// there are end with their injection, so nothing of them stays behind.
func (r *Reconciler) forceFault(ctx context.Context, o *observed, name string) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"chaos-mesh.chaos-mesh.org/cleanFinalizer":"forced"},"finalizers":null}}`))
	for _, kind := range faults.Names() {
		builder, _ := chaosmesh.BuilderOf(kind)
		object := builder.New()
		object.SetNamespace(o.Run.Namespace)
		object.SetName(faultName(runID(o.Run), name))
		if err := r.Patch(ctx, object, patch); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("removing the object of fault %s by force: %w", name, err)
		}
	}
	return nil
}
