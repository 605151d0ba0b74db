package loadgen

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/internal/workload"
)

func preset(t *testing.T, name string) map[string]string {
	t.Helper()
	properties, ok := workload.Preset(name)
	if !ok {
		t.Fatalf("no preset %s", name)
	}
	return properties
}

// reconcile checks what must agree whatever happened, and returns the number of operations.
func reconcile(t *testing.T, s *shipped) int64 {
	t.Helper()
	if s.finish == nil {
		t.Fatal("the last line is not the finish")
	}
	ended := s.sum.Succeeded() + s.sum.Failed + s.sum.Unknown
	if s.sum.Intended != ended+s.finish.NeverStarted {
		t.Errorf("intended %d, but ok %d + failed %d + unknown %d + never started %d",
			s.sum.Intended, s.sum.Succeeded(), s.sum.Failed, s.sum.Unknown, s.finish.NeverStarted)
	}
	if s.sum.NeverStarted != s.finish.NeverStarted {
		t.Errorf("bins: never started %d, finish: %d", s.sum.NeverStarted, s.finish.NeverStarted)
	}
	if s.finish.Operations != ended || s.finish.Succeeded != s.sum.Succeeded() || s.sum.Completed != s.sum.Succeeded() {
		t.Errorf("finish %+v, bins: ended %d, ok %d, completed %d", s.finish, ended, s.sum.Succeeded(), s.sum.Completed)
	}
	if s.seconds.Intended != s.sum.Intended || s.seconds.Sent != ended || s.seconds.Limited != s.sum.Limited {
		t.Errorf("seconds %+v, bins %+v", s.seconds, s.sum)
	}
	if got, want := s.finish.LastIntendedUnixNanos, s.lastIntended(); got != 0 && want < 0 || want >= 0 && (got-s.finish.StartedUnixNanos)/binNanos != want {
		t.Errorf("last intended at %d of a start at %d, the last bin of an open loop is %d", got, s.finish.StartedUnixNanos, want)
	}
	if lags, ok := s.hists[bundle.LagTag]; ok && lags.TotalCount() != s.sum.Intended {
		t.Errorf("%d lags of %d operations", lags.TotalCount(), s.sum.Intended)
	}
	if s.finish.Dropped != 0 {
		t.Errorf("%d values dropped", s.finish.Dropped)
	}
	return ended
}

const binNanos = int64(bundle.BinMillis * time.Millisecond)

// lastIntended is the last bin in which an open loop intended something, else -1.
func (s *shipped) lastIntended() int64 {
	last := int64(-1)
	for _, b := range s.bins {
		if b.Intended > 0 && s.hists[bundle.LagTag] != nil {
			last = max(last, b.Index)
		}
	}
	return last
}

// rows adds up the rows with a prefix of the operations that are counted as such.
func rows(s *shipped, prefix string) (n int64) {
	for _, kind := range []string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "DELETE"} {
		for _, suffix := range []string{"", "-FAILED", "-UNKNOWN"} {
			n += s.rows[prefix+kind+suffix]
		}
	}
	return n
}

func TestAnOpenLoopLeavesFilesThatAgree(t *testing.T) {
	for _, arrivals := range []string{plan.ArrivalsConstant, plan.ArrivalsPoisson} {
		t.Run(arrivals, func(t *testing.T) {
			t.Parallel()
			j, server, store := job(t, scripted.Script{ServiceTime: 2 * time.Millisecond}, preset(t, "A"), plan.Load{
				Rate: 500, Arrivals: arrivals, MaxInFlight: 750, WarmupMillis: 300, CooldownMillis: 200,
			})
			j.Workload.DurationMillis = 1500
			server.away = 2 // the claim is repeated
			if err := j.Measure(t.Context()); err != nil {
				t.Fatal(err)
			}
			writer := j.writer(bundle.RoleWorker)
			if !server.claims[writer] {
				t.Error("nothing was claimed")
			}
			for _, kind := range []string{bundle.Hlog, bundle.Bins, bundle.Jsonl} {
				if !server.ended[writer.File(kind)] {
					t.Errorf("%s has no end mark", writer.File(kind))
				}
			}
			s := server.read(t, writer)
			ended := reconcile(t, s)
			if ended < 850 || ended > 1150 {
				t.Errorf("%d operations in 2 s at 500/s", ended)
			}
			if arrivals == plan.ArrivalsConstant && ended != 1000 {
				t.Errorf("%d operations in 2 s at a constant 500/s", ended)
			}
			if service, response := rows(s, ""), rows(s, bundle.IntendedPrefix); service != ended || response != ended {
				t.Errorf("rows hold %d service and %d response times of %d operations", service, response, ended)
			}
			if waits := rows(s, bundle.WaitPrefix); waits != ended {
				t.Errorf("rows hold %d waits of %d operations", waits, ended)
			}
			for _, tag := range []string{"READ", "UPDATE"} {
				// Each is cut to microseconds, and known to three digits.
				whole, parts := s.hists[bundle.IntendedPrefix+tag].Mean(), s.hists[bundle.WaitPrefix+tag].Mean()+s.hists[tag].Mean()
				if math.Abs(whole-parts) > 2+whole/500 {
					t.Errorf("%s: response time %.1f µs in the mean, its parts %.1f µs", tag, whole, parts)
				}
			}
			if got := store.Count(stores.Read) + store.Count(stores.Update); got != ended {
				t.Errorf("the store answered %d of %d", got, ended)
			}
			if s.lines[0].Clock == nil || s.lines[0].Clock.OffsetNanos != int64(server.offset) {
				t.Errorf("the first line is %+v", s.lines[0])
			}
			if s.finish.NeverStarted != 0 || s.seconds.Limited != 0 || s.seconds.InFlightMax < 1 {
				t.Errorf("never started %d, limited %d, in flight %d", s.finish.NeverStarted, s.seconds.Limited, s.seconds.InFlightMax)
			}
			lag := s.hists[bundle.LagTag]
			if lag == nil {
				t.Fatal("no lags were recorded")
			}
			t.Logf("lag p99 %d µs, max %d µs", lag.ValueAtQuantile(99), lag.Max())
		})
	}
}

