package loadgen

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/monotonic/monotonictest"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

var (
	errFull    = &client.Error{Status: 507, Problem: wire.Problem{Error: "the results server's volume is full", Reason: wire.ReasonFull}}
	errExpired = &client.Error{Status: 401, Problem: wire.Problem{Error: "the token is expired", Reason: wire.ReasonUnauthenticated}}
)

const forGood = 1 << 30 // requests

func TestAWorkerWaitsForTheServerAndThenSaysWhy(t *testing.T) {
	for _, why := range []*client.Error{errFull, errExpired} {
		for _, c := range []struct {
			what string
			away int // requests, at two in a second
			ok   bool
		}{
			{"for a while", 200, true},
			{"for good", forGood, false},
		} {
			t.Run(why.Problem.Error+" "+c.what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					j, server, _ := job(t, scripted.Script{}, preset(t, "A"), plan.Load{Threads: 1})
					server.away, server.why = c.away, why
					began := time.Now()
					err := j.claim(t.Context(), j.writer(bundle.RoleWorker))
					if (err == nil) != c.ok {
						t.Fatalf("the claim: %v", err)
					}
					if !c.ok && !strings.HasSuffix(err.Error(), why.Problem.Error) {
						t.Errorf("the reason is not in %v", err)
					}
					if waited := time.Since(began); waited > patience+retryPause {
						t.Errorf("it waited for %s", waited)
					}
				})
			})
		}
	}
}

// measured runs a short measurement, in the middle of which the results server turns away
// everybody, or something else happens.
func measured(t *testing.T, change func(*Job, *results), during func(*results)) (*results, error) {
	t.Helper()
	j, server, store := job(t, scripted.Script{ServiceTime: time.Millisecond}, preset(t, "A"), plan.Load{
		Rate: 200, Arrivals: plan.ArrivalsConstant, MaxInFlight: 300,
	})
	j.Workload.DurationMillis = 1500
	change(j, server)
	server.begun = func(at time.Time) {
		store.Begin(at)
		time.AfterFunc(time.Until(at)+500*time.Millisecond, func() { during(server) })
	}
	return server, j.Measure(t.Context())
}

func TestAMeasurementGoesOnWhileTheServerTakesNothing(t *testing.T) {
	for _, why := range []*client.Error{errFull, errExpired} {
		t.Run(why.Problem.Error, func(t *testing.T) {
			t.Parallel()
			server, err := measured(t, func(_ *Job, r *results) { r.why = why }, func(r *results) { r.setAway(12) })
			if err != nil {
				t.Fatal(err)
			}
			s := server.read(t, bundle.Writer{Role: bundle.RoleWorker, Workload: "a", PodUID: "pod"})
			if n := reconcile(t, s); n < 290 || n > 300 {
				t.Errorf("%d operations of 300", n)
			}
			if len(server.ended) != 3 {
				t.Errorf("end marks: %v", server.ended)
			}
		})
	}
}

func TestAMeasurementThatCannotBeShippedEndsWithTheReason(t *testing.T) {
	for _, why := range []*client.Error{errFull, errExpired} {
		t.Run(why.Problem.Error, func(t *testing.T) {
			t.Parallel()
			server, err := measured(t, func(j *Job, r *results) { j.ShipWithin, r.why = time.Second, why }, func(r *results) { r.setAway(forGood) })
			if err == nil || !strings.Contains(err.Error(), "have not arrived: the results server did not take them within 1s: results server: "+why.Problem.Error) {
				t.Errorf("error: %v", err)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v reads as if the store had been too slow", err)
			}
			if len(server.ended) != 0 {
				t.Errorf("end marks on files that are not whole: %v", server.ended)
			}
		})
	}
}

// The worker's clock is set in the middle of its measurement.
func TestAStepOfTheWorkersClockMovesNothing(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			var machine monotonictest.Machine
			server, err := measured(t,
				func(j *Job, r *results) { j.Clock = NewClock(machine.Now); r.clock = j.Clock },
				func(*results) { machine.Set(step) })
			if err != nil {
				t.Fatal(err)
			}
			s := server.read(t, bundle.Writer{Role: bundle.RoleWorker, Workload: "a", PodUID: "pod"})
			if n := reconcile(t, s); n < 290 || n > 300 {
				t.Errorf("%d operations of 300", n)
			}
			first := s.finish.StartedUnixNanos
			for _, line := range s.lines {
				if at := time.Duration(line.AtUnixNanos - first); at < -10*time.Second || at > 10*time.Second {
					t.Errorf("a line %s from the start: %+v", at, line)
				}
			}
			if took := time.Duration(s.finish.EndedUnixNanos - first); took < 1400*time.Millisecond || took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if machine.Now().Round(0).Sub(time.Now().Round(0)).Abs() < 59*time.Minute {
				t.Error("the clock was never set: this tests nothing")
			}
		})
	}
}
