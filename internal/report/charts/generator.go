package charts

import (
	"cmp"
	"slices"

	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// generator has the worst worker of each step.
func generator(m *read.Measured, s *steps) Generator {
	g := Generator{make([]*int64, s.n), make([]*int64, s.n), make([]*int64, s.n), make([]*float64, s.n)}
	if m.Latencies.OfResponses {
		m.Latencies.LagMax.Each(func(second instant.Second, longest *int64) {
			if step, ok := s.of(second); ok {
				g.LagMax[step] = larger(g.LagMax[step], *longest)
			}
		})
	}
	for _, worker := range m.Workers {
		for i := range worker.Seconds {
			second := &worker.Seconds[i]
			step, ok := s.ofUnix(second.Begin())
			if !ok {
				continue
			}
			g.InFlightMax[step] = larger(g.InFlightMax[step], int64(second.InFlightMax))
			g.GCPauseMax[step] = larger(g.GCPauseMax[step], int64(second.GCPauseMicros))
			if wanted, usable, ok := second.Wanted(); ok && usable > 0 {
				g.CoreShareMax[step] = larger(g.CoreShareMax[step], rounded(float64(wanted)/float64(usable)))
			}
		}
	}
	return g
}

// errorsOf adds up the errors of all workers by step.
func errorsOf(workers []*telemetry.Worker, s *steps) []Error {
	type key struct{ operation, outcome, code string }
	type at struct {
		key
		step int
	}
	sums := map[at]int64{}
	for _, worker := range workers {
		worker.EachError(func(seen instant.Unix, operation, outcome, code string, count int64) {
			// A line is written at the end of its second. The last ones come after the cool-down.
			step, ok := s.ofUnix(max(seen-1, s.clock.Start))
			if !ok {
				step = s.n - 1
			}
			sums[at{key{operation, outcome, code}, step}] += count
		})
	}
	order := make([]at, 0, len(sums))
	for one := range sums {
		order = append(order, one)
	}
	slices.SortFunc(order, func(a, b at) int {
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.code, b.code), cmp.Compare(a.step, b.step))
	})
	listed := []Error{}
	var last key
	for _, one := range order {
		if len(listed) == 0 || last != one.key {
			listed, last = append(listed, Error{Operation: one.operation, Outcome: one.outcome, Code: one.code}), one.key
		}
		e := &listed[len(listed)-1]
		e.Step, e.Count = append(e.Step, one.step), append(e.Count, sums[one])
	}
	return listed
}
