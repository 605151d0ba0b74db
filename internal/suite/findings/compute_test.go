package findings

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// runReport is the report of a run with a throughput, and a p99 of its reads in microseconds.
func runReport(throughput float64, p99Micros int64) *report.Report {
	return &report.Report{Kvbench: "v1", Valid: true, Workloads: []report.Workload{{
		Name: "a", Throughput: throughput, Intended: 1000, Succeeded: 990,
		Operations: []report.Operation{
			{Operation: "READ", Outcome: "ok", Count: 990, ResponseTime: &report.Latency{P50Micros: 500, P95Micros: 900, P99Micros: p99Micros, P999Micros: 2 * p99Micros}, ServiceTime: &report.Latency{P99Micros: 1}},
		},
	}}}
}

// suiteOf has the axis store with two values, and so many blocks, all of which are valid. Its run's UID is b<block>c<combination>.
func suiteOf(blocks int) *manifest.Manifest {
	m := &manifest.Manifest{
		Format: manifest.Format, Suite: manifest.Name{Namespace: "n", Name: "s", UID: "u"}, Blocks: blocks, Complete: true,
		Axes:         []manifest.Axis{{Name: "store", Values: []string{"etcd", "redis"}}},
		Combinations: [][]manifest.Label{{{Axis: "store", Value: "etcd"}}, {{Axis: "store", Value: "redis"}}},
	}
	for block := range blocks {
		for combination := range 2 {
			uid := fmt.Sprintf("b%dc%d", block, combination)
			m.Trials = append(m.Trials, manifest.Trial{Block: block, Combination: combination, Attempts: []manifest.Attempt{{Run: uid, UID: uid, Outcome: manifest.Valid}}})
		}
	}
	return m
}

// runsBy gives the runs of the reports that the function makes.
func runsBy(make func(block, combination int) *report.Report) func(string, string) (*Run, error) {
	return func(uid, prefix string) (*Run, error) {
		var block, combination int
		if _, err := fmt.Sscanf(uid, "b%dc%d", &block, &combination); err != nil {
			return nil, err
		}
		if r := make(block, combination); r != nil {
			return RunOf(r, prefix), nil
		}
		return nil, nil
	}
}

// twice is a second system with half the throughput of the first, on a machine that drifts from block to block.
func twice(block, combination int) *report.Report {
	drift := 1 + 0.1*float64(block)
	return runReport(1000*drift/float64(1+combination), int64(2000*drift))
}

func must(t *testing.T, m *manifest.Manifest, runs func(string, string) (*Run, error)) *Report {
	t.Helper()
	r, err := Compute(m, nil, runs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Report) comparison(metric string) *Comparison {
	at := slices.IndexFunc(r.Comparisons, func(c Comparison) bool { return c.Metric == metric })
	if at < 0 {
		return nil
	}
	return &r.Comparisons[at]
}

func TestBlocksTakeTheDriftOfTheMachineOut(t *testing.T) {
	r := must(t, suiteOf(8), runsBy(twice))
	c := r.comparison(figures.Throughput)
	if c == nil || c.Value != "redis" || c.Against != "etcd" || c.Ratio.Value == nil {
		t.Fatalf("%+v", c)
	}
	if math.Abs(*c.Ratio.Value-0.5) > 1e-9 || math.Abs(*c.Ratio.Low-0.5) > 1e-9 || math.Abs(*c.Ratio.High-0.5) > 1e-9 || c.Ratio.Trials != 8 {
		t.Errorf("redis against etcd: %v [%v, %v] of %d", *c.Ratio.Value, *c.Ratio.Low, *c.Ratio.High, c.Ratio.Trials)
	}
	if median := r.Combinations[0].Metrics[0].Median; *median.Value != 1350 || median.Low == nil || *median.Low >= *median.High {
		t.Errorf("etcd's median is %+v", median)
	}
}

func TestFewTrialsHaveNoInterval(t *testing.T) {
	r := must(t, suiteOf(2), runsBy(twice))
	if c := r.comparison(figures.Throughput); c.Ratio.Value == nil || c.Ratio.Low != nil || c.Ratio.Confidence != 0 {
		t.Errorf("%+v", c.Ratio)
	}
}

func TestTrialsWithoutNumbersAreCountedAndLeftOut(t *testing.T) {
	m := suiteOf(4)
	m.Trials[0].Attempts = []manifest.Attempt{{Run: "x", UID: "b0c0", Outcome: manifest.NotValid, Reasons: []string{"GeneratorLag"}}, {Run: "x-r1", UID: "b0c0", Outcome: manifest.Failed}}
	m.Trials[3].Attempts = []manifest.Attempt{{Run: "y", UID: "none", Outcome: manifest.NotValid}, {Run: "y-r1", UID: "b1c1", Outcome: manifest.Valid}}
	m.Trials[7].Attempts = nil
	r := must(t, m, runsBy(func(block, combination int) *report.Report {
		if block == 2 && combination == 1 {
			return nil // it was evicted
		}
		return twice(block, combination)
	}))
	for i, want := range [][3]int{{3, 1, 0}, {2, 1, 1}} {
		c := r.Combinations[i]
		if got := [3]int{c.Valid, c.Unusable, c.Left}; got != want {
			t.Errorf("%s: valid, unusable, left %v, want %v", manifest.NameOf(c.Labels), got, want)
		}
	}
	// Block 1 alone has both.
	if c := r.comparison(figures.Throughput); c.Ratio.Trials != 1 {
		t.Errorf("%+v", c.Ratio)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the report of run b2c1 is no longer kept, or can't be used") {
		t.Errorf("%q", r.Warnings)
	}
}

func TestALowerBoundIsAboveAllAndHasNoRatio(t *testing.T) {
	r := must(t, suiteOf(7), runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		made.Workloads[0].ResponseTimeCensored = combination == 0 && block < 4
		return made
	}))
	c := r.comparison(figures.P99)
	if c.Ratio.Value != nil || !strings.Contains(c.Why, "lower bound") {
		t.Errorf("%+v", c)
	}
	at := slices.IndexFunc(r.Combinations[0].Metrics, func(m Metric) bool { return m.Metric == figures.P99 })
	if median := r.Combinations[0].Metrics[at].Median; median.Value != nil || *median.AtLeast != 0.0026 || *median.Low != 0.002 || median.High != nil {
		t.Errorf("more than half of the values are lower bounds, and their median is %+v", median)
	}
	if c := r.comparison(figures.Errors); c.Ratio.Value == nil || *c.Ratio.Value != 1 {
		t.Errorf("%+v", c)
	}
}

