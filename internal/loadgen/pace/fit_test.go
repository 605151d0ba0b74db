package pace

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
)

// chance is the distance that arrivals by the law exceed once in a million times
// (Massart, 1990, The tight constant in the Dvoretzky–Kiefer–Wolfowitz inequality).
func chance(gaps int64) float64 { return math.Sqrt(math.Log(2/1e-6) / 2 / float64(gaps)) }

// arrive plays a minute of a law, each arrival being late as it says.
func arrive(f *Fit, law Law, late func(at time.Duration) time.Duration) *bundle.Arrivals {
	last := time.Duration(0)
	for at := law.Next(); at < time.Minute; at = law.Next() {
		last = max(last, at+late(at)) // one pacer: none overtakes another
		f.Arrive(last, at)
	}
	return f.Counts()
}

var (
	rates  = []float64{20, 100, 1000, 20_000}
	onTime = func(time.Duration) time.Duration { return 0 }
	ramp   = plan.Load{Rate: 1000, Shape: &plan.Shape{Segments: []plan.Segment{{From: 10, To: 1000, Millis: 60_000}}}}
	waves  = plan.Load{Rate: 950, Shape: &plan.Shape{Sine: &plan.Sine{Mean: 500, Amplitude: 450, PeriodMillis: 7000}}}
)

func lawOf(r rate.Rate, constant bool, workers int, seed uint64) Law {
	if constant {
		return NewConstant(r, 0, workers)
	}
	return NewPoisson(r, workers, rand.New(rand.NewPCG(seed, 1)))
}

func TestArrivalsByTheLawFitIt(t *testing.T) {
	for _, constant := range []bool{true, false} {
		for _, perSecond := range rates {
			for _, workers := range []int{1, 3} {
				for seed := range uint64(10) {
					f := NewFit(rate.Flat(perSecond), perSecond, workers, constant)
					counts := arrive(f, lawOf(rate.Flat(perSecond), constant, workers, seed), onTime)
					if d := counts.Distance(); d > chance(counts.Gaps()) {
						t.Errorf("constant %t, %g/s, %d workers, seed %d: distance %.3f of %d gaps", constant, perSecond, workers, seed, d, counts.Gaps())
					}
				}
			}
		}
		for name, load := range map[string]*plan.Load{"a ramp": &ramp, "waves": &waves} {
			f := NewFit(rate.Of(load), load.Rate, 2, constant)
			counts := arrive(f, lawOf(rate.Of(load), constant, 2, 5), onTime)
			if d := counts.Distance(); d > chance(counts.Gaps()) || counts.Gaps() < 500 {
				t.Errorf("constant %t, %s: distance %.3f of %d gaps", constant, name, d, counts.Gaps())
			}
		}
	}
}

// What a busy machine does to the sends is judged by their lag.
func TestUsualLagsDontMatter(t *testing.T) {
	for _, constant := range []bool{true, false} {
		for _, perSecond := range append(rates, 50_000) {
			random := rand.New(rand.NewPCG(3, 4))
			f := NewFit(rate.Flat(perSecond), perSecond, 1, constant)
			counts := arrive(f, lawOf(rate.Flat(perSecond), constant, 1, 9), func(time.Duration) time.Duration {
				if random.Float64() < min(0.05, 10/perSecond) { // ten times a second
					return time.Duration(random.ExpFloat64() * float64(5*time.Millisecond))
				}
				return time.Duration(random.ExpFloat64() * float64(200*time.Microsecond))
			})
			if d := counts.Distance(); d > 0.1+chance(counts.Gaps()) {
				t.Errorf("constant %t, %g/s: distance %.3f of %d gaps", constant, perSecond, d, counts.Gaps())
			}
		}
	}
}

