package loadgen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

const (
	// shortestNotice is how long before its start a worker must hear of it.
	shortestNotice = 500 * time.Millisecond
	// clockInterval is the time between two estimates of the clock's offset.
	clockInterval = time.Minute
	// flushTimeout bounds the shipping of a measurement that was broken off.
	flushTimeout = 5 * time.Second
	// drainGrace is how much longer than its deadline an operation may take to end.
	drainGrace = 10 * time.Second
	// pacerSlot is the number of the pacer's recorder in an open loop; so many before it
	// are shared by the sessions.
	pacerSlot = 16
	// warmSessions of an open loop are there before the first operation.
	warmSessions = 8
	// mostAhead bounds the sessions that are there so, with connections of their own.
	mostAhead = 1024
	// aheadTimeout is how long connections that are made ahead are waited for, at least.
	aheadTimeout = 10 * time.Second
)

// Measure is a measuring worker's whole life: claim, arm, wait for the start, drive the
// store, ship. It returns when the server has everything.
func (j *Job) Measure(ctx context.Context) error {
	writer := j.writer(bundle.RoleWorker)
	if err := j.claim(ctx, writer); err != nil {
		return err
	}
	keyspace, err := j.keyspace()
	if err != nil {
		return err
	}
	driver, err := j.connect(ctx, keyspace.TTL(), j.Workload.Load.Connections)
	if err != nil {
		return err
	}
	defer driver.Close()
	out, err := j.newOutput(ctx, writer, bundle.Hlog, bundle.Bins, bundle.Jsonl)
	if err != nil {
		return err
	}
	defer out.close()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	stage := &stage{errors: newErrorCounts(), timeout: j.timeout(), cleanup: j.Cleanup, trace: j.Trace}
	drive, err := j.newDrive(ctx, stage, driver, keyspace, fail)
	if err != nil {
		return err
	}
	stage.sharer, _ = driver.(stores.Sharer)
	if stage.sharer != nil && j.Workload.Load.Connections == 0 {
		stage.sharer = nil // each session has its own, and no operation waits for a place
	}

	// The store is reached over threads that exist by now; later ones inherit.
	if err := pace.PreferPromptness(); err != nil {
		j.Say("sends may be later than they need to be on a busy node: %v", err)
	}
	j.Armed()
	start, err := j.Results.AwaitStart(ctx, j.Plan.Run.UID, j.Workload.Name)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	stage.begin = j.Clock.Local(start.StartUnixNanos)
	if notice := stage.begin.Sub(j.Clock.Now()); notice < shortestNotice {
		return fmt.Errorf("%w: worker %d heard of the start %v before it, and needs %v",
			ErrMeasurementLost, j.Index, notice.Round(time.Millisecond), shortestNotice)
	}
	finish, err := j.run(ctx, fail, stage, drive, out, start.StartUnixNanos)
	if err != nil {
		return errors.Join(err, out.flush())
	}
	finish.Inserted = keyspace.Inserted()
	return out.finish(ctx, finish)
}

// run drives the store and writes down what happens. An error ends it early.
func (j *Job) run(ctx context.Context, fail context.CancelCauseFunc, stage *stage, drive drive, out *output, startUnixNanos int64) (*bundle.Finish, error) {
	open := j.Workload.Load.Rate > 0
	recorders := pacerSlot + 1
	if !open {
		recorders = j.Workload.Load.Threads
	}
	stage.set = j.newSet(recorders, startUnixNanos, open)
	scribe, err := out.newScribe(stage, startUnixNanos, drive.peak)
	if err != nil {
		return nil, err
	}
	if !open {
		// They are given back when the last second is written, which tells of them.
		defer j.spareProcessors(ctx, stage.begin)()
	}
	var end ran
	var ended time.Time
	var cut *cutShort
	err = out.during(ctx, fail, scribe, func() (err error) {
		ctx, done := j.untilStopped(ctx, out.shipper.Full())
		defer done()
		end, err = drive.run(ctx)
		ended = j.Clock.Now()
		errors.As(context.Cause(ctx), &cut)
		return err
	})
	if err != nil {
		return nil, err
	}
	finish := scribe.totals
	finish.StartedUnixNanos = startUnixNanos
	finish.EndedUnixNanos = j.Clock.ServerNanos(ended)
	finish.NeverStarted = end.neverStarted
	finish.Arrivals = end.arrivals
	finish.Before = scribe.before
	if cut != nil {
		j.Say("the measurement ends before its time: %v", cut)
		finish.CutUnixNanos = j.Clock.ServerNanos(cut.at)
	}
	if end.lastIntended != never {
		finish.LastIntendedUnixNanos = startUnixNanos + int64(end.lastIntended)
	}
	return &finish, nil
}

