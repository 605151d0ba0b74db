package act

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// noteEnd notes that the healing of a fault that lasts is about to be asked for, and what was wrong with the fault.
// The object is deleted in the next pass, when the note is kept.
func (r *Actor) noteEnd(o *state.Observed, d decide.Decision) error {
	now, bound, err := r.Clock.Now(r.Results)
	if err != nil {
		return err
	}
	noted := status.EnsureFault(o.Run, d.Fault)
	noted.ClockBoundNanos = max(noted.ClockBoundNanos, bound.Nanoseconds())
	noted.EndedAfterUnixNanos = max(now.UnixNano(), noted.InjectedBeforeUnixNanos)
	if !o.Faults[d.Fault].Injected {
		noted.EndedAfterUnixNanos = noted.InjectedBeforeUnixNanos
	}
	if d.Message != "" {
		say(noted, d.Reason, d.Message)
	}
	return nil
}

// heal asks for the deletion of a fault's object.
func (r *Actor) heal(ctx context.Context, o *state.Observed, name string) (time.Duration, error) {
	noted := status.EnsureFault(o.Run, name)
	err := r.deleteFault(ctx, o, name)
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
}

func (r *Actor) force(ctx context.Context, o *state.Observed, name string) (time.Duration, error) {
	text := "Chaos Mesh did not let go of the fault's object, which was removed by force"
	if err := r.forceFault(ctx, o, name); err != nil {
		text = "Chaos Mesh did not let go of the fault's object, and force did not help: " + message.Stable(err)
	}
	// What was wrong with the fault itself stays: the report judges it by that.
	if noted := status.EnsureFault(o.Run, name); noted.Reason == "" || noted.Reason == v1alpha1.FaultNotDeleted {
		say(noted, "", text)
	}
	return time.Second, nil
}

// noteHealed notes that a fault's object is gone.
func (r *Actor) noteHealed(o *state.Observed, name string) {
	noted := status.EnsureFault(o.Run, name)
	noted.State = v1alpha1.FaultHealed
	// A refusal is no longer so. The note that the deletion worked may have been lost on the way to the API
	// server, with the deletion done.
	if noted.Reason == v1alpha1.FaultNotDeleted {
		say(noted, "", "")
	}
	if fault, _ := decide.FindPlanned(o.Plan, name); fault.Lasts() > 0 {
		r.noteEnded(noted)
	}
}

// noteEnded closes the bracket of the end of a fault that lasts. Where the server's time isn't known, its end is not.
func (r *Actor) noteEnded(noted *v1alpha1.FaultStatus) {
	if noted.EndedAfterUnixNanos == 0 {
		noted.EndedAfterUnixNanos = noted.InjectedBeforeUnixNanos
		say(noted, v1alpha1.FaultEndedEarly, "its object was gone before its healing was noted, so nobody knows when it ended")
	}
	now, bound, err := r.Clock.Now(r.Results)
	if err != nil {
		return
	}
	noted.ClockBoundNanos = max(noted.ClockBoundNanos, bound.Nanoseconds())
	noted.EndedBeforeUnixNanos = max(now.UnixNano(), noted.EndedAfterUnixNanos)
}
