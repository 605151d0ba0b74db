package charts

import (
	"github.com/kvbench/kvbench/internal/report/instant"
)

const (
	// fullSeconds is up to how many seconds each has a step of its own.
	fullSeconds = 3600 + 120
	longStep    = 30
)

// steps divide the seconds of a workload.
type steps struct {
	clock instant.Clock
	first instant.Second
	long  int // seconds
	n     int
}

func newSteps(clock instant.Clock) steps {
	s := steps{clock: clock, first: clock.FirstSecond(), long: 1}
	seconds := int(clock.LastSecond()-s.first) + 1
	if seconds > fullSeconds {
		s.long = longStep
		// A step begins with the measurement, so that none has both warm-up and measurement.
		before := (int(-s.first) + longStep - 1) / longStep
		s.first = instant.Second(-before * longStep)
		seconds = int(clock.LastSecond()-s.first) + 1
	}
	s.n = (seconds + s.long - 1) / s.long
	return s
}

// lengthOf is how many microseconds of a step are recorded.
func (s *steps) lengthOf(step int) int64 {
	begin := s.first + instant.Second(step*s.long)
	end := min(s.clock.SecondBegin(begin+instant.Second(s.long)), s.clock.Recorded)
	return max(1, end.Since(max(s.clock.SecondBegin(begin), 0)))
}

// of is the step that has the second; ok is false if none has.
func (s *steps) of(second instant.Second) (step int, ok bool) {
	if second < s.first {
		return 0, false
	}
	step = int(second-s.first) / s.long
	return step, step < s.n
}

// ofUnix is the step of an instant.
func (s *steps) ofUnix(at instant.Unix) (step int, ok bool) {
	return s.of(s.clock.SecondAt(s.clock.FromStart(at)))
}

// sinceMeasurement is an instant in microseconds from the measurement's start.
func sinceMeasurement(clock instant.Clock, at instant.Unix) int64 {
	return at.Since(clock.Measurement()) / instant.NanosPerMicro
}

// larger is the larger of the two; nil is none.
func larger[T int64 | float64](most *T, value T) *T {
	if most != nil && *most >= value {
		return most
	}
	return &value
}
