package suite

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// resultsOf are the results of the combinations that share a run, which has ended with the result whole. A run that failed has a
// report of what it measured before. Its failure is that of the combination whose turn it was, unless that had not begun to be
// measured on a store that served others: those may have broken it.
func resultsOf(run *v1alpha1.BenchmarkRun, turn *suite.Turn, whole decide.Result) map[int]decide.Result {
	results := map[int]decide.Result{}
	reported := meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionReported)
	// A store that never got ready is nobody's fault but its own: it would be so with each of them.
	deployed := meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionStoreReady)
	allMeasured := !slices.ContainsFunc(turn.Combinations, func(combination int) bool {
		measured, _, _ := standingOf(run, suite.Prefix(combination))
		return !measured
	})
	blamed := false
	for place, combination := range turn.Combinations {
		measured, loaded, reasons := standingOf(run, suite.Prefix(combination))
		result := decide.Result{Outcome: manifest.NotValid, Reasons: reasons}
		switch {
		case allMeasured && !reported:
			result = whole // nobody else is to blame
		case measured && !reported:
			result = decide.Result{Outcome: manifest.Failed, Reasons: []string{suite.ReasonNotReported}}
		case measured && len(reasons) == 0:
			result = decide.Result{Outcome: manifest.Valid}
		case measured:
		case !deployed, !blamed && (place == 0 || loaded):
			result, blamed = whole, true
		default:
			result, blamed = decide.Result{Outcome: manifest.Failed, Reasons: []string{suite.ReasonNotBegun}}, true
		}
		results[combination] = result
	}
	return results
}

// standingOf says how far the workloads with the prefix came: whether all were measured, whether the first was loaded, and why their
// numbers may not be believed.
func standingOf(run *v1alpha1.BenchmarkRun, prefix string) (measured, loaded bool, reasons []string) {
	of := 0
	for i := range run.Spec.Workloads {
		name := run.Spec.Workloads[i].Name
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		at := slices.IndexFunc(run.Status.Workloads, func(w v1alpha1.WorkloadStatus) bool { return w.Name == name })
		if at < 0 {
			return false, loaded, nil
		}
		status := &run.Status.Workloads[at]
		loaded = loaded || meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionLoaded)
		if !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionMeasured) {
			return false, loaded, nil
		}
		of++
		for _, reason := range status.InvalidReasons {
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	return of > 0, loaded, reasons
}