func TestArrivalsByAnotherLawDont(t *testing.T) {
	bursts := func(every time.Duration) func(time.Duration) time.Duration {
		return func(at time.Duration) time.Duration { return every - at%every }
	}
	random := rand.New(rand.NewPCG(5, 6))
	nearlyOnTime := func(time.Duration) time.Duration {
		return time.Duration(random.ExpFloat64() * float64(20*time.Microsecond))
	}
	flat := func(perSecond float64) *plan.Load { return &plan.Load{Rate: perSecond} }
	for _, c := range []struct {
		name     string
		law      *plan.Load
		constant bool
		arrivals Law
		late     func(time.Duration) time.Duration
	}{
		{"constant for Poisson, 10/s", flat(10), false, NewConstant(rate.Flat(10), 0, 1), onTime},
		{"constant for Poisson, 1,000/s", flat(1000), false, NewConstant(rate.Flat(1000), 0, 1), onTime},
		{"constant for Poisson, 10,000/s", flat(10_000), false, NewConstant(rate.Flat(10_000), 0, 1), nearlyOnTime},
		{"constant for Poisson, 50,000/s", flat(50_000), false, NewConstant(rate.Flat(50_000), 0, 1), nearlyOnTime},
		{"Poisson for constant, 50,000/s", flat(50_000), true, lawOf(rate.Flat(50_000), false, 1, 3), nearlyOnTime},
		{"bursts of 5 ms, constant", flat(1000), true, NewConstant(rate.Flat(1000), 0, 1), bursts(5 * time.Millisecond)},
		{"bursts of 10 ms, constant", flat(50_000), true, NewConstant(rate.Flat(50_000), 0, 1), bursts(10 * time.Millisecond)},
		{"bursts of 10 ms, Poisson", flat(1000), false, lawOf(rate.Flat(1000), false, 1, 3), bursts(10 * time.Millisecond)},
		{"bursts of 5 ms, Poisson", flat(10_000), false, lawOf(rate.Flat(10_000), false, 1, 3), bursts(5 * time.Millisecond)},
		{"Poisson for constant", flat(100), true, lawOf(rate.Flat(100), false, 1, 3), onTime},
		{"bursts of 50 ms, constant", flat(1000), true, NewConstant(rate.Flat(1000), 0, 1), bursts(50 * time.Millisecond)},
		{"bursts of 50 ms, Poisson", flat(20_000), false, lawOf(rate.Flat(20_000), false, 1, 3), bursts(50 * time.Millisecond)},
		{"a constant rate for a ramp", &ramp, true, NewConstant(rate.Flat(505), 0, 1), onTime},
		{"a constant rate for waves", &waves, false, lawOf(rate.Flat(500), false, 1, 3), onTime},
	} {
		f := NewFit(rate.Of(c.law), c.law.Rate, 1, c.constant)
		counts := arrive(f, c.arrivals, c.late)
		if d := counts.Distance(); d < 0.2+chance(counts.Gaps()) {
			t.Errorf("%s: distance %.3f of %d gaps", c.name, d, counts.Gaps())
		}
	}
}

// Of values from the literature, and of the sum itself where it can be made.
func TestTheGammaDistribution(t *testing.T) {
	for _, c := range []struct {
		gap   float64
		shape int
		want  float64
	}{
		{0, 1, 0}, {1, 1, 1 - math.Exp(-1)}, {1e-9, 1, 1e-9}, {50, 1, 1},
		{2, 2, 1 - 3*math.Exp(-2)}, {5, 3, 1 - (1+5+12.5)*math.Exp(-5)},
		// Shape 10: half of a chi-square of 20 degrees of freedom, whose 95 % is 31.4104.
		{31.4104 / 2, 10, 0.95}, {10.8508 / 2, 10, 0.05},
		{1000, 1000, 0.5042}, {900, 1000, 0.0005}, {1e6, 1000, 1}, {1, 1000, 0}, {200_000, 200_000, 0.5003},
	} {
		if got := gamma(c.gap, c.shape); math.Abs(got-c.want) > 2e-4*math.Max(c.want, 1e-6) && math.Abs(got-c.want) > 5e-5 {
			t.Errorf("gamma of shape %d at %g is %.6f, want %.6f", c.shape, c.gap, got, c.want)
		}
	}
}
