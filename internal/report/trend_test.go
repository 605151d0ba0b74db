package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
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

func TestAReportRemarksThatTheStoreGotFaster(t *testing.T) {
	gettingFaster := func(at int64) answer {
		return answer{took: 2*ms + int64(20*float64(ms)*math.Exp(-float64(at)/float64(10*sec)))}
	}
	for name, c := range map[string]struct {
		answer   func(int64) answer
		change   func(*situation)
		killedAt int64 // after the warm-up; 0 is never
		trend    bool
		remarked bool
	}{
		"a store that gets faster": {answer: gettingFaster, trend: true, remarked: true},
		"in a closed loop":         {answer: gettingFaster, change: func(s *situation) { s.workload().Load.Rate = 0 }, trend: true, remarked: true},
		"one that stays as it is":  {answer: healthy, trend: true},
		"one that is warm by then": {answer: gettingFaster, change: func(s *situation) { s.workload().Load.WarmupMillis = 40_000; s.scene.duration += 38 * sec }, trend: true},
		"a rate that changes": {answer: gettingFaster, change: func(s *situation) {
			s.workload().Load.Shape = &plan.Shape{Segments: []plan.Segment{{From: 1000, To: 1000, Millis: 1000}}}
		}},
		"a fault in the first half minute":         {answer: gettingFaster, killedAt: 28 * sec},
		"a fault later: what was before it":        {answer: gettingFaster, killedAt: 35 * sec, trend: true, remarked: true},
		"a measurement of less than half a minute": {answer: gettingFaster, change: func(s *situation) { s.workload().DurationMillis, s.scene.duration = 29_000, 36*sec }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSituation()
			planned, fault := s.plan.Faults[0], *s.fault
			s.plan.Faults, s.fault = nil, nil
			s.workload().DurationMillis, s.scene.duration = 40_000, 47*sec
			s.workload().Load.Rate, s.scene.rate = 200, 200
			s.answers(c.answer)
			if c.killedAt > 0 {
				later := (c.killedAt + 2*sec - killedAt) * micro
				planned.AtMillis = c.killedAt / ms
				fault.RequestedUnixNanos += later
				fault.InjectedAfterUnixNanos += later
				fault.InjectedBeforeUnixNanos += later
				s.plan.Faults, s.fault = []plan.Fault{planned}, &fault
			}
			if c.change != nil {
				c.change(s)
			}
			r := reportOf(t, s.build(t))
			if got := r.Workloads[0].Trend; (got != nil) != c.trend {
				t.Fatalf("the trend is %+v", got)
			}
			text, table := string(r.Markdown()), r.Table()
			if remarked := len(r.Remarks) == 1 && r.Remarks[0].Reason == GotFaster; remarked != c.remarked ||
				strings.Contains(text, "**GotFaster** (workload a): the median ") != c.remarked || strings.Contains(table, "remark, GotFaster") != c.remarked {
				t.Errorf("%+v, %+v\n%s", r.Remarks, r.Workloads[0].Trend, text)
			}
			if c.remarked && c.killedAt == 0 && !r.Valid {
				t.Errorf("not valid: %+v", r.InvalidReasons)
			}
		})
	}
}
