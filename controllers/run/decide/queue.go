package decide

import (
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// decideAdmit admits a run as it is now: what was read may lack the news that it was refused.
func decideAdmit(o *state.Observed) Decision {
	switch {
	case o.Asked.Newest == nil:
		return ask(state.AskNewest)
	case !*o.Asked.Newest:
		return wait("ReadTooEarly", "the run was read before a write of it arrived in the cache", 50*time.Millisecond)
	}
	return Decision{Verb: DoAdmit}
}

// DecideQueue is the decision for a run that is admitted and has not had its turn.
func DecideQueue(o *state.Observed) Decision {
	switch {
	case o.Slot.Held:
		return Decision{Verb: DoAccept}
	case o.Slot.Free && o.Slot.Ahead == 0:
		return Decision{Verb: DoTakeSlot}
	default:
		d := Decision{
			Verb: DoWait, Condition: v1alpha1.ConditionAccepted, Reason: status.ReasonQueued, After: queueLook, Message: queuedMessage(o.Slot.Behind),
		}
		if o.Slot.Unadmitted > 0 {
			d.After = state.AdmitGrace // then a run that can't be admitted is passed over
		}
		return d
	}
}

// queuedMessage names only the run right before. So it stays the same while others have their turns, and
// no turn writes the status of the whole queue anew.
func queuedMessage(behind string) string {
	return "waiting for its turn" + behind + ": runs on one cluster disturb each other, so one runs at a time"
}

// queueLook is how often a run that waits looks by itself. The end of the run before wakes
// it; this costs the API server nothing, and a queue must not stop for one wake-up.
const queueLook = 5 * time.Minute
