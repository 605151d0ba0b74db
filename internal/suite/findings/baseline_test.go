package findings

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// times is a system with so many times the throughput of 1,000/s, and its times accordingly, which vary by 1 % from block to block.
func times(factor float64) func(block, combination int) *report.Report {
	return func(block, combination int) *report.Report {
		varied := factor * (1 + 0.01*float64((block*5+combination*3)%7-3)/3)
		return runReport(1000*varied, int64(2000/varied))
	}
}

// keptOf is the baseline of a suite of two combinations, written and read.
func keptOf(t *testing.T, m *manifest.Manifest, runs func(block, combination int) *report.Report) *Baseline {
	t.Helper()
	kept, err := must(t, m, runsBy(runs)).Baseline()
	if err != nil {
		t.Fatal(err)
	}
	document, err := kept.JSON()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadBaseline(document)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func against(o *manifest.Objective) { o.Against = "main" }

func TestASuiteIsComparedWithAnEarlierOne(t *testing.T) {
	const untold = "these trials don't tell on which side of the bound it is"
	other := func(factor float64, change func(*report.Report)) func(block, combination int) *report.Report {
		return func(block, combination int) *report.Report {
			made := times(factor)(block, combination)
			change(made)
			return made
		}
	}
	for _, c := range []struct {
		what      string
		kept      *Baseline
		blocks    int
		runs      func(block, combination int) *report.Report
		change    func(*manifest.Manifest)
		objective manifest.Objective
		verdict   string
		why       string
	}{
		{"the same", keptOf(t, suiteOf(8), times(1)), 8, times(1), nil, atLeast("throughput", 0.95, against), "Passed", ""},
		{"a fifth slower", keptOf(t, suiteOf(8), times(1)), 8, times(0.8), nil, atLeast("throughput", 0.95, against), "Failed", ""},
		{"a fifth slower, by its times", keptOf(t, suiteOf(8), times(1)), 8, times(0.8), nil, atMost("p99", 1.05, against), "Failed", ""},
		{"at the bound", keptOf(t, suiteOf(8), times(1)), 8, times(0.95), nil, atLeast("throughput", 0.95, against), "Unknown", untold},
		{"of other numbers of trials", keptOf(t, suiteOf(12), times(1)), 6, times(1), nil, atLeast("throughput", 0.95, against, ofBoth), "Passed", ""},
		{"two trials", keptOf(t, suiteOf(2), times(1)), 8, times(1), nil, atLeast("throughput", 0.95, against), "Passed", ""},
		{"two and two", keptOf(t, suiteOf(2), times(1)), 2, times(1), nil, atLeast("throughput", 0.95, against), "Unknown", "2 trials, and 2 of the baseline, are too few"},
		{"a baseline half of whose trials have failed", keptOf(t, failing(suiteOf(8), 1, 0, 2, 4, 6), times(1)), 8, times(1), nil, atLeast("throughput", 0.95, against),
			"Unknown", "4 trials of the baseline have no valid figure"},
		{"another mode", keptOf(t, suiteOf(8), other(1, func(r *report.Report) { r.Store.Mode = "old" })), 8, times(1), nil, atLeast("throughput", 0.95, against),
			"Unknown", "not comparable: /store/mode is not set, and old"},
		{"another mode that is accepted", keptOf(t, suiteOf(8), other(1, func(r *report.Report) { r.Store.Mode = "old" })), 8, times(1),
			func(m *manifest.Manifest) { m.Compare.Despite = []string{"/store/mode"} }, atLeast("throughput", 0.95, against), "Passed", ""},
		{"a closed loop", keptOf(t, suiteOf(8), other(1, func(r *report.Report) { r.Workloads[0].Operations[0].ResponseTime = nil })), 8, times(1), nil,
			atMost("p99", 1.05, against), "Unknown", "not comparable: response times of an open loop, and service times of a closed one"},
		{"a baseline that isn't there", nil, 8, times(1), nil, atLeast("throughput", 0.95, against), "Unknown", "the baseline main isn't kept here, or has no such combination"},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := suiteOf(c.blocks)
			m.Objectives = []manifest.Objective{c.objective}
			if c.change != nil {
				c.change(m)
			}
			baselines := map[string]*Baseline{}
			if c.kept != nil {
				baselines["main"] = c.kept
			}
			r, err := Compute(m, baselines, runsBy(c.runs))
			if err != nil {
				t.Fatal(err)
			}
			judged := r.Objectives[0].Judged
			if last := judged[len(judged)-1]; r.Verdict != c.verdict || last.Why != c.why || last.Against != "main" {
				t.Errorf("%s, since %q, want %s and %q: %+v", r.Verdict, last.Why, c.verdict, c.why, judged)
			}
			fits(t, "suite.schema.json", r.JSON)
		})
	}
}

