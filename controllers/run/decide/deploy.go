package decide

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func decideDeploy(o *state.Observed) Decision {
	deadline := deployDeadline(o.Run)
	left := deadline - Since(o, v1alpha1.ConditionAccepted)
	if status.OnEndpoints(o.Run) {
		return decideReach(o, deadline)
	}
	members := len(o.Plan.Store.Members)
	stuck, next := decideTrouble(o.Store.Troubles, storeReady(o.Run), o.Now)
	switch {
	case storeStands(o) && o.Store.Unfit.Reason != "":
		return Decision{Verb: DoFail, Reason: o.Store.Unfit.Reason, Message: o.Store.Unfit.Message}
	case storeStands(o):
		return Decision{Verb: DoStoreReady, Message: "all members are ready, and the observer sees them"}
	case left <= 0:
		return Fail("DeployTimedOut", "store %s: %d of %d members were ready after %s%s%s (raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)",
			o.Plan.Store.Name, o.Store.ReadyMembers, members, deadline, unseen(o), message.Because(whyNotReady(o)))
	case o.Store.Release == state.ReleaseForbidden:
		return Fail("DeployRefused", "service account %s may not deploy the store%s", names.ServiceAccount(o.Run), message.Because(o.Store.Refusal))
	case o.Store.Release == state.ReleaseAbsent && o.StoreLeft > 0:
		// A new set of the same name would take the old one's pods and volumes for its own.
		return Decision{
			Verb: DoWait, Condition: v1alpha1.ConditionStoreReady, Reason: status.ReasonClearing, After: untilLook(o, left),
			Message: clearing(o),
		}
	case o.Store.Release == state.ReleaseAbsent:
		return Decision{Verb: DoInstall}
	case o.Store.Release == state.ReleaseBroken:
		return Decision{Verb: DoRepair}
	case stuck.Verb != "":
		return stuck.ofStore(untilLook(o, left))
	case membersStand(o):
		// Pods may be ready whose members don't see each other, or that ask their clients for
		// another password than the run's.
		return decideLook(o, min(endpointsLook, untilLook(o, left)))
	default:
		return Decision{
			Verb: DoWait, Condition: v1alpha1.ConditionStoreReady, Reason: "Deploying", After: sooner(untilLook(o, left), next),
			Message: DeployingMessage + message.Because(o.Store.Unready),
		}
	}
}

// DeployingMessage is of StoreReady while members start.
const DeployingMessage = "the release is installed; waiting until all members are ready and the observer sees them"

func storeStands(o *state.Observed) bool { return membersStand(o) && o.Store.ObserverReady }

func membersStand(o *state.Observed) bool {
	return o.Store.Release == state.ReleaseDeployed && o.Store.ReadyMembers >= len(o.Plan.Store.Members) && o.Store.Unready == ""
}

// unseen says that it is not the members alone that are waited for.
func unseen(o *state.Observed) string {
	if o.Store.ObserverReady {
		return ""
	}
	return ", and the observer was not ready"
}
