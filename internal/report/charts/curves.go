package charts

import (
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/latency"
)

// Percentiles of a curve are evenly spaced on the logarithmic axis of what is beyond them: 0, 20.6, … 90, … 99, … 99.999.
const (
	pointsOfNine = 10
	nines        = 5
)

// curves has those of the measurement. Each ends with its maximum.
func curves(l *latency.Latencies) []Curve {
	listed := []Curve{}
	l.Each(func(operation, outcome string, response, service *hdr.PackedHistogram) {
		if c := newCurve(operation, outcome, ResponseTime, response); c != nil {
			listed = append(listed, *c)
		}
		if c := newCurve(operation, outcome, ServiceTime, service); c != nil {
			listed = append(listed, *c)
		}
	})
	return listed
}

// newCurve is nil for an empty histogram. A percentile beyond which there is no whole operation is left out: it is the
// maximum.
func newCurve(operation, outcome, time string, h *hdr.PackedHistogram) *Curve {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	c := &Curve{Operation: operation, Outcome: outcome, Time: time, Count: h.TotalCount()}
	var at []float64
	for i := 0; i <= pointsOfNine*nines; i++ {
		beyond := math.Pow(10, -float64(i)/pointsOfNine)
		if beyond*float64(h.TotalCount()) < 1 {
			break
		}
		// Rounded, so that the digits are the same everywhere.
		at = append(at, math.Round(100*(1-beyond)*1e6)/1e6)
	}
	for i, micros := range histogram.Percentiles(h, at...) {
		c.Points = append(c.Points, Point{at[i], micros})
	}
	c.Points = append(c.Points, Point{100, h.Max()})
	return c
}
