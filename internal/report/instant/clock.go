// Package instant has the time axes of a report, a type for each, and the Clock of a workload, which alone converts
// between them. The compiler refuses to mix two axes. Durations are numbers whose names have the unit.
//
// There are five axes: Unix, FromStart, Bin and Second are here, and report.FromMeasurement is a part of the report's
// schema.
package instant

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

// Clock places the instants of one workload.
type Clock struct {
	Start          Unix      // of the warm-up
	Begin          FromStart // of the measurement
	End            FromStart // of the measurement
	Recorded       FromStart // the end of the cool-down
	MeasuredMicros int64     // how long the measurement lasted
}

// NewClock needs lastEnded, the last worker's end, for a measurement that is
// bounded by operations, or was told to stop before its duration was over. It is 0 where no worker came to its end.
func NewClock(w *plan.Workload, start, lastEnded Unix) Clock {
	c := Clock{Start: start, Begin: FromStart(w.Load.WarmupMillis * 1000)}
	if w.DurationMillis > 0 {
		c.End = c.Begin.Plus(w.DurationMillis * 1000)
		c.Recorded = c.End.Plus(w.Load.CooldownMillis * 1000)
	}
	// The end is a pod's word: bounded as the bins are.
	ended := min(max(c.Begin, FromStart(lastEnded.Since(start)/NanosPerMicro)), Bin(bundle.MaxBinIndex).Begin())
	if w.DurationMillis == 0 || lastEnded > 0 && ended < c.End {
		c.End, c.Recorded = ended, ended
	}
	c.MeasuredMicros = c.End.Since(c.Begin)
	return c
}

// Measurement is the measurement's start.
func (c Clock) Measurement() Unix { return c.Unix(c.Begin) }

// Unix is the same instant on the results server's clock.
func (c Clock) Unix(at FromStart) Unix { return c.Start.Plus(int64(at) * NanosPerMicro) }

// FromStart is the same instant from the workload's start, rounded down to microseconds.
func (c Clock) FromStart(at Unix) FromStart {
	return FromStart(floorDiv(at.Since(c.Start), NanosPerMicro))
}

// SecondOf is the second that most of the interval of one second beginning at the instant lies in. Logs are cut at full
// seconds of the results server's clock; a start between two of them moves their rows by half a second at most.
func (c Clock) SecondOf(begin Unix) Second {
	return Second(floorDiv(begin.Plus(NanosPerSecond/2).Since(c.Measurement()), NanosPerSecond))
}

// RowOf is the second that the logs' row of an instant is taken for. It differs from SecondAt where a measurement begins
// between two seconds.
func (c Clock) RowOf(at FromStart) Second { return c.SecondOf(c.Unix(at).FullSecond()) }

// SecondAt is the second that the instant lies in.
func (c Clock) SecondAt(at FromStart) Second {
	return Second(floorDiv(at.Since(c.Begin), microsPerSecond))
}

// SecondBegin is when a second begins.
func (c Clock) SecondBegin(of Second) FromStart { return c.Begin.Plus(int64(of) * microsPerSecond) }

// RowBegin is when the row of the logs begins that is taken for a second, as SecondOf does.
func (c Clock) RowBegin(of Second) Unix {
	return Unix(-floorDiv(NanosPerSecond/2-int64(c.Measurement())-int64(of)*NanosPerSecond, NanosPerSecond) * NanosPerSecond)
}

// FirstSecond is the first second that operations are recorded in.
func (c Clock) FirstSecond() Second { return c.SecondAt(0) }

// LastSecond is the last one.
func (c Clock) LastSecond() Second { return c.SecondAt(max(c.Recorded-1, 0)) }

// Records says whether operations are recorded in the second.
func (c Clock) Records(second Second) bool {
	return second >= c.FirstSecond() && second <= c.LastSecond()
}

// Phase of a second.
func (c Clock) Phase(second Second) string {
	switch {
	case second < 0:
		return report.PhaseWarmup
	case int64(second)*microsPerSecond < c.MeasuredMicros:
		return report.PhaseMeasurement
	}
	return report.PhaseCooldown
}

// MeasurementEnd is where the measurement ends, from its start.
func (c Clock) MeasurementEnd() report.FromMeasurement {
	return report.FromMeasurement(c.MeasuredMicros)
}

// Moment is the instant in a report.
func (c Clock) Moment(at FromStart) *report.Moment {
	return &report.Moment{
		SinceStartMicros: report.FromMeasurement(at.Since(c.Begin)),
		Time:             c.Unix(at).RFC3339(),
	}
}

// OfMoment is the instant of a report.
func (c Clock) OfMoment(m *report.Moment) Unix {
	return c.Measurement().Plus(int64(m.SinceStartMicros) * NanosPerMicro)
}
