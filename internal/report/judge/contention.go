package judge

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// contention is how long the threads of a worker waited for a core while others had it.
type contention struct {
	seen         bool // the kernel told something
	lengthMicros int64
	waitedMicros int64
	longMicros   int64 // the part of it that were long waits
	maxMicros    int64 // the longest wait of one thread
	most         float64
	bad          badSeconds
}

// add adds n seconds from the given one on. An open loop has 0 threads.
func (c *contention) add(second instant.Second, n int64, s *telemetry.Second, threads int) {
	if s.Cores == nil {
		return
	}
	c.seen = true
	length, waited, long, longest := int64(s.LengthMicros), int64(s.Cores.WaitedMicros), int64(s.Cores.LongWaitsMicros), int64(s.Cores.WaitedMaxMicros)
	c.lengthMicros += length
	c.waitedMicros += waited
	c.longMicros += long
	c.maxMicros = max(c.maxMicros, longest)
	if threads == 0 {
		return // the lags of an open loop show what a wait delayed
	}
	most := limits.MaxWaitedOfCores * float64(min(int64(threads), int64(s.Cores.Count)))
	c.most += most * float64(length)
	if longest > limits.MaxWaitMicros || float64(long) > limits.MaxLongWaits*float64(length) || float64(waited) > most*float64(length) {
		c.bad.look(second, n, 1, 0)
	}
}

func (c *contention) judge(worker int, say sayer) {
	switch {
	case c.most == 0:
	case c.maxMicros > limits.MaxWaitMicros:
		say(report.GeneratorStarved, c.bad.seconds, "a thread of worker %d waited %s for a core that others had; at most %s is allowed in a closed loop: leave it more CPU",
			worker, micros(c.maxMicros), micros(limits.MaxWaitMicros))
	case c.longMicros > limits.MaxWaitMicros && float64(c.longMicros) > limits.MaxLongWaits*float64(c.lengthMicros):
		say(report.GeneratorStarved, c.bad.seconds, "threads of worker %d waited for cores that others had for more than %s at a time, %s in %s; at most %.0f %% is allowed in a closed loop: leave it more CPU",
			worker, micros(bundle.LongWaitMicros), micros(c.longMicros), micros(c.lengthMicros), 100*limits.MaxLongWaits)
	case c.waitedMicros > limits.MaxWaitMicros && float64(c.waitedMicros) > c.most:
		say(report.GeneratorStarved, c.bad.seconds, "the threads of worker %d waited %s in %s for cores that others had; at most %s is allowed in a closed loop: leave it more CPU",
			worker, micros(c.waitedMicros), micros(c.lengthMicros), micros(int64(c.most)))
	}
}

// report adds a worker's waits to those of the workload.
func (c *contention) report(g *report.Generator) {
	if !c.seen {
		return
	}
	if g.CoreWaitMicros == nil {
		g.CoreWaitMicros, g.CoreWaitMaxMicros = new(int64), new(int64)
	}
	*g.CoreWaitMicros += c.waitedMicros
	*g.CoreWaitMaxMicros = max(*g.CoreWaitMaxMicros, c.maxMicros)
}
