package findings

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// atMost is an objective of the second combination, redis; atLeast is one of both.
func atMost(metric string, bound float64, change ...func(*manifest.Objective)) manifest.Objective {
	o := manifest.Objective{Objective: plan.Objective{Metric: metric, AtMost: &bound}, Basis: report.BasisTrials, Text: metric, Subjects: []manifest.Subject{{Combination: 1}}}
	for _, do := range change {
		do(&o)
	}
	return o
}

func atLeast(metric string, bound float64, change ...func(*manifest.Objective)) manifest.Objective {
	return atMost(metric, bound, append([]func(*manifest.Objective){func(o *manifest.Objective) {
		o.AtLeast, o.AtMost = o.AtMost, nil
	}}, change...)...)
}

func byRun(o *manifest.Objective) { o.Basis = report.BasisRun }
func ofBoth(o *manifest.Objective) {
	o.Subjects = []manifest.Subject{{Combination: 0}, {Combination: 1}}
}
func ofEtcd(o *manifest.Objective) { o.Subjects[0].Baseline = ptr.To(0) }

// varied are 1000 to 1700 operations/s of etcd, and half of that of redis, in blocks that drift. p99 is 2 to 3.4 ms.
func judgedOf(t *testing.T, blocks int, change func(*manifest.Manifest), objectives ...manifest.Objective) *Report {
	t.Helper()
	m := suiteOf(blocks)
	m.Objectives = objectives
	if change != nil {
		change(m)
	}
	return must(t, m, runsBy(twice))
}

func TestASuiteIsJudgedByItsTrials(t *testing.T) {
	for _, c := range []struct {
		what      string
		blocks    int
		change    func(*manifest.Manifest)
		objective manifest.Objective
		verdict   string
		why       string
	}{
		{"all trials below", 8, nil, atMost("p99", 0.004), "Passed", ""},
		{"all trials above", 8, nil, atMost("p99", 0.0019), "Failed", ""},
		{"some above", 8, nil, atMost("p99", 0.003), "Unknown", "these trials don't tell on which side of the bound it is"},
		{"two trials", 2, nil, atMost("p99", 0.004), "Unknown", "2 trials are too few: it takes 6"},
		{"two trials, each by itself", 2, nil, atMost("p99", 0.004, byRun), "Passed", ""},
		{"one of two above, each by itself", 2, nil, atMost("p99", 0.0021, byRun), "Failed", ""},
		{"a throughput", 8, nil, atLeast("throughput", 400), "Passed", ""},
		{"a throughput that one of two combinations misses", 8, nil, atLeast("throughput", 900, ofBoth), "Failed", ""},
		{"each run's throughput", 8, nil, atLeast("throughput", 500, byRun), "Passed", ""},
		{"each run's throughput, one of which misses", 8, nil, atLeast("throughput", 501, byRun), "Failed", ""},
		{"half of the baseline's throughput", 8, nil, atLeast("throughput", 0.49, ofEtcd), "Passed", ""},
		{"more than half", 8, nil, atLeast("throughput", 0.51, ofEtcd), "Failed", ""},
		{"exactly half", 8, nil, atLeast("throughput", 0.5, ofEtcd), "Unknown", "these trials don't tell on which side of the bound it is"},
		{"half, by five blocks", 5, nil, atLeast("throughput", 0.4, ofEtcd), "Unknown", "5 trials are too few: it takes 6"},
		{"no outage", 8, nil, atMost("outage", 1), "Unknown", "8 trials have no valid figure"},
		{"one of nine has failed", 9, failed(1, 8), atMost("p99", 0.004), "Passed", ""},
		{"one of eight has failed", 8, failed(1, 7), atMost("p99", 0.004), "Unknown", "1 trial has no valid figure"},
		{"one of eight has failed, each by itself", 8, failed(1, 7), atMost("p99", 0.004, byRun), "Unknown", "1 trial has no valid figure"},
		{"one of the baseline has failed", 6, failed(0, 3), atLeast("throughput", 0.4, ofEtcd), "Unknown", "1 trial of the baseline has no valid figure"},
		{"under way", 8, func(m *manifest.Manifest) { m.Complete = false }, atMost("p99", 0.004), "Unknown", "the suite is under way"},
		{"under way, each by itself", 8, func(m *manifest.Manifest) { m.Complete = false }, atMost("p99", 0.001, byRun), "Unknown", "the suite is under way"},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := judgedOf(t, c.blocks, c.change, c.objective)
			o := &r.Objectives[0]
			if r.Verdict != c.verdict || o.Verdict != c.verdict {
				t.Errorf("%s and %s, want %s: %+v", r.Verdict, o.Verdict, c.verdict, o.Judged)
			}
			if last := o.Judged[len(o.Judged)-1]; last.Why != c.why {
				t.Errorf("because %q, want %q", last.Why, c.why)
			}
		})
	}
}

