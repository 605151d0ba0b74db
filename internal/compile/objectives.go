package compile

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// compileObjectives reads the bounds, and refuses one that nothing in the run can have a figure for.
func compileObjectives(spec *v1alpha1.BenchmarkRunSpec, workloads []plan.Workload, files Files) (compiled []plan.Objective, err error) {
	for i := range spec.Objectives {
		field := fmt.Sprintf("spec.objectives[%d]", i)
		o, err := Objective(field, &spec.Objectives[i], (*objective.Metric).Bound)
		if err != nil {
			return nil, err
		}
		metric, _ := objective.Find(o.Metric)
		if o.Workload != "" && !slices.ContainsFunc(workloads, func(w plan.Workload) bool { return w.Name == o.Workload }) {
			return nil, refuse(ReasonInvalidObjective, "%s.workload: there is no workload %q: name one of spec.workloads, or leave it out for all", field, o.Workload)
		}
		if metric.OfFaults && !slices.ContainsFunc(spec.Faults, func(f v1alpha1.FaultSpec) bool { return o.Workload == "" || workloadOf(&f, spec) == o.Workload }) {
			return nil, refuse(ReasonInvalidObjective, "%s.metric: %s is what faults do, and there is none%s: add one to spec.faults, or leave the objective out", field, o.Metric, inWorkload(o.Workload))
		}
		if o.Operation != "" {
			if does, err := anyDoes(spec, o, files); err != nil || !does {
				return nil, refuseUnless(err, "%s.operation: there is no %s%s: name an operation of the mix", field, o.Operation, inWorkload(o.Workload))
			}
		}
		compiled = append(compiled, o)
	}
	return compiled, nil
}

// refuseUnless passes on an error, or else refuses the objective.
func refuseUnless(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return refuse(ReasonInvalidObjective, format, args...)
}

func inWorkload(name string) string {
	if name == "" {
		return ""
	}
	return " in workload " + name
}

// Objective reads an objective whose field the API server has checked. bound reads its bound. Its error is a *Refusal.
func Objective(field string, spec *v1alpha1.Objective, bound func(*objective.Metric, string) (float64, error)) (plan.Objective, error) {
	o := plan.Objective{Metric: spec.Metric, Operation: spec.Operation, Statistic: spec.Statistic, Workload: spec.Workload}
	metric, known := objective.Find(spec.Metric)
	if !known {
		return o, refuse(ReasonInvalidObjective, "%s.metric: there is no %q", field, spec.Metric)
	}
	if metric.Name == figures.Outage && o.Statistic == "" {
		o.Statistic = plan.StatisticMax
	}
	for _, side := range []struct {
		name string
		text *intstr.IntOrString
		at   **float64
	}{{"atMost", spec.AtMost, &o.AtMost}, {"atLeast", spec.AtLeast, &o.AtLeast}} {
		if side.text == nil {
			continue
		}
		value, err := bound(metric, strings.TrimSpace(side.text.String()))
		if err != nil {
			return o, refuse(ReasonInvalidObjective, "%s.%s: %v", field, side.name, err)
		}
		*side.at = &value
	}
	return o, nil
}

func workloadOf(fault *v1alpha1.FaultSpec, spec *v1alpha1.BenchmarkRunSpec) string {
	if fault.Workload != "" {
		return fault.Workload
	}
	return spec.Workloads[0].Name
}

// anyDoes says that a workload which the objective is for does its operation. Of a trace nobody knows.
func anyDoes(spec *v1alpha1.BenchmarkRunSpec, o plan.Objective, files Files) (bool, error) {
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		if o.Workload != "" && o.Workload != w.Name {
			continue
		}
		if w.Trace != nil {
			return true, nil
		}
		_, parsed, err := parseProperties(i, w, files)
		if err != nil {
			return false, err
		}
		if does(parsed, o.Operation) {
			return true, nil
		}
	}
	return false, nil
}

// does says that the workload has the operation, or one that it is a part of.
func does(spec *workload.Spec, operation string) bool {
	parts := map[stores.Kind][]stores.Kind{
		stores.Read: {stores.ReadModifyWrite}, stores.Update: {stores.ReadModifyWrite},
	}
	for kind := range stores.Kind(stores.NumKinds) {
		if kind.String() != operation {
			continue
		}
		for _, whole := range append(parts[kind], kind) {
			if spec.Weights[whole] > 0 {
				return true
			}
		}
		return kind == stores.Insert && spec.CacheAside
	}
	return false
}
