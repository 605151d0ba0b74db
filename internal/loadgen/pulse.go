package loadgen

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// stop is a time in which the process did not run.
type stop struct {
	began  time.Time
	lasted time.Duration
}

// pulse is a thread that does nothing but wake up, and so sees when the process did not
// run at all: stopped by a signal, frozen, or on a machine that stood still.
//
// A thread that wakes late says little: on a busy node each of them waits for a core now
// and then, and others of the process run meanwhile. So the time that the kernel kept the
// thread waiting for a core is taken off (Linux, Documentation/scheduler/sched-stats.rst):
// a thread that is stopped waits for none. Beside a busy store, in the lowest priority, the
// wakes were up to 150 ms late; 1 ms was left of that.
type pulse struct {
	waiter  func() waiter
	now     func() time.Time
	waits   string // the file with the thread's wait for a core
	mu      sync.Mutex
	longest stop
}

const (
	// pulsePeriod is the time between two wakes: what a stop seems shorter than it is.
	pulsePeriod = 10 * time.Millisecond
	// ownWaits are the nanoseconds that the calling thread ran and waited for a core, and
	// how often it ran.
	ownWaits = "/proc/thread-self/schedstat"
)

// run wakes up until ctx ends. A kernel without scheduler statistics gives an error: then
// nothing tells a stop from a busy node, and only the lag of the sends is left.
func (p *pulse) run(ctx context.Context) error {
	waiter := p.waiter()
	defer waiter.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	file, err := os.Open(p.waits)
	if err != nil {
		return fmt.Errorf("see how long this thread waits for a core: %w", err)
	}
	defer file.Close()
	var text [96]byte
	waited := func() (time.Duration, error) {
		n, err := file.ReadAt(text[:], 0)
		if n == 0 {
			return 0, err
		}
		return parseWaited(text[:n])
	}
	last := p.now()
	before, err := waited()
	for err == nil && ctx.Err() == nil {
		waiter.Sleep(pulsePeriod)
		var after time.Duration
		after, err = waited()
		now := p.now()
		p.see(now, now.Sub(last)-pulsePeriod-(after-before))
		last, before = now, after
	}
	return err
}

// see notes that the process did not run for so long until then.
func (p *pulse) see(until time.Time, lasted time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if lasted > p.longest.lasted {
		p.longest = stop{began: until.Add(-lasted), lasted: lasted}
	}
}

// take is the longest stop since the last time.
func (p *pulse) take() stop {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest := p.longest
	p.longest = stop{}
	return longest
}

// parseWaited reads the second number of "<ran> <waited> <times>".
func parseWaited(text []byte) (time.Duration, error) {
	fields := bytes.Fields(text)
	if len(fields) != 3 {
		return 0, fmt.Errorf("scheduler statistics %q are not three numbers", text)
	}
	nanos, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("scheduler statistics %q: %w", text, err)
	}
	return time.Duration(nanos), nil
}
