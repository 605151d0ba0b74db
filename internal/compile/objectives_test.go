package compile

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
)

func bound(text string) *intstr.IntOrString { return ptr(intstr.Parse(text)) }

func withObjectives(objectives ...v1alpha1.Objective) func(*run) {
	return func(r *run) {
		r.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A"}, {Name: "f", Preset: "F"}}
		r.Spec.Objectives = objectives
	}
}

func TestObjectivesAreCompiled(t *testing.T) {
	p := mustCompile(t, withObjectives(
		v1alpha1.Objective{Metric: "p99", Operation: "UPDATE", Workload: "f", AtMost: bound("20ms")}, // a part of its read-modify-writes
		v1alpha1.Objective{Metric: "throughput", AtLeast: bound("2000")},
		v1alpha1.Objective{Metric: "errors", AtMost: bound("0.1%")},
	))
	var texts []string
	for i := range p.Objectives {
		texts = append(texts, objective.Text(&p.Objectives[i]))
	}
	if got := strings.Join(texts, "; "); got != "p99 of UPDATE at most 20ms in workload f; throughput at least 2000; errors at most 0.1 %" {
		t.Error(got)
	}
	p = mustCompile(t, func(r *run) {
		withFault(v1alpha1.FaultSpec{Action: "ContainerKill"})(r)
		r.Spec.Objectives = []v1alpha1.Objective{{Metric: "outage", AtMost: bound("3s")}, {Metric: "recordsLost", AtMost: bound("0")}}
	})
	if got := objective.Text(&p.Objectives[0]) + "; " + objective.Text(&p.Objectives[1]); got != "outage max at most 3s; records lost 0" {
		t.Error(got)
	}
}

func TestObjectivesThatNothingCanHaveAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		objective v1alpha1.Objective
		says      string
	}{
		"a workload that isn't there": {v1alpha1.Objective{Metric: "throughput", Workload: "b", AtLeast: bound("1")}, `spec.objectives[0].workload: there is no workload "b"`},
		"an outage without a fault":   {v1alpha1.Objective{Metric: "outage", AtMost: bound("1s")}, "spec.objectives[0].metric: outage is what faults do, and there is none: add one to spec.faults"},
		"an operation of no workload": {v1alpha1.Objective{Metric: "p99", Operation: "SCAN", AtMost: bound("1s")}, "spec.objectives[0].operation: there is no SCAN: name"},
		"an operation of another one": {v1alpha1.Objective{Metric: "p99", Operation: "READ-MODIFY-WRITE", Workload: "a", AtMost: bound("1s")}, "there is no READ-MODIFY-WRITE in workload a"},
		"a bound without its unit":    {v1alpha1.Objective{Metric: "p99", AtMost: bound("20")}, `spec.objectives[0].atMost: "20" is no length of time`},
		"a rate that is none":         {v1alpha1.Objective{Metric: "throughput", AtLeast: bound("much")}, `spec.objectives[0].atLeast: "much" is no rate`},
	} {
		_, err := With(shortForm(withObjectives(c.objective)), Files{}, testCatalog())
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Reason != ReasonInvalidObjective || !strings.Contains(refusal.Message, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
