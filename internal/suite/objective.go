package suite

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
	objectivespec "github.com/kvbench/kvbench/internal/objective/spec"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Compare is what the suite's report compares.
func Compare(spec *v1alpha1.BenchmarkSuiteSpec) (what manifest.Compare) {
	if of := spec.Compare; of != nil {
		what = manifest.Compare{By: of.By, Growth: of.Growth, Metrics: of.Metrics, Despite: slices.Clone(of.Despite)}
	}
	return what
}

// Objectives are those of the suite, each with the combinations that it is for. The suite has been expanded without problems.
func Objectives(spec *v1alpha1.BenchmarkSuiteSpec, combinations []Combination) []manifest.Objective {
	var problems Problems
	return objectives(spec, combinations, &problems)
}

// objectives notes as problems what makes no sense.
func objectives(spec *v1alpha1.BenchmarkSuiteSpec, combinations []Combination, problems *Problems) (all []manifest.Objective) {
	if spec.Compare == nil {
		return nil
	}
	known := labelsThatAre(spec)
	if by := spec.Compare.By; by != "" && known[by] == nil {
		problems.add("", fmt.Sprintf("compare.by names the axis %s, which is not there", by))
	}
	if checkGrowth(spec.Compare.Growth, known, problems); spec.Compare.Growth != "" && spec.Search != nil {
		problems.add("", "compare.growth is of the throughput that a store has by itself, and a search sets the rates: leave one of them out")
	}
	for i := range spec.Compare.Objectives {
		field, of := fmt.Sprintf("compare.objectives[%d]", i), &spec.Compare.Objectives[i]
		read := objectivespec.Read
		if len(of.Baseline) > 0 || of.Against != "" {
			read = objectivespec.ReadRatio
		}
		o, err := read(&of.Objective)
		if err != nil {
			problems.add("", fmt.Sprintf("%s.%v", field, err))
			all = append(all, manifest.Objective{}) // so that the others keep their places
			continue
		}
		if of.Against != "" && !slices.ContainsFunc(spec.Compare.Baselines, func(b v1alpha1.KeptBaseline) bool { return b.Name == of.Against }) {
			problems.add("", fmt.Sprintf("%s.against names the baseline %s, which is not among compare.baselines", field, of.Against))
		}
		where := known.labels(field+".where", whereOf(spec, of), problems)
		baseline := known.labels(field+".baseline", of.Baseline, problems)
		if slices.Contains(append(slices.Clone(where), baseline...), manifest.Label{Axis: manifest.SearchAxis, Value: manifest.Misses}) {
			problems.add("", field+" is for the rate that misses the objectives of the search, and there may be none: leave search out of where and baseline")
		}
		made := manifest.Objective{Objective: o, Basis: basis(of), Against: of.Against, Text: textOf(&o, of, where, baseline), Subjects: subjects(field, combinations, where, baseline, problems)}
		if len(made.Subjects) == 0 && len(combinations) > 0 {
			problems.add("", fmt.Sprintf("%s is for no combination: where and baseline leave none", field))
		}
		all = append(all, made)
	}
	return all
}

// whereOf is the objective's. In a suite that searches it is for the rates that hold, unless it says something else.
func whereOf(spec *v1alpha1.BenchmarkSuiteSpec, of *v1alpha1.SuiteObjective) v1alpha1.Combination {
	if _, said := of.Where[manifest.SearchAxis]; said || spec.Search == nil {
		return of.Where
	}
	where := v1alpha1.Combination{manifest.SearchAxis: intstr.FromString(manifest.Holds)}
	maps.Copy(where, of.Where)
	return where
}

