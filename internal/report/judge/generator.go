package judge

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// Generator is what is known of a workload's workers over the measurement.
type Generator struct {
	open        bool
	rates       rates // of an open loop
	workers     []*condition
	latencies   *latency.Latencies
	sum         report.Generator
	connections connectionSum
}

// NewGenerator is nil for a workload that was not measured.
func NewGenerator(m *read.Measured, w *plan.Workload, windows []instant.Window) *Generator {
	if m == nil {
		return nil
	}
	o := &Generator{open: w.Load.Rate > 0, latencies: m.Latencies}
	threads := closedThreads(w)
	for _, worker := range m.Workers {
		c := &condition{index: worker.Writer.Index, arrivals: worker.Finish.Arrivals, waiting: instant.NewBySecond[bool](m.Clock)}
		o.workers = append(o.workers, c)
		o.connections.addBefore(worker.Finish.Before)
		for i := range worker.Seconds {
			s := &worker.Seconds[i]
			c.stop(m.Clock, s)
			c.wait(m.Clock, s)
			second := m.Clock.SecondOf(s.Begin())
			if m.Clock.Records(second) && m.Clock.Phase(second) == report.PhaseMeasurement {
				n := max(1, int64(m.Clock.SecondOf(s.At)-second))
				o.add(s)
				c.add(second, n, s, threads)
				if o.open && !instant.Within(windows, second) {
					c.busy.add(n, s)
				}
			}
		}
		if o.open {
			o.rates.worker(m.Clock, worker, dueOf(w), draining(worker, w), func(second instant.Second) bool {
				return !instant.Within(windows, second) && !c.waiting.Find(second)
			})
		}
	}
	return o
}

// dueOf is how many operations the plan wants of a worker until a time from the workload's start. It means nothing for a
// trace, which judgeRate leaves out.
func dueOf(w *plan.Workload) func(sinceStart time.Duration) float64 {
	planned := rate.Of(&w.Load)
	return func(sinceStart time.Duration) float64 {
		return planned.Due(sinceStart) / float64(w.Load.Workers)
	}
}

// closedThreads is how many threads a worker has in a closed loop; 0 in an open one.
func closedThreads(w *plan.Workload) int {
	if w.Load.Rate > 0 {
		return 0
	}
	return w.Load.Threads
}

// draining is when the worker had intended its share of a number of operations. From then on it waits for the store, and
// has no rate to keep. If its duration was over before, the last operation was intended just before its end.
func draining(s *telemetry.Worker, w *plan.Workload) instant.Unix {
	if (w.Operations > 0 || w.DurationMillis == 0) && s.Finish.LastIntendedUnixNanos > 0 {
		return instant.Unix(s.Finish.LastIntendedUnixNanos)
	}
	return math.MaxInt64
}

// lagging lists the seconds in which an operation was sent later than the limit.
func (o *Generator) lagging(limitMicros int64) []instant.Second {
	var seconds []instant.Second
	l := o.latencies
	l.LagMax.Each(func(second instant.Second, longest *int64) {
		if *longest > limitMicros && l.Clock.Phase(second) == report.PhaseMeasurement && len(seconds) < report.MaxReasonSeconds {
			seconds = append(seconds, second)
		}
	})
	return seconds
}

// add adds a second of a worker.
func (o *Generator) add(s *telemetry.Second) {
	paused := int64(s.GCPauseMicros)
	g := &o.sum
	g.Limited += int64(s.Limited)
	g.Late += int64(s.Late)
	g.InFlightMax = max(g.InFlightMax, int(s.InFlightMax))
	g.GCPauseMaxMicros = max(g.GCPauseMaxMicros, paused)
	g.GCPauseMicros += paused
	g.GCCPUMaxMicros = max(g.GCCPUMaxMicros, int64(s.GCCPUMicros))
	g.GCCPUMicros += int64(s.GCCPUMicros)
	g.WriteMaxMicros = max(g.WriteMaxMicros, int64(s.WriteMicros))
	o.connections.add(s.Connections, capacityOf(s))
}

// Report is what a report says of the generator.
func (o *Generator) Report(w *plan.Workload) report.Generator {
	g := o.sum
	g.SendLag = histogram.Latency(o.latencies.Lag)
	g.ThrottledMaxMicros, g.ThrottledMicros, g.StoppedMaxMicros = o.held()
	for _, c := range o.workers {
		c.contention.report(&g)
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

// Saturated says whether the store was saturated for a worker, and in how many seconds of all workers it was.
func (o *Generator) Saturated() (saturated bool, seconds int64) {
	for _, c := range o.workers {
		saturated = saturated || c.busy.saturated()
		seconds += c.busy.seconds
	}
	return saturated, seconds
}

// held is how long quotas and stops kept workers from their work. A figure is nil if a worker couldn't measure it in some
// second, and if there is no worker.
func (o *Generator) held() (throttledMax, throttled, stoppedMax *int64) {
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
