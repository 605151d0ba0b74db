package frame

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// Names of the steps.
const (
	stepAccept  = "accept"
	stepDeploy  = "deploy"
	stepLoad    = "load"
	stepArm     = "arm"
	stepMeasure = "measure"
	stepHeal    = "heal"
	stepReport  = "report"
	stepCleanUp = "clean up"
)

// steps are those of the run, with those of the workload at that place in the middle. The first one that isn't done is the current
// one. If the run fails, it is the one that failed, and the run cleans up.
func steps(run *v1alpha1.BenchmarkRun, at int) []Step {
	is := func(condition string) bool { return meta.IsStatusConditionTrue(run.Status.Conditions, condition) }
	made := []Step{
		step(stepAccept, is(v1alpha1.ConditionAccepted)),
		step(stepDeploy, is(v1alpha1.ConditionStoreReady)),
	}
	made = append(made, workloadSteps(run, at)...)
	made = append(made, step(stepReport, is(v1alpha1.ConditionReported)), step(stepCleanUp, is(v1alpha1.ConditionCleanedUp)))
	first := slices.IndexFunc(made, func(s Step) bool { return s.State == Waiting })
	if first < 0 {
		return made
	}
	made[first].State = Current
	if last := &made[len(made)-1]; failing(run) && made[first].Name != stepCleanUp {
		made[first].State = Failed
		if last.State == Waiting {
			last.State = Current
		}
	}
	return made
}

func step(name string, done bool) Step {
	if done {
		return Step{name, Done}
	}
	return Step{name, Waiting}
}

func workloadSteps(run *v1alpha1.BenchmarkRun, at int) []Step {
	is := func(string) bool { return false }
	name := ""
	if at < len(run.Spec.Workloads) {
		name = run.Spec.Workloads[at].Name
	}
	if w := statusOf(run, name); w != nil {
		is = func(condition string) bool { return meta.IsStatusConditionTrue(w.Conditions, condition) }
	}
	made := []Step{
		step(stepLoad, is(v1alpha1.ConditionLoaded)),
		step(stepArm, is(v1alpha1.ConditionArmed)),
		step(stepMeasure, is(v1alpha1.ConditionMeasured)),
	}
	faulty := slices.ContainsFunc(faultsOf(run), func(f Fault) bool { return f.Workload == name })
	if faulty {
		made = append(made, step(stepHeal, is(v1alpha1.ConditionFaultsHealed)))
	}
	return made
}

func failing(run *v1alpha1.BenchmarkRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, "FailureTarget") || meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFailed)
}
