package findings

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// scattered are runs whose throughput differs by a part from trial to trial.
func scattered(part float64) func(string, string) (*Run, error) {
	random := rand.New(rand.NewPCG(5, 6))
	return runsBy(func(_, combination int) *report.Report {
		return runReport(1000/float64(1+combination)*math.Exp(part*random.NormFloat64()), 2000)
	})
}

func TestASuiteKnowsHowWellItKnows(t *testing.T) {
	for name, c := range map[string]struct {
		blocks  int
		scatter float64
		until   manifest.Until
		narrow  bool
		has     bool // some width
	}{
		"little noise":         {8, 0.01, manifest.Until{Metric: "throughput", HalfWidth: 0.05}, true, true},
		"much noise":           {8, 0.2, manifest.Until{Metric: "throughput", HalfWidth: 0.05}, false, true},
		"too few to tell":      {7, 0.01, manifest.Until{Metric: "throughput", HalfWidth: 0.05}, false, false},
		"another operation":    {8, 0.01, manifest.Until{Metric: "p99", Operation: "SCAN", HalfWidth: 0.05}, false, false},
		"one that never moves": {8, 0.2, manifest.Until{Metric: "p99", Operation: "READ", HalfWidth: 0.01}, true, true},
	} {
		m := suiteOf(c.blocks)
		m.Confidence, m.Until = 0.9875, &c.until
		w := must(t, m, scattered(c.scatter)).Width
		if w.Narrow != c.narrow || (w.Widest != nil) != c.has || w.Blocks != c.blocks {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// Without a comparison it is the median that has to be known.
func TestOfOneCombinationTheMedianIsLookedAt(t *testing.T) {
	m := suiteOf(12)
	m.Compare.Metrics = []string{"errors"}
	m.Axes[0].Values, m.Combinations = m.Axes[0].Values[:1], m.Combinations[:1]
	var trials []manifest.Trial
	for _, trial := range m.Trials {
		if trial.Combination == 0 {
			trials = append(trials, trial)
		}
	}
	m.Trials, m.Confidence, m.Until = trials, 0.9875, &manifest.Until{Metric: "throughput", HalfWidth: 0.05}
	r := must(t, m, scattered(0.01))
	if w := r.Width; !w.Narrow || w.Of != "store=etcd, throughput in workload a" {
		t.Errorf("%+v", w)
	}
	if r.Confidence != 0.9875 || r.Combinations[0].Metrics[0].Median.Confidence < 0.9875 {
		t.Errorf("%v, %+v", r.Confidence, r.Combinations[0].Metrics[0].Median)
	}
	if w := must(t, suiteOf(8), scattered(0.01)).Width; w != nil {
		t.Errorf("of a suite with a number of trials: %+v", w)
	}
}

// A store without a valid trial is not known, whatever is known of the other.
func TestWhatHasNoFigureIsNotKnown(t *testing.T) {
	m := suiteOf(8)
	m.Confidence, m.Until = 0.9875, &manifest.Until{Metric: "throughput", HalfWidth: 0.05}
	for i := range m.Trials {
		if m.Trials[i].Combination == 1 {
			m.Trials[i].Attempts[0].Outcome = manifest.NotValid
		}
	}
	if w := must(t, m, scattered(0.01)).Width; w.Narrow || w.Widest != nil || w.Of != "store=redis / etcd" {
		t.Errorf("%+v", w)
	}
}

// A suite that compares another metric compares none of this one.
func TestAMetricThatIsNotComparedIsKnownByItsMedians(t *testing.T) {
	m := suiteOf(8)
	m.Confidence, m.Until, m.Compare.Metrics = 0.9875, &manifest.Until{Metric: "throughput", HalfWidth: 0.05}, []string{"p99"}
	if w := must(t, m, scattered(0.005)).Width; !w.Narrow || w.Widest == nil {
		t.Errorf("%+v", w)
	}
}
