package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// suites is how many are simulated: a share of 0.95 of so many is known to ± 0.002.
const suites = 10_000

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// simulated is a metric whose trials have a spread, with a shift of the subject, both as parts of the figure. Trials of
// one block share the machine's drift.
func simulated(random *rand.Rand, trials int, shift, spread float64) Metric {
	metric := Metric{Name: "p99", Bound: 1.05}
	for range trials {
		drift := 0.2 * random.NormFloat64()
		metric.Subject = append(metric.Subject, 20*math.Exp(drift+shift+spread*skewed(random)))
		metric.Baseline = append(metric.Baseline, 20*math.Exp(drift+spread*skewed(random)))
	}
	return metric
}

// skewed has a mean of 0 and a deviation of 1, and now and then a value far above, as latencies of machines have.
func skewed(random *rand.Rand) float64 { return random.ExpFloat64() - 1 }

func TestIntervalsOfRatiosHaveTheTrueOneAsOftenAsTheySay(t *testing.T) {
	for _, trials := range []int{6, 8, 12, 18, 24} {
		covers(t, trials, 1.2, 0.94, 0.975, func(random *rand.Rand) (Estimate, error) {
			metric := simulated(random, trials, math.Log(1.2), 0.05)
			return PairedRatio(metric.Subject, metric.Baseline, 0.95)
		})
	}
}

func TestIntervalsOfUnpairedRatiosHaveTheTrueOneAsOftenAsTheySay(t *testing.T) {
	for _, trials := range []int{6, 12, 24} {
		covers(t, trials, 1.2, 0.94, 0.975, func(random *rand.Rand) (Estimate, error) {
			var first, second []float64
			for range trials {
				first = append(first, 1.2*math.Exp(0.05*skewed(random)))
				second = append(second, math.Exp(0.05*skewed(random)))
			}
			return Ratio(first, second, 0.95)
		})
	}
}

// Intervals of medians by ranks have steps of several percent: they are conservative where a sample is small.
func TestIntervalsOfMediansHaveTheTrueOneAsOftenAsTheySay(t *testing.T) {
	for _, trials := range []int{6, 7, 10, 20, 40} {
		covers(t, trials, math.Ln2, 0.94, 0.99, func(random *rand.Rand) (Estimate, error) {
			var outages []float64
			for range trials {
				outage := random.ExpFloat64()
				if outage > 2 {
					outage = math.Inf(1) // the measurement ended before it
				}
				outages = append(outages, outage)
			}
			return Median(outages, 0.95)
		})
	}
}

// covers simulates suites, and counts the intervals that have the true value.
func covers(t *testing.T, trials int, value, least, most float64, simulate func(*rand.Rand) (Estimate, error)) {
	t.Helper()
	random, has := seeded(uint64(trials)), 0
	for range suites {
		estimate, err := simulate(random)
		if err != nil {
			t.Fatal(err)
		}
		if estimate.Interval.Low <= value && value <= estimate.Interval.High {
			has++
		}
	}
	share := float64(has) / suites
	t.Logf("%d trials: %.4f", trials, share)
	if share < least || share > most {
		t.Errorf("%d trials: %.4f of the intervals have the true value, want %v to %v", trials, share, least, most)
	}
}

// A gate looks up to four times. Of systems that are alike it should neither fail one, nor let one pass
// that is as bad as its bound.
func TestGatesRarelyCryWolf(t *testing.T) {
	looks, confidence, err := Looks(8, 24, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		metrics      int
		shift, bound float64
		wrong        Verdict
		most         float64
	}{
		"alike, and none may be worse":        {4, 0, 1, Failed, 0.055},
		"alike, and 5 % worse is allowed":     {4, 0, 1.05, Failed, 0.055},
		"one is as bad as its bound, fails":   {1, math.Log(1.05), 1.05, Failed, 0.055},
		"one is as bad as its bound, passes":  {1, math.Log(1.05), 1.05, Passed, 0.055},
		"each is as bad as its bound, passes": {4, math.Log(1.05), 1.05, Passed, 0.055},
		"20 % slower, passes":                 {4, math.Log(1.2), 1.05, Passed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random, wrong := seeded(7), 0
			for range suites {
				if adaptive(t, random, c.metrics, looks, confidence, c.shift, c.bound) == c.wrong {
					wrong++
				}
			}
			share := float64(wrong) / suites
			t.Logf("%.4f", share)
			if share > c.most {
				t.Errorf("%.4f of the gates are %s, want at most %v", share, c.wrong, c.most)
			}
		})
	}
}

// A slowdown of 20 % is found, one of none passes.
func TestGatesFindWhatIsThere(t *testing.T) {
	looks, confidence, err := Looks(8, 24, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for verdict, shift := range map[Verdict]float64{Failed: math.Log(1.2), Passed: 0} {
		random, found := seeded(9), 0
		for range suites / 10 {
			if adaptive(t, random, 4, looks, confidence, shift, 1.05) == verdict {
				found++
			}
		}
		if share := float64(found) / (suites / 10); share < 0.9 {
			t.Errorf("a shift of %.3f is %s in %.3f of the suites, want 0.9", shift, verdict, share)
		}
	}
}

// adaptive is the verdict of a gate of so many metrics that ends at the first look that tells.
func adaptive(t *testing.T, random *rand.Rand, count int, looks []int, confidence, shift, bound float64) Verdict {
	t.Helper()
	metrics := make([]Metric, count)
	for i := range metrics {
		metrics[i] = simulated(random, looks[len(looks)-1], shift, 0.03)
		metrics[i].Bound = bound
	}
	for _, trials := range looks {
		seen := make([]Metric, len(metrics))
		for i, metric := range metrics {
			metric.Subject, metric.Baseline = metric.Subject[:trials], metric.Baseline[:trials]
			seen[i] = metric
		}
		_, gate, err := Judge(seen, confidence)
		if err != nil {
			t.Fatal(err)
		}
		if gate != Unknown {
			return gate
		}
	}
	return Unknown
}
