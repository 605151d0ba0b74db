package rate

import (
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/plan"
)

// Bounds of a shape.
const (
	MaxSegments = 1000
	MaxRate     = 1e7           // operations/s
	MaxMillis   = 24 * 3600_000 // of a segment, and of a sine's period
)

// Check says what is wrong with a shape: a plan may come from anywhere.
func Check(s *plan.Shape) error {
	switch {
	case (s.Sine == nil) == (len(s.Segments) == 0):
		return fmt.Errorf("a rate has segments or a sine, one of the two")
	case s.Sine != nil:
		return checkSine(s.Sine)
	case len(s.Segments) > MaxSegments:
		return fmt.Errorf("a rate has %d parts, and can have %d", len(s.Segments), MaxSegments)
	}
	for i, segment := range s.Segments {
		for _, rate := range [...]float64{segment.From, segment.To} {
			if !(rate >= 0 && rate <= MaxRate) {
				return fmt.Errorf("part %d has a rate of %g, not from 0 to %g", i+1, rate, MaxRate)
			}
		}
		if segment.Millis < 1 || segment.Millis > MaxMillis {
			return fmt.Errorf("part %d lasts %d ms, not from 1 to %d", i+1, segment.Millis, MaxMillis)
		}
	}
	if Peak(s) == 0 {
		return fmt.Errorf("a rate that is 0 all the time does nothing")
	}
	return nil
}

func checkSine(s *plan.Sine) error {
	switch {
	case !(s.Mean > 0 && s.Mean <= MaxRate):
		return fmt.Errorf("a sine has a mean rate of %g, not above 0 and up to %g", s.Mean, MaxRate)
	case !(s.Amplitude >= 0 && s.Amplitude <= s.Mean):
		return fmt.Errorf("a sine has an amplitude of %g, not from 0 to its mean, %g", s.Amplitude, s.Mean)
	case s.PeriodMillis < 1 || s.PeriodMillis > MaxMillis:
		return fmt.Errorf("a sine has a period of %d ms, not from 1 to %d", s.PeriodMillis, MaxMillis)
	}
	return nil
}

// Peak is a shape's highest rate, in operations/s.
func Peak(s *plan.Shape) float64 {
	if s.Sine != nil {
		return s.Sine.Mean + s.Sine.Amplitude
	}
	var peak float64
	for _, segment := range s.Segments {
		peak = math.Max(peak, math.Max(segment.From, segment.To))
	}
	return peak
}

// EndsAtZero says whether nothing is due any more from some time on.
func EndsAtZero(s *plan.Shape) bool {
	last := len(s.Segments) - 1
	return last >= 0 && s.Segments[last].To == 0
}
