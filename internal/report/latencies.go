package report

import (
	"errors"
	"maps"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	second = int64(1e9) // in nanoseconds
	milli  = int64(1e6)
	micro  = int64(1e3)
)

// opKey names the histograms that are reported apart.
type opKey struct {
	operation string
	outcome   string
}

type opLatencies struct {
	response *hdr.PackedHistogram
	service  *hdr.PackedHistogram // every operation has one
}

// latencies are the merged interval logs of all workers of a workload: by operation and
// outcome over the measurement, and by second over all operations that succeeded.
type latencies struct {
	clock       workloadClock
	operations  map[opKey]*opLatencies
	seconds     map[int64]*hdr.PackedHistogram
	ofResponses bool // the seconds hold response times, else service times
}

func newLatencies(clock workloadClock, open bool) *latencies {
	return &latencies{
		clock:       clock,
		operations:  map[opKey]*opLatencies{},
		seconds:     map[int64]*hdr.PackedHistogram{},
		ofResponses: open,
	}
}

func (l *latencies) add(row logRow) error {
	second := l.clock.secondOf(row.atNanos)
	if !l.clock.records(second) {
		return nil
	}
	if row.outcome == stores.OK.String() && row.response == l.ofResponses {
		if err := merge(l.second(second), row.histogram); err != nil {
			return err
		}
	}
	if l.clock.phase(second) != PhaseMeasurement {
		return nil
	}
	op := l.of(opKey{row.operation, row.outcome})
	if row.response {
		return merge(op.response, row.histogram)
	}
	return merge(op.service, row.histogram)
}

// absorb adds what another worker recorded.
func (l *latencies) absorb(other *latencies) error {
	for second, h := range other.seconds {
		if err := merge(l.second(second), h); err != nil {
			return err
		}
	}
	for key, from := range other.operations {
		into := l.of(key)
		if err := errors.Join(merge(into.response, from.response), merge(into.service, from.service)); err != nil {
			return err
		}
	}
	return nil
}

func (l *latencies) second(second int64) *hdr.PackedHistogram {
	h := l.seconds[second]
	if h == nil {
		h = newHistogram()
		l.seconds[second] = h
	}
	return h
}

func (l *latencies) of(key opKey) *opLatencies {
	op := l.operations[key]
	if op == nil {
		op = &opLatencies{response: newHistogram(), service: newHistogram()}
		l.operations[key] = op
	}
	return op
}

// p99Over is the p99 of the successes in the seconds that keep says; nil without any.
func (l *latencies) p99Over(keep func(second int64) bool) (*int64, error) {
	sum := newHistogram()
	for _, second := range slices.Sorted(maps.Keys(l.seconds)) {
		if !keep(second) {
			continue
		}
		if err := merge(sum, l.seconds[second]); err != nil {
			return nil, err
		}
	}
	if sum.TotalCount() == 0 {
		return nil, nil
	}
	p99 := sum.ValueAtPercentile(99)
	return &p99, nil
}

// report lists the operations in the order of YCSB's kinds and outcomes.
func (l *latencies) report() []Operation {
	listed := []Operation{}
	for kind := range stores.NumKinds {
		for outcome := range stores.NumOutcomes {
			op := l.operations[opKey{kind.String(), outcome.String()}]
			if op == nil {
				continue
			}
			listed = append(listed, Operation{
				Operation:    kind.String(),
				Outcome:      outcome.String(),
				Count:        op.service.TotalCount(),
				ResponseTime: latency(op.response),
				ServiceTime:  latency(op.service),
			})
		}
	}
	return listed
}
