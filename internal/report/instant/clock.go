// Package instant has the time axes of a report, and the Clock that converts between them. Nothing else converts an
// instant of one axis into one of another.
package instant

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

// Clock places the instants of one workload: on the results server's clock (Unix
// nanoseconds), from its start, the begin of the warm-up (microseconds; bins count from
// here), and from the measurement's start (microseconds; reports count from here).
type Clock struct {
	StartNanos       int64
	WarmupMicros     int64
	EndMicros        int64 // of the measurement, from the start
	RecordedMicros   int64 // end of the cool-down, from the start
	MeasuredDuration int64 // micros
}

// NewClock needs lastEnded, the last worker's end, for a measurement that is
// bounded by operations, or was told to stop before its duration was over.
func NewClock(w *plan.Workload, startNanos, lastEndedNanos int64) Clock {
	c := Clock{StartNanos: startNanos, WarmupMicros: w.Load.WarmupMillis * 1000}
	if w.DurationMillis > 0 {
		c.EndMicros = c.WarmupMicros + w.DurationMillis*1000
		c.RecordedMicros = c.EndMicros + w.Load.CooldownMillis*1000
	}
	// The end is a pod's word: bounded as the bins are.
	ended := min(max(c.WarmupMicros, (lastEndedNanos-startNanos)/NanosPerMicro), bundle.MaxBinIndex*BinMicros)
	if w.DurationMillis == 0 || lastEndedNanos > 0 && ended < c.EndMicros {
		c.EndMicros, c.RecordedMicros = ended, ended
	}
	c.MeasuredDuration = c.EndMicros - c.WarmupMicros
	return c
}

func (c Clock) MeasurementNanos() int64 { return c.StartNanos + c.WarmupMicros*NanosPerMicro }

// FromStart converts Unix nanoseconds to microseconds from the workload's start.
func (c Clock) FromStart(unixNanos int64) int64 {
	return FloorDiv(unixNanos-c.StartNanos, NanosPerMicro)
}

// SecondOf is the second from the measurement's start that most of the interval of one
// second beginning at unixNanos lies in. Logs are cut at full seconds of the clock; a
// start between two of them moves their rows by half a second at most.
func (c Clock) SecondOf(unixNanos int64) int64 {
	return FloorDiv(unixNanos+NanosPerSecond/2-c.MeasurementNanos(), NanosPerSecond)
}

// RowOf is the second that the logs' row of an instant, given from the workload's start, is
// taken for. It differs from secondOfMicros where a measurement begins between two seconds.
func (c Clock) RowOf(fromStart int64) int64 {
	return c.SecondOf(FloorDiv(c.StartNanos+fromStart*NanosPerMicro, NanosPerSecond) * NanosPerSecond)
}

// SecondOfMicros is the second from the measurement's start of an instant that is given
// from the workload's start.
func (c Clock) SecondOfMicros(fromStart int64) int64 {
	return FloorDiv(fromStart-c.WarmupMicros, 1_000_000)
}

// LastSecond is the last second that operations are recorded in.
func (c Clock) LastSecond() int64 {
	return c.SecondOfMicros(max(c.RecordedMicros-1, 0))
}

func (c Clock) Records(second int64) bool {
	return second >= c.SecondOfMicros(0) && second <= c.LastSecond()
}

// Phase of a second.
func (c Clock) Phase(second int64) string {
	switch {
	case second < 0:
		return report.PhaseWarmup
	case second*1_000_000 < c.MeasuredDuration:
		return report.PhaseMeasurement
	}
	return report.PhaseCooldown
}

// Moment of an instant that is given from the workload's start.
func (c Clock) Moment(fromStart int64) *report.Moment {
	return &report.Moment{
		SinceStartMicros: fromStart - c.WarmupMicros,
		Time:             RFC3339(c.StartNanos + fromStart*NanosPerMicro),
	}
}

// RowBegin is when the row of the logs begins that is taken for a second, as secondOf does.
func (c Clock) RowBegin(of int64) int64 {
	return -FloorDiv(NanosPerSecond/2-c.MeasurementNanos()-of*NanosPerSecond, NanosPerSecond) * NanosPerSecond
}