// checkGrowth notes an axis that nothing can grow with.
func checkGrowth(axis string, known axisValues, problems *Problems) {
	values, exists := known[axis]
	switch {
	case axis == "":
	case !exists:
		problems.add("", fmt.Sprintf("compare.growth names the axis %s, which is not there", axis))
	case slices.ContainsFunc(values, func(value string) bool {
		n, err := strconv.ParseFloat(value, 64)
		return err != nil || !(n >= 1) || n > 1e9
	}):
		problems.add("", fmt.Sprintf("compare.growth names the axis %s, whose values are not all numbers from 1 on", axis))
	case hasTwice(values):
		problems.add("", fmt.Sprintf("compare.growth names the axis %s, which has a number twice, in two ways to write it", axis))
	case len(values) < stats.LeastSizes:
		problems.add("", fmt.Sprintf("compare.growth names the axis %s, which has %d values: a law of growth needs %d", axis, len(values), stats.LeastSizes))
	}
}

// hasTwice says that two of the values are one number.
func hasTwice(values []string) bool {
	seen := map[float64]bool{}
	for _, value := range values {
		n, err := strconv.ParseFloat(value, 64)
		if err == nil && seen[n] {
			return true
		}
		seen[n] = true
	}
	return false
}

func basis(of *v1alpha1.SuiteObjective) string {
	if of.Basis == "" {
		return report.BasisTrials
	}
	return of.Basis
}

func textOf(o *plan.Objective, of *v1alpha1.SuiteObjective, where, baseline []manifest.Label) string {
	text := objective.Text(o)
	switch {
	case len(baseline) > 0:
		text = objective.RatioText(o, manifest.NameOf(baseline))
	case of.Against != "":
		text = objective.RatioText(o, "the baseline "+of.Against)
	}
	if len(where) > 0 {
		text += " where " + manifest.NameOf(where)
	}
	if basis(of) == report.BasisRun {
		text += " in each run"
	}
	return text
}

// subjects are the combinations that have the labels of where. With a baseline, each is compared with the combination that has
// the baseline's labels in the place of its own. One that is the baseline itself is left out. One whose baseline is excluded is
// a problem: nobody would see that it isn't judged.
func subjects(field string, combinations []Combination, where, baseline []manifest.Label, problems *Problems) (all []manifest.Subject) {
	byName := make(map[string]int, len(combinations))
	for i := range combinations {
		byName[combinations[i].Name()] = i
	}
	for i := range combinations {
		labels := combinations[i].Labels
		if slices.ContainsFunc(where, func(l manifest.Label) bool { return !slices.Contains(labels, l) }) {
			continue
		}
		subject := manifest.Subject{Combination: i}
		if len(baseline) > 0 {
			other := slices.Clone(labels)
			for _, label := range baseline {
				other[slices.IndexFunc(other, func(l manifest.Label) bool { return l.Axis == label.Axis })] = label
			}
			at, exists := byName[manifest.NameOf(other)]
			switch {
			case !exists:
				problems.Add(combinations[i].Name(), field+": its baseline is excluded: name in where the combinations that have one")
				continue
			case at == i:
				continue
			}
			subject.Baseline = &at
		}
		all = append(all, subject)
	}
	return all
}

// axisValues are the values of each axis that is there.
type axisValues map[string][]string

func labelsThatAre(spec *v1alpha1.BenchmarkSuiteSpec) axisValues {
	known := axisValues{}
	for _, axis := range Axes(spec) {
		known[axis.Name] = axis.Values
	}
	return known
}

// labels of some axes. What is not there is a problem, and left out.
func (known axisValues) labels(field string, of v1alpha1.Combination, problems *Problems) (labels []manifest.Label) {
	for _, axis := range slices.Sorted(maps.Keys(of)) {
		value := of[axis]
		switch values, exists := known[axis]; {
		case !exists:
			problems.add("", fmt.Sprintf("%s names the axis %s, which is not there", field, axis))
		case !slices.Contains(values, value.String()):
			problems.add("", fmt.Sprintf("%s names the value %s, which the axis %s doesn't have", field, value.String(), axis))
		default:
			labels = append(labels, manifest.Label{Axis: axis, Value: value.String()})
		}
	}
	return labels
}
