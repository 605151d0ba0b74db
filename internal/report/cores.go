package report

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
)

// cores is what is judged of a bundle.Cores.
type cores struct{ count, waitedMicros, waitedMaxMicros, longWaitsMicros int32 }

// coresOf is nil where the kernel said nothing.
func coresOf(c *bundle.Cores) *cores {
	if c == nil {
		return nil
	}
	return &cores{int32(c.Count), int32(c.WaitedMicros), int32(c.WaitedMaxMicros), int32(c.LongWaitsMicros)}
}

func checkCores(c *bundle.Cores) error {
	if c.Count < 1 || c.Count > maxSelfCount {
		return fmt.Errorf("a second with %d cores", c.Count)
	}
	for _, n := range [...]int64{c.RanMicros, c.WaitedMicros, c.WaitedMaxMicros, c.LongWaitsMicros} {
		if n < 0 || n > maxSelfCount {
			return fmt.Errorf("a second in which threads ran or waited for %d µs", n)
		}
	}
	return nil
}

// crowd is how long the threads of a worker waited for a core while others had it.
type crowd struct {
	seen         bool // the kernel said something
	lengthMicros int64
	waitedMicros int64
	longMicros   int64 // of it, long waits
	maxMicros    int64 // the longest wait of one thread
	most         float64
	bad          badSeconds
}

// add adds n seconds from that one on, of a closed loop of so many threads or, for 0, of an
// open one.
func (c *crowd) add(second, n int64, s *selfSecond, threads int) {
	if s.cores == nil {
		return
	}
	c.seen = true
	length, waited, long, longest := int64(s.lengthMicros), int64(s.cores.waitedMicros), int64(s.cores.longWaitsMicros), int64(s.cores.waitedMaxMicros)
	c.lengthMicros += length
	c.waitedMicros += waited
	c.longMicros += long
	c.maxMicros = max(c.maxMicros, longest)
	if threads == 0 {
		return // its lags say what a wait delayed
	}
	most := maxWaitedOfCores * float64(min(int64(threads), int64(s.cores.count)))
	c.most += most * float64(length)
	if longest > maxWaitMicros || float64(long) > maxLongWaits*float64(length) || float64(waited) > most*float64(length) {
		c.bad.look(second, n, 1, 0)
	}
}

func (c *crowd) judge(worker int, say func(string, []int64, string, ...any)) {
	switch {
	case c.most == 0:
	case c.maxMicros > maxWaitMicros:
		say(GeneratorStarved, c.bad.seconds, "a thread of worker %d waited %s for a core that others had; at most %s is allowed in a closed loop: leave it more CPU",
			worker, micros(c.maxMicros), micros(maxWaitMicros))
	case c.longMicros > maxWaitMicros && float64(c.longMicros) > maxLongWaits*float64(c.lengthMicros):
		say(GeneratorStarved, c.bad.seconds, "threads of worker %d waited for cores that others had for more than %s at a time, %s in %s; at most %.0f %% is allowed in a closed loop: leave it more CPU",
			worker, micros(bundle.LongWaitMicros), micros(c.longMicros), micros(c.lengthMicros), 100*maxLongWaits)
	case c.waitedMicros > maxWaitMicros && float64(c.waitedMicros) > c.most:
		say(GeneratorStarved, c.bad.seconds, "the threads of worker %d waited %s in %s for cores that others had; at most %s is allowed in a closed loop: leave it more CPU",
			worker, micros(c.waitedMicros), micros(c.lengthMicros), micros(int64(c.most)))
	}
}

// report adds a worker's to the workload's.
func (c *crowd) report(g *Generator) {
	if !c.seen {
		return
	}
	if g.CoreWaitMicros == nil {
		g.CoreWaitMicros, g.CoreWaitMaxMicros = new(int64), new(int64)
	}
	*g.CoreWaitMicros += c.waitedMicros
	*g.CoreWaitMaxMicros = max(*g.CoreWaitMaxMicros, c.maxMicros)
}
