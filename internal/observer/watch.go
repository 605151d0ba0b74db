package observer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// watch samples the members, for the record and for those who ask.
type watch struct {
	consensus bool
	members   stores.Observer
	every     time.Duration
	timeout   time.Duration
	// meterEvery is how often members are asked what they use.
	meterEvery time.Duration
	now        func() time.Time
	gauges     *gauges
	asked      *shared // looks for those who ask

	mu      sync.Mutex
	clock   *bundle.Clock // nil until it is known
	clockAt time.Time     // when it was estimated
	told    bool          // the clock is in the record
	stamped int64         // the newest stamp
	latest  *bundle.TopologyLine
	used    []stores.Usage // that no line has yet
	// repaired is what was done for a member, and no line has yet.
	repaired string
}

func newWatch(options Options, members stores.Observer) *watch {
	w := &watch{
		consensus:  options.Plan.Store.Consensus,
		members:    members,
		every:      options.Every,
		timeout:    options.Timeout,
		meterEvery: meterEvery,
		now:        options.Now,
		gauges:     newGauges(options.Plan.Store.Name),
	}
	w.asked = newShared(w.sample)
	return w
}

func (w *watch) setClock(ctx context.Context, server Server) error {
	clock, err := server.EstimateClock(ctx, clockExchanges)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if w.clock != nil {
		clock = surer(*w.clock, now.Sub(w.clockAt), clock)
	}
	w.clock, w.clockAt, w.told = &clock, now, false
	return nil
}

// drift says how fast the clocks of two machines may part: by 1/drift of the time, 50 ppm.
const drift = 20_000

// surer is the estimate to go on with. One that was made while the network or the server
// was busy knows less than an older one with what the clocks may have parted since; that
// is then its bound. Where the two have no offset in common, a clock was set or a machine
// stood still, and the older one is of a clock that is no more.
func surer(old bundle.Clock, age time.Duration, fresh bundle.Clock) bundle.Clock {
	old.BoundNanos += int64(age) / drift
	apart := max(fresh.OffsetNanos-old.OffsetNanos, old.OffsetNanos-fresh.OffsetNanos)
	if fresh.BoundNanos > old.BoundNanos && apart <= fresh.BoundNanos+old.BoundNanos {
		return old
	}
	return fresh
}

// sample looks at all members now. The stamp is taken when all have answered: the state
// was so at that moment or before, never after. ok is false while there is no clock.
func (w *watch) sample(ctx context.Context) (line bundle.TopologyLine, ok bool) {
	states := w.members.Sample(ctx, w.timeout)
	verdict := Judge(w.consensus, states)
	w.gauges.set(states, verdict)

	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clock == nil {
		return bundle.TopologyLine{}, false
	}
	// A new estimate of the clock must not turn the order of lines around.
	w.stamped = max(w.stamped+1, w.now().UnixNano()+w.clock.OffsetNanos)
	line = bundle.TopologyLine{
		AtUnixNanos: w.stamped, Members: states,
		Leader: verdict.Leader, Term: verdict.Term, Steady: verdict.Steady,
	}
	w.latest = &line
	return line, true
}

// newest is the line of the newest sample; nil when there is none, or it is old.
func (w *watch) newest() *bundle.TopologyLine {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.latest == nil {
		return nil
	}
	age := time.Duration(w.now().UnixNano() + w.clock.OffsetNanos - w.latest.AtUnixNanos)
	if age > 5*(w.every+w.timeout) {
		return nil
	}
	return w.latest
}

// untold is a clock that the record lacks.
func (w *watch) untold() *bundle.Clock {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told {
		return nil
	}
	w.told = true
	return w.clock
}

// record samples until ctx ends, and writes the lines that are due.
func (w *watch) record(ctx context.Context, out io.Writer) error {
	ticks := time.NewTicker(w.every)
	defer ticks.Stop()
	var last *bundle.TopologyLine
	for {
		begun := w.now()
		line, ok := w.sample(ctx)
		if ctx.Err() != nil {
			return ctx.Err() // what was seen through a cancelled request means nothing
		}
		line.Clock, line.Usage, line.Repair = w.untold(), w.takeUsage(), w.takeRepair()
		if ok && due(last, &line, w.now().Sub(begun)+w.every) {
			line.Begins = last == nil
			if err := write(out, &line); err != nil {
				return err
			}
			last = &line
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// due says whether the line must be written: it is the first, tells something new, or the
// next one, after about next, would come too late for the heartbeat.
func due(last, line *bundle.TopologyLine, next time.Duration) bool {
	const heartbeat = bundle.TopologyHeartbeatMillis * time.Millisecond
	return last == nil || line.Clock != nil || len(line.Usage) > 0 || line.Repair != "" || !sameTopology(last.Members, line.Members) ||
		time.Duration(line.AtUnixNanos-last.AtUnixNanos)+next >= heartbeat
}

// write writes the line at once, so that a kill can't leave half of it.
func write(out io.Writer, line *bundle.TopologyLine) error {
	text, err := json.Marshal(line)
	if err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write a topology line: %w", err)
	}
	return nil
}
