package findings

import (
	"math"
	"slices"

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

// width looks at each ratio that the plan compares, or at each median if it compares none. What is to be known follows from the
// plan: a combination without valid trials has no figure, and is not known.
func (r *Report) width(m *manifest.Manifest) *Width {
	until := m.Until
	if until == nil {
		return nil
	}
	w := &Width{Until: *until, Blocks: r.Blocks}
	widest := 0.0
	look := func(half float64, of string) {
		if half >= widest {
			widest, w.Of = half, of
		}
	}
	pairs := r.pairs(&m.Compare)
	if len(m.Compare.Metrics) > 0 && !slices.Contains(m.Compare.Metrics, until.Metric) {
		pairs = nil
	}
	for _, p := range pairs {
		look(r.widthOfPair(until, p))
	}
	for i := range r.Combinations {
		if len(pairs) == 0 {
			look(r.Combinations[i].width(until))
		}
	}
	if len(r.Combinations) > 0 && !math.IsInf(widest, 0) {
		w.Widest, w.Narrow = &widest, widest <= until.HalfWidth
	}
	return w
}

// widthOfPair is that of the widest ratio of two combinations, which may be of several workloads and kinds of operations.
func (r *Report) widthOfPair(until *manifest.Until, p pair) (half float64, of string) {
	half, of = math.Inf(1), p.one.Labels[p.axis].String()+" / "+p.other.Labels[p.axis].Value
	found := false
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.one != p.one || c.Axis != r.Axes[p.axis].Name || !isOf(until, &c.Name) {
			continue
		}
		if here := halfWidth(&c.Ratio); !found || here > half {
			half, of, found = here, c.Axis+"="+c.Value+" / "+c.Against+", "+c.String(), true
		}
	}
	return half, of
}

// width is that of the widest median of the metric.
func (c *Combination) width(until *manifest.Until) (half float64, of string) {
	half, of = math.Inf(1), c.Name()
	found := false
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if here := halfWidth(&m.Median); isOf(until, &m.Name) && (!found || here > half) {
			half, of, found = here, c.Name()+", "+m.String(), true
		}
	}
	return half, of
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
