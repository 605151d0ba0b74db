package rate

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// sine is mean + amplitude·sin(2π·t/period). The amplitude is at most the mean.
type sine struct {
	mean, amplitude float64 // operations/s
	period          float64 // seconds
}

func newSine(s *plan.Sine) *sine {
	return &sine{mean: s.Mean, amplitude: s.Amplitude, period: float64(s.PeriodMillis) / 1000}
}

func (s *sine) At(at time.Duration) float64 { return s.at(at.Seconds()) }

func (s *sine) at(seconds float64) float64 {
	return s.mean + s.amplitude*math.Sin(2*math.Pi*seconds/s.period)
}

func (s *sine) Due(at time.Duration) float64 { return s.due(at.Seconds()) }

func (s *sine) due(seconds float64) float64 {
	return s.mean*seconds + s.amplitude*s.period/(2*math.Pi)*(1-math.Cos(2*math.Pi*seconds/s.period))
}

// When counts whole periods and looks for the rest in one: Newton's steps, and halves where
// one would leave what is known to hold the solution.
func (s *sine) When(n float64) time.Duration {
	whole := math.Floor(n / (s.mean * s.period))
	rest := n - whole*s.mean*s.period
	low, high := 0.0, s.period
	seconds := rest / s.mean
	for high-low > 1e-10 {
		off := s.due(seconds) - rest
		if off > 0 {
			high = seconds
		} else {
			low = seconds
		}
		next := seconds - off/s.at(seconds)
		if math.Abs(next-seconds) < 1e-10 {
			break
		}
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		seconds = next
	}
	return after(whole*s.period + seconds)
}
