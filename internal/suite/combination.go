package suite

import (
	"fmt"

	"sigs.k8s.io/json"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Combination is one value of each axis, and the run's spec with them.
type Combination struct {
	Labels []manifest.Label
	Spec   v1alpha1.BenchmarkRunSpec
}

// Name is how people call a combination, such as "rate=500, store=etcd".
func (c *Combination) Name() string { return manifest.NameOf(c.Labels) }

// maxCombinations bounds how many combinations are looked at, before those that are excluded are left out.
const maxCombinations = 10_000

// Expand returns all combinations of a suite that aren't excluded, the last axis' values fastest. What is wrong with the
// suite, or with some of the combinations, it returns as problems. Then it returns the combinations that could be made, so
// that more can be found wrong with them, and none where there are too many. They must not be run.
func Expand(spec *v1alpha1.BenchmarkSuiteSpec) ([]Combination, Problems) {
	var problems Problems
	names := map[string]bool{}
	for i := range spec.Axes {
		if names[spec.Axes[i].Name] {
			problems.add("", fmt.Sprintf("there are two axes with the name %s", spec.Axes[i].Name))
		}
		names[spec.Axes[i].Name] = true
	}
	axes := make([][]step, len(spec.Axes))
	product := 1
	for i := range spec.Axes {
		var err error
		if axes[i], err = steps(&spec.Axes[i]); err != nil {
			problems.add("", err.Error())
			continue
		}
		product = min(product*len(axes[i]), maxCombinations+1)
	}
	if product > maxCombinations {
		problems.add("", fmt.Sprintf("the axes have more than %d combinations: shorten them, or make several suites", maxCombinations))
	}
	if _, _, err := Looks(spec); err != nil {
		problems.add("", err.Error())
	}
	if len(problems) > 0 {
		return nil, problems
	}
	excluded := exclusions(spec, &problems)
	if !fits(spec, axes, excluded, &problems) {
		return nil, problems
	}
	var all []Combination
	for chosen := range choices(axes) {
		labels := labelsOf(chosen)
		if excluded(labels) {
			continue
		}
		made, err := combine(spec.Template.Spec.Raw, chosen)
		if err != nil {
			problems.add(manifest.NameOf(labels), err.Error())
			continue
		}
		all = append(all, Combination{labels, made})
	}
	all = withSearch(spec, all, &problems)
	refuseForbidden(spec, all, &problems)
	refuseShared(spec, all, &problems)
	objectives(spec, all, &problems)
	return all, problems
}

// maxSpecBytes bounds the specs of all combinations together: each may be as large as the template.
const maxSpecBytes = 16 << 20

// fits says whether there are few enough combinations to look at each.
func fits(spec *v1alpha1.BenchmarkSuiteSpec, axes [][]step, excluded func([]manifest.Label) bool, problems *Problems) bool {
	count := 0
	for chosen := range choices(axes) {
		if !excluded(labelsOf(chosen)) {
			count++
		}
	}
	rates, more := 0, ""
	if spec.Search != nil {
		rates = count * MostRates(spec.Search)
		count *= 2
		more = fmt.Sprintf(", and %d rates that the search may try,", rates)
	}
	runs, most := count*Trials(spec)+rates, MaxRuns(spec)
	switch {
	case count == 0:
		problems.add("", "exclude leaves no combination")
	case runs > most:
		problems.add("", fmt.Sprintf("%d combinations × %d trials%s are %d runs, and maxRuns is %d: lower spec.trials, or raise spec.maxRuns",
			count, Trials(spec), more, runs, most))
	case count*len(spec.Template.Spec.Raw) > maxSpecBytes:
		problems.add("", fmt.Sprintf("%d combinations of a template of %d bytes are too much to look at: shorten the template, or make several suites",
			count, len(spec.Template.Spec.Raw)))
	default:
		return true
	}
	return false
}

func labelsOf(chosen []step) []manifest.Label {
	labels := make([]manifest.Label, len(chosen))
	for i, s := range chosen {
		labels[i] = s.label
	}
	return labels
}

// choices iterates over one step of each axis, in all combinations.
func choices(axes [][]step) func(yield func([]step) bool) {
	return func(yield func([]step) bool) {
		chosen := make([]step, len(axes))
		var descend func(i int) bool
		descend = func(i int) bool {
			if i == len(axes) {
				return yield(chosen)
			}
			for _, s := range axes[i] {
				chosen[i] = s
				if !descend(i + 1) {
					return false
				}
			}
			return true
		}
		descend(0)
	}
}

// combine makes the run's spec of a combination.
func combine(template []byte, chosen []step) (spec v1alpha1.BenchmarkRunSpec, err error) {
	document := template
	for _, s := range chosen {
		if document, err = s.apply(document); err != nil {
			return spec, fmt.Errorf("axis %s: %w", s.label.Axis, err)
		}
	}
	strict, err := json.UnmarshalStrict(document, &spec)
	if err != nil {
		return spec, fmt.Errorf("the run's spec can't be read: %w", err)
	}
	if len(strict) > 0 {
		return spec, fmt.Errorf("the run's spec: %w", strict[0])
	}
	return spec, nil
}
