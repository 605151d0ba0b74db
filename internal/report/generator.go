package report

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
)

// window is a span of rows of the logs, by their second of the measurement, both ends
// inclusive, in which a fault was at work.
type window struct{ from, to int64 }

func within(windows []window, second int64) bool {
	for _, w := range windows {
		if second >= w.from && second <= w.to {
			return true
		}
	}
	return false
}

// observed is what the workers saw of themselves over the measurement.
type observed struct {
	open        bool
	rates       rates // of an open loop
	workers     []*condition
	latencies   *latencies
	sum         Generator
	connections connectionSum
}

// condition is what kept one worker from its work. Each is judged alone: of many workers,
// the good seconds of the others would hide the one that sent nothing in time.
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
	crowd             crowd
	queue             queue
	waiting           bySecond[bool] // whether an operation waited in the queue
	busy              busy           // the store, outside fault windows
	// Seconds that nobody can judge: it could not see its quota, or whether it was stopped.
	noQuota, noStops int64
}

// badSeconds are the seconds beyond a limit.
type badSeconds struct {
	seconds []int64
	count   int64
	sum     int64 // of the values of all seconds, micros
}

// look judges n seconds, which are known together.
func (b *badSeconds) look(second, n, value, limit int64) {
	if value <= n*limit {
		return
	}
	b.count += n
	for ; n > 0 && len(b.seconds) < maxReasonSeconds; n-- {
		if last := len(b.seconds) - 1; last < 0 || b.seconds[last] < second {
			b.seconds = append(b.seconds, second)
		}
		second++
	}
}

// tooMuch in all of a measurement.
func (b *badSeconds) tooMuch(measuredMicros int64) bool { return b.sum > maxLostOf(measuredMicros) }

// maxLostOf is how much of a measurement may be lost, in micros as it is.
func maxLostOf(measuredMicros int64) int64 {
	return max(lostFloorMicros, int64(maxLost*float64(measuredMicros)))
}

// tooMany of n seconds.
func (b *badSeconds) tooMany(n int64) bool { return b.count > exceptions(n) }

// exceptions is how many of n seconds may be beyond a limit.
func exceptions(n int64) int64 {
	return max(badSecondsFloor, int64(math.Floor(maxBadSeconds*float64(n))))
}

// observe is nil for a workload that was not measured.
func observe(m *Measured, w *plan.Workload, windows []window) *observed {
	if m == nil {
		return nil
	}
	o := &observed{open: w.Load.Rate > 0, latencies: m.latencies}
	threads := closedThreads(w)
	for _, worker := range m.workers {
		c := &condition{index: worker.writer.Index, arrivals: worker.finish.Arrivals, waiting: newBySecond[bool](m.clock)}
		o.workers = append(o.workers, c)
		o.connections.addBefore(worker.finish.Before)
		for i := range worker.seconds {
			s := &worker.seconds[i]
			c.stop(m.clock, s)
			c.wait(m.clock, s)
			second := m.clock.secondOf(s.beginNanos())
			if m.clock.records(second) && m.clock.phase(second) == PhaseMeasurement {
				n := max(1, m.clock.secondOf(s.atNanos)-second)
				o.add(s)
				c.add(second, n, s, threads)
				if o.open && !within(windows, second) {
					c.busy.add(n, s)
				}
			}
		}
		if o.open {
			o.rates.worker(m.clock, worker, dueOf(w), worker.draining(w), func(second int64) bool {
				return !within(windows, second) && !c.waiting.find(second)
			})
		}
	}
	return o
}

// dueOf is how many operations the plan wants of a worker until a time from the workload's start, in
// nanoseconds. Of a trace nobody asks for it: see judgeRate.
func dueOf(w *plan.Workload) func(sinceStart int64) float64 {
	planned := rate.Of(&w.Load)
	return func(sinceStart int64) float64 {
		return planned.Due(time.Duration(sinceStart)) / float64(w.Load.Workers)
	}
}

// closedThreads is how many threads a worker has in a closed loop; 0 in an open one.
func closedThreads(w *plan.Workload) int {
	if w.Load.Rate > 0 {
		return 0
	}
	return w.Load.Threads
}

// draining is when the worker had intended its share of a number of operations: from then
// on it waits for the store, and has no rate to keep. Where its duration was over before, the
// last was intended a moment before its end.
func (s *selfOf) draining(w *plan.Workload) int64 {
	if (w.Operations > 0 || w.DurationMillis == 0) && s.finish.LastIntendedUnixNanos > 0 {
		return s.finish.LastIntendedUnixNanos
	}
	return math.MaxInt64
}

// lagging lists the seconds in which an operation was sent later than the limit.
func (o *observed) lagging(limitMicros int64) []int64 {
	var seconds []int64
	l := o.latencies
	l.lagMax.each(func(second int64, longest *int64) {
		if *longest > limitMicros && l.clock.phase(second) == PhaseMeasurement && len(seconds) < maxReasonSeconds {
			seconds = append(seconds, second)
		}
	})
	return seconds
}

// add adds a second of a worker.
func (o *observed) add(s *selfSecond) {
	paused := int64(s.gcPauseMicros)
	g := &o.sum
	g.Limited += int64(s.limited)
	g.Late += int64(s.late)
	g.InFlightMax = max(g.InFlightMax, int(s.inFlightMax))
	g.GCPauseMaxMicros = max(g.GCPauseMaxMicros, paused)
	g.GCPauseMicros += paused
	g.GCCPUMaxMicros = max(g.GCCPUMaxMicros, int64(s.gcCPUMicros))
	g.GCCPUMicros += int64(s.gcCPUMicros)
	g.WriteMaxMicros = max(g.WriteMaxMicros, int64(s.writeMicros))
	o.connections.add(s.connections, s.room())
}

