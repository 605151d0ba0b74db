package findings

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
)

// etcdOf is the first combination of a suite of that many trials, as a baseline has it.
func etcdOf(t *testing.T, trials int, runs func(block, combination int) *report.Report) *BaselineCombination {
	t.Helper()
	return &keptOf(t, suiteOf(trials), runs).Combinations[0]
}

func asked(margin float64, metrics ...string) *Question {
	return &Question{Metrics: metrics, All: true, Margin: margin, Confidence: 0.95}
}

// one is the only figure of the only pairing.
func one(t *testing.T, q *Question, pairing Pairing) (*Contrast, *Versus) {
	t.Helper()
	found, err := q.Compare([]Pairing{pairing})
	if err != nil {
		t.Fatal(err)
	}
	if len(found[0].Figures) != 1 {
		t.Fatalf("%d figures", len(found[0].Figures))
	}
	return found[0].Figures[0], &found[0]
}

func TestCombinationsOfTwoSuitesAreJudgedAsAgainstABaseline(t *testing.T) {
	for _, c := range []struct {
		what         string
		trials, of   int
		factor       float64
		metric       string
		verdict, why string
		interval     bool
		confidence   float64
	}{
		{"the same", 8, 8, 1, "throughput", "Passed", "", true, 0.95},
		{"a fifth slower", 8, 8, 0.8, "throughput", "Failed", "", true, 0.95},
		{"a fifth slower, by its times", 8, 8, 0.8, "p99", "Failed", "", true, 0.95},
		{"a fifth faster, by its times", 8, 8, 1.2, "p99", "Passed", "", true, 0.95},
		{"at the bound", 8, 8, 0.95, "throughput", "Unknown", "these trials don't tell on which side of the bound it is", true, 0.95},
		{"four and four", 4, 4, 1, "throughput", "Passed", "", true, 0.95},
		{"four and four of more confidence", 4, 4, 1, "throughput", "Unknown", "4 trials, and 4 of the baseline, are too few", false, 0.9875},
		{"one each", 1, 1, 0.5, "throughput", "Unknown", OneTrialEach, false, 0.95},
		{"one and eight", 1, 8, 0.5, "throughput", "Unknown", "1 trials, and 8 of the baseline, are too few", false, 0.95},
	} {
		t.Run(c.what, func(t *testing.T) {
			q := asked(0.05, c.metric)
			q.Confidence = c.confidence
			found, _ := one(t, q, Pairing{etcdOf(t, c.trials, times(c.factor)), etcdOf(t, c.of, times(1))})
			if found.Verdict != c.verdict || found.Why != c.why || (found.Ratio.Low != nil) != c.interval || !found.Judged {
				t.Errorf("%+v", found)
			}
			want := c.factor
			if c.metric == "p99" {
				want = 1 / c.factor
			}
			if found.Ratio.Value == nil || math.Abs(*found.Ratio.Value/want-1) > 0.02 {
				t.Errorf("the ratio is %v, want about %v", found.Ratio.Value, want)
			}
		})
	}
}

func TestWithoutAMarginNothingIsJudged(t *testing.T) {
	found, _ := one(t, asked(0, "throughput"), Pairing{etcdOf(t, 8, times(0.8)), etcdOf(t, 8, times(1))})
	if found.Judged || found.Verdict != "" || found.Why != "" || found.Ratio.High == nil || *found.Ratio.High >= 1 {
		t.Errorf("%+v", found)
	}
}

// The interval of each of these figures is beyond its bound by so little that it takes all trials. Among many, chance does that.
func TestTheMoreFiguresAreJudgedTheMoreItTakesToFail(t *testing.T) {
	slower := func(block, combination int) *report.Report {
		made := times(0.8)(block, combination)
		first := made.Workloads[0].Operations[0]
		for i := range 20 {
			more := first
			more.Operation = fmt.Sprint("KIND", i)
			made.Workloads[0].Operations = append(made.Workloads[0].Operations, more)
		}
		return made
	}
	usual := func(block, combination int) *report.Report {
		made := slower(block, combination)
		for i := range made.Workloads[0].Operations {
			made.Workloads[0].Operations[i].ResponseTime = times(1)(block, combination).Workloads[0].Operations[0].ResponseTime
		}
		return made
	}
	q := asked(0.05, "p99")
	pairing := Pairing{etcdOf(t, 4, slower), etcdOf(t, 4, usual)}
	all, err := q.Compare([]Pairing{pairing})
	if err != nil {
		t.Fatal(err)
	}
	if len(all[0].Figures) != 21 {
		t.Fatalf("%d figures", len(all[0].Figures))
	}
	for _, f := range all[0].Figures {
		if f.Verdict != "Unknown" || f.Why != "it is beyond the bound, and among 21 figures chance may put one there: it takes more trials" {
			t.Errorf("%s: %s, %s", f.Objective.Operation, f.Verdict, f.Why)
		}
	}
	q.Operation = "READ"
	if found, _ := one(t, q, pairing); found.Verdict != "Failed" {
		t.Errorf("alone: %s, %s", found.Verdict, found.Why)
	}
}

