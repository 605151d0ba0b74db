package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// Load is a loading worker's whole life: it inserts its records, of which worker i of n
// has those with key numbers of i modulo n, in ascending order, and ships what it saw.
func (j *Job) Load(ctx context.Context) error {
	writer := j.writer(bundle.RoleLoad)
	if err := j.claim(ctx, writer); err != nil {
		return err
	}
	keyspace, err := j.keyspace()
	if err != nil {
		return err
	}
	driver, err := j.connect(ctx, keyspace.TTL(), 0)
	if err != nil {
		return err
	}
	defer driver.Close()
	out, err := j.newOutput(ctx, writer, bundle.Hlog, bundle.Jsonl)
	if err != nil {
		return err
	}
	defer out.close()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)

	begin := j.Clock.Now()
	startUnixNanos := j.Clock.ServerNanos(begin)
	threads := j.Workload.Load.Threads
	l := &loader{
		stage: &stage{
			begin: begin, errors: newErrorCounts(), timeout: j.timeout(), cleanup: j.Cleanup,
			set: j.newSet(threads, startUnixNanos, false),
		},
		first: j.Workload.InsertStart + int64(j.Index), step: int64(j.Workload.Load.Workers),
		count:   workload.LoadCount(j.Workload.ToLoad(), j.Index, j.Workload.Load.Workers),
		rate:    j.InsertRate,
		batch:   j.Workload.LoadBatch,
		retries: cmp.Or(j.Retries, &patient), wait: wait, fail: fail,
	}
	if err := l.open(driver, keyspace, threads); err != nil {
		return err
	}
	scribe, err := out.newScribe(l.stage, startUnixNanos, func() int { return threads })
	if err != nil {
		return err
	}
	j.Armed()
	defer j.spareProcessors(ctx, begin)()
	var ended time.Time
	if err := out.during(ctx, fail, scribe, func() error {
		ctx, done := j.untilStopped(ctx, nil)
		defer done()
		err := l.run(ctx)
		ended = j.Clock.Now()
		return err
	}); err != nil {
		return errors.Join(err, out.flush())
	}
	finish := scribe.totals
	finish.StartedUnixNanos = startUnixNanos
	finish.EndedUnixNanos = j.Clock.ServerNanos(ended)
	finish.Inserted, finish.Batch = l.loaded.Load(), l.most()
	return out.finish(ctx, &finish)
}

// loader inserts records in a closed loop.
type loader struct {
	*stage
	first, step, count int64   // key numbers first, first+step, …: so many
	rate               float64 // inserts/s at most; 0 is no bound
	batch              int     // records in one request at most, where the store's sessions can
	sessions           []*session
	retries            *Retries
	wait               func(context.Context, time.Duration) bool
	fail               func(error)

	next, loaded atomic.Int64
}

func (l *loader) open(driver stores.Driver, keyspace *workload.Keyspace, threads int) error {
	for number := range threads {
		s, err := driver.NewSession()
		if err != nil {
			return fmt.Errorf("open session %d of the store: %w", number, err)
		}
		l.sessions = append(l.sessions, &session{stage: l.stage, thread: keyspace.NewThread(number), store: s, slot: number})
	}
	return nil
}

// run returns when all records are in the store, or one cannot be loaded.
func (l *loader) run(ctx context.Context) error {
	var ended sync.WaitGroup
	for _, s := range l.sessions {
		ended.Go(func() {
			if err := l.work(ctx, s); err != nil && !errors.Is(err, errStopped) {
				l.fail(err)
			}
		})
	}
	ended.Wait()
	var err error
	for _, s := range l.sessions {
		err = errors.Join(err, s.end())
	}
	return err
}

// work loads records with a session until there are no more.
func (l *loader) work(ctx context.Context, s *session) error {
	many := newBatch(s.store, l.batch)
	for {
		from := l.next.Add(many.most) - many.most
		until := min(from+many.most, l.count)
		if from >= until || !l.awaitTurn(ctx, until-1) {
			return nil
		}
		for k := from; k < until; k++ {
			number := l.first + k*l.step
			if many.inserter == nil {
				if err := l.load(ctx, s, number); err != nil {
					return err
				}
				continue
			}
			if !many.add(number, s.thread.Load(number)) {
				if err := l.loadAll(ctx, s, many); err != nil {
					return err
				}
				many.add(number, s.thread.Load(number))
			}
		}
		if err := l.loadAll(ctx, s, many); err != nil {
			return err
		}
	}
}

// most is how many records go with one request at most; 0 where each goes alone.
func (l *loader) most() int {
	if most := newBatch(l.sessions[0].store, l.batch).most; most > 1 {
		return int(most)
	}
	return 0
}

// awaitTurn waits until insert k may be made; ok is false when ctx has ended.
func (l *loader) awaitTurn(ctx context.Context, k int64) (ok bool) {
	if l.rate > 0 {
		if early := time.Duration(float64(k)/l.rate*float64(time.Second)) - l.now(); early > 0 {
			return l.wait(ctx, early)
		}
	}
	return ctx.Err() == nil
}

// Retries are how a load repeats the insert of a record.
type Retries struct {
	Most int // after the first attempt
	// Pause is the time before one; each next is twice as long, up to Longest. Jitter is a
	// share by which each may be shorter or longer.
	Pause, Longest time.Duration
	Jitter         float64
	// KeepGoing leaves out a record that cannot be inserted, instead of ending the load.
	KeepGoing bool
}

// patient are a pod's: they outlast the election of a leader.
var patient = Retries{Most: 9, Pause: 100 * time.Millisecond, Longest: 2 * time.Second}

// before is the pause before the n-th retry, from 1 on; u is random, from 0 to 1.
func (r *Retries) before(n int, u float64) time.Duration {
	pause := r.Pause
	for ; n > 1 && pause < r.Longest; n-- {
		pause *= 2
	}
	return time.Duration(float64(min(pause, r.Longest)) * (1 + r.Jitter*(2*u-1)))
}

// load inserts one record. An insert whose effect is unknown is made again as well: it
// writes the same key.
func (l *loader) load(ctx context.Context, s *session, number int64) error {
	op := s.thread.Load(number)
	for attempt := 1; ; attempt++ {
		err := l.insert(s, op)
		switch {
		case err == nil:
			l.loaded.Add(1)
			return nil
		case attempt > l.retries.Most && l.retries.KeepGoing:
			return nil
		case attempt > l.retries.Most:
			return fmt.Errorf("record %s cannot be loaded, tried %d times: %w", op.Key, attempt, err)
		case !l.wait(ctx, l.retries.before(attempt, rand.Float64())):
			return context.Cause(ctx)
		}
	}
}

func (l *loader) insert(s *session, op *stores.Op) error {
	sent := s.now()
	op.Deadline = s.begin.Add(sent + s.timeout)
	err := s.store.Do(op)
	l.record(s, sent, s.now(), err)
	return err
}

func (l *loader) record(s *session, sent, done time.Duration, err error) {
	sample := record.Sample{Kind: stores.Insert, Intended: sent, Sent: sent, Done: done}
	if err != nil {
		sample.Outcome, sample.Code = s.errors.count(stores.Insert, err)
	}
	s.recorder().Finish(&sample)
}