// drive is a loop, open or closed.
type drive interface {
	// run returns when the last operation has ended.
	run(ctx context.Context) (ran, error)
	// peak is the most operations under way since the last call.
	peak() int
}

// ran is what a loop tells at its end.
type ran struct {
	// neverStarted were intended, but still waited for a slot then, or found too many
	// others waiting.
	neverStarted int64
	// lastIntended is the last intended time; never in a closed loop, or without any.
	lastIntended time.Duration
	arrivals     *bundle.Arrivals // of an open loop
}

const never time.Duration = -1

// connectAhead makes the connections of a driver or of a session, so that none has to be made in the
// measurement. Those that can't be made in time are made when operations need them, which is said once.
func (j *Job) connectAhead(ctx context.Context, what any, said *sync.Once) {
	connector, can := what.(stores.Connector)
	if !can {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(aheadTimeout, j.timeout()))
	defer cancel()
	if err := connector.Connect(ctx); err != nil {
		said.Do(func() { j.Say("not all connections could be made before the start: %v", err) })
	}
}

// sessionsAhead is how many sessions of an open loop are there before the first operation: all, where
// each has connections of its own that are to be made.
func (j *Job) sessionsAhead(driver stores.Driver) int {
	if _, shares := driver.(stores.Sharer); shares && j.Workload.Load.Connections == 0 {
		return min(slots(&j.Workload.Load, j.Index), mostAhead)
	}
	return warmSessions
}

// placesOf is how many operations can be on the driver's connections at once; 0 if that isn't a bound.
func placesOf(driver stores.Driver) int {
	if sharer, shares := driver.(stores.Sharer); shares {
		return sharer.Places()
	}
	return 0
}

// newDrive opens the sessions, so that nothing but operations is left for the time after
// the start.
func (j *Job) newDrive(ctx context.Context, stage *stage, driver stores.Driver, keyspace *workload.Keyspace, fail func(error)) (drive, error) {
	load := &j.Workload.Load
	mixes, err := j.mixes()
	if err != nil {
		return nil, err
	}
	var said sync.Once
	j.connectAhead(ctx, driver, &said)
	open := func(number int) (*session, error) {
		s, err := driver.NewSession()
		if err != nil {
			return nil, err
		}
		if stage.begin.IsZero() {
			j.connectAhead(ctx, s, &said)
		}
		thread := keyspace.NewThread(number)
		if len(mixes) > 0 { // of a closed loop
			thread = keyspace.NewThreadOf(number, mixes[number])
		}
		return &session{stage: stage, thread: thread, store: s, slot: number}, nil
	}
	if load.Rate > 0 {
		places := placesOf(driver)
		queued := places > 0 && places < slots(load, j.Index)
		pool := newPool(slots(load, j.Index), func(number int) (*session, error) {
			s, err := open(number)
			if err == nil {
				s.slot, s.queued = number%pacerSlot, queued
			}
			return s, err
		}, fail)
		if queued {
			pool.places(places)
		}
		pool.warm(j.sessionsAhead(driver))
		loop := &openLoop{stage: stage, waiter: j.waiter, pool: pool, schedule: j.schedule()}
		if j.Trace != nil {
			loop.law = j.Trace.Law()
		} else {
			loop.law, loop.fit = newLaw(load, j.Index, j.seed()), newFit(load)
		}
		return loop, nil
	}
	closed := &closedLoop{schedule: j.schedule()}
	for number := range load.Threads {
		s, err := open(number)
		if err != nil {
			return nil, fmt.Errorf("open session %d of the store: %w", number, err)
		}
		closed.sessions = append(closed.sessions, s)
	}
	return closed, nil
}