func failing(m *manifest.Manifest, combination int, blocks ...int) *manifest.Manifest {
	for _, block := range blocks {
		failed(combination, block)(m)
	}
	return m
}

// An axis that the earlier suite didn't have may have any value.
func TestABaselineMayHaveFewerAxes(t *testing.T) {
	kept := keptOf(t, suiteOf(8), times(1))
	if found := kept.find([]manifest.Label{{Axis: "rate", Value: "10"}, {Axis: "store", Value: "redis"}}); found == nil || found.Labels[0].Value != "redis" {
		t.Errorf("%+v", found)
	}
	if found := kept.find([]manifest.Label{{Axis: "store", Value: "other"}}); found != nil {
		t.Errorf("%+v", found)
	}
}

func TestARateThatWasSearchedForIsNoneOfABaseline(t *testing.T) {
	kept := keptOf(t, suiteOf(8), rated(100))
	m := searchedSuite()
	o := atLeast("throughput", 0.95, against)
	o.Subjects = []manifest.Subject{{Combination: 0}}
	m.Objectives = []manifest.Objective{o}
	r, err := Compute(m, map[string]*Baseline{"main": kept}, runsBy(rated(500)))
	if err != nil {
		t.Fatal(err)
	}
	if judged := r.Objectives[0].Judged[0]; judged.Verdict != "Unknown" || !strings.Contains(judged.Why, "/workloads/0/load/rate") {
		t.Errorf("%s: %s", judged.Verdict, judged.Why)
	}
}

// rated are runs at that rate.
func rated(rate float64) func(block, combination int) *report.Report {
	return func(block, combination int) *report.Report {
		made := times(1)(block, combination)
		made.Workloads[0].Load.Rate = rate
		return made
	}
}

func TestBaselinesFitTheirSchema(t *testing.T) {
	kept := keptOf(t, failing(suiteOf(8), 1, 3), times(1))
	fits(t, "baseline.schema.json", kept.JSON)
}

func TestOnlyWhatIsCompleteIsABaseline(t *testing.T) {
	underWay := suiteOf(8)
	underWay.Complete = false
	for want, m := range map[string]*manifest.Manifest{
		"the suite is under way":                    underWay,
		"no trial has valid numbers of store=redis": failing(suiteOf(2), 1, 0, 1),
	} {
		if kept, err := must(t, m, runsBy(times(1))).Baseline(); err == nil || err.Error() != want {
			t.Errorf("%+v, %v, want %s", kept, err, want)
		}
	}
}

func TestBaselinesThatContradictThemselvesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                "can't be read",
		`{"format":2}`:                     "is it the file baseline.json of a suite?",
		`{"format":1}`:                     "no combinations",
		`{"format":1,"combinations":[{}]}`: "no valid trials",
		`{"format":1,"combinations":[{"unusable":-1,"fingerprints":[{}]}]}`:                                        "no valid trials",
		`{"format":1,"combinations":[{"fingerprints":[{}],"metrics":[{"metric":"p99","values":[{"value":-1}]}]}]}`: "a figure -1",
		`{"format":1,"combinations":[{"fingerprints":[{}],"metrics":[{"metric":"p99","values":[{"block":-1}]}]}]}`: "a figure 0",
		`{"format":1,"combinations":[{"unusable":2000000000,"fingerprints":[{}]}]}`:                                "more trials than a suite has",
		`{"format":1,"combinations":[` + strings.Repeat("{},", maxBaselineValues+1) + `{}]}`:                       "more than 200000 values",
	} {
		if _, err := ReadBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: %v, want %s", text, err, want)
		}
	}
}

// fits wants a document to have the schema.
func fits(t *testing.T, schema string, document func() ([]byte, error)) {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile("../../../docs/reference/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	text, err := document()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Error(err)
	}
}
