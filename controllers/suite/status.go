package suite

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// maxProblems is what the message of a condition has at most here, in bytes: it lists all that is wrong with a suite. The API
// takes 32 KiB.
const maxProblems = 16 << 10

func set(of *v1alpha1.BenchmarkSuite, kind string, status metav1.ConditionStatus, reason, text string) {
	conditions.SetLong(&of.Status.Conditions, of.Generation, kind, status, reason, text, maxProblems)
}

func holds(of *v1alpha1.BenchmarkSuite, kind string) bool {
	return meta.IsStatusConditionTrue(of.Status.Conditions, kind)
}

// note writes how far the suite is.
func note(of *v1alpha1.BenchmarkSuite, state *decide.State, d decide.Decision, progress *decide.Progress) {
	of.Status.Seed, of.Status.Combinations = int64(state.Seed), int32(len(state.Combinations))
	of.Status.Runs = &v1alpha1.SuiteRuns{
		Total: int32(progress.Total), Done: int32(progress.Done), Unusable: int32(progress.Unusable),
		Left: int32(progress.Left), Repeated: int32(progress.Repeated), Adopted: int32(progress.Adopted),
	}
	of.Status.Blocks = int32(suite.Blocks(of))
	of.Status.Run, of.Status.TimeLeft = "", ""
	if d.Verb == decide.Wait || d.Verb == decide.Create {
		of.Status.Run = d.Name
	}
	if left, known := progress.TimeLeft(); known && d.Verb != decide.Finish {
		of.Status.TimeLeft = roughly(left)
	}
	if d.Verb != decide.Finish {
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionComplete) // there are further trials
		of.Status.CompletionTime = nil
		noteUnjudged(of)
		return
	}
	if !holds(of, v1alpha1.ConditionComplete) {
		now := conditions.Stamp()
		of.Status.CompletionTime = &now
	}
	set(of, v1alpha1.ConditionComplete, metav1.ConditionTrue, "Finished", fmt.Sprintf("%d of %d trials have valid numbers", progress.Done-progress.Unusable, progress.Total))
}

// noteUnjudged takes back what was said of the objectives, and of figures that were kept.
func noteUnjudged(of *v1alpha1.BenchmarkSuite) {
	of.Status.KeptAs = ""
	meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionKept)
	if hasObjectives(of) {
		set(of, v1alpha1.ConditionPassed, metav1.ConditionUnknown, "UnderWay", "the objectives are judged when all trials have ended")
	}
}

// noteLostBaselines takes back a verdict that is of other baselines than those that the suite was accepted with.
func noteLostBaselines(of *v1alpha1.BenchmarkSuite, lost []string) {
	set(of, v1alpha1.ConditionPassed, metav1.ConditionUnknown, "BaselineLost", fmt.Sprintf(
		"the results server has lost what the suite was accepted with as the baselines %s", strings.Join(lost, ", ")))
}

// notePassed notes whether the objectives are kept. verdict is nil where there are none.
func notePassed(of *v1alpha1.BenchmarkSuite, verdict *findings.Verdict) {
	if verdict == nil {
		return
	}
	judged := make([]conditions.Judged, len(verdict.Objectives))
	for i, o := range verdict.Objectives {
		judged[i] = conditions.Judged{Verdict: o.Verdict, Message: o.Message}
	}
	status, reason, text := conditions.Passed(verdict.Verdict, judged)
	set(of, v1alpha1.ConditionPassed, status, reason, text)
}

// roughly is a length of time for the eye: minutes, or seconds if it is short.
func roughly(d time.Duration) string {
	if d < 10*time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// summarize derives what people and tools look at first: the columns of kubectl get, and kstatus' Reconciling, Stalled and
// Ready. hindered is why the next run can't be made now; "" if nothing is in the way.
func summarize(of *v1alpha1.BenchmarkSuite, d decide.Decision, empty []string, hindered string) {
	of.Status.ObservedGeneration = of.Generation
	end := func(reason, text string) {
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionReconciling)
		set(of, v1alpha1.ConditionStalled, metav1.ConditionTrue, reason, text)
		set(of, v1alpha1.ConditionReady, metav1.ConditionFalse, reason, text)
	}
	underWay := func(phase, text string) {
		of.Status.Phase = phase
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionStalled)
		set(of, v1alpha1.ConditionReconciling, metav1.ConditionTrue, phase, text)
		set(of, v1alpha1.ConditionReady, metav1.ConditionFalse, phase, text)
	}
	failed := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionFailed)
	switch {
	case failed != nil:
		of.Status.Phase = "Failed"
		end(failed.Reason, failed.Message)
	case hindered != "":
		of.Status.Phase = "Blocked"
		end("Blocked", hindered)
	case d.Verb == decide.Suspend:
		underWay("Suspended", "no further run begins while spec.suspend is set")
	case !suite.SearchIsOver(of):
		underWay("Searching", "rates are tried")
	case d.Verb != decide.Finish:
		underWay("Running", "runs are under way")
	case suite.EndedEarly(of) != "":
		of.Status.Phase = "Complete"
		end("SearchEndedEarly", "the highest rate isn't known of "+suite.EndedEarly(of))
	case len(empty) > 0:
		of.Status.Phase = "Complete"
		end("NothingValid", fmt.Sprintf("no trial has valid numbers of %s", strings.Join(empty, "; ")))
	case hasObjectives(of) && !holds(of, v1alpha1.ConditionPassed):
		of.Status.Phase = "Complete"
		if passed := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionPassed); passed != nil {
			end(passed.Reason, passed.Message)
		}
	default:
		of.Status.Phase = "Complete"
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionReconciling)
		meta.RemoveStatusCondition(&of.Status.Conditions, v1alpha1.ConditionStalled)
		text := "all trials have ended, and each combination has valid numbers"
		if hasObjectives(of) {
			text += "; all objectives are kept"
		}
		set(of, v1alpha1.ConditionReady, metav1.ConditionTrue, "Complete", text)
	}
}

// emptyOf names the combinations none of whose trials has valid numbers, and those in which a search found no rate that holds.
func emptyOf(state *decide.State, progress *decide.Progress) (empty []string) {
	for i := range state.Combinations {
		without := state.Measured != nil && !state.Measured[i]
		if _, misses := suite.Searched(i); without && misses {
			continue // the objectives were kept at each rate
		}
		switch {
		case without:
			empty = append(empty, state.Combinations[i].Name()+", since the search found no rate that holds")
		case progress.Valid[i] == 0:
			empty = append(empty, state.Combinations[i].Name()+lastReasons(state, progress, i))
		}
	}
	return empty
}

// lastReasons says which run of a combination ended last in the order of the trials, and why it has no valid numbers.
func lastReasons(state *decide.State, progress *decide.Progress, combination int) string {
	for block := suite.Blocks(state.Suite) - 1; block >= 0; block-- {
		attempts := progress.Attempts[suite.Trial{Block: block, Combination: combination}]
		if n := len(attempts); n > 0 {
			return fmt.Sprintf(" (%s: %s)", attempts[n-1].Run, strings.Join(attempts[n-1].Reasons, ", "))
		}
	}
	return ""
}

// maxEvent is the API server's limit of an event's message.
const maxEvent = 1024

func readyOf(of *v1alpha1.BenchmarkSuite) metav1.Condition {
	if ready := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionReady); ready != nil {
		return *ready
	}
	return metav1.Condition{}
}
