package stats

import (
	"math"
	"testing"
)

func TestTheMedianAndItsRanks(t *testing.T) {
	endless := math.Inf(1)
	for name, c := range map[string]struct {
		values          []float64
		value, low, top float64
		confidence      float64
	}{
		"seven":                {[]float64{7, 1, 6, 2, 5, 3, 4}, 4, 1, 7, 0.984},
		"ten":                  {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5.5, 2, 9, 0.979},
		"one was not seen end": {[]float64{1, 2, 3, 4, 5, 6, endless}, 4, 1, endless, 0.984},
		"most were not":        {[]float64{1, 2, 3, endless, endless, endless, endless}, endless, 1, endless, 0.984},
	} {
		t.Run(name, func(t *testing.T) {
			estimate, err := Median(c.values, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			i := estimate.Interval
			if estimate.Value != c.value || i == nil || i.Low != c.low || i.High != c.top || math.Abs(i.Confidence-c.confidence) > 5e-4 {
				t.Errorf("%+v, %+v", estimate, i)
			}
		})
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		if _, err := Median([]float64{1, bad}, 0.95); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
