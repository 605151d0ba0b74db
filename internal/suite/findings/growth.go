package findings

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Growth is how the throughput of a workload grows with the values N of an axis, by the Universal Scalability Law:
// λN / (1 + σ(N-1) + κN(N-1)). (Gunther, Guerrilla Capacity Planning, 2007, chapter 4.)
type Growth struct {
	Axis     string           `json:"axis"`
	With     []manifest.Label `json:"with"` // on the other axes
	Workload string           `json:"workload"`
	Sizes    []Size           `json:"sizes"`
	// Law fits the sizes best; null where there is none.
	Law *Law `json:"law"`
	// Why there is no law; absent if there is one.
	Why string `json:"why,omitempty"`
}

// Size is what was reached with one value of the axis.
type Size struct {
	N float64 `json:"n"`
	// Throughput is the median of the valid trials, in operations/s; null without one.
	Throughput *float64 `json:"throughput"`
	Trials     int      `json:"trials"`
	// Residual is by how much it is above the law's, as a part of the law's; null without a law.
	Residual *float64 `json:"residual"`
}

// Law has the parameters of the Universal Scalability Law.
type Law struct {
	Lambda Parameter `json:"lambda"` // operations/s of one
	Sigma  Parameter `json:"sigma"`  // contention
	Kappa  Parameter `json:"kappa"`  // coherence
	// Peak is the N with the highest throughput; null where it grows for ever.
	Peak *float64 `json:"peak"`
}

// Parameter has an interval where each size has trials enough for one.
type Parameter struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// grow fits a law for each workload and each combination of the other axes.
func (r *Report) grow(name string, unlike *likeness) {
	axis := slices.IndexFunc(r.Axes, func(a manifest.Axis) bool { return a.Name == name })
	if name == "" || axis < 0 {
		return
	}
	for i := range r.Combinations {
		first := &r.Combinations[i]
		of := r.sizesOf(first, axis)
		if of[0] != first { // it was looked at with another value
			continue
		}
		for _, workload := range workloadsOf(of) {
			r.Growth = append(r.Growth, r.growthOf(axis, of, workload, unlike))
		}
	}
}

// sizesOf are the combinations that differ from one in the axis alone, with it, in their order.
func (r *Report) sizesOf(one *Combination, axis int) (all []*Combination) {
	for i := range r.Combinations {
		other := slices.Clone(r.Combinations[i].Labels)
		other[axis] = one.Labels[axis]
		if slices.Equal(other, one.Labels) {
			all = append(all, &r.Combinations[i])
		}
	}
	return all
}

// workloadsOf are those that have a throughput in some combination.
func workloadsOf(combinations []*Combination) (workloads []string) {
	for _, c := range combinations {
		for _, m := range c.Metrics {
			if m.Metric == figures.Throughput {
				workloads = union(workloads, []string{m.Workload})
			}
		}
	}
	return workloads
}

func (r *Report) growthOf(axis int, of []*Combination, workload string, unlike *likeness) Growth {
	labels := of[0].Labels
	g := Growth{Axis: r.Axes[axis].Name, With: slices.Delete(slices.Clone(labels), axis, axis+1), Workload: workload, Sizes: []Size{}}
	var sizes []stats.Size
	for _, c := range of {
		n, err := strconv.ParseFloat(c.Labels[axis].Value, 64)
		if err != nil {
			g.Why = fmt.Sprintf("%s is no number", c.Labels[axis])
			return g
		}
		size := stats.Size{N: n, Trials: c.throughputs(workload)}
		shown := Size{N: n, Trials: len(size.Trials)}
		if len(size.Trials) > 0 {
			shown.Throughput = finite(stats.Middle(size.Trials))
		}
		g.Sizes, sizes = append(g.Sizes, shown), append(sizes, size)
		if g.Why == "" {
			g.Why = r.ungrowing(c, of[0], size, workload, unlike)
		}
	}
	if g.Why == "" && len(sizes) < stats.LeastSizes {
		g.Why = fmt.Sprintf("%d sizes are too few: it takes %d", len(sizes), stats.LeastSizes)
	}
	if g.Why != "" {
		return g
	}
	random := rand.NewPCG(r.Seed, uint64(len(r.Growth)))
	law, err := stats.FitGrowth(sizes, r.Confidence, func(n int) int { return int(random.Uint64() % uint64(n)) })
	if err != nil { // whatever it is, the rest of the report stands
		g.Why = err.Error()
		return g
	}
	g.Law = &Law{
		Lambda: parameter(law.Lambda, law.LambdaWithin), Sigma: parameter(law.Sigma, law.SigmaWithin), Kappa: parameter(law.Kappa, law.KappaWithin),
		Peak: finite(law.Peak()),
	}
	for i := range g.Sizes {
		g.Sizes[i].Residual = &law.Residuals[i]
	}
	return g
}

func parameter(value float64, within *stats.Interval) Parameter {
	p := Parameter{Value: value}
	if within != nil {
		p.Low, p.High = finite(within.Low), finite(within.High)
	}
	return p
}

// throughputs are those of the valid trials.
func (c *Combination) throughputs(workload string) (values []float64) {
	for _, m := range c.Metrics {
		if m.Metric == figures.Throughput && m.Workload == workload {
			for _, v := range m.Values {
				values = append(values, v.Value)
			}
		}
	}
	return values
}

// ungrowing says why a size is no point of a law; "" if it is one.
func (r *Report) ungrowing(c, first *Combination, size stats.Size, workload string, unlike *likeness) string {
	open := func(m Metric) bool { return m.Workload == workload && m.Time == figures.ResponseTime }
	switch {
	case len(size.Trials) == 0:
		return c.Name() + " has no valid throughput"
	case slices.Min(size.Trials) <= 0:
		return c.Name() + " has a throughput of 0"
	case slices.ContainsFunc(c.Metrics, open) && !c.alwaysSaturated(workload):
		return c.Name() + " is an open loop that the store kept up with: its throughput is the rate that was asked for"
	}
	if text := unlike.unlike(c); text != "" {
		return c.Name() + ": its trials are not alike: " + text
	}
	if differences := unlike.across(c, first, r.fieldsBetween(c, first)); len(differences) > 0 {
		return notComparable(differences)
	}
	return ""
}

// alwaysSaturated says that the store could take the workload's load in no valid trial.
func (c *Combination) alwaysSaturated(workload string) bool {
	for _, run := range c.trials {
		if run != nil && !slices.Contains(run.Saturated, workload) {
			return false
		}
	}
	return true
}
