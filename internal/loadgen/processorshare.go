package loadgen

import (
	"cmp"
	"context"
	"time"
)

// processorShare gives a closed loop one processor of Go's at first, and more while cores of the machine are idle,
// or when it waits for a core that others have. A processor that it doesn't need costs throughput where the store is
// on the same cores: Go wakes a thread for it with each answer, and that thread takes the store's place. Where cores
// are idle, answers would wait for the one processor, and that would be taken for the store's time.
type processorShare struct {
	set   func(int) int // runtime.GOMAXPROCS
	sleep func(context.Context, time.Duration) bool
	now   func() time.Time
	cores func() (demand, bool) // since the last call; not ok where the kernel doesn't tell
	// The loop begins at begin. From settled on it keeps what it has, so that one measurement has one number.
	begin, settled time.Time
}

// demand is what a loop had of the cores, and what it would have liked to have.
type demand struct {
	ran    time.Duration // all of its threads together
	waited time.Duration // for a core, all of its threads together
	idle   time.Duration // all cores of the machine together on which it may run
}

// settleTime is how long a loop without a warm-up may change its number of processors.
const settleTime = 5 * time.Second

// spareProcessors leaves the store what a closed loop doesn't need that begins then, until it is told to stop. It
// does nothing in a process that has more to do than this job.
func (j *Job) spareProcessors(ctx context.Context, begin time.Time) (stop func()) {
	if j.Processors == nil {
		return func() {}
	}
	threads := &threads{dir: cmp.Or(j.tasks, ownTasks)}
	settled := begin.Add(cmp.Or(millis(j.Workload.Load.WarmupMillis), settleTime))
	p := &processorShare{set: j.Processors, sleep: wait, now: time.Now, cores: demandOf(newCPUs(), threads), begin: begin, settled: settled}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer threads.close()
		p.run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func demandOf(cpus *cpus, threads *threads) func() (demand, bool) {
	return func() (demand, bool) {
		machine := cpus.since()
		threads.looks = 0 // new ones are looked for each time
		did, err := threads.look(0)
		if machine == nil || err != nil {
			return demand{}, false
		}
		return demand{
			ran: time.Duration(machine.OwnMicros) * time.Microsecond, waited: did.waited,
			idle: time.Duration(machine.IdleMicros) * time.Microsecond,
		}, true
	}
}

// lookEvery is the time between two looks at the cores.
const lookEvery = 100 * time.Millisecond

// looksInARow is in how many looks in a row a loop has to want another processor. It keeps what it got, so one look is
// too little: a loop that has one too many is slower until its end.
const looksInARow = 3

// run ends with ctx, and gives back the processors that there were before.
func (p *processorShare) run(ctx context.Context) {
	most := p.set(1)
	defer p.set(most)
	if !p.sleep(ctx, p.begin.Sub(p.now())) {
		return
	}
	has, looks, last := 1, 0, p.now()
	p.cores()
	for has < most && last.Before(p.settled) && p.sleep(ctx, lookEvery) {
		now := p.now()
		next := most
		if d, told := p.cores(); told {
			next = d.processors(has, most, now.Sub(last))
		}
		last = now
		if next == has {
			looks = 0
			continue
		}
		if looks++; looks == looksInARow {
			has, looks = next, 0
			p.set(has)
		}
	}
	<-ctx.Done()
}

const (
	// working is the share of its processors that a loop fills, or waits for, from which on answers wait for them, and
	working = 0.1
	// idleCore is the share of a core that has to be idle for another processor to help.
	idleCore = 0.5
	// crowded is the share of its processors that it waits for while others have the cores. Another processor helps
	// then as well: each of its threads gets a part of the cores, as each of the store's does.
	crowded = 0.2
)

// processors is how many a loop is to have that has some, of the most that there are, and had so much of the
// cores in that time.
func (d demand) processors(has, most int, passed time.Duration) int {
	own, waited, idle := d.ran.Seconds(), d.waited.Seconds(), d.idle.Seconds()/passed.Seconds()
	room := passed.Seconds() * float64(has)
	switch {
	case idle > idleCore && own+waited > working*room:
		return min(most, 2*has, has+int(idle+idleCore))
	case waited > crowded*room:
		return min(most, has+1)
	}
	return has
}
