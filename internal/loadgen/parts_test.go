package loadgen

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

func newTestSet() *record.Set { return record.NewSet(1, time.Now().UnixNano(), false) }

func testSession(t testing.TB, stage *stage, driver stores.Driver) *session {
	t.Helper()
	s, err := driver.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return &session{stage: stage, thread: testKeyspace(t).NewThread(0), store: s}
}

func testKeyspace(t testing.TB) *workload.Keyspace {
	t.Helper()
	spec, err := workload.Parse(map[string]string{"insertorder": "ordered", "zeropadding": "4"}, workload.FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	return workload.NewKeyspace(spec, workload.Share{Records: 1000, InsertBase: 1000, Workers: 1})
}

func TestSharesOfAllWorkersAddUp(t *testing.T) {
	for _, total := range []int64{0, 1, 7, 10, 3000} {
		for _, workers := range []int{1, 2, 3, 7} {
			var sum int64
			for i := range workers {
				sum += share(total, i, workers)
			}
			if sum != total {
				t.Errorf("%d among %d workers adds up to %d", total, workers, sum)
			}
		}
	}
}

func TestScheduleEndsAfterTheCooldownOrItsOperations(t *testing.T) {
	load := plan.Load{Workers: 3, WarmupMillis: 1000, CooldownMillis: 500}
	for _, c := range []struct {
		name     string
		workload plan.Workload
		index    int
		want     schedule
	}{
		{"duration", plan.Workload{DurationMillis: 2000, Load: load}, 0, schedule{time.Second, 3500 * time.Millisecond, 0}},
		{"operations", plan.Workload{Operations: 10, Load: load}, 0, schedule{time.Second, forever, 4}},
		{"whichever comes first", plan.Workload{DurationMillis: 2000, Operations: 10, Load: load}, 0, schedule{time.Second, 3500 * time.Millisecond, 4}},
		{"until it is told to stop", plan.Workload{Load: load}, 0, schedule{time.Second, forever, 0}},
		{"fewer operations than workers", plan.Workload{Operations: 1, Load: load}, 2, schedule{time.Second, time.Second, 0}},
	} {
		if got := (&Job{Workload: &c.workload, Index: c.index}).schedule(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSlotsAreAShareOfTheBoundAndAtLeastOne(t *testing.T) {
	for _, c := range []struct {
		load  plan.Load
		index int
		want  int
	}{
		{plan.Load{MaxInFlight: 3000, Workers: 2}, 1, 1500},
		{plan.Load{MaxInFlight: 3, Workers: 2}, 0, 2},
		{plan.Load{MaxInFlight: 1, Workers: 2}, 1, 1},
		{plan.Load{Rate: 1000, OperationTimeoutMillis: 2000, Workers: 2}, 0, 1500},
	} {
		if got := slots(&c.load, c.index); got != c.want {
			t.Errorf("%+v: %d slots, want %d", c.load, got, c.want)
		}
	}
}

func TestSessionsOfAnOutageEndAfterIt(t *testing.T) {
	blocked := make(chan struct{})
	keeper := &blocking{until: blocked}
	stage := &stage{begin: time.Now(), set: newTestSet(), errors: newErrorCounts(), timeout: time.Second}
	keyspace := testKeyspace(t)
	p := newPool(500, func(number int) (*session, error) {
		return &session{stage: stage, thread: keyspace.NewThread(number), store: keeper}, nil
	}, func(err error) { t.Error(err) })
	for range 400 {
		if p.submit(due{}) != starts {
			t.Fatal("an operation had to wait")
		}
	}
	if peak := p.look(); peak != 400 {
		t.Errorf("peak %d, want 400", peak)
	}
	close(blocked)
	idle := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.idle)
	}
	for deadline := time.Now().Add(5 * time.Second); idle() < 400 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	p.look() // of the time in which they ended
	p.look()
	if n := idle(); n > spare {
		t.Errorf("%d idle sessions are left", n)
	}
	p.close()
	p.ended.Wait()
}

// blocking is a store that answers nothing until its channel is closed.
type blocking struct {
	stores.Driver
	until chan struct{}
}

func (b *blocking) NewSession() (stores.Session, error) { return b, nil }
func (b *blocking) Do(*stores.Op) error                 { <-b.until; return nil }
func (b *blocking) Close() error                        { return nil }

func TestWaitingForASlotIsNotTheGeneratorsLag(t *testing.T) {
	begin := time.Now().Add(-time.Minute)
	stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Second}
	s := testSession(t, stage, &keeper{tries: map[string]int{}})
	s.open(due{intended: time.Second, limited: true})
	if lag := lagsOf(stage.set); lag.TotalCount() != 0 {
		t.Errorf("%d lags", lag.TotalCount())
	}
	s.open(due{intended: time.Second})
	if lag := lagsOf(stage.set); lag.TotalCount() != 1 || lag.Max() < 58_000_000 {
		t.Errorf("%d lags, up to %d µs", lag.TotalCount(), lag.Max())
	}
}

func TestErrorsAreCountedByWhatTheyMean(t *testing.T) {
	e := newErrorCounts()
	plain := errors.New("broken pipe")
	for _, c := range []struct {
		kind stores.Kind
		err  error
		want stores.Outcome
	}{
		{stores.Read, &stores.Error{Outcome: stores.Failed, Code: "NOT_FOUND", Err: plain}, stores.Failed},
		{stores.Update, &stores.Error{Outcome: stores.Unknown, Code: "Unavailable", Err: plain}, stores.Unknown},
		{stores.Update, fmt.Errorf("wrapped: %w", &stores.Error{Outcome: stores.Unknown, Code: "Unavailable", Err: plain}), stores.Unknown},
		{stores.Insert, plain, stores.Unknown},
		{stores.Scan, plain, stores.Failed},
	} {
		if got, _ := e.count(c.kind, c.err); got != c.want {
			t.Errorf("%s with %v is %s, want %s", c.kind, c.err, got, c.want)
		}
	}
	seen := e.take()
	if len(seen) != 4 || seen[3].Operation != "UPDATE" || seen[3].Count != 2 || seen[3].Code != "Unavailable" {
		t.Errorf("seen %+v", seen)
	}
	if e.take() != nil {
		t.Error("they were taken twice")
	}
	for i := range 1000 {
		e.count(stores.Read, &stores.Error{Outcome: stores.Failed, Code: fmt.Sprint(i), Err: plain})
	}
	if n := len(e.take()); n != maxCodes+1 {
		t.Errorf("%d codes are kept, want %d and one for the rest", n, maxCodes)
	}
}

func TestTheClockMapsInstantsBothWays(t *testing.T) {
	c := NewClock(time.Now)
	c.offset = int64(90 * time.Minute)
	at := c.Now()
	server := c.ServerNanos(at)
	if back := c.Local(server); !back.Equal(at) || back.Sub(at) != 0 {
		t.Errorf("%v became %v", at, back)
	}
	if server-at.UnixNano() != int64(90*time.Minute) {
		t.Errorf("the server's time is %v ahead", time.Duration(server-at.UnixNano()))
	}
}
