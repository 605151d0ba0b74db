package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noise is a factor around 1 for each second.
type noise func(r *rand.Rand) func(second int) float64

func steadyNoise(*rand.Rand) func(int) float64 { return func(int) float64 { return 1 } }

// logNormal is of seconds that know nothing of each other.
func logNormal(sigma float64) noise {
	return func(r *rand.Rand) func(int) float64 {
		return func(int) float64 { return math.Exp(sigma * r.NormFloat64()) }
	}
}

// correlated is of seconds each of which has a part of the one before (AR(1)).
func correlated(sigma, part float64) noise {
	return func(r *rand.Rand) func(int) float64 {
		state := sigma * r.NormFloat64()
		return func(int) float64 {
			state = part*state + math.Sqrt(1-part*part)*sigma*r.NormFloat64()
			return math.Exp(state)
		}
	}
}

// withOutliers makes a second in twenty ten times as slow.
func withOutliers(r *rand.Rand) func(int) float64 {
	calm := logNormal(0.1)(r)
	return func(s int) float64 {
		if r.IntN(20) == 0 {
			return 10 * calm(s)
		}
		return calm(s)
	}
}

// sawtooth rises and falls back every 13 s, as with collections of garbage.
func sawtooth(r *rand.Rand) func(int) float64 {
	phase := r.IntN(13)
	return func(s int) float64 { return 1 + 0.5*float64((s+phase)%13)/13 }
}

func TestASeriesThatGetsFasterIsToldFromNoise(t *testing.T) {
	constant := func(float64) float64 { return 1000 }
	// warmingUp begins that many times slower than it ends.
	warmingUp := func(times, tau float64) func(float64) float64 {
		return func(s float64) float64 { return 1000 * (1 + (times-1)*math.Exp(-s/tau)) }
	}
	const series = 1000
	for name, c := range map[string]struct {
		seconds     int
		shape       func(second float64) float64
		noise       noise
		least, most int // series of 1,000 that get faster
	}{
		"nothing changes":                       {60, constant, steadyNoise, 0, 0},
		"little noise":                          {60, constant, logNormal(0.05), 0, 0},
		"noise":                                 {60, constant, logNormal(0.2), 0, 3},
		"a lot of noise":                        {60, constant, logNormal(0.5), 0, 3},
		"noise in an hour":                      {3600, constant, logNormal(0.5), 0, 0},
		"noise in the shortest":                 {30, constant, logNormal(0.5), 0, 3},
		"neighbours are alike":                  {60, constant, correlated(0.1, 0.5), 0, 20},
		"neighbours are alike for five minutes": {300, constant, correlated(0.3, 0.5), 0, 3},
		"single slow seconds":                   {60, constant, withOutliers, 0, 3},
		"a period":                              {60, constant, sawtooth, 0, 0},
		"it gets slower":                        {60, func(s float64) float64 { return 1000 + 20*s }, logNormal(0.1), 0, 0},
		"it gets faster by a hair":              {60, func(s float64) float64 { return 1000 - s }, logNormal(0.01), 0, 0},
		"it becomes faster in the middle":       {60, func(s float64) float64 { return 1000 - 300*math.Floor(s/30) }, logNormal(0.1), 990, series},

		"a compiler at work":                 {60, warmingUp(3, 10), logNormal(0.1), series, series},
		"a compiler at work, and noise":      {60, warmingUp(3, 10), logNormal(0.3), 800, series},
		"a cold start of seconds":            {60, warmingUp(20, 4), logNormal(0.1), 990, series},
		"a cold start, over soon":            {60, warmingUp(20, 1), logNormal(0.1), 0, 10},
		"all the time, in the shortest":      {30, warmingUp(2, 20), logNormal(0.1), 990, series},
		"all the time, and alike neighbours": {60, warmingUp(2, 30), correlated(0.1, 0.5), 990, series},
	} {
		t.Run(name, func(t *testing.T) {
			faster := 0
			for seed := range uint64(series) {
				factor := c.noise(rand.New(rand.NewPCG(seed, 31)))
				values := make([]float64, c.seconds)
				for s := range values {
					values[s] = c.shape(float64(s)) * factor(s)
				}
				if _, _, smaller, ok := compareThirds(values); smaller && ok {
					faster++
				}
			}
			if faster < c.least || faster > c.most {
				t.Errorf("%d of %d series get faster, want %d to %d", faster, series, c.least, c.most)
			}
		})
	}
}

func TestAMeasurementOfLessThanHalfAMinuteHasNoTrend(t *testing.T) {
	if _, _, _, ok := compareThirds(make([]float64, 29)); ok {
		t.Error("29 seconds have a trend")
	}
}
