package decide

import (
	"time"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// ownChartLook is how often the members and resources of an own chart are looked at. No watch tells of
// them, since an operator's pods don't carry the run's labels.
const ownChartLook = 3 * time.Second

// untilLook is when a store that is deployed is looked at again, if nothing happens before.
func untilLook(o *state.Observed, left time.Duration) time.Duration {
	if o.Plan.Store.OwnChart == nil {
		return left
	}
	return min(left, ownChartLook)
}

// clearing has the words of the installation that was interrupted.
func clearing(o *state.Observed) string {
	ready := storeReady(o.Run)
	switch {
	case ready != nil && ready.Reason == status.ReasonClearing:
		return ready.Message
	case ready != nil && ready.Reason == status.ReasonInstallFailed:
		return status.ClearingMessage + message.Because(ready.Message)
	}
	return status.ClearingMessage
}

// whyNotReady is why the store isn't ready. Where it isn't installed, the reason for that comes first: its
// pods and resources are missing for the same reason.
func whyNotReady(o *state.Observed) string {
	noted := NotedTrouble(o)
	if o.Store.Release != state.ReleaseDeployed && noted != "" {
		return noted
	}
	return message.FirstOf(stuckOn(o), o.Store.Trouble, o.Store.Unready, noted)
}

// NotedTrouble is why the last attempt to install failed, what kept a pod from running, or what the
// observer saw when it was asked last.
func NotedTrouble(o *state.Observed) string {
	ready := storeReady(o.Run)
	switch {
	case ready == nil:
	case ready.Reason == status.ReasonNotSteady, ready.Reason == status.ReasonInstallFailed, state.IsTroubleOfPods(ready.Reason):
		return ready.Message
	case ready.Reason == status.ReasonClearing:
		return message.FirstOf(o.Memory.InstallTrouble, ready.Message)
	}
	return ""
}