func TestAStallIsSeenInFull(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{
		{Behaviour: scripted.Stall, From: 500 * time.Millisecond, To: 1300 * time.Millisecond},
	}}, preset(t, "C"), plan.Load{Rate: 1000, Arrivals: plan.ArrivalsConstant, MaxInFlight: 3000, OperationTimeoutMillis: 2000})
	j.Workload.DurationMillis = 2000
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleWorker))
	if ended := reconcile(t, s); ended != 2000 {
		t.Errorf("%d operations of 2000", ended)
	}
	// What a busy machine adds, the generator says itself.
	lag := s.hists[bundle.LagTag].Max()
	if longest := s.hists["Intended-READ"].Max(); longest < 795_000 || longest > 850_000+lag {
		t.Errorf("longest response %d µs in a stall of 800 ms, lag %d µs", longest, lag)
	}
	late := s.sum.Succeeded() - s.sum.OK[0] // above 100 ms: those of the first 700 ms
	if late < 680 || late > 740+2*lag/1000 {
		t.Errorf("%d late operations, want about 700, lag %d µs", late, lag)
	}
	if s.seconds.InFlightMax < 780-int(min(lag, 100_000)/1000) || s.seconds.Limited != 0 {
		t.Errorf("at most %d in flight, %d limited", s.seconds.InFlightMax, s.seconds.Limited)
	}
}

func TestOperationsThatWaitForASlotKeepTheirIntendedTime(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{
		{Behaviour: scripted.Stall, From: 200 * time.Millisecond, To: 700 * time.Millisecond},
	}}, preset(t, "C"), plan.Load{Rate: 1000, Arrivals: plan.ArrivalsConstant, MaxInFlight: 20, OperationTimeoutMillis: 2000})
	j.Workload.DurationMillis = 1500
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleWorker))
	reconcile(t, s)
	if s.sum.Intended != 1500 {
		t.Errorf("%d operations of 1500 were intended", s.sum.Intended)
	}
	if s.sum.Limited < 470 || s.seconds.InFlightMax != 20 {
		t.Errorf("%d limited, at most %d in flight", s.sum.Limited, s.seconds.InFlightMax)
	}
	// Their wait is the store's delay, not a lag of the generator.
	if lag := s.hists[bundle.LagTag].ValueAtQuantile(80); lag > 50_000 {
		t.Errorf("80 %% of the lags are up to %d µs", lag)
	}
	// All that waited for more than 10 ms are late, and what the generator delayed as long.
	var late int64
	for _, bar := range s.hists[bundle.WaitPrefix+"READ"].Distribution() {
		if bar.From >= bundle.LateSendMicros {
			late += bar.Count
		}
	}
	if s.seconds.Late < 460 || s.seconds.Late > late || s.seconds.Late < late-20 { // a slot of the histogram has 8 µs
		t.Errorf("%d late sends, %d waits above %d µs", s.seconds.Late, late, bundle.LateSendMicros)
	}
	// 480 waited, most of them for longer than 100 ms; by service time alone 20 were late.
	if late = s.sum.Succeeded() - s.sum.OK[0]; late < 380 {
		t.Errorf("%d late operations, want about 410", late)
	}
	service, response := s.hists["READ"].ValueAtQuantile(80), s.hists["Intended-READ"].ValueAtQuantile(80)
	if response < 100_000 || service > response/2 {
		t.Errorf("80 %% of the service times are up to %d µs, of the response times up to %d µs", service, response)
	}
}

