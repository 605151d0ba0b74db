package loadgen

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// stopAtFirstSecond tells the job to stop when its first second has been written down.
func stopAtFirstSecond(j *Job) (seconds func() int64) {
	stop := make(chan struct{})
	j.Stop = stop
	var once sync.Once
	var recorded int64
	j.Second = func(in *record.Interval) {
		recorded += in.Finished
		once.Do(func() { close(stop) })
	}
	return func() int64 { return recorded }
}

var bothLoops = map[string]plan.Load{
	"open loop":   {Rate: 500, Arrivals: plan.ArrivalsConstant, MaxInFlight: 100},
	"closed loop": {Threads: 4},
}

// expectEnds wants an end mark of each of a worker's files.
func expectEnds(t *testing.T, server *results, writer bundle.Writer) {
	t.Helper()
	for _, kind := range []string{bundle.Hlog, bundle.Bins, bundle.Jsonl} {
		if !server.ended[writer.File(kind)] {
			t.Errorf("%s has no end mark", writer.File(kind))
		}
	}
}

func TestAMeasurementEndsInOrderWhenTheServerIsNearlyFull(t *testing.T) {
	for name, load := range bothLoops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, server, _ := job(t, scripted.Script{ServiceTime: 2 * time.Millisecond}, preset(t, "A"), load)
			j.Workload.DurationMillis = time.Hour.Milliseconds()
			begin := server.begun
			server.begun = func(at time.Time) {
				begin(at)
				server.setFull(true) // so says the answer to the first append
			}
			if err := j.Measure(t.Context()); err != nil {
				t.Fatal(err)
			}
			writer := j.writer(bundle.RoleWorker)
			expectEnds(t, server, writer)
			s := server.read(t, writer)
			reconcile(t, s)
			if cut := s.finish.CutUnixNanos; cut < s.finish.StartedUnixNanos-int64(time.Minute) || cut > s.finish.EndedUnixNanos {
				t.Errorf("cut at %d, of a measurement from %d to %d", cut, s.finish.StartedUnixNanos, s.finish.EndedUnixNanos)
			}
		})
	}
}

func TestAMeasurementThatIsToldToStopEndsInOrder(t *testing.T) {
	for name, load := range bothLoops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, server, _ := job(t, scripted.Script{ServiceTime: 2 * time.Millisecond}, preset(t, "A"), load)
			j.Workload.DurationMillis = time.Hour.Milliseconds()
			recorded := stopAtFirstSecond(j)
			var sessions atomic.Int64
			j.Cleanup = func(time.Duration) { sessions.Add(1) }
			if err := j.Measure(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := sessions.Load(); n < 4 {
				t.Errorf("the end of %d sessions was told", n)
			}
			writer := j.writer(bundle.RoleWorker)
			expectEnds(t, server, writer)
			if ended := reconcile(t, server.read(t, writer)); ended == 0 || ended != recorded() {
				t.Errorf("%d operations ended, and %d were in the seconds that were shown", ended, recorded())
			}
		})
	}
}

func TestALoadThatIsToldToStopSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{ServiceTime: 2 * time.Millisecond}, nil, plan.Load{Threads: 1})
	j.Workload.Records = 1_000_000
	stopAtFirstSecond(j)
	if err := j.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	writer := j.writer(bundle.RoleLoad)
	s := server.read(t, writer)
	if s.finish == nil || s.finish.Inserted == 0 || s.finish.Inserted >= 1_000_000 || s.finish.Inserted != s.rows["INSERT"] {
		t.Errorf("%+v with %d inserts", s.finish, s.rows["INSERT"])
	}
	if !server.ended[writer.File(bundle.Hlog)] {
		t.Error("the log has no end mark")
	}
}

func TestAStoreThatDoesNotAnswerAtTheBeginIsUnreachable(t *testing.T) {
	t.Parallel()
	j, _, store := job(t, scripted.Script{}, nil, plan.Load{Threads: 1})
	j.ConnectWithin = 50 * time.Millisecond
	j.Store.Open = func(stores.Config) (stores.Driver, error) { return away{Store: store}, nil }
	err := j.Measure(t.Context())
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "nobody is there") {
		t.Errorf("error: %v", err)
	}
}

// away is a store that never answers.
type away struct{ *scripted.Store }

func (away) Ping(context.Context) error { return errors.New("nobody is there") }
