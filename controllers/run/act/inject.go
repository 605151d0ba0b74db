package act

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/plan"
)

// inject makes the object of a fault whose intent is noted.
func (r *Actor) inject(ctx context.Context, o *state.Observed, fault plan.Fault, builder chaosmesh.Builder) (time.Duration, error) {
	noted := status.EnsureFault(o.Run, fault.Name)
	sides := status.SidesOf(noted)
	if !decide.AreMembers(o.Plan, sides) {
		say(noted, "", "the target that is noted is no member of the store")
		return time.Second, nil
	}
	now, bound, err := r.Clock.Now(r.Results)
	if err != nil {
		return 0, err
	}
	injection := chaosmesh.Injection{
		Meta:  names.ObjectMeta(o.Run, names.FaultName(names.RunID(o.Run), fault.Name), names.RoleFault),
		Sides: sides, Container: o.Plan.Store.Container, Parameters: fault.Parameters, Lasts: fault.Lasts(),
		Asked: chaosmesh.Asked{After: now, Bound: bound},
	}
	if injection.Lasts > 0 {
		injection.Pods = o.Asked.Pods.Of(sides)
	}
	object, err := builder.Object(injection)
	if err == nil {
		err = r.createFault(ctx, o.Run, builder, object)
	}
	if err != nil {
		// The reason goes into the status: past its deadline the run fails with it.
		say(noted, v1alpha1.FaultNotMade, "the fault's object could not be made: "+err.Error())
		return time.Second, nil
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
	status.NotePods(noted, o.Faults[fault.Name].Pods)
	noted.Late = noted.InjectedAfterUnixNanos-due.UnixNano() > int64(decide.LateMark)
	return nil
}
