package loadgen

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// stop is a time in which the process neither ran nor waited for a core.
type stop struct {
	began  time.Time
	lasted time.Duration
}

// pulse is a goroutine that does nothing but wake up, and so sees when the process did not
// run at all: stopped by a signal, frozen, or on a machine that stood still.
//
// A wake that is late says little: on a busy node each thread waits for a core now and
// then, or for another one of the process that does; and where Go's scheduler has more
// to run than cores, for its turn. So the longest that any thread ran or waited for a core
// meanwhile is taken off: one that is stopped does neither. Beside a busy store, in the
// lowest priority, the wakes were up to 150 ms late; 1 ms was left of that.
type pulse struct {
	sleep   func(time.Duration)
	now     func() time.Time
	tasks   string               // the folder with the process's threads
	ran     func() time.Duration // CPU time of the process for each core, since its begin
	mu      sync.Mutex
	longest stop
	did     activity // since the last time somebody asked
	blind   bool     // the kernel doesn't say what threads do
}

// pulsePeriod is the time between two wakes: what a stop seems shorter than it is.
const pulsePeriod = 20 * time.Millisecond

// run wakes up until ctx ends. A kernel without scheduler statistics gives an error: then
// nothing tells a stop from a busy node, and only the lag of the sends is left.
func (p *pulse) run(ctx context.Context) error {
	threads := &threads{dir: p.tasks}
	defer threads.close()
	last, before := p.now(), p.ran()
	_, err := threads.look(0)
	for err == nil && ctx.Err() == nil {
		p.sleep(pulsePeriod)
		var did activity
		did, err = threads.look(p.now().Sub(last))
		now, ran := p.now(), p.ran()
		// A thread is new for a while, and then the process's sum alone shows that it ran.
		p.see(now, now.Sub(last)-pulsePeriod-max(did.longest, ran-before), did)
		last, before = now, ran
	}
	if err != nil {
		p.goBlind()
	}
	return err
}

// forget what the threads did so far. A stop may go on.
func (p *pulse) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did = activity{}
}

func (p *pulse) goBlind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blind = true
}

// ranOnEachCore is at most how long the process ran, however many threads it has.
func ranOnEachCore() time.Duration { return processTime() / time.Duration(runtime.NumCPU()) }

// see notes that the process did not run for so long until then, and what its threads did.
func (p *pulse) see(until time.Time, lasted time.Duration, did activity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if lasted > p.longest.lasted {
		p.longest = stop{began: until.Add(-lasted), lasted: lasted}
	}
	p.did.add(did)
}

// take is the longest stop since the last time, and what the threads did since; not ok where
// the kernel doesn't say.
func (p *pulse) take() (longest stop, did activity, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest, did = p.longest, p.did
	p.longest, p.did = stop{}, activity{}
	return longest, did, !p.blind
}
