package controllers

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
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
	"github.com/kvbench/kvbench/internal/stores"
)

// notDeleted begins the message of a fault whose object is still there.
const notDeleted = "the fault's object could not be deleted: "

// notMade begins the message of a fault whose object isn't there yet.
const notMade = "the fault's object could not be made: "

// sampleTimeout bounds the observer's answer at injection time.
const sampleTimeout = 2 * time.Second

func (r *Reconciler) actOnFault(ctx context.Context, o *observed, d decision) (time.Duration, error) {
	switch d.Verb {
	case doHealFault:
		status := ensureFault(o.Run, d.Fault)
		err := r.deleteFault(ctx, o, d.Fault)
		// What else was said, of why it wasn't injected or not given its time, stays.
		if status.Message == "" || strings.HasPrefix(status.Message, notDeleted) {
			status.Message = ""
			if err != nil {
				status.Message = cut(notDeleted+stable(err), 1024)
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
		ensureFault(o.Run, d.Fault).Message = cut(message, 1024)
		return time.Second, nil
	case doNoteHealed:
		status := ensureFault(o.Run, d.Fault)
		status.State = v1alpha1.FaultHealed
		// The object is gone: a refusal is no longer so. The note that the deletion worked may
		// have been lost on the way to the API server, with the deletion done.
		if strings.HasPrefix(status.Message, notDeleted) {
			status.Message = ""
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
		return r.intend(ctx, o, fault, builder)
	case doInjectFault:
		status := ensureFault(o.Run, fault.Name)
		if !isMember(o.Plan, status.Target) {
			status.Message = "the target that is noted is no member of the store"
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
			status.Message = cut(notMade+err.Error(), 1024)
			return time.Second, nil
		}
		return 0, nil
	default:
		return 0, r.noteInjected(o, fault)
	}
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

// intend asks the observer who is who now, chooses the target, and notes it. The object
// is made on the next pass, when the note is kept.
func (r *Reconciler) intend(ctx context.Context, o *observed, fault plan.Fault, builder chaosmesh.Builder) (time.Duration, error) {
	status := ensureFault(o.Run, fault.Name)
	if status.Target != "" {
		made, err := r.madeAlready(ctx, o.Run, builder, fault.Name)
		if err != nil {
			status.Message = cut("nobody can say whether the fault was made for its last target: "+stable(err), 1024)
		}
		if made || err != nil {
			return time.Second, nil
		}
	}
	status.State = v1alpha1.FaultIntended
	if status.RequestedUnixNanos == 0 {
		status.RequestedUnixNanos = o.ServerNow.UnixNano()
	}
	line, err := r.sample(ctx, o)
	if err != nil {
		status.Message = cut("the observer gave no fresh look at the members: "+err.Error(), 1024)
		return 200 * time.Millisecond, nil
	}
	target, err := chooseTarget(o.Plan, fault, line)
	if err != nil {
		status.Message = cut(err.Error(), 1024)
		return 200 * time.Millisecond, nil
	}
	if err := r.recheckTarget(ctx, o, fault, target); err != nil {
		status.Message = cut(err.Error(), 1024)
		return time.Second, nil
	}
	now, bound, err := r.time.now(r.Results)
	if err != nil {
		return 0, err
	}
	status.ClockBoundNanos = bound.Nanoseconds()
	status.Target, status.TermBefore = target, int64(line.Term)
	status.LeaderBefore = ""
	if isMember(o.Plan, line.Leader) {
		status.LeaderBefore = line.Leader
	}
	status.InjectedAfterUnixNanos = now.UnixNano()
	if !strings.HasPrefix(status.Message, notMade) {
		status.Message = ""
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
	status.State, status.Message = v1alpha1.FaultInjected, ""
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

// chooseTarget resolves a fault's target on a fresh sample. Only members of the plan are
// ever chosen, whatever the sample names.
func chooseTarget(p *plan.Plan, fault plan.Fault, line *bundle.TopologyLine) (string, error) {
	if fault.Target.Member != nil {
		if index := *fault.Target.Member; index >= 0 && index < len(p.Store.Members) {
			return p.Store.Members[index].Name, nil
		}
		return "", fmt.Errorf("there is no member %d", *fault.Target.Member)
	}
	roles := map[string]stores.MemberState{}
	for _, state := range line.Members {
		roles[state.Name] = state
	}
	var fitting []string
	for _, member := range p.Store.Members {
		state := roles[member.Name]
		switch {
		case fault.Target.Role == plan.RoleLeader && member.Name != line.Leader:
		case fault.Target.Role == plan.RoleFollower && (state.Role != stores.MemberFollower || !state.Healthy):
		default:
			fitting = append(fitting, member.Name)
		}
	}
	if len(fitting) == 0 {
		return "", fmt.Errorf("no member has the role %s now", fault.Target.Role)
	}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%d/%s", p.Seed, fault.Name)
	return fitting[hash.Sum64()%uint64(len(fitting))], nil
}

func isMember(p *plan.Plan, name string) bool {
	return slices.ContainsFunc(p.Store.Members, func(m plan.Member) bool { return m.Name == name })
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