func TestALowerBoundBelowOthersWidensTheInterval(t *testing.T) {
	values := []Value{{Value: 1, Censored: true}}
	for i := range 6 {
		values = append(values, Value{Block: i + 1, Value: float64(10 + i)})
	}
	got, err := medianOf(values, manifest.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	// Where the first value is 1, the median is 12. Where it is infinite, it is 13.
	if got.Value != nil || *got.AtLeast != 12 || *got.Low != 1 || got.High != nil {
		t.Errorf("%+v: at least %v, low %v", got, *got.AtLeast, *got.Low)
	}
}

func TestResponseTimesAreNotComparedWithServiceTimes(t *testing.T) {
	r := must(t, suiteOf(6), runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		if combination == 1 {
			made.Workloads[0].Operations[0].ResponseTime = nil
		}
		return made
	}))
	if c := r.comparison(figures.P99); c.Ratio.Value != nil || !strings.Contains(c.Why, "has no such figure") {
		t.Errorf("%+v", c)
	}
}

func TestFiguresThatAreZeroHaveNoRatio(t *testing.T) {
	for _, c := range []struct {
		failed [2]int64 // by combination
		why    string
	}{{[2]int64{0, 0}, "both are 0"}, {[2]int64{0, 10}, "a figure is 0, which has no ratio to others"}, {[2]int64{10, 10}, ""}} {
		r := must(t, suiteOf(2), runsBy(func(block, combination int) *report.Report {
			made := twice(block, combination)
			made.Workloads[0].Succeeded = made.Workloads[0].Intended - c.failed[combination]
			return made
		}))
		if got := r.comparison(figures.Errors); got.Why != c.why {
			t.Errorf("%v failed: %q", c.failed, got.Why)
		}
	}
}

