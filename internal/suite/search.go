package suite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
	objectivespec "github.com/kvbench/kvbench/internal/objective/spec"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Defaults of spec.search.
const (
	defaultFrom      = 100
	defaultPrecision = 0.05
	searchGrowth     = 2
)

// maxSearches bounds the combinations of the axes in a suite that searches, each of which takes a search of its own.
const maxSearches = 64

// rateField is what a search changes.
const rateField = "/load/rate"

// searchAxis is the axis that a search adds: each combination of the others is measured at both rates that were found.
func searchAxis() manifest.Axis {
	return manifest.Axis{Name: manifest.SearchAxis, Values: []string{manifest.Holds, manifest.Misses}, Fields: []string{rateField}}
}

// withSearch makes two combinations of each, in the place of one: at the rate that holds, and at the one that misses. Before the rates
// are found, these are the lowest and the highest that may be.
func withSearch(spec *v1alpha1.BenchmarkSuiteSpec, all []Combination, problems *Problems) []Combination {
	if spec.Search == nil {
		return all
	}
	if len(all) > maxSearches {
		problems.add("", fmt.Sprintf("there are %d combinations to search in, and a suite can have %d of them: shorten an axis, or make several suites", len(all), maxSearches))
	}
	for i := range spec.Search.Objectives {
		if spec.Search.Objectives[i].Metric == figures.Throughput {
			problems.add("", fmt.Sprintf("search.objectives[%d] is of the throughput, which the search itself raises: name what a higher rate makes worse, such as p99", i))
		}
	}
	if slices.ContainsFunc(spec.Axes, func(a v1alpha1.SuiteAxis) bool { return a.Name == manifest.SearchAxis }) {
		problems.add("", "there is an axis with the name "+manifest.SearchAxis+", which is that of the rates that are found: give it another one")
	}
	both := make([]Combination, 0, 2*len(all))
	for i := range all {
		if text := unsearchable(&all[i].Spec); text != "" {
			problems.add(all[i].Name(), text)
		}
		for place, value := range []string{manifest.Holds, manifest.Misses} {
			made := Combination{Labels: append(slices.Clone(all[i].Labels), manifest.Label{Axis: manifest.SearchAxis, Value: value}), Spec: *all[i].Spec.DeepCopy()}
			made.Spec.Objectives = spec.Search.Objectives
			setRate(&made, []int64{First(spec.Search), spec.Search.UpTo}[place])
			both = append(both, made)
		}
	}
	return both
}

// unsearchable says why a combination has no rate to search for; "" if it has.
func unsearchable(spec *v1alpha1.BenchmarkRunSpec) string {
	switch {
	case len(spec.Objectives) > 0:
		return "objectives of the template would decide the search beside its own: leave them out"
	case spec.Load.Rate != nil || spec.Load.RateShape != nil:
		return "load.rate is what is searched for: leave load.rate and load.rateShape out"
	}
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		if w.Trace != nil || len(w.Clients) > 0 || w.Load != nil && (w.Load.Rate != nil || w.Load.RateShape != nil) {
			return fmt.Sprintf("workload %s has a load of its own, and search is for the rate of all: leave its trace, clients and rate out", w.Name)
		}
	}
	return ""
}

func setRate(c *Combination, rate int64) { c.Spec.Load.Rate = &rate }

// First is the rate with which a search begins.
func First(search *v1alpha1.SuiteSearch) int64 {
	if search.From == nil {
		return min(defaultFrom, search.UpTo)
	}
	return *search.From
}

// NextRate is the rate to try after these; more is false when the search is over. No rate is below the first one.
func NextRate(search *v1alpha1.SuiteSearch, tried []v1alpha1.TriedRate) (rate int64, more bool) {
	if len(tried) == 1 && !tried[0].Kept {
		return 0, false
	}
	within := stats.SearchRange{First: float64(First(search)), Growth: searchGrowth, Most: float64(search.UpTo), Precision: precision(search)}
	next, more := within.Next(triedRates(tried))
	rate = int64(math.Round(next))
	// Rates are whole numbers, so that a narrow interval has no middle.
	known := slices.ContainsFunc(tried, func(t v1alpha1.TriedRate) bool { return t.Rate == rate })
	return rate, more && !known
}

// MostRates is how many rates the search tries at most: it doubles the first one, and then halves what is at most the last one.
func MostRates(search *v1alpha1.SuiteSearch) int {
	doublings := math.Ceil(math.Log2(float64(search.UpTo) / float64(First(search))))
	return 1 + int(doublings) + int(math.Ceil(-math.Log2(precision(search))))
}

func precision(search *v1alpha1.SuiteSearch) float64 {
	if part, is := partOf(search.Precision); is {
		return part
	}
	return defaultPrecision
}

func triedRates(tried []v1alpha1.TriedRate) []stats.Tried {
	rates := make([]stats.Tried, len(tried))
	for i, t := range tried {
		rates[i] = stats.Tried{Rate: float64(t.Rate), Met: t.Kept}
	}
	return rates
}

