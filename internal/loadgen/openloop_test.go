package loadgen

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// newTestLoop is an open loop at a constant 1,000/s that begins at the instant.
func newTestLoop(t *testing.T, begin time.Time, driver stores.Driver, slots int, properties map[string]string, schedule schedule) *openLoop {
	t.Helper()
	stage := &stage{begin: begin, set: record.NewSet(pacerSlot+1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Second}
	spec, err := workload.Parse(properties, workload.FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	keyspace := workload.NewKeyspace(spec, workload.Share{Records: 1000, InsertBase: 1000, Workers: 1})
	return &openLoop{
		stage: stage, waiter: realWaiter, law: pace.NewConstant(rate.Flat(1000), 0, 1), fit: pace.NewFit(rate.Flat(1000), 1000, 1, true), schedule: schedule,
		pool: newPool(slots, func(number int) (*session, error) {
			s, err := driver.NewSession()
			return &session{stage: stage, thread: keyspace.NewThread(number), store: s, slot: number % pacerSlot}, err
		}, func(err error) { t.Error(err) }),
	}
}

// slow is a store that takes its time for each operation.
type slow struct {
	stores.Driver
	time.Duration
}

func (s slow) NewSession() (stores.Session, error) { return s, nil }
func (s slow) Do(*stores.Op) error                 { time.Sleep(s.Duration); return nil }
func (s slow) Close() error                        { return nil }

// What has become due while the generator got no CPU takes all slots in a moment, and the
// rest of it waits for one. It waits because of the generator, and the lags must say so.
func TestAHeldUpPacerIsSeenInTheLagsOfAllThatBecameDue(t *testing.T) {
	const held = 200 * time.Millisecond
	for _, slots := range []int{8, 1000} {
		loop := newTestLoop(t, time.Now().Add(-held), slow{Duration: time.Millisecond}, slots, nil, schedule{end: held})
		if _, err := loop.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		lag := lagsOf(loop.set)
		if lag.TotalCount() != 200 {
			t.Errorf("%d slots: %d lags of 200 operations", slots, lag.TotalCount())
		}
		// They were intended over 200 ms, and none was handed over before their end.
		if median, longest := lag.ValueAtQuantile(50), lag.Max(); median < 99_000 || longest < 199_000 {
			t.Errorf("%d slots: half of the lags are up to %d µs, the longest is %d µs", slots, median, longest)
		}
	}
}

// The time that a store takes, and the wait for its slots, is none of the generator's.
func TestASlowStoreIsNoLag(t *testing.T) {
	for name, slots := range map[string]int{"slots enough": 200, "slots for a tenth": 5} {
		loop := newTestLoop(t, time.Now().Add(10*time.Millisecond), slow{Duration: 50 * time.Millisecond}, slots, nil,
			schedule{end: time.Second})
		loop.pool.warm(warmSessions)
		if _, err := loop.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Some may be late on a busy machine; all would be if it were the store's time.
		if lag := lagsOf(loop.set); lag.TotalCount() != 1000 || lag.ValueAtQuantile(50) > 25_000 {
			t.Errorf("%s: %d lags of 1000 operations, half of them up to %d µs", name, lag.TotalCount(), lag.ValueAtQuantile(50))
		}
	}
}

// The last operations may take until their deadline, and a read-modify-write has two.
func TestTheEndWaitsForWhatIsUnderWay(t *testing.T) {
	for _, c := range []struct {
		name    string
		takes   time.Duration // one operation, with a deadline of 20 s
		mix     string
		problem string
	}{
		{"a read", 20 * time.Second, "readproportion", ""},
		{"a read-modify-write", 20 * time.Second, "readmodifywriteproportion", ""},
		{"a driver that ignores the deadline", time.Hour, "readproportion", "the driver ignores it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				properties := map[string]string{"readproportion": "0", "updateproportion": "0"}
				properties[c.mix] = "1"
				loop := newTestLoop(t, time.Now(), slow{Duration: c.takes}, 2, properties, schedule{})
				loop.timeout = 20 * time.Second
				loop.pool.submit(due{})
				_, err := loop.end(t.Context())
				loop.pool.ended.Wait()
				if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
					t.Errorf("error %v, want %q", err, c.problem)
				}
			})
		})
	}
}

// collected is what a loop recorded, its bins added up.
func collected(loop *openLoop) (in *record.Interval, sum bundle.Bin) {
	in = loop.set.Collect()
	sum = bundle.NewBin(0)
	for i := range in.Bins {
		sum.Add(&in.Bins[i])
	}
	return in, sum
}

// One slot and operations of 10 ms, at 1,000/s: nearly all wait when the last is intended.
func TestANumberOfOperationsIsMadeInFull(t *testing.T) {
	loop := newTestLoop(t, time.Now(), slow{Duration: 10 * time.Millisecond}, 1, nil, schedule{end: forever, operations: 50})
	end, err := loop.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if in, sum := collected(loop); end.neverStarted != 0 || in.Sent != 50 || in.Finished != 50 || sum.Succeeded() != 50 {
		t.Errorf("never started %d, sent %d, ended %d of 50", end.neverStarted, in.Sent, in.Finished)
	}
}

func TestWhatWaitsIsGivenUpWhenTheMeasurementIsBrokenOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	loop := newTestLoop(t, time.Now(), slow{Duration: 200 * time.Millisecond}, 1, nil, schedule{end: forever, operations: 50})
	time.AfterFunc(150*time.Millisecond, cancel) // all are intended within 50 ms
	end, err := loop.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	in, sum := collected(loop)
	if in.Finished > 5 || sum.NeverStarted != end.neverStarted || in.Finished+end.neverStarted != in.Intended {
		t.Errorf("intended %d, ended %d, never started %d, %d in the bins", in.Intended, in.Finished, end.neverStarted, sum.NeverStarted)
	}
}

// A queue takes as long as it takes: only when nothing moves, the driver is to blame.
func TestTheEndWaitsForALongQueueAsLongAsItMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := newTestLoop(t, time.Now(), slow{Duration: time.Second}, 1, nil, schedule{operations: 100})
		for range 100 {
			loop.pool.submit(due{})
		}
		if neverStarted, err := loop.end(t.Context()); neverStarted != 0 || err != nil {
			t.Errorf("never started %d, error %v", neverStarted, err)
		}
		if took := loop.now(); took != 100*time.Second {
			t.Errorf("100 operations of 1 s took %v", took)
		}
	})
}

// The pool's queue is bounded: what finds it full is counted and never starts.
func TestWhatFindsTheQueueFullNeverStarts(t *testing.T) {
	loop := newTestLoop(t, time.Now(), slow{Duration: 50 * time.Millisecond}, 1, nil, schedule{end: forever, operations: 40})
	loop.pool.room = 3
	end, err := loop.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, sum := collected(loop)
	// One is under way and three wait; a slot that became free meanwhile lets others in.
	if in.Finished < 4 || in.Finished > 10 {
		t.Errorf("%d of 40 ended", in.Finished)
	}
	if in.Intended != 40 || sum.NeverStarted != 40-in.Finished || end.neverStarted != sum.NeverStarted {
		t.Errorf("intended %d, ended %d, never started %d, %d in the bins", in.Intended, in.Finished, end.neverStarted, sum.NeverStarted)
	}
}
