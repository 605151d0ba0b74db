package findings

import (
	"math"

	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Width is how well the figures of a metric are known.
type Width struct {
	manifest.Until
	// Blocks that the suite had when it looked.
	Blocks int `json:"blocks"`
	// Widest is the largest half width of all intervals of the metric; null if one of them has no end yet, or if there is none.
	Widest *float64 `json:"widest"`
	// Of is the figure that has it, for people.
	Of string `json:"of,omitempty"`
	// Narrow says that all are as narrow as they have to be.
	Narrow bool `json:"narrow"`
}

// width looks at each ratio that is compared, or at each median where none is.
func (r *Report) width(until *manifest.Until) *Width {
	if until == nil {
		return nil
	}
	w := &Width{Until: *until, Blocks: r.Blocks}
	widest, known := 0.0, false
	look := func(e *Estimate, of string) {
		half := halfWidth(e)
		if !known || half > widest {
			widest, known, w.Of = half, true, of
		}
	}
	for i := range r.Comparisons {
		if c := &r.Comparisons[i]; isOf(until, &c.Name) {
			look(&c.Ratio, c.Axis+"="+c.Value+" / "+c.Against+", "+c.String())
		}
	}
	for i := range r.Combinations {
		for j := range r.Combinations[i].Metrics {
			if m := &r.Combinations[i].Metrics[j]; len(r.Comparisons) == 0 && isOf(until, &m.Name) {
				look(&m.Median, r.Combinations[i].Name()+", "+m.String())
			}
		}
	}
	if known && !math.IsInf(widest, 0) {
		w.Widest, w.Narrow = &widest, widest <= until.HalfWidth
	}
	return w
}

func isOf(until *manifest.Until, n *figures.Name) bool {
	return n.Metric == until.Metric && (until.Operation == "" || n.Operation == until.Operation)
}

// halfWidth is by which part the ends of the interval are off their middle, which is the geometric one: both ends are as many
// times off.
func halfWidth(e *Estimate) float64 {
	if e.Low == nil || e.High == nil || *e.Low <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(*e.High / *e.Low) - 1
}
