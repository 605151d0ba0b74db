package decide

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func decideCollect(o *state.Observed) Decision {
	tried, late := TriedToCollect(o)
	if !late {
		return Decision{Verb: DoCollect}
	}
	reason := "CollectTimedOut"
	if tried.Reason == status.ReasonDiskFull {
		reason = status.ReasonDiskFull
	}
	return Fail(reason, "the report could not be made within %s; the results are kept, and it can be made later%s", mergeDeadline(o), message.Because(tried.Message))
}

// TriedToCollect is the condition that notes the attempts to make the report that failed, nil where none
// did. late says that the first of them is so long ago that there is to be no other.
func TriedToCollect(o *state.Observed) (tried *metav1.Condition, late bool) {
	tried = meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionReported)
	if tried == nil || tried.Status != metav1.ConditionUnknown {
		return nil, false
	}
	return tried, o.Now.Sub(tried.LastTransitionTime.Time) > mergeDeadline(o)
}
