package judge

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// condition is what kept one worker from its work. Each worker is judged alone: the good seconds of many others would
// hide the one that sent nothing in time.
type condition struct {
	index             int
	arrivals          *bundle.Arrivals // nil in a closed loop
	measured          int64            // seconds
	measuredMicros    int64            // their length
	throttled, paused badSeconds
	delayed           badSeconds // in which the disk did not take the rows
	stopped           badSeconds // the first of each stop, and all that it lasted
	throttledMicros   int64      // the most of a second
	stoppedMicros     int64      // the longest stop
	long              badSeconds // that were written down late
	longestMicros     int64      // the longest of all seconds
	collecting        badSeconds // in which the garbage collector took too much of the cores
	contention        contention
	queue             queue
	waiting           instant.BySecond[bool] // whether an operation waited in the queue
	busy              busy                   // the store, outside fault windows
	// noQuota and noStops are seconds in which the worker couldn't see its quota, or whether it was stopped.
	noQuota, noStops int64
}

// add adds n seconds from the given one on. A worker that was held up writes one line for several seconds.
func (c *condition) add(second instant.Second, n int64, s *telemetry.Second, threads int) {
	c.measured += n
	c.measuredMicros += int64(s.LengthMicros)
	c.paused.sum += int64(s.GCPauseMicros)
	if throttled := int64(s.ThrottledMicros); throttled == telemetry.Unmeasured {
		c.noQuota += n
	} else {
		c.throttled.sum += throttled
		c.throttledMicros = max(c.throttledMicros, throttled)
		c.throttled.look(second, n, throttled, limits.MaxThrottledMicros)
	}
	if s.StoppedMicros == telemetry.Unmeasured {
		c.noStops += n
	} else {
		c.stopped.sum += int64(s.StoppedMicros)
	}
	c.paused.look(second, n, int64(s.GCPauseMicros), limits.MaxGCPauseMicros)
	c.delayed.look(second, 1, int64(s.WriteMicros), limits.MaxWriteMicros)
	c.long.look(second, n, int64(s.LengthMicros), limits.MaxLengthMicros/n)
	c.longestMicros = max(c.longestMicros, int64(s.LengthMicros))
	if s.Cores != nil {
		c.collecting.look(second, n, int64(s.GCCPUMicros), int64(limits.MaxCollecting*float64(s.Cores.Count)*float64(s.LengthMicros)/float64(n)))
	}
	c.queue.add(second, n, s)
	c.contention.add(second, n, s, threads)
}

// stop adds the longest stop that a second's line tells of. The stop may have begun in an earlier second.
func (c *condition) stop(clock instant.Clock, s *telemetry.Second) {
	if s.StoppedMicros == telemetry.Unmeasured {
		return
	}
	for from, to := s.Stopped(clock); from <= to; from++ {
		if clock.Records(from) && clock.Phase(from) == report.PhaseMeasurement {
			c.stopped.look(from, 1, int64(s.StoppedMicros), limits.MaxStoppedMicros)
			c.stoppedMicros = max(c.stoppedMicros, int64(s.StoppedMicros))
		}
	}
}

// wait notes the rows of the logs in which an operation waited in the queue, as a second's line tells.
func (c *condition) wait(clock instant.Clock, s *telemetry.Second) {
	if s.InQueue() == 0 {
		return
	}
	from := clock.RowOf(clock.FromStart(s.Begin()))
	for row := from; row < max(from+1, clock.RowOf(clock.FromStart(s.At))); row++ {
		if clock.Records(row) {
			*c.waiting.At(row) = true
		}
	}
}

// skew is the distance of the worker's arrivals from their law, and what is allowed; ok is
// false without any gap between arrivals.
func (c *condition) skew() (distance, allowed float64, ok bool) {
	if c.arrivals == nil || c.arrivals.Gaps() == 0 {
		return 0, 0, false
	}
	chance := math.Sqrt(math.Log(2/limits.SkewChance) / 2 / float64(c.arrivals.Gaps()))
	return c.arrivals.Distance(), limits.MaxSkew + chance, true
}
