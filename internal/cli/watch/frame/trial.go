package frame

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// result is what a run says of one trial.
type result struct {
	state   CellState
	outcome manifest.Outcome
	reasons []string // of an outcome that isn't Valid
}

// resultOf is what a run says of a combination. has is false where the run is shared and measures others alone.
func resultOf(run *v1alpha1.BenchmarkRun, shared bool, combination int) (r result, has bool) {
	if !shared {
		return ofWhole(run), true
	}
	of := standingOf(run, suite.Prefix(combination))
	switch whole := ofWhole(run); {
	case of.workloads == 0:
		return result{}, false
	case whole.state == TrialRunning:
		return result{state: of.underWay()}, true
	case of.measured < of.workloads || !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionReported):
		return notMeasured(whole, of), true
	case len(of.reasons) > 0:
		return result{TrialNotValid, manifest.NotValid, of.reasons}, true
	}
	return result{TrialValid, manifest.Valid, nil}, true
}

// ofWhole is what the run says of itself.
func ofWhole(run *v1alpha1.BenchmarkRun) result {
	conditions := run.Status.Conditions
	failed := meta.FindStatusCondition(conditions, v1alpha1.ConditionFailed)
	switch {
	case failed != nil && failed.Status == "True":
		return result{TrialNotValid, manifest.Failed, []string{failed.Reason}}
	case !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete):
		return result{state: TrialRunning}
	case meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionValid):
		return result{TrialValid, manifest.Valid, nil}
	}
	return result{TrialNotValid, manifest.NotValid, run.Status.InvalidReasons}
}

// notMeasured is of a trial in a shared run that has ended without its figures. Whom the suite's controller blames for it shows
// when the suite goes on; a trial that never began is made again.
func notMeasured(whole result, of standing) result {
	if of.begun == 0 {
		return result{TrialNotValid, manifest.Failed, []string{suite.ReasonNotBegun}}
	}
	return result{TrialNotValid, manifest.Failed, whole.reasons}
}

// standing counts the workloads of a combination in a shared run.
type standing struct {
	workloads, begun, measured int
	reasons                    []string
}

func standingOf(run *v1alpha1.BenchmarkRun, prefix string) (of standing) {
	for i := range run.Spec.Workloads {
		name := run.Spec.Workloads[i].Name
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		of.workloads++
		w := statusOf(run, name)
		if w == nil {
			continue
		}
		if len(w.Conditions) > 0 {
			of.begun++
		}
		if meta.IsStatusConditionTrue(w.Conditions, v1alpha1.ConditionMeasured) {
			of.measured++
		}
		for _, reason := range w.InvalidReasons {
			if !slices.Contains(of.reasons, reason) {
				of.reasons = append(of.reasons, reason)
			}
		}
	}
	return of
}

// underWay is the state of a trial in a shared run that goes on.
func (of standing) underWay() CellState {
	switch {
	case of.measured == of.workloads:
		return TrialMeasured
	case of.begun > 0:
		return TrialRunning
	}
	return TrialWaiting
}
