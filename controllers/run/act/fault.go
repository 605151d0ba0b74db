package act

import (
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/plan"
)

func (r *Actor) actOnFault(ctx context.Context, o *state.Observed, d decide.Decision) (time.Duration, error) {
	switch d.Verb {
	case decide.DoEndFault:
		return 0, r.noteEnd(o, d)
	case decide.DoHealFault:
		return r.heal(ctx, o, d.Fault)
	case decide.DoForceFault:
		return r.force(ctx, o, d.Fault)
	case decide.DoNoteHealed:
		r.noteHealed(o, d.Fault)
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
		return r.inject(ctx, o, fault, builder)
	default:
		return 0, r.noteInjected(o, fault)
	}
}

// say notes what is wrong with a fault; an empty message takes back what was noted.
func say(status *v1alpha1.FaultStatus, reason, text string) {
	status.Reason, status.Message = reason, message.Cut(text, 1024)
}

// intend notes the targets that were chosen. The object is made in the next pass, when the note is kept.
func (r *Actor) intend(ctx context.Context, o *state.Observed, d decide.Decision, fault plan.Fault, builder chaosmesh.Builder) (time.Duration, error) {
	noted := status.EnsureFault(o.Run, fault.Name)
	if len(status.SidesOf(noted).Targets) > 0 {
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
	if len(d.Sides.Targets) == 0 {
		say(noted, "", d.Message)
		return 200 * time.Millisecond, nil
	}
	if err := r.checker().RecheckTargets(ctx, o, fault, d.Sides); err != nil {
		say(noted, "", err.Error())
		return time.Second, nil
	}
	now, bound, err := r.Clock.Now(r.Results)
	if err != nil {
		return 0, err
	}
	line := o.Asked.Sample.Line
	noted.ClockBoundNanos = bound.Nanoseconds()
	status.SetSides(noted, d.Sides)
	noted.LeaderBefore, noted.TermBefore = "", int64(line.Term)
	if decide.IsMember(o.Plan, line.Leader) {
		noted.LeaderBefore = line.Leader
	}
	noted.InjectedAfterUnixNanos = now.UnixNano()
	if noted.Reason != v1alpha1.FaultNotMade {
		say(noted, "", "")
	}
	return 0, nil
}
