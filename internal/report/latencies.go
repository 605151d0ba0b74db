package report

import (
	"errors"

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
// outcome over the measurement, by second over all operations that succeeded, and the
// generator's lag by second.
type latencies struct {
	clock       workloadClock
	operations  map[opKey]*opLatencies
	seconds     bySecond
	lag         bySecond
	ofResponses bool // the seconds hold response times, else service times
}

func newLatencies(clock workloadClock, open bool) *latencies {
	return &latencies{
		clock:       clock,
		operations:  map[opKey]*opLatencies{},
		seconds:     bySecond{},
		lag:         bySecond{},
		ofResponses: open,
	}
}

func (l *latencies) add(row logRow) error {
	second := l.clock.secondOf(row.atNanos)
	if !l.clock.records(second) {
		return nil
	}
	if row.lag {
		return merge(l.lag.at(second), row.histogram)
	}
	if row.outcome == stores.OK.String() && row.response == l.ofResponses {
		if err := merge(l.seconds.at(second), row.histogram); err != nil {
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
	if err := errors.Join(l.seconds.absorb(other.seconds), l.lag.absorb(other.lag)); err != nil {
		return err
	}
	for key, from := range other.operations {
		into := l.of(key)
		if err := errors.Join(merge(into.response, from.response), merge(into.service, from.service)); err != nil {
			return err
		}
	}
	return nil
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
	sum, err := l.seconds.over(keep)
	if err != nil || sum.TotalCount() == 0 {
		return nil, err
	}
	p99 := sum.ValueAtPercentile(99)
	return &p99, nil
}

// lagAround is the longest lag of the sends in the second around an instant, which is in
// microseconds from the workload's start. Lags are known by second, so it may be of one that
// was intended up to 1.5 s off.
func (l *latencies) lagAround(micros int64) (longest int64) {
	for _, second := range []int64{l.clock.secondOfMicros(micros - 500_000), l.clock.secondOfMicros(micros + 500_000)} {
		if h := l.lag[second]; h != nil {
			longest = max(longest, h.Max())
		}
	}
	return longest
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
