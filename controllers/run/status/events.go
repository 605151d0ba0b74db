package status

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
)

// event is what kubectl describe shows in a line.
type event struct {
	Type, Reason string
	Action       string // machine-readable: the condition, or Fault
	Message      string
}

// MaxNote is the API server's limit of an event's message: it refuses a longer one.
const MaxNote = 1024

// Story is the events of a change, in the order of the run's steps: one for each step and
// each fault that changed, and none that another one says as well.
func Story(before, after *v1alpha1.BenchmarkRun) []event {
	var told []event
	changed := func(kind string) *metav1.Condition {
		return changedCondition(before.Status.Conditions, after.Status.Conditions, kind)
	}
	say := func(kind string, e *event) {
		if e != nil {
			e.Action = kind
			told = append(told, *e)
		}
	}
	for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionStoreReady} {
		say(kind, eventOf(changed(kind), ""))
	}
	for i := range after.Status.Workloads {
		told = append(told, storyOfWorkload(FindWorkload(before, after.Status.Workloads[i].Name), &after.Status.Workloads[i])...)
	}
	failing := changed(ConditionFailing)
	told = append(told, storyOfFaults(before, after, failing != nil)...)
	say(v1alpha1.ConditionFailed, eventOf(failing, ""))
	say(v1alpha1.ConditionReported, eventOf(changed(v1alpha1.ConditionReported), ""))
	if valid := changed(v1alpha1.ConditionValid); valid != nil && valid.Status == metav1.ConditionFalse {
		say(v1alpha1.ConditionValid, eventOf(valid, "the numbers are not valid: "))
	} else {
		say(v1alpha1.ConditionPassed, eventOf(changed(v1alpha1.ConditionPassed), ""))
	}
	say(v1alpha1.ConditionCleanedUp, cleanup(after, changed(v1alpha1.ConditionCleanedUp)))
	say(v1alpha1.ConditionComplete, eventOf(changed(v1alpha1.ConditionComplete), ""))
	say(v1alpha1.ConditionFailed, failed(after, changed(v1alpha1.ConditionFailed)))
	return told
}

func storyOfWorkload(before, after *v1alpha1.WorkloadStatus) []event {
	var told []event
	prefix := "workload " + after.Name + ": "
	for _, kind := range []string{v1alpha1.ConditionStoreWhole, v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed} {
		if kind == v1alpha1.ConditionMeasured && before.StartedAtUnixNanos == 0 && after.StartedAtUnixNanos != 0 {
			told = append(told, event{corev1.EventTypeNormal, "Measuring", kind, prefix + "all workers were given the same start, and measure from then on"})
		}
		if e := eventOf(changedCondition(before.Conditions, after.Conditions, kind), prefix); e != nil && worthTelling(kind, e.Reason, before) {
			e.Action = kind
			told = append(told, *e)
		}
	}
	return told
}

// worthTelling leaves out what the step before or after says as well. It leaves out too that there was
// nothing to wait for.
func worthTelling(kind, reason string, before *v1alpha1.WorkloadStatus) bool {
	switch kind {
	case v1alpha1.ConditionFaultsHealed:
		return reason == ReasonNotHealed
	case v1alpha1.ConditionStoreWhole:
		return reason != ReasonWhole || meta.FindStatusCondition(before.Conditions, kind) != nil
	}
	return reason != ReasonArming && reason != ReasonLoading && reason != ReasonResetting
}

// storyOfFaults leaves out the faults that a failure speaks of itself.
func storyOfFaults(before, after *v1alpha1.BenchmarkRun, failing bool) []event {
	var told []event
	for i := range after.Status.Faults {
		fault := &after.Status.Faults[i]
		if fault.State == FindFault(before, fault.Name).State || fault.State == v1alpha1.FaultNotInjected && failing {
			continue
		}
		e := event{corev1.EventTypeNormal, "Fault" + fault.State, "Fault", "fault " + fault.Name}
		switch fault.State {
		case v1alpha1.FaultIntended:
			e.Message += " is due" + onTargets(fault, "; its target is ") + message.Because(fault.Message)
		case v1alpha1.FaultInjected:
			e.Message += " was injected" + onTargets(fault, " into ")
		case v1alpha1.FaultHealed:
			e.Message += " is over" + message.FirstOf(message.Because(fault.Message), ", and its object is gone")
		case v1alpha1.FaultNotInjected:
			e.Type = corev1.EventTypeWarning
			e.Message += " was not injected" + message.Because(fault.Message)
		default:
			continue
		}
		told = append(told, e)
	}
	return told
}

func onTargets(fault *v1alpha1.FaultStatus, words string) string {
	targets := SidesOf(fault).Targets
	if len(targets) == 0 {
		return ""
	}
	return words + strings.Join(targets, ", ")
}

// cleanup tells the teardown. Of a run that was refused nothing is to be removed, and who
// deletes one that is under way cancels it.
func cleanup(after *v1alpha1.BenchmarkRun, changed *metav1.Condition) *event {
	e := eventOf(changed, "")
	switch {
	case e == nil || e.Reason == ReasonNothingCreated:
		return nil
	case e.Reason == ReasonTearingDown && !after.DeletionTimestamp.IsZero() && !Ended(after):
		e.Reason, e.Message = "Cancelled", "the run was deleted before its end: "+e.Message
	case e.Reason == ReasonTimedOut:
		e.Type = corev1.EventTypeWarning
	}
	return e
}

// failed tells the end of a run whose failure was told when it happened.
func failed(after *v1alpha1.BenchmarkRun, changed *metav1.Condition) *event {
	if changed == nil || meta.IsStatusConditionFalse(after.Status.Conditions, v1alpha1.ConditionAccepted) {
		return nil // refused, and that was told with the reason
	}
	return &event{Type: corev1.EventTypeWarning, Reason: "Failed", Message: "the run is over; it failed: " + changed.Reason}
}

// changedCondition is the condition after, if its status or reason has changed. A message may change
// without a step being done.
func changedCondition(before, after []metav1.Condition, kind string) *metav1.Condition {
	now, old := meta.FindStatusCondition(after, kind), meta.FindStatusCondition(before, kind)
	if now == nil || old != nil && old.Status == now.Status && old.Reason == now.Reason {
		return nil
	}
	return now
}

// eventOf is the condition's words; nil for none.
func eventOf(condition *metav1.Condition, prefix string) *event {
	if condition == nil {
		return nil
	}
	e := &event{Type: corev1.EventTypeNormal, Reason: condition.Reason, Message: prefix + condition.Message}
	if IsTrouble(condition) {
		e.Type = corev1.EventTypeWarning
	}
	return e
}

// IsTrouble says that the condition's event is a warning.
func IsTrouble(condition *metav1.Condition) bool {
	switch condition.Type {
	case ConditionFailing:
		return true
	case v1alpha1.ConditionPassed:
		return condition.Status != metav1.ConditionTrue
	case v1alpha1.ConditionAccepted, v1alpha1.ConditionValid, v1alpha1.ConditionReported, v1alpha1.ConditionFaultsHealed, v1alpha1.ConditionStoreWhole:
		if condition.Status == metav1.ConditionFalse {
			return true
		}
	}
	if state.IsTroubleOfPods(condition.Reason) {
		return true
	}
	switch condition.Reason {
	case ReasonClockUnknown, ReasonAdmitting, ReasonInstallFailed, ReasonJobNotCreated, ReasonNotPosted, ReasonNotStored, ReasonDiskFull:
		return true // tried again, for a while
	}
	return false
}