func TestUnlikeCombinationsHaveNoFigures(t *testing.T) {
	other := func(block, combination int) *report.Report {
		made := times(1)(block, combination)
		made.Store.Mode, made.Store.Version = "old", "3.5"
		return made
	}
	pairing := Pairing{etcdOf(t, 8, times(1)), etcdOf(t, 8, other)}
	q := asked(0.05, "throughput")
	q.Despite = []string{"/store/version"}
	found, err := q.Compare([]Pairing{pairing})
	if err != nil {
		t.Fatal(err)
	}
	if v := found[0]; len(v.Figures) != 0 || len(v.Differences) != 1 || v.Differences[0].Field != "/store/mode" || len(v.Accepted) != 1 || v.Accepted[0].Field != "/store/version" {
		t.Errorf("%+v", v)
	}
	q.Despite = []string{"/store"}
	if f, v := one(t, q, pairing); f.Verdict != "Passed" || len(v.Accepted) != 2 || v.Differences != nil {
		t.Errorf("%+v, %+v", f, v)
	}
}

func TestWhatHasNoRatioSaysWhy(t *testing.T) {
	changed := func(change func(block int, w *report.Workload)) func(block, combination int) *report.Report {
		return func(block, combination int) *report.Report {
			made := times(1)(block, combination)
			change(block, &made.Workloads[0])
			return made
		}
	}
	faultless := changed(func(_ int, w *report.Workload) { w.Succeeded = w.Intended })
	closed := changed(func(_ int, w *report.Workload) {
		w.Operations[0].ServiceTime, w.Operations[0].ResponseTime = w.Operations[0].ResponseTime, nil
	})
	saturated := changed(func(block int, w *report.Workload) { w.Saturated = block == 0 })
	censored := changed(func(block int, w *report.Workload) { w.ResponseTimeCensored = block == 0 })
	for _, c := range []struct {
		what      string
		one, base func(block, combination int) *report.Report
		metric    string
		why       string
	}{
		{"no errors at all", faultless, faultless, "errors", "both are 0"},
		{"errors that are new", times(1), faultless, "errors", "a figure is 0, which has no ratio to others"},
		{"lower bounds", censored, times(1), "p99", "a figure is a lower bound, which has no ratio to others"},
		{"another kind of time", closed, times(1), "p99", "not comparable: response times of an open loop, and service times of a closed one"},
		{"a load that was too much", saturated, times(1), "p99", "the store could not take the load of the workload, so its latencies grow with the length of a run: compare its throughput"},
		{"a metric that nothing has", times(1), times(1), "outage", "neither has such a figure"},
	} {
		found, _ := one(t, asked(0, c.metric), Pairing{etcdOf(t, 8, c.one), etcdOf(t, 8, c.base)})
		if found.Ratio.Value != nil || found.Why != c.why {
			t.Errorf("%s: %q, want %q: %+v", c.what, found.Why, c.why, found)
		}
	}
}

func TestAFigureThatIsMissingOpensNoGate(t *testing.T) {
	without := func(block, combination int) *report.Report {
		made := times(1)(block, combination)
		made.Workloads[0].Operations[0].Outcome = "failed"
		return made
	}
	found, _ := one(t, asked(0.05, "p99"), Pairing{etcdOf(t, 8, without), etcdOf(t, 8, times(1))})
	if found.Verdict != "Unknown" || found.Why != "8 trials have no valid figure" || found.Value.Value != nil || found.Base.Value == nil {
		t.Errorf("%+v", found)
	}
}

func TestPercentilesSayWhichTimeTheyAre(t *testing.T) {
	found, _ := one(t, asked(0, "p99"), Pairing{etcdOf(t, 8, times(1)), etcdOf(t, 8, times(1))})
	if found.Time != figures.ResponseTime {
		t.Errorf("%q", found.Time)
	}
}

func TestMetricsThatNobodyAskedForAreLeftOutWhereNothingHasThem(t *testing.T) {
	q := asked(0, "throughput", "outage")
	q.All = false
	found, err := q.Compare([]Pairing{{etcdOf(t, 8, times(1)), etcdOf(t, 8, times(1))}})
	if err != nil {
		t.Fatal(err)
	}
	var metrics []string
	for _, f := range found[0].Figures {
		metrics = append(metrics, f.Objective.Metric)
	}
	if !slices.Equal(metrics, []string{"throughput"}) {
		t.Errorf("%q", metrics)
	}
}
