package act

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/plan"
)

func (r *Actor) actOnFault(ctx context.Context, o *state.Observed, d decide.Decision) (time.Duration, error) {
	switch d.Verb {
	case decide.DoHealFault:
		noted := status.EnsureFault(o.Run, d.Fault)
		err := r.deleteFault(ctx, o, d.Fault)
		// What else was said, of why it wasn't injected or not given its time, stays.
		if noted.Message == "" || noted.Reason == v1alpha1.FaultNotDeleted {
			say(noted, "", "")
			if err != nil {
				say(noted, v1alpha1.FaultNotDeleted, "the fault's object could not be deleted: "+message.Stable(err))
			}
		}
		if err != nil {
			return time.Second, nil
		}
		return 0, nil
	case decide.DoForceFault:
		text := "Chaos Mesh did not let go of the fault's object, which was removed by force"
		if err := r.forceFault(ctx, o, d.Fault); err != nil {
			text = "Chaos Mesh did not let go of the fault's object, and force did not help: " + message.Stable(err)
		}
		say(status.EnsureFault(o.Run, d.Fault), "", text)
		return time.Second, nil
	case decide.DoNoteHealed:
		noted := status.EnsureFault(o.Run, d.Fault)
		noted.State = v1alpha1.FaultHealed
		// The object is gone: a refusal is no longer so. The note that the deletion worked may
		// have been lost on the way to the API server, with the deletion done.
		if noted.Reason == v1alpha1.FaultNotDeleted {
			say(noted, "", "")
		}
		return 0, nil
	}
	fault, ok := decide.FindPlanned(o.Plan, d.Fault)
	builder, known := chaosmesh.BuilderOf(fault.Action)
	if !ok || !known {
		return 0, fmt.Errorf("the plan has no fault %s of a known action: this is a bug", d.Fault)
	}
	switch d.Verb {
	case decide.DoIntendFault:
		return r.intend(ctx, o, d, fault, builder)
	case decide.DoInjectFault:
		noted := status.EnsureFault(o.Run, fault.Name)
		if !decide.IsMember(o.Plan, noted.Target) {
			say(noted, "", "the target that is noted is no member of the store")
			return time.Second, nil
		}
		now, bound, err := r.Clock.Now(r.Results)
		if err != nil {
			return 0, err
		}
		object := builder.Object(chaosmesh.Injection{
			Meta: metav1.ObjectMeta{
				Name: names.FaultName(names.RunID(o.Run), fault.Name), Namespace: o.Run.Namespace,
				Labels: names.RunLabels(o.Run, names.RoleFault), OwnerReferences: names.OwnedBy(o.Run),
			},
			Pod: noted.Target, Container: o.Plan.Store.Container,
			Asked: chaosmesh.Asked{After: now, Bound: bound},
		})
		if err := r.createFault(ctx, o.Run, builder, object); err != nil {
			// The reason goes into the status: past its deadline the run fails with it.
			say(noted, v1alpha1.FaultNotMade, "the fault's object could not be made: "+err.Error())
			return time.Second, nil
		}
		return 0, nil
	default:
		return 0, r.noteInjected(o, fault)
	}
}

// say notes what is wrong with a fault; an empty message takes back what was noted.
func say(status *v1alpha1.FaultStatus, reason, text string) {
	status.Reason, status.Message = reason, message.Cut(text, 1024)
}

// intend notes the target that was chosen. The object is made in the next pass, when the note is kept.
func (r *Actor) intend(ctx context.Context, o *state.Observed, d decide.Decision, fault plan.Fault, builder chaosmesh.Builder) (time.Duration, error) {
	noted := status.EnsureFault(o.Run, fault.Name)
	if noted.Target != "" {
		made, err := r.madeAlready(ctx, o.Run, builder, fault.Name)
		if err != nil {
			say(noted, "", "nobody can say whether the fault was made for its last target: "+message.Stable(err))
		}
		if made || err != nil {
			return time.Second, nil
		}
	}
	noted.State = v1alpha1.FaultIntended
	if noted.RequestedUnixNanos == 0 {
		noted.RequestedUnixNanos = o.ServerNow.UnixNano()
	}
	if d.Target == "" {
		say(noted, "", d.Message)
		return 200 * time.Millisecond, nil
	}
	if err := r.checker().RecheckTarget(ctx, o, fault, d.Target); err != nil {
		say(noted, "", err.Error())
		return time.Second, nil
	}
	now, bound, err := r.Clock.Now(r.Results)
	if err != nil {
		return 0, err
	}
	line := o.Asked.Sample.Line
	noted.ClockBoundNanos = bound.Nanoseconds()
	noted.Target, noted.TermBefore = d.Target, int64(line.Term)
	noted.LeaderBefore = ""
	if decide.IsMember(o.Plan, line.Leader) {
		noted.LeaderBefore = line.Leader
	}
	noted.InjectedAfterUnixNanos = now.UnixNano()
	if noted.Reason != v1alpha1.FaultNotMade {
		say(noted, "", "")
	}
	return 0, nil
}

// narrow begins the injection's bracket when the object was asked for, as the object tells. The intent was
// noted a while before. What the object tells counts only within the bracket that is known without it.
func narrow(noted *v1alpha1.FaultStatus, object faults.State) {
	asked := object.AskedAfter.UnixNano()
	if object.AskedAfter.IsZero() || asked < noted.InjectedAfterUnixNanos || asked > noted.InjectedBeforeUnixNanos {
		return
	}
	noted.InjectedAfterUnixNanos = asked
	noted.ClockBoundNanos = max(noted.ClockBoundNanos, object.ClockBound.Nanoseconds())
}

func (r *Actor) noteInjected(o *state.Observed, fault plan.Fault) error {
	now, bound, err := r.Clock.Now(r.Results)
	if err != nil {
		return err
	}
	w, _ := o.Plan.FindWorkload(fault.Workload)
	due := decide.FaultDue(w, fault, status.FindWorkload(o.Run, fault.Workload).StartedAtUnixNanos)
	noted := status.EnsureFault(o.Run, fault.Name)
	noted.State = v1alpha1.FaultInjected
	say(noted, "", "")
	noted.InjectedBeforeUnixNanos = now.UnixNano()
	noted.ClockBoundNanos = max(noted.ClockBoundNanos, bound.Nanoseconds())
	narrow(noted, o.Faults[fault.Name])
	noted.Late = noted.InjectedAfterUnixNanos-due.UnixNano() > int64(decide.LateMark)
	return nil
}
