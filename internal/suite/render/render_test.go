package render

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func example() *findings.Report {
	etcd := []manifest.Label{{Axis: "store", Value: "etcd"}, {Axis: "rate", Value: "1"}}
	p99 := figures.Name{Workload: "a", Operation: "READ", Metric: figures.P99, Time: figures.ResponseTime}
	return &findings.Report{
		Suite: manifest.Name{Namespace: "n", Name: "s_s", UID: "u"}, Seed: 7, Blocks: 2,
		Axes:     []manifest.Axis{{Name: "store", Values: []string{"etcd"}}, {Name: "rate", Values: []string{"1"}}},
		Warnings: []string{"a | warning"},
		Verdict:  "Unknown",
		Objectives: []findings.Objective{{Objective: plan.Objective{Metric: figures.P99, AtMost: ptr.To(0.02)}, Text: "p99 at most 20ms", Verdict: "Unknown", Judged: []findings.Judged{
			{Combination: etcd, Workload: "a", Operation: "READ", Figure: findings.Estimate{Value: ptr.To(0.0123), Low: ptr.To(0.01), High: ptr.To(0.02), Confidence: 0.97, Trials: 8}, Verdict: "Passed"},
			{Combination: etcd, Workload: "a", Operation: "SCAN", Verdict: "Unknown", Why: "a reason"},
		}}},
		Combinations: []findings.Combination{{Labels: etcd, Valid: 1, Unusable: 1, Metrics: []findings.Metric{
			{Name: p99, Unit: "s", Values: []findings.Value{{Block: 0, Value: 0.0123}, {Block: 1, Value: 2, Censored: true}}, Median: findings.Estimate{Value: ptr.To(0.0123), Trials: 2}},
			{Name: figures.Name{Workload: "a", Metric: figures.Outage, Fault: "kill"}, Unit: "s", Median: findings.Estimate{AtLeast: ptr.To(3.0), Trials: 1}},
			{Name: figures.Name{Workload: "a", Metric: figures.Errors}, Unit: "1", Median: findings.Estimate{Value: ptr.To(0.005), Low: ptr.To(0.001), High: nil, Confidence: 0.97, Trials: 6}},
		}}},
		Comparisons: []findings.Comparison{
			{Axis: "store", Value: "redis", Against: "etcd", With: etcd[1:], Name: p99, Ratio: findings.Estimate{Value: ptr.To(0.5), Low: ptr.To(0.4), High: ptr.To(0.625), Confidence: 0.95, Trials: 8}},
			{Axis: "store", Value: "redis", Against: "etcd", Name: p99, Why: "a figure is 0, which has no ratio to others"},
		},
		Trials: []manifest.Trial{{Block: 1, Attempts: []manifest.Attempt{{Run: "s-b2-c1", Outcome: manifest.NotValid, Reasons: []string{"GeneratorLag"}}}}},
	}
}