func TestWhatStillWaitsAtTheEndIsCountedAsNeverStarted(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{Faults: []scripted.Fault{
		{Behaviour: scripted.Swallow, From: 0, To: time.Hour},
	}}, preset(t, "A"), plan.Load{Rate: 1000, Arrivals: plan.ArrivalsConstant, MaxInFlight: 10, OperationTimeoutMillis: 300})
	j.Workload.DurationMillis = 700
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleWorker))
	// Ten slots take three rounds of 300 ms, fewer on a busy machine.
	ended := reconcile(t, s)
	if ended < 10 || ended > 30 || s.sum.Intended != 700 || s.finish.NeverStarted != 700-ended {
		t.Errorf("ended %d, intended %d, never started %d; want 30, 700, 670", ended, s.sum.Intended, s.finish.NeverStarted)
	}
	if s.errors["READ failed DeadlineExceeded"]+s.errors["UPDATE unknown DeadlineExceeded"] != ended {
		t.Errorf("errors %v", s.errors)
	}
	if s.sum.Failed != s.rows["READ-FAILED"] || s.sum.Unknown != s.rows["UPDATE-UNKNOWN"] || s.sum.Succeeded() != 0 {
		t.Errorf("bins %+v, rows %v", s.sum, s.rows)
	}
}

func TestAClosedLoopEndsAfterItsOperations(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{ServiceTime: 500 * time.Microsecond}, preset(t, "F"), plan.Load{Threads: 4, WarmupMillis: 100})
	j.Workload.Operations = 500
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleWorker))
	ended := reconcile(t, s)
	var measured int64
	for _, b := range s.bins {
		if b.Index >= 10 {
			measured += b.Intended
		}
	}
	if measured < 500 || measured > 504 { // each thread may have begun one just before its end
		t.Errorf("%d operations after the warm-up, want 500", measured)
	}
	whole := s.rows["READ-MODIFY-WRITE"]
	if s.rows[bundle.PartPrefix+"UPDATE"] != whole || s.rows[bundle.PartPrefix+"READ"] != whole || s.rows["READ"]+whole != ended {
		t.Errorf("rows %v of %d operations", s.rows, ended)
	}
	if rows(s, bundle.IntendedPrefix) != 0 {
		t.Errorf("a closed loop has response times: %v", s.rows)
	}
}

func TestInsertsAreReadOnceTheyAreAcknowledged(t *testing.T) {
	t.Parallel()
	j, server, store := job(t, scripted.Script{}, preset(t, "D"), plan.Load{Threads: 2})
	j.Workload.DurationMillis = 300
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleWorker))
	reconcile(t, s)
	if s.finish.Inserted == 0 || s.finish.Inserted != store.Count(stores.Insert) {
		t.Errorf("inserted %d, the store has %d", s.finish.Inserted, store.Count(stores.Insert))
	}
}

func TestTheWorkerMeasuresOnWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{}, preset(t, "C"), plan.Load{Rate: 200, Arrivals: plan.ArrivalsConstant, MaxInFlight: 100})
	j.Workload.DurationMillis = 1500
	begun := server.begun
	server.begun = func(at time.Time) { begun(at); server.setAway(4) }
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended := reconcile(t, server.read(t, j.writer(bundle.RoleWorker))); ended != 300 {
		t.Errorf("%d operations of 300", ended)
	}
}

func TestAWorkerThatCannotMeasureSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Job, *results)
		want   error
	}{
		{"second claimant", func(_ *Job, r *results) { r.other = true }, ErrSecondClaimant},
		{"late start", func(_ *Job, r *results) { r.notice = 300 * time.Millisecond }, ErrMeasurementLost},
		{"missed start", func(_ *Job, r *results) { r.notice = -time.Second }, ErrMeasurementLost},
	} {
		j, server, store := job(t, scripted.Script{}, preset(t, "C"), plan.Load{Threads: 1})
		j.Workload.DurationMillis = 1000
		c.change(j, server)
		if err := j.Measure(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if store.Count(stores.Read) != 0 {
			t.Errorf("%s: operations were made", c.name)
		}
	}
}

func TestABrokenOffMeasurementShipsWhatThereIs(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{}, preset(t, "C"), plan.Load{Rate: 500, Arrivals: plan.ArrivalsConstant, MaxInFlight: 100})
	j.Workload.DurationMillis = 60_000
	ctx, cancel := context.WithCancelCause(t.Context())
	signal := errors.New("received SIGTERM")
	begun := server.begun
	server.begun = func(at time.Time) {
		begun(at)
		time.AfterFunc(time.Until(at)+400*time.Millisecond, func() { cancel(signal) })
	}
	if err := j.Measure(ctx); !errors.Is(err, signal) {
		t.Fatalf("error: %v", err)
	}
	writer := j.writer(bundle.RoleWorker)
	s := server.read(t, writer)
	if s.finish != nil || server.ended[writer.File(bundle.Bins)] {
		t.Error("the files look whole")
	}
	if s.sum.Intended == 0 || s.sum.Succeeded() != s.sum.Intended {
		t.Errorf("of about 200 operations, %d were shipped, %d ok", s.sum.Intended, s.sum.Succeeded())
	}
}
