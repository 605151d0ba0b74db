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
	response, wait *hdr.PackedHistogram
	service        *hdr.PackedHistogram // every operation has one
}

// latencies are the interval logs of a workload, or of one of its workers, added up: by
// operation and outcome over the measurement, and the generator's lag over it and by
// second. A histogram for each second of a day would take hundreds of megabytes, so the
// successes by second have a pass of their own (mergeSeconds).
type latencies struct {
	clock       workloadClock
	ofResponses bool // successes by second are response times, else service times
	operations  map[opKey]*opLatencies
	lag         *hdr.PackedHistogram // over the measurement
	lagMax      bySecond[int64]      // micros
	sends       bySecond[sends]      // of one worker; empty in the sum of several
	rows        bySecond[int32]      // of successes, that the logs have of each second
	seconds     bySecond[quantiles]
	calm        *calm
}

func newLatencies(clock workloadClock, open bool) *latencies {
	return &latencies{
		clock:       clock,
		ofResponses: open,
		operations:  map[opKey]*opLatencies{},
		lag:         newHistogram(),
		lagMax:      newBySecond[int64](clock),
		sends:       newBySecond[sends](clock),
		rows:        newBySecond[int32](clock),
		seconds:     newBySecond[quantiles](clock),
		calm:        newCalm(clock, nil),
	}
}

func (l *latencies) add(row logRow, h *hdr.PackedHistogram) error {
	second := l.clock.secondOf(row.atNanos)
	if !l.clock.records(second) {
		return nil
	}
	measured := l.clock.phase(second) == PhaseMeasurement
	if row.lag {
		longest := l.lagMax.at(second)
		*longest = max(*longest, h.Max())
		if !measured {
			return nil
		}
		return errors.Join(l.sends.at(second).add(h), merge(l.lag, h))
	}
	if l.succeeded(row) {
		*l.rows.at(second)++
	}
	if !measured {
		return nil
	}
	op := l.of(opKey{row.operation, row.outcome})
	switch row.time {
	case responseTime:
		return merge(op.response, h)
	case waitTime:
		return merge(op.wait, h)
	}
	return merge(op.service, h)
}

// succeeded says whether a row holds successes by second: of operations that were intended, as
// bins have them. Parts would pull a second's percentiles to theirs, and the p99 that says from when on
// an operation is overdue.
func (l *latencies) succeeded(row logRow) bool {
	judged := serviceTime
	if l.ofResponses {
		judged = responseTime
	}
	return !row.lag && !row.part && row.outcome == stores.OK.String() && row.time == judged
}

// absorb adds what another worker recorded.
func (l *latencies) absorb(other *latencies) error {
	if err := merge(l.lag, other.lag); err != nil {
		return err
	}
	other.lagMax.each(func(second int64, longest *int64) {
		into := l.lagMax.at(second)
		*into = max(*into, *longest)
	})
	other.rows.each(func(second int64, n *int32) { *l.rows.at(second) += *n })
	for key, from := range other.operations {
		into := l.of(key)
		if err := errors.Join(merge(into.response, from.response), merge(into.wait, from.wait), merge(into.service, from.service)); err != nil {
			return err
		}
	}
	return nil
}

// any says whether there were such operations.
func (l *latencies) any(such func(opKey) bool) bool {
	for key := range l.operations {
		if such(key) {
			return true
		}
	}
	return false
}

func deletes(k opKey) bool { return k.operation == stores.Delete.String() }

func succeeded(k opKey) bool { return k.outcome == stores.OK.String() }

func (l *latencies) of(key opKey) *opLatencies {
	op := l.operations[key]
	if op == nil {
		op = &opLatencies{response: newHistogram(), wait: newHistogram(), service: newHistogram()}
		l.operations[key] = op
	}
	return op
}

// p99Before is the p99 of the successes in the seconds of the measurement before that one
// and outside the windows, else in those of the warm-up; nil without any.
func (l *latencies) p99Before(before int64, windows []window) (*int64, error) {
	sum, err := l.calm.over(func(b *block) bool { return b.from >= 0 && b.to < before && !b.overlaps(windows) })
	if err == nil && sum.TotalCount() == 0 {
		sum, err = l.calm.over(func(b *block) bool { return b.to < min(0, before) })
	}
	if err != nil || sum.TotalCount() == 0 {
		return nil, err
	}
	p99 := percentile(sum, 99)
	return &p99, nil
}

// lagAround is the longest lag of the sends in the second around an instant, which is in
// microseconds from the workload's start. Lags are known by second, so it may be of one that
// was intended up to 1.5 s off.
func (l *latencies) lagAround(micros int64) (longest int64) {
	for _, second := range []int64{l.clock.secondOfMicros(micros - 500_000), l.clock.secondOfMicros(micros + 500_000)} {
		longest = max(longest, l.lagMax.find(second))
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
				WaitTime:     latency(op.wait),
				ServiceTime:  latency(op.service),
			})
		}
	}
	return listed
}
