package loadgen

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// processorShare gives a closed loop one processor of Go's at first, and more when it fills those that it has
// while cores of the machine are idle. A processor that it doesn't need costs throughput where the store is on
// the same cores: Go wakes a thread for it with each answer, and that thread takes the store's place.
type processorShare struct {
	set  func(int) int // runtime.GOMAXPROCS
	wait func(context.Context, time.Duration) bool
	now  func() time.Time
	cpus func() *bundle.Machine // since the last call
}

// spareProcessors leaves the store what a closed loop doesn't need, until it is told to stop. It does nothing
// in a process that has more to do than this job.
func (j *Job) spareProcessors(ctx context.Context) (stop func()) {
	if j.Processors == nil {
		return func() {}
	}
	p := &processorShare{set: j.Processors, wait: wait, now: time.Now, cpus: newCPUs().since}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// The time between two looks at the cores. A loop has what it needs after some looks, so they become rare while it wants nothing.
const (
	firstLook   = 100 * time.Millisecond
	longestLook = time.Second
)

// steady is in how many looks in a row a loop has to want another processor. It keeps what it got, so one look is
// too little: a loop that has one too many is slower until its end.
const steady = 3

// run ends with ctx, and gives back the processors that there were before.
func (p *processorShare) run(ctx context.Context) {
	most := p.set(1)
	defer p.set(most)
	has, looks, last := 1, 0, p.now()
	p.cpus()
	between := firstLook
	for has < most && p.wait(ctx, between) {
		now := p.now()
		next := wanted(has, most, p.cpus(), now.Sub(last))
		last = now
		if next == has {
			looks, between = 0, min(2*between, longestLook)
			continue
		}
		between = firstLook
		if looks++; looks == steady {
			has, looks = next, 0
			p.set(has)
		}
	}
	<-ctx.Done()
}

const (
	// full is the share of its processors from which on a loop could use another one.
	full = 0.8
	// idleCore is the share of a core that has to be idle for that.
	idleCore = 0.5
)

// wanted is how many processors a loop is to have that has some, of the most that there are. The cores'
// times are of so long. Where the kernel doesn't tell them the loop gets all.
func wanted(has, most int, m *bundle.Machine, passed time.Duration) int {
	if m == nil {
		return most
	}
	length := float64(passed.Microseconds())
	own, idle := float64(m.OwnMicros), float64(m.IdleMicros)
	if own <= full*length*float64(has) || idle <= idleCore*length {
		return has
	}
	return min(most, 2*has, has+int(idle/length+idleCore))
}
