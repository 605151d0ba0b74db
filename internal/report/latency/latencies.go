// Package latency adds up the interval logs of a workload: over the measurement by operation and outcome, and by second
// as far as a report needs it. What it keeps of a second takes few bytes, however long the run is.
package latency

import (
	"errors"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// Key names the operations whose histograms are reported together.
type Key struct {
	operation string
	outcome   string
}

// operation has the histograms of the operations with one key.
type operation struct {
	response, wait *hdr.PackedHistogram
	service        *hdr.PackedHistogram // every operation has one
}

// Latencies are the interval logs of a workload, or of one of its workers, added up: by
// operation and outcome over the measurement, and the generator's lag over it and by
// second. A histogram for each second of a day would take hundreds of megabytes, so the
// successes by second have a pass of their own (MergeSeconds).
type Latencies struct {
	Clock       instant.Clock
	OfResponses bool // successes by second are response times, else service times
	operations  map[Key]*operation
	Lag         *hdr.PackedHistogram    // over the measurement
	LagMax      instant.BySecond[int64] // micros
	Sends       instant.BySecond[Sends] // of one worker; empty in the sum of several
	rows        instant.BySecond[int32] // of successes, that the logs have of each second
	Seconds     instant.BySecond[quantiles]
	baseline    *baseline
}

// New has no operations yet. In an open loop successes by second are response times.
func New(clock instant.Clock, open bool) *Latencies {
	return &Latencies{
		Clock:       clock,
		OfResponses: open,
		operations:  map[Key]*operation{},
		Lag:         histogram.New(),
		LagMax:      instant.NewBySecond[int64](clock),
		Sends:       instant.NewBySecond[Sends](clock),
		rows:        instant.NewBySecond[int32](clock),
		Seconds:     instant.NewBySecond[quantiles](clock),
		baseline:    newBaseline(clock, nil),
	}
}

// Add adds a row of a log. A row of a second that isn't recorded is left out.
func (l *Latencies) Add(row hlog.Row, h *hdr.PackedHistogram) error {
	second := l.Clock.SecondOf(row.At)
	if !l.Clock.Records(second) {
		return nil
	}
	measured := l.Clock.Phase(second) == report.PhaseMeasurement
	if row.Lag {
		longest := l.LagMax.At(second)
		*longest = max(*longest, h.Max())
		if !measured {
			return nil
		}
		return errors.Join(l.Sends.At(second).add(h), histogram.Merge(l.Lag, h))
	}
	if l.succeeded(row) {
		*l.rows.At(second)++
	}
	if !measured {
		return nil
	}
	op := l.of(Key{row.Operation, row.Outcome})
	switch row.Time {
	case hlog.ResponseTime:
		return histogram.Merge(op.response, h)
	case hlog.WaitTime:
		return histogram.Merge(op.wait, h)
	}
	return histogram.Merge(op.service, h)
}

// succeeded says whether a row holds successes by second: of operations that were intended, as
// bins have them. Parts would pull a second's percentiles to theirs, and the p99 that says from when on
// an operation is overdue.
func (l *Latencies) succeeded(row hlog.Row) bool {
	judged := hlog.ServiceTime
	if l.OfResponses {
		judged = hlog.ResponseTime
	}
	return !row.Lag && !row.Part && row.Outcome == stores.OK.String() && row.Time == judged
}

// Absorb adds what another worker recorded.
func (l *Latencies) Absorb(other *Latencies) error {
	if err := histogram.Merge(l.Lag, other.Lag); err != nil {
		return err
	}
	other.LagMax.Each(func(second instant.Second, longest *int64) {
		into := l.LagMax.At(second)
		*into = max(*into, *longest)
	})
	other.rows.Each(func(second instant.Second, n *int32) { *l.rows.At(second) += *n })
	for key, from := range other.operations {
		into := l.of(key)
		if err := errors.Join(histogram.Merge(into.response, from.response), histogram.Merge(into.wait, from.wait), histogram.Merge(into.service, from.service)); err != nil {
			return err
		}
	}
	return nil
}

// Any says whether there were such operations.
func (l *Latencies) Any(such func(Key) bool) bool {
	for key := range l.operations {
		if such(key) {
			return true
		}
	}
	return false
}

// Deletes says whether the operations delete records.
func Deletes(k Key) bool { return k.operation == stores.Delete.String() }

// Succeeded says whether the operations succeeded.
func Succeeded(k Key) bool { return k.outcome == stores.OK.String() }

func (l *Latencies) of(key Key) *operation {
	op := l.operations[key]
	if op == nil {
		op = &operation{response: histogram.New(), wait: histogram.New(), service: histogram.New()}
		l.operations[key] = op
	}
	return op
}

// P99Before is the p99 of the successes in the seconds of the measurement before the given one and outside the windows.
// Where there are none, it is that of the warm-up; nil where there are none in it either.
func (l *Latencies) P99Before(before instant.Second, windows []instant.Window) (*int64, error) {
	sum, err := l.baseline.over(func(b *block) bool { return b.from >= 0 && b.to < before && !b.overlaps(windows) })
	if err == nil && sum.TotalCount() == 0 {
		sum, err = l.baseline.over(func(b *block) bool { return b.to < min(0, before) })
	}
	if err != nil || sum.TotalCount() == 0 {
		return nil, err
	}
	p99 := histogram.Percentile(sum, 99)
	return &p99, nil
}

// LagAround is the longest lag of the sends in the second around an instant. Lags are known by second, so the send may
// have been intended up to 1.5 s before or after the instant.
func (l *Latencies) LagAround(at instant.FromStart) (longestMicros int64) {
	for _, second := range [...]instant.Second{l.Clock.SecondAt(at - 500_000), l.Clock.SecondAt(at + 500_000)} {
		longestMicros = max(longestMicros, l.LagMax.Find(second))
	}
	return longestMicros
}

// Each calls each for the operations of the measurement, in the order of YCSB's kinds and outcomes. A histogram may be
// empty.
func (l *Latencies) Each(each func(operation, outcome string, response, service *hdr.PackedHistogram)) {
	for kind := range stores.NumKinds {
		for outcome := range stores.NumOutcomes {
			if op := l.operations[Key{kind.String(), outcome.String()}]; op != nil {
				each(kind.String(), outcome.String(), op.response, op.service)
			}
		}
	}
}

// Report lists the operations in the order of YCSB's kinds and outcomes.
func (l *Latencies) Report() []report.Operation {
	listed := []report.Operation{}
	for kind := range stores.NumKinds {
		for outcome := range stores.NumOutcomes {
			op := l.operations[Key{kind.String(), outcome.String()}]
			if op == nil {
				continue
			}
			listed = append(listed, report.Operation{
				Operation:    kind.String(),
				Outcome:      outcome.String(),
				Count:        op.service.TotalCount(),
				ResponseTime: histogram.Latency(op.response),
				WaitTime:     histogram.Latency(op.wait),
				ServiceTime:  histogram.Latency(op.service),
			})
		}
	}
	return listed
}