// add adds n seconds from that one on: a worker that was held up tells of several at once.
func (c *condition) add(second, n int64, s *selfSecond, threads int) {
	c.measured += n
	c.measuredMicros += int64(s.lengthMicros)
	c.paused.sum += int64(s.gcPauseMicros)
	if throttled := int64(s.throttledMicros); throttled == unmeasured {
		c.noQuota += n
	} else {
		c.throttled.sum += throttled
		c.throttledMicros = max(c.throttledMicros, throttled)
		c.throttled.look(second, n, throttled, maxThrottledMicros)
	}
	if s.stoppedMicros == unmeasured {
		c.noStops += n
	} else {
		c.stopped.sum += int64(s.stoppedMicros)
	}
	c.paused.look(second, n, int64(s.gcPauseMicros), maxGCPauseMicros)
	c.delayed.look(second, 1, int64(s.writeMicros), maxWriteMicros)
	c.long.look(second, n, int64(s.lengthMicros), maxLengthMicros/n)
	c.longestMicros = max(c.longestMicros, int64(s.lengthMicros))
	if s.cores != nil {
		c.collecting.look(second, n, int64(s.gcCPUMicros), int64(maxCollecting*float64(s.cores.count)*float64(s.lengthMicros)/float64(n)))
	}
	c.queue.add(second, n, s)
	c.crowd.add(second, n, s, threads)
}

// stop adds the longest stop that a second's line tells of. It may have begun before.
func (c *condition) stop(clock workloadClock, s *selfSecond) {
	if s.stoppedMicros == unmeasured {
		return
	}
	for from, to := s.stopped(clock); from <= to; from++ {
		if clock.records(from) && clock.phase(from) == PhaseMeasurement {
			c.stopped.look(from, 1, int64(s.stoppedMicros), maxStoppedMicros)
			c.stoppedMicros = max(c.stoppedMicros, int64(s.stoppedMicros))
		}
	}
}

// wait notes the rows of the logs in which an operation waited in the queue, as a second's line tells.
func (c *condition) wait(clock workloadClock, s *selfSecond) {
	if s.inQueue() == 0 {
		return
	}
	from := clock.rowOf(clock.fromStart(s.beginNanos()))
	for row := from; row < max(from+1, clock.rowOf(clock.fromStart(s.atNanos))); row++ {
		if clock.records(row) {
			*c.waiting.at(row) = true
		}
	}
}

// skew is the distance of the worker's arrivals from their law, and what is allowed; ok is
// false without any gap between arrivals.
func (c *condition) skew() (distance, allowed float64, ok bool) {
	if c.arrivals == nil || c.arrivals.Gaps() == 0 {
		return 0, 0, false
	}
	chance := math.Sqrt(math.Log(2/skewChance) / 2 / float64(c.arrivals.Gaps()))
	return c.arrivals.Distance(), maxSkew + chance, true
}

func (o *observed) report(w *plan.Workload) Generator {
	g := o.sum
	g.SendLag = latency(o.latencies.lag)
	g.ThrottledMaxMicros, g.ThrottledMicros, g.StoppedMaxMicros = o.held()
	for _, c := range o.workers {
		c.crowd.report(&g)
		g.JudgedSeconds += c.measured - c.queue.notTold
		if share := c.queue.coreShare(); share != nil && (g.CoreShare == nil || *share > *g.CoreShare) {
			g.CoreShare = share
		}
		if skew, _, ok := c.skew(); ok && (g.ArrivalsDistance == nil || skew > *g.ArrivalsDistance) {
			g.ArrivalsDistance = rounded(skew)
		}
	}
	g.Connections = o.connections.report()
	if _, intended, sent, ok := o.rates.each(w.Load.Workers); ok {
		g.IntendedRate, g.AchievedRate = rounded(intended), rounded(sent)
	}
	return g
}

// saturated says whether a worker found the store so, and in how many seconds of all workers it was.
func (o *observed) saturated() (saturated bool, seconds int64) {
	for _, c := range o.workers {
		saturated = saturated || c.busy.saturated()
		seconds += c.busy.seconds
	}
	return saturated, seconds
}

// held is how long quotas and stops kept workers from their work; null where one of them
// couldn't see it in a second, and without any worker.
func (o *observed) held() (throttledMax, throttled, stoppedMax *int64) {
	throttledMax, throttled, stoppedMax = new(int64), new(int64), new(int64)
	noQuota, noStops := len(o.workers) == 0, len(o.workers) == 0
	for _, c := range o.workers {
		noQuota, noStops = noQuota || c.noQuota > 0, noStops || c.noStops > 0
		*throttledMax = max(*throttledMax, c.throttledMicros)
		*throttled += c.throttled.sum
		*stoppedMax = max(*stoppedMax, c.stoppedMicros)
	}
	if noQuota {
		throttledMax, throttled = nil, nil
	}
	if noStops {
		stoppedMax = nil
	}
	return throttledMax, throttled, stoppedMax
}

func rounded(rate float64) *float64 {
	rate = math.Round(rate*1000) / 1000
	return &rate
}
