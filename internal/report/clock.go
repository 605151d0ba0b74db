package report

import (
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// workloadClock places the instants of one workload: on the results server's clock (Unix
// nanoseconds), from its start, the begin of the warm-up (microseconds; bins count from
// here), and from the measurement's start (microseconds; reports count from here).
type workloadClock struct {
	startNanos       int64
	warmupMicros     int64
	endMicros        int64 // of the measurement, from the start
	recordedMicros   int64 // end of the cool-down, from the start
	measuredDuration int64 // micros
}

// newWorkloadClock needs lastEnded, the last worker's end, for a measurement that is
// bounded by operations, or was told to stop before its duration was over.
func newWorkloadClock(w *plan.Workload, startNanos, lastEndedNanos int64) workloadClock {
	c := workloadClock{startNanos: startNanos, warmupMicros: w.Load.WarmupMillis * 1000}
	if w.DurationMillis > 0 {
		c.endMicros = c.warmupMicros + w.DurationMillis*1000
		c.recordedMicros = c.endMicros + w.Load.CooldownMillis*1000
	}
	// The end is a pod's word: bounded as the bins are.
	ended := min(max(c.warmupMicros, (lastEndedNanos-startNanos)/micro), bundle.MaxBinIndex*binMicros)
	if w.DurationMillis == 0 || lastEndedNanos > 0 && ended < c.endMicros {
		c.endMicros, c.recordedMicros = ended, ended
	}
	c.measuredDuration = c.endMicros - c.warmupMicros
	return c
}

func (c workloadClock) measurementNanos() int64 { return c.startNanos + c.warmupMicros*micro }

// fromStart converts Unix nanoseconds to microseconds from the workload's start.
func (c workloadClock) fromStart(unixNanos int64) int64 {
	return floorDiv(unixNanos-c.startNanos, micro)
}

// secondOf is the second from the measurement's start that most of the interval of one
// second beginning at unixNanos lies in. Logs are cut at full seconds of the clock; a
// start between two of them moves their rows by half a second at most.
func (c workloadClock) secondOf(unixNanos int64) int64 {
	return floorDiv(unixNanos+second/2-c.measurementNanos(), second)
}

// rowOf is the second that the logs' row of an instant, given from the workload's start, is
// taken for. It differs from secondOfMicros where a measurement begins between two seconds.
func (c workloadClock) rowOf(fromStart int64) int64 {
	return c.secondOf(floorDiv(c.startNanos+fromStart*micro, second) * second)
}

// secondOfMicros is the second from the measurement's start of an instant that is given
// from the workload's start.
func (c workloadClock) secondOfMicros(fromStart int64) int64 {
	return floorDiv(fromStart-c.warmupMicros, 1_000_000)
}

// lastSecond is the last second that operations are recorded in.
func (c workloadClock) lastSecond() int64 {
	return c.secondOfMicros(max(c.recordedMicros-1, 0))
}

func (c workloadClock) records(second int64) bool {
	return second >= c.secondOfMicros(0) && second <= c.lastSecond()
}

// phase of a second.
func (c workloadClock) phase(second int64) string {
	switch {
	case second < 0:
		return PhaseWarmup
	case second*1_000_000 < c.measuredDuration:
		return PhaseMeasurement
	}
	return PhaseCooldown
}

// moment of an instant that is given from the workload's start.
func (c workloadClock) moment(fromStart int64) *Moment {
	return &Moment{
		SinceStartMicros: fromStart - c.warmupMicros,
		Time:             rfc3339(c.startNanos + fromStart*micro),
	}
}

func rfc3339(unixNanos int64) string {
	return time.Unix(0, unixNanos).UTC().Format("2006-01-02T15:04:05.000000Z")
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