func TestComparisonsDifferInOneAxis(t *testing.T) {
	m := suiteOf(1)
	m.Axes = append(m.Axes, manifest.Axis{Name: "rate", Values: []string{"1", "2"}})
	m.Combinations = nil
	m.Trials = nil
	for i, labels := range [][2]string{{"etcd", "1"}, {"etcd", "2"}, {"redis", "2"}} { // redis with rate 1 is excluded
		m.Combinations = append(m.Combinations, []manifest.Label{{Axis: "store", Value: labels[0]}, {Axis: "rate", Value: labels[1]}})
		m.Trials = append(m.Trials, manifest.Trial{Combination: i, Attempts: []manifest.Attempt{{Run: "r", UID: fmt.Sprintf("b0c%d", i), Outcome: manifest.Valid}}})
	}
	var got []string
	for _, c := range must(t, m, runsBy(twice)).Comparisons {
		if c.Metric == figures.Throughput {
			got = append(got, fmt.Sprintf("%s: %s against %s with %s", c.Axis, c.Value, c.Against, manifest.NameOf(c.With)))
		}
	}
	if want := []string{"store: redis against etcd with rate=2", "rate: 2 against 1 with store=etcd"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTheSameSuiteGivesTheSameBytes(t *testing.T) {
	var documents [2][]byte
	for i := range documents {
		var err error
		if documents[i], err = must(t, suiteOf(6), runsBy(twice)).JSON(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(documents[0], documents[1]) {
		t.Error("two reports differ")
	}
}

func TestSaturatedStoresAndOtherPromisesAreNamed(t *testing.T) {
	r := must(t, suiteOf(3), runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		made.Store.Promise = []string{"Linearizable", "Durable"}[combination]
		made.Workloads[0].Saturated = combination == 1 && block > 0
		return made
	}))
	want := []string{"promise different things", "store=redis: the store could not take the load of workload a in 2 trials"}
	if len(r.Warnings) != len(want) {
		t.Fatalf("%q", r.Warnings)
	}
	for i := range want {
		if !strings.Contains(r.Warnings[i], want[i]) {
			t.Errorf("%q, want %q", r.Warnings[i], want[i])
		}
	}
}

func TestSeveralVersionsOfKvbenchAreNamed(t *testing.T) {
	r := must(t, suiteOf(2), runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		made.Kvbench = fmt.Sprint("v", block)
		return made
	}))
	if len(r.Warnings) != 3 || r.Warnings[1] != "store=etcd: its trials are not alike: /kvbench is v1, and v0" || !strings.Contains(r.Warnings[0], `["v0" "v1"]`) {
		t.Errorf("%q", r.Warnings)
	}
}

// differing are runs whose store has a version of its own in some trials.
func differing(version func(block, combination int) string) func(string, string) (*Run, error) {
	return runsBy(func(block, combination int) *report.Report {
		r := twice(block, combination)
		r.Store.Version = version(block, combination)
		return r
	})
}

func TestUnlikeIsNotComparedWithUnlike(t *testing.T) {
	ofCombination := differing(func(_, combination int) string { return fmt.Sprint("v", combination) })
	versions := suiteOf(8)
	versions.Axes[0].Fields = []string{"/store/name"}
	versions.Objectives = []manifest.Objective{atLeast("throughput", 0.4, ofEtcd)}
	r := must(t, versions, ofCombination)
	for _, c := range r.Comparisons {
		if c.Ratio.Value != nil || c.Why != "not comparable: /store/version is v1, and v0" || len(c.Differences) != 1 {
			t.Errorf("%+v", c)
		}
	}
	if r.Verdict != "Unknown" || r.Objectives[0].Judged[0].Why != r.Comparisons[0].Why {
		t.Errorf("%+v", r.Objectives)
	}
	for what, change := range map[string]func(*manifest.Manifest){
		"a difference that is accepted": func(m *manifest.Manifest) { m.Compare.Despite = []string{"/store"} },
		"an axis that is the version":   func(m *manifest.Manifest) { m.Axes[0].Fields = []string{"/store/version"} },
		"a suite of an earlier version": func(m *manifest.Manifest) { m.Axes[0].Fields = nil },
	} {
		m := suiteOf(8)
		m.Axes[0].Fields, m.Objectives = []string{"/store/name"}, versions.Objectives
		change(m)
		if r := must(t, m, ofCombination); r.comparison("p99").Ratio.Value == nil || r.Verdict != "Passed" {
			t.Errorf("%s: %s, %+v", what, r.Verdict, r.comparison("p99"))
		}
	}
}

func TestTrialsThatAreNotAlikeAreNamed(t *testing.T) {
	m := suiteOf(8)
	m.Objectives = []manifest.Objective{atMost("p99", 0.004)}
	r := must(t, m, differing(func(block, _ int) string { return fmt.Sprint("v", block/7) }))
	if judged := r.Objectives[0].Judged[0]; judged.Verdict != "Unknown" || judged.Why != "its trials are not alike: /store/version is v1, and v0" {
		t.Errorf("%+v", judged)
	}
	// The third one is of the drift that the runs have.
	if len(r.Warnings) != 3 || r.Warnings[0] != "store=etcd: its trials are not alike: /store/version is v1, and v0" {
		t.Errorf("%q", r.Warnings)
	}
}

// Machines of two kinds, on which a scheduler places pods as it likes, are accepted by those who say so.
func TestTrialsMayDifferInWhatIsAccepted(t *testing.T) {
	m := suiteOf(8)
	m.Objectives = []manifest.Objective{atMost("p99", 0.004)}
	m.Compare.Despite = []string{"/store/version"}
	r := must(t, m, differing(func(block, _ int) string { return fmt.Sprint("v", block/7) }))
	if judged := r.Objectives[0].Judged[0]; strings.Contains(judged.Why, "not alike") {
		t.Errorf("%+v", judged)
	}
	for _, warning := range r.Warnings {
		if strings.Contains(warning, "not alike") {
			t.Error(warning)
		}
	}
}