// failed ends a trial without valid numbers.
func failed(combination, block int) func(*manifest.Manifest) {
	return func(m *manifest.Manifest) {
		for i := range m.Trials {
			if trial := &m.Trials[i]; trial.Combination == combination && trial.Block == block {
				trial.Attempts[0].Outcome = manifest.Failed
			}
		}
	}
}

func TestAnOpenLoopIsNoBaselineOfAClosedOne(t *testing.T) {
	m := suiteOf(8)
	m.Compare.Despite = []string{"/workloads"}
	m.Objectives = []manifest.Objective{atMost("p99", 2, ofEtcd)}
	r := must(t, m, runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		if combination == 1 {
			made.Workloads[0].Operations[0].ResponseTime = nil
		}
		return made
	}))
	if judged := r.Objectives[0].Judged[0]; r.Verdict != "Unknown" || !strings.Contains(judged.Why, "response times of an open loop, and service times") {
		t.Errorf("%+v", judged)
	}
}

// A gate of many objectives isn't failed by one that chance may fail.
func TestObjectivesAreOneGate(t *testing.T) {
	one := atMost("p99", 0.0019)
	if r := judgedOf(t, 6, nil, one); r.Verdict != "Failed" {
		t.Errorf("one objective that six trials miss: %s", r.Verdict)
	}
	// 1/64 is below 0.025, and not below 0.025/2.
	r := judgedOf(t, 6, nil, one, atMost("p99", 0.004))
	if r.Objectives[0].Verdict != "Unknown" || r.Objectives[1].Verdict != "Passed" || r.Verdict != "Unknown" {
		t.Errorf("beside one that is kept: %s, %s, %s", r.Objectives[0].Verdict, r.Objectives[1].Verdict, r.Verdict)
	}
	if why := r.Objectives[0].Judged[0].Why; !strings.Contains(why, "among 2 figures chance may put one there") {
		t.Error(why)
	}
	if r := judgedOf(t, 8, nil, one, atMost("p99", 0.004), atLeast("throughput", 400, byRun)); r.Verdict != "Failed" {
		t.Errorf("eight trials that miss one of three: %s", r.Verdict)
	}
}

func TestLatenciesOfASaturatedStoreHaveNoRatio(t *testing.T) {
	m := suiteOf(8)
	m.Objectives = []manifest.Objective{atMost("p99", 2, ofEtcd), atLeast("throughput", 0.4, ofEtcd)}
	r := must(t, m, runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		made.Workloads[0].Saturated = block == 3 && combination == 0
		return made
	}))
	if r.Objectives[0].Verdict != "Unknown" || !strings.Contains(r.Objectives[0].Judged[0].Why, "could not take the load") || r.Objectives[1].Verdict != "Passed" {
		t.Errorf("%+v", r.Objectives)
	}
}

func TestAFigureThatIsNoneSpoilsNoReport(t *testing.T) {
	m := suiteOf(8)
	m.Objectives = []manifest.Objective{atMost("errors", 0.5)}
	r := must(t, m, runsBy(func(block, combination int) *report.Report {
		made := twice(block, combination)
		made.Workloads[0].Succeeded = 2 * made.Workloads[0].Intended
		return made
	}))
	if r.Verdict != "Unknown" {
		t.Errorf("%+v", r.Objectives)
	}
}

func TestAJudgedFigureIsThatOfItsTrials(t *testing.T) {
	r := judgedOf(t, 8, nil, atMost("p99", 0.004), atLeast("throughput", 0.4, ofEtcd), atLeast("throughput", 400, byRun))
	for i, want := range []string{"0.0027 0.002 0.0034 8", "0.5 0.5 0.5 8", "500 - - 8"} {
		f := r.Objectives[i].Judged[0].Figure
		text := func(v *float64) string {
			if v == nil {
				return "-"
			}
			return fmt.Sprintf("%.4g", *v)
		}
		if got := strings.Join([]string{text(f.Value), text(f.Low), text(f.High), fmt.Sprint(f.Trials)}, " "); got != want {
			t.Errorf("objective %d: %s, want %s", i, got, want)
		}
	}
	if judged := r.Objectives[0].Judged[0]; judged.Workload != "a" || judged.Operation != "READ" || manifest.NameOf(judged.Combination) != "store=redis" {
		t.Errorf("%+v", judged)
	}
	if baseline := r.Objectives[1].Judged[0].Baseline; manifest.NameOf(baseline) != "store=etcd" {
		t.Errorf("%+v", baseline)
	}
}

func TestOnlyWhatIsAskedForIsCompared(t *testing.T) {
	m := suiteOf(6)
	m.Compare = manifest.Compare{By: "store", Metrics: []string{"p99"}}
	if r := must(t, m, runsBy(twice)); len(r.Comparisons) != 1 || r.Comparisons[0].Metric != "p99" {
		t.Errorf("%+v", r.Comparisons)
	}
	m.Compare = manifest.Compare{By: "rate"}
	if r := must(t, m, runsBy(twice)); len(r.Comparisons) != 0 {
		t.Errorf("%+v", r.Comparisons)
	}
}