// Found is what the rates that were tried say of a combination. why is what ended the search early.
func Found(combination string, tried []v1alpha1.TriedRate, why string) v1alpha1.FoundRates {
	found := v1alpha1.FoundRates{Combination: combination, Tried: tried, Why: why}
	holds, misses := stats.Bracket(triedRates(tried))
	if holds > 0 {
		rate := int64(holds)
		found.Holds = &rate
	}
	if !math.IsInf(misses, 1) {
		rate := int64(misses)
		found.Misses = &rate
	}
	return found
}

// SearchIsOver says that the rates are known at which a suite has its trials. Those of a suite that doesn't search always are.
func SearchIsOver(of *v1alpha1.BenchmarkSuite) bool {
	return of.Spec.Search == nil || len(of.Status.Search) > 0
}

// FillRates sets the rates that were found, and says which of the combinations there are.
func FillRates(combinations []Combination, found []v1alpha1.FoundRates) (measured []bool) {
	measured = make([]bool, len(combinations))
	for i := range combinations {
		searched, misses := Searched(i)
		if searched >= len(found) {
			continue
		}
		if rate := rateAt(&found[searched], misses); rate != nil {
			measured[i] = true
			setRate(&combinations[i], *rate)
		}
	}
	return measured
}

// EndedEarly names the combinations whose search ended before it was as precise as it was to be, and why; "" if there are none.
func EndedEarly(of *v1alpha1.BenchmarkSuite) string {
	var all []string
	for _, found := range of.Status.Search {
		if found.Why != "" {
			all = append(all, found.Combination+": "+found.Why)
		}
	}
	return strings.Join(all, "; ")
}

// Measured is how many combinations of a suite have trials.
func Measured(of *v1alpha1.BenchmarkSuite) (count int) {
	if of.Spec.Search == nil {
		return int(of.Status.Combinations)
	}
	for i := range of.Status.Search {
		for _, misses := range []bool{false, true} {
			if rateAt(&of.Status.Search[i], misses) != nil {
				count++
			}
		}
	}
	return count
}

// rateAt is the rate that has trials, of those that hold or of those that miss; nil if there is none. One that misses is the edge of one
// that holds, and is not measured without.
func rateAt(found *v1alpha1.FoundRates, misses bool) *int64 {
	if !misses || found.Holds == nil {
		return found.Holds
	}
	return found.Misses
}

// SearchOf is what a manifest says of the search; nil for a suite that doesn't search. so is what was found, or is found so far.
func SearchOf(of *v1alpha1.BenchmarkSuite, combinations []Combination, so []v1alpha1.FoundRates) *manifest.Search {
	if of.Spec.Search == nil {
		return nil
	}
	search := &manifest.Search{UnderWay: !SearchIsOver(of)}
	for i := range of.Spec.Search.Objectives {
		o, err := objectivespec.Read(&of.Spec.Search.Objectives[i])
		if err != nil { // then no run of it was admitted
			continue
		}
		search.Objectives = append(search.Objectives, o)
		search.Texts = append(search.Texts, objective.Text(&o))
	}
	for i, found := range so {
		if i >= Searches(combinations) {
			break
		}
		made := manifest.Found{With: SearchedLabels(combinations, i), Why: found.Why}
		for _, t := range found.Tried {
			made.Tried = append(made.Tried, manifest.Tried{Rate: t.Rate, Kept: t.Kept, Run: t.Run, UID: t.UID})
		}
		if search.UnderWay { // the rates may still change
			found.Holds, found.Misses = nil, nil
		}
		if found.Holds != nil {
			made.Holds = &manifest.Point{Rate: *found.Holds, Combination: holdsOf(i)}
		}
		if found.Misses != nil {
			made.Misses = &manifest.Point{Rate: *found.Misses, Combination: missesOf(i)}
		}
		if found.Holds != nil && found.Misses == nil {
			made.Absent = ptr.To(missesOf(i))
		}
		search.Found = append(search.Found, made)
	}
	return search
}

// ProbeName is the name of the run that tries a rate, in an attempt. searched and attempt count from 0.
func ProbeName(suite string, searched int, rate int64, attempt int) string {
	name := fmt.Sprintf("%s-c%d-at%d", suite, searched+1, rate)
	if attempt > 0 {
		name += "-r" + strconv.Itoa(attempt)
	}
	return name
}

// Probe is a combination at a rate that is tried.
func Probe(combinations []Combination, searched int, rate int64) *Combination {
	made := &Combination{Labels: slices.Clone(SearchedLabels(combinations, searched)), Spec: *combinations[holdsOf(searched)].Spec.DeepCopy()}
	made.Labels = append(made.Labels, manifest.Label{Axis: "rate", Value: strconv.FormatInt(rate, 10)})
	setRate(made, rate)
	return made
}