func TestMarkdownSaysAllOfIt(t *testing.T) {
	text := Markdown(example())
	for _, line := range []string{
		`# n/s_s`,
		`**The suite is under way**`,
		`- **Warning**: a \| warning`,
		"| store=etcd, rate=1 | 1 | 1 | 0 |",
		"## Objectives: Unknown",
		"| p99 at most 20ms | store=etcd, rate=1 | a | READ | 12.30 ms (10.00 ms … 20.00 ms) | 8 | Passed |  |",
		"| p99 at most 20ms | store=etcd, rate=1 | a | SCAN | – | 0 | Unknown | a reason |",
		"| s-b2-c1 | store=etcd, rate=1 | 2 | NotValid | GeneratorLag |",
		"| store=etcd, rate=1 | a | p99 of READ | 12.30 ms | – | 2 |",
		"| store=etcd, rate=1 | a | outage by kill | ≥ 3.000 s | – | 1 |",
		"| store=etcd, rate=1 | a | errors | 0.500 % | 0.100 % … – | 6 |",
		"| store=redis / etcd | rate=1 | a | p99 of READ | 0.500 | 0.400 … 0.625 | 8 |",
		"| store=redis / etcd |  | a | p99 of READ | – | a figure is 0, which has no ratio to others | 0 |",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
	done := example()
	done.Complete = true
	if strings.Contains(Markdown(done), "under way") {
		t.Error("a complete suite is under way")
	}
}

func TestJUnitHasATestForEachObjective(t *testing.T) {
	r := example()
	r.Complete = true
	text, err := JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`<testsuite name="n/s_s" tests="2" failures="0" errors="1">`,
		`<testcase classname="n/s_s" name="each combination has valid numbers"></testcase>`,
		`<error type="Unknown" message="p99 at most 20ms: – (a reason) of SCAN in workload a with store=etcd, rate=1"></error>`,
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	r.Combinations[0].Valid = 0
	if text, err = JUnit(r); err != nil || !strings.Contains(string(text), "no trial has valid numbers of store=etcd, rate=1") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestJUnitSaysWhetherEachSearchEnded(t *testing.T) {
	for want, search := range map[string]findings.Search{
		`name="each search came to its end"></testcase>`: {Found: []findings.FoundRates{{}}},
		`message="the search is under way"`:              {UnderWay: true},
		`message="the template: it failed"`:              {Found: []findings.FoundRates{{Why: "it failed"}}},
	} {
		r := example()
		r.Search = &search
		text, err := JUnit(r)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %v\n%s", want, err, text)
		}
		if under := strings.Contains(Markdown(r), "The search is under way:"); under != search.UnderWay {
			t.Errorf("under way: %v", under)
		}
	}
}

func TestTheCSVHasALineForEachValue(t *testing.T) {
	text, err := CSV(example())
	if err != nil {
		t.Fatal(err)
	}
	want := "block,store,rate,workload,operation,fault,metric,time,unit,value,censored\n1,etcd,1,a,READ,,p99,response,s,0.0123,false\n2,etcd,1,a,READ,,p99,response,s,2,true\n"
	if text != want {
		t.Errorf("%s", text)
	}
}

func TestFiguresForTheEye(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0.0000005, figures.Seconds, "0.500 µs"}, {0.00123, figures.Seconds, "1.230 ms"}, {12.3456, figures.Seconds, "12.35 s"}, {3600, figures.Seconds, "3600 s"},
		{98765.4, figures.PerSecond, "98765/s"}, {9.87654, figures.PerSecond, "9.877/s"}, {1, figures.Share, "100.0 %"}, {1.2345, unitRatio, "1.234"},
	} {
		if got := value(&c.value, c.unit); got != c.want {
			t.Errorf("%v %s is %s, want %s", c.value, c.unit, got, c.want)
		}
	}
	if got := value(nil, figures.Seconds); got != missing {
		t.Error(got)
	}
}

func TestGrowthIsATable(t *testing.T) {
	n := func(v float64) *float64 { return &v }
	with := func(v, low, high float64) findings.Parameter {
		return findings.Parameter{Value: v, Low: &low, High: &high}
	}
	r := &findings.Report{Growth: []findings.Growth{
		{Axis: "nodes", Workload: "a", Sizes: []findings.Size{{N: 1, Throughput: n(1000), Residual: n(0.01)}, {N: 3, Throughput: n(2500), Residual: n(-0.034)}},
			Law: &findings.Law{Lambda: with(1808.3, 1700, 1900), Sigma: with(0.1, 0.09, 0.12), Kappa: findings.Parameter{Value: 0.001}, Peak: n(30)}},
		{Axis: "nodes", With: []manifest.Label{{Axis: "store", Value: "redis"}}, Workload: "a", Sizes: []findings.Size{{N: 1}}, Why: "too few"},
	}}
	said := Markdown(r)
	for _, want := range []string{
		"| nodes |  | a | 1: 1000/s, 3: 2500/s | 1808/s (1700/s … 1900/s) | 0.1 (0.09 … 0.12) | 0.001 | beyond 3 | -3.4 % |",
		"| nodes | store=redis | a | 1: – | – | – | – | too few | – |",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in %s", want, said)
		}
	}
}
