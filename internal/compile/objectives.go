package compile

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
	objectivespec "github.com/kvbench/kvbench/internal/objective/spec"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// compileObjectives reads the bounds, and refuses one that nothing in the run can have a figure for.
func compileObjectives(spec *v1alpha1.BenchmarkRunSpec, files Files) (compiled []plan.Objective, err error) {
	for i := range spec.Objectives {
		o, err := objectivespec.Read(&spec.Objectives[i])
		if err == nil {
			err = CheckObjective(spec, &o, files)
		}
		if err != nil {
			return nil, refuse(ReasonInvalidObjective, "spec.objectives[%d].%v", i, err)
		}
		compiled = append(compiled, o)
	}
	return compiled, nil
}

// CheckObjective says why nothing in the run can have the figure that an objective bounds. Its error names the field below the
// objective. files are those of FilesOf, as far as they are there.
func CheckObjective(spec *v1alpha1.BenchmarkRunSpec, o *plan.Objective, files Files) error {
	if o.Workload != "" && !slices.ContainsFunc(spec.Workloads, func(w v1alpha1.WorkloadSpec) bool { return w.Name == o.Workload }) {
		return fmt.Errorf("workload: there is no workload %q: name one of spec.workloads, or leave it out for all", o.Workload)
	}
	metric, known := objective.Find(o.Metric)
	if known && metric.OfFaults && !slices.ContainsFunc(spec.Faults, func(f v1alpha1.FaultSpec) bool { return o.Workload == "" || workloadOf(&f, spec) == o.Workload }) {
		return fmt.Errorf("metric: %s is what faults do, and there is none%s: add one to spec.faults, or leave the objective out", metric.Text, inWorkload(o.Workload))
	}
	if o.Operation != "" && !anyDoes(spec, o, files) {
		return fmt.Errorf("operation: there is no %s%s: name an operation of the mix", o.Operation, inWorkload(o.Workload))
	}
	return nil
}

func inWorkload(name string) string {
	if name == "" {
		return ""
	}
	return " in workload " + name
}

func workloadOf(fault *v1alpha1.FaultSpec, spec *v1alpha1.BenchmarkRunSpec) string {
	if fault.Workload != "" {
		return fault.Workload
	}
	return spec.Workloads[0].Name
}

// anyDoes says that a workload which the objective is for may do its operation. Of a trace, and of properties that can't be
// read, nobody knows.
func anyDoes(spec *v1alpha1.BenchmarkRunSpec, o *plan.Objective, files Files) bool {
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		if o.Workload != "" && o.Workload != w.Name {
			continue
		}
		_, parsed, err := parseProperties(i, w, files)
		if w.Trace != nil || err != nil || does(parsed, o.Operation) {
			return true
		}
	}
	return false
}

// does says that the workload has the operation, or one that it is a part of.
func does(spec *workload.Spec, operation string) bool {
	parts := map[stores.Kind][]stores.Kind{
		stores.Read: {stores.ReadModifyWrite}, stores.Update: {stores.ReadModifyWrite},
	}
	for kind := range stores.NumKinds {
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
