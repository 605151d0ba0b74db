package controllers

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// conditionFailing says that the run will fail, and why; Failed follows when everything
// is torn down (as FailureTarget and Failed do for a Job).
const conditionFailing = "FailureTarget"

func isTrue(run *v1alpha1.BenchmarkRun, kind string) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, kind)
}

func setCondition(run *v1alpha1.BenchmarkRun, kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: cut(message, 1024), ObservedGeneration: run.Generation,
		LastTransitionTime: stamp(),
	})
}

// stamp is now, on the clock that deadlines are counted with: one that the machine's steps
// don't move. After a restart it begins with what the wall clock says then.
func stamp() metav1.Time { return metav1.NewTime(monotonic.Now()) }

// Reasons of CleanedUp.
const (
	reasonAllGone        = "AllGone"
	reasonNothingCreated = "NothingCreated"
	reasonTearingDown    = "TearingDown"
	reasonRetained       = "Retained"
	reasonTimedOut       = "TimedOut"
)

// reasonNotHealed is of FaultsHealed: the objects of faults could not be removed in time.
const reasonNotHealed = "NotHealed"

const (
	reasonPlanned   = "Planned"   // of Accepted
	reasonArming    = "Arming"    // of Armed
	reasonResetting = "Resetting" // of Loaded
	reasonLoading   = "Loading"   // of Loaded
)

const allGoneMessage = "nothing that the run created is left"

// Reasons for a step that was tried and is tried again.
const (
	reasonInstallFailed = "InstallFailed"  // of StoreReady
	reasonJobNotCreated = "JobNotCreated"  // of Loaded or Armed
	reasonAdmitting     = "Admitting"      // of Accepted
	reasonNotPosted     = "StartNotPosted" // of Measured
	reasonNotStored     = "NotStored"      // of Reported
	reasonMerging       = "Merging"        // of Reported
	// reasonDiskFull is of each that needs the results server.
	reasonDiskFull = "ResultsDiskFull"
)

// setConditionAnew starts the condition's time again where the reason is another one:
// deadlines count from it.
func setConditionAnew(run *v1alpha1.BenchmarkRun, kind string, status metav1.ConditionStatus, reason, message string) {
	if old := meta.FindStatusCondition(run.Status.Conditions, kind); old != nil && old.Reason != reason {
		meta.RemoveStatusCondition(&run.Status.Conditions, kind)
	}
	setCondition(run, kind, status, reason, message)
}

// since is how long a condition has had its status; 0 when it isn't there.
func since(o *observed, kind string) time.Duration {
	condition := meta.FindStatusCondition(o.Run.Status.Conditions, kind)
	if condition == nil {
		return 0
	}
	return o.Now.Sub(condition.LastTransitionTime.Time)
}

func findWorkload(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.WorkloadStatus {
	for i := range run.Status.Workloads {
		if run.Status.Workloads[i].Name == name {
			return &run.Status.Workloads[i]
		}
	}
	return &v1alpha1.WorkloadStatus{Name: name}
}

// ensureWorkload is findWorkload for writing.
func ensureWorkload(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.WorkloadStatus {
	for i := range run.Status.Workloads {
		if run.Status.Workloads[i].Name == name {
			return &run.Status.Workloads[i]
		}
	}
	run.Status.Workloads = append(run.Status.Workloads, v1alpha1.WorkloadStatus{Name: name})
	return &run.Status.Workloads[len(run.Status.Workloads)-1]
}

func workloadCondition(run *v1alpha1.BenchmarkRun, workload, kind string) *metav1.Condition {
	return meta.FindStatusCondition(findWorkload(run, workload).Conditions, kind)
}

func workloadIs(run *v1alpha1.BenchmarkRun, workload, kind string) bool {
	return meta.IsStatusConditionTrue(findWorkload(run, workload).Conditions, kind)
}

func findFault(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.FaultStatus {
	for i := range run.Status.Faults {
		if run.Status.Faults[i].Name == name {
			return &run.Status.Faults[i]
		}
	}
	return &v1alpha1.FaultStatus{Name: name}
}

// ensureFault is findFault for writing.
func ensureFault(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.FaultStatus {
	for i := range run.Status.Faults {
		if run.Status.Faults[i].Name == name {
			return &run.Status.Faults[i]
		}
	}
	run.Status.Faults = append(run.Status.Faults, v1alpha1.FaultStatus{Name: name})
	return &run.Status.Faults[len(run.Status.Faults)-1]
}

// measured says whether any workload was started, so that there is something to report.
func measured(run *v1alpha1.BenchmarkRun) bool {
	for i := range run.Status.Workloads {
		if run.Status.Workloads[i].StartedAtUnixNanos != 0 {
			return true
		}
	}
	return false
}

// summarize derives from the conditions what people and tools look at first: the columns of
// kubectl get, and kstatus' Reconciling, Stalled and Ready.
func summarize(run *v1alpha1.BenchmarkRun) {
	run.Status.ObservedGeneration = run.Generation
	run.Status.Phase = phase(run)
	run.Status.Workload = shownWorkload(run)
	run.Status.Progress = shownProgress(run)
	failed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
	switch {
	case failed != nil && failed.Status == metav1.ConditionTrue:
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionReconciling)
		setCondition(run, v1alpha1.ConditionStalled, metav1.ConditionTrue, failed.Reason, failed.Message)
		setCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, failed.Reason, failed.Message)
	case isTrue(run, v1alpha1.ConditionComplete):
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionReconciling)
		if valid := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); valid != nil && valid.Status != metav1.ConditionTrue {
			// For kstatus, Ready=False alone means that the run is still under way.
			setCondition(run, v1alpha1.ConditionStalled, metav1.ConditionTrue, "NotValid", valid.Message)
			setCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, "NotValid", valid.Message)
			return
		}
		setCondition(run, v1alpha1.ConditionReady, metav1.ConditionTrue, "Complete", "the report is stored, and its numbers are valid")
	default:
		setCondition(run, v1alpha1.ConditionReconciling, metav1.ConditionTrue, run.Status.Phase, "the run is under way")
		setCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, run.Status.Phase, "the run is under way")
	}
}

// addresses of connections differ each time; a message with one would change the status,
// which brings another pass at once, for ever.
var addresses = regexp.MustCompile(`\S+:\d+->`)

// stable is an error's text for a condition: the same for the same error.
func stable(err error) string { return stableText(err.Error()) }

func stableText(text string) string { return cut(addresses.ReplaceAllString(text, ""), 800) }

// cut is a text for a status or an event: one line of so many bytes. Errors repeat what
// somebody else wrote, and people read it in terminals, which obey control characters.
func cut(text string, limit int) string {
	text = strings.Map(printable, text)
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-3], "") + "..."
}

func printable(c rune) rune {
	switch {
	case unicode.IsSpace(c):
		return ' '
	case !unicode.IsPrint(c):
		return unicode.ReplacementChar
	}
	return c
}

func list(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
