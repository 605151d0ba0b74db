package seconds

import (
	"cmp"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// kind has the rows that are merged.
type kind struct {
	operation, outcome string
	part               bool
}

// times are the histograms of one kind; nil without a row.
type times struct{ response, service *hdr.PackedHistogram }

// sums are what the workers' rows of one second add up to.
type sums struct {
	kinds map[kind]*times
	lag   *hdr.PackedHistogram
}

// tell adds up what the workers have told of a second.
func (c *Course) tell(second int64) Second {
	out := Second{Workload: c.of.Name, UnixSeconds: second, Second: int64(c.clock.SecondOf(instant.Unix(second * instant.NanosPerSecond))),
		Operations: []Operation{}, Heat: []int64{}, Store: c.members(second)}
	all := sums{kinds: map[kind]*times{}}
	present := make([]bool, c.of.Workers)
	codes := map[[3]string]int64{}
	for _, w := range c.inOrder() {
		if w.misses(second) || !all.add(c.decoder, w.rows[second]) {
			continue
		}
		present[w.index] = true
		if self, ok := w.selfs[second]; ok {
			out.Intended += self.Intended
			out.Generator.worst(&self)
		}
		for _, e := range w.codes[second] {
			if outcome := e.Outcome; known(e.Operation) && (outcome == stores.Failed.String() || outcome == stores.Unknown.String()) {
				codes[[3]string{e.Operation, outcome, shortened(e.Code)}] += e.Count
			}
		}
	}
	for index, there := range present {
		if !there {
			out.MissingWorkers = append(out.MissingWorkers, index)
		}
	}
	all.tell(&out)
	for of, n := range codes {
		out.Errors = append(out.Errors, Error{Operation: of[0], Outcome: of[1], Code: of[2], Count: n})
	}
	slices.SortFunc(out.Errors, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Code, b.Code))
	})
	return out
}

func (c *Course) inOrder() []*worker {
	workers := make([]*worker, 0, len(c.workers))
	for _, w := range c.workers {
		workers = append(workers, w)
	}
	slices.SortFunc(workers, func(a, b *worker) int { return cmp.Compare(a.index, b.index) })
	return workers
}

// add adds all rows of a worker, or none of them.
func (s *sums) add(decoder *hlog.Reader, rows []hlog.Row) bool {
	decoded := make([]*hdr.PackedHistogram, len(rows))
	for i, row := range rows {
		if row.Time == hlog.WaitTime {
			continue
		}
		h, err := decoder.Histogram(row)
		if err != nil {
			return false
		}
		decoded[i] = h
	}
	for i, row := range rows {
		switch {
		case decoded[i] == nil:
		case row.Lag:
			s.lag = merged(s.lag, decoded[i])
		default:
			of := kind{row.Operation, row.Outcome, row.Part}
			t := s.kinds[of]
			if t == nil {
				t = &times{}
				s.kinds[of] = t
			}
			if row.Time == hlog.ResponseTime {
				t.response = merged(t.response, decoded[i])
			} else {
				t.service = merged(t.service, decoded[i])
			}
		}
	}
	return true
}

// merged is the sum of two histograms of the geometry that all of a bundle have, so none of their values is lost.
func merged(sum, h *hdr.PackedHistogram) *hdr.PackedHistogram {
	if sum == nil {
		return h
	}
	sum.Merge(h)
	return sum
}

// tell writes what the rows add up to.
func (s *sums) tell(out *Second) {
	kinds := make([]kind, 0, len(s.kinds))
	for of := range s.kinds {
		kinds = append(kinds, of)
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.outcome, b.outcome), boolean(a.part)-boolean(b.part))
	})
	responses := slices.ContainsFunc(kinds, func(of kind) bool { return s.kinds[of].response != nil })
	var heat *hdr.PackedHistogram
	for _, of := range kinds {
		t := s.kinds[of]
		operation := Operation{Operation: of.operation, Outcome: of.outcome, Part: of.part,
			Response: histogram.Latency(t.response), Service: histogram.Latency(t.service)}
		if t.service != nil {
			operation.Count = t.service.TotalCount()
		}
		out.Operations = append(out.Operations, operation)
		shown := t.service
		if responses {
			shown = t.response
		}
		if of.outcome == stores.OK.String() && !of.part && shown != nil {
			heat = merged(heat, shown)
		}
	}
	if heat != nil && heat.TotalCount() > 0 {
		out.Heat = histogram.Bands(heat, bounds)
	}
	if s.lag != nil && s.lag.TotalCount() > 0 {
		longest := s.lag.Max()
		out.Generator.LagMaxMicros = &longest
	}
}

var bounds = histogram.BandBounds()

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// worst keeps the worst of the workers.
func (g *Generator) worst(s *bundle.SelfSecond) {
	larger(&g.InFlightMax, int64(s.InFlightMax))
	larger(&g.GCPauseMicros, s.GCPauseMicros)
	if m, cores := s.Machine, s.Cores; m != nil && cores != nil && m.Usable > 0 && s.LengthMicros > 0 {
		stolen := float64(m.StolenMicros) * float64(m.Usable) / float64(max(1, m.Cores))
		larger(&g.CoreShare, (float64(m.OwnMicros)+float64(cores.WaitedMicros)+stolen)/(float64(m.Usable)*float64(s.LengthMicros)))
	}
}

func larger[T int64 | float64](most **T, value T) {
	if *most == nil || **most < value {
		*most = &value
	}
}

func known(operation string) bool {
	for k := range stores.NumKinds {
		if k.String() == operation {
			return true
		}
	}
	return false
}

func shortened(code string) string { return code[:min(len(code), mostCode)] }
