package loadgen

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// virtualWaiter waits in the time of a synctest bubble.
type virtualWaiter struct{}

func (virtualWaiter) Sleep(d time.Duration) { time.Sleep(d) }
func (virtualWaiter) Close()                {}

// blamed runs a worker for half a minute of virtual time, on a machine that costs it nothing: what
// its report holds against it is what the script or the change did. It gives the reasons and
// the bundle.
func blamed(t *testing.T, script scripted.Script, load plan.Load, change func(*Job, *results)) (reasons []report.Reason, files fstest.MapFS) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j, server, _ := job(t, script, preset(t, "A"), load)
		reportable(j)
		j.Workload.DurationMillis = 30_000
		j.newWaiter = func() waiter { return virtualWaiter{} }
		j.lost = func() lost { return lost{throttledMicros: new(int64)} }
		j.tasks = tasksOf(t, 0)
		var start time.Time
		begun := server.begun
		server.begun = func(at time.Time) { begun(at); start = at }
		change(j, server)
		if err := j.Measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		files = bundleOf(t, j, server, start.Add(server.offset).UnixNano())
		r, err := compute.FromBundle(files)
		if err != nil {
			t.Fatal(err)
		}
		if w := r.Workloads[0]; w.Intended < 2_500 {
			t.Errorf("%d operations were intended: this tests little", w.Intended)
		}
		reasons = r.InvalidReasons
	})
	return reasons, files
}

func unchanged(*Job, *results) {}

// Whatever a store does, and however few slots there are: it is a result.
func TestTheStoreIsNeverAReason(t *testing.T) {
	const s = time.Second
	from, to := 10*s, 20*s
	for _, store := range []struct {
		name   string
		script scripted.Script
	}{
		{"quick", scripted.Script{ServiceTime: time.Millisecond}},
		{"slow", scripted.Script{ServiceTime: 900 * time.Millisecond}},
		{"slower than the deadline", scripted.Script{ServiceTime: 3 * s}},
		{"stalled", scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{{Behaviour: scripted.Stall, From: from, To: from + 2*s}}}},
		{"stalled for long", scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{{Behaviour: scripted.Stall, From: from, To: to}}}},
		{"swallowing", scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{{Behaviour: scripted.Swallow, From: from, To: to}}}},
		{"refusing", scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{{Behaviour: scripted.Refuse, From: from, To: to}}}},
		{"refusing from the first to the last", scripted.Script{Faults: []scripted.Fault{{Behaviour: scripted.Refuse, To: time.Hour}}}},
		{"flapping", scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{{Behaviour: scripted.Flap, From: from, To: to, Turn: 150 * time.Millisecond}}}},
	} {
		for _, load := range []plan.Load{
			{Rate: 100, Arrivals: plan.ArrivalsConstant, MaxInFlight: 300},
			{Rate: 100, Arrivals: plan.ArrivalsPoisson, MaxInFlight: 5},
			{Rate: 800, Arrivals: plan.ArrivalsPoisson, MaxInFlight: 2400},
		} {
			t.Run(store.name+" "+load.Arrivals, func(t *testing.T) {
				load.OperationTimeoutMillis = 2000
				if reasons, _ := blamed(t, store.script, load, unchanged); len(reasons) != 0 {
					t.Errorf("%d/s, %d in flight: %+v", int(load.Rate), load.MaxInFlight, reasons)
				}
			})
		}
	}
}

// Of a rate that changes, what was intended is compared with what was due.
func TestARateThatChangesIsKept(t *testing.T) {
	for name, shape := range map[string]*plan.Shape{
		"steps": {Segments: []plan.Segment{{From: 50, To: 50, Millis: 10_000}, {From: 800, To: 800, Millis: 5_000}, {From: 100, To: 100, Millis: 1}}},
		"ramp":  {Segments: []plan.Segment{{From: 0, To: 500, Millis: 20_000}}},
		"sine":  {Sine: &plan.Sine{Mean: 200, Amplitude: 200, PeriodMillis: 8_000}},
	} {
		for _, arrivals := range []string{plan.ArrivalsConstant, plan.ArrivalsPoisson} {
			t.Run(name+" "+arrivals, func(t *testing.T) {
				load := plan.Load{Rate: rate.Peak(shape), Shape: shape, Arrivals: arrivals, MaxInFlight: 900, WarmupMillis: 2000}
				reasons, files := blamed(t, scripted.Script{ServiceTime: time.Millisecond}, load, unchanged)
				if len(reasons) != 0 {
					t.Errorf("reasons %+v", reasons)
				}
				r, err := compute.FromBundle(files)
				if err != nil {
					t.Fatal(err)
				}
				due := rate.Of(&load)
				for _, second := range r.Workloads[0].Series {
					from := 2*time.Second + time.Duration(second.Second)*time.Second
					want := due.Due(from+time.Second) - due.Due(from)
					off := math.Abs(float64(second.Intended) - want)
					if arrivals == plan.ArrivalsConstant && off > 1 || off > 2+6*math.Sqrt(want) {
						t.Errorf("second %d: %d were intended, and %.1f due", second.Second, second.Intended, want)
					}
				}
			})
		}
	}
}

// 20 slots at 1,000/s: of what is sent from 1 ms before the stall on, the 21st has to wait.
// What waits at its end is done at 20 in each ms.
func TestEach10MillisecondsTellWhetherTheBoundWasReached(t *testing.T) {
	stall := scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{
		{Behaviour: scripted.Stall, From: 10 * time.Second, To: 10_500 * time.Millisecond},
	}}
	_, files := blamed(t, stall, plan.Load{Rate: 1000, Arrivals: plan.ArrivalsConstant, MaxInFlight: 20, OperationTimeoutMillis: 5000}, unchanged)
	first, last, limited := int64(-1), int64(-1), int64(0)
	for name, file := range files {
		if !strings.HasSuffix(name, "."+bundle.Bins) {
			continue
		}
		if _, err := bundle.ReadBins(bytes.NewReader(file.Data), func(b *bundle.Bin) error {
			if b.Limited > 0 && first < 0 {
				first = b.Index
			}
			if b.Limited > 0 {
				last, limited = b.Index, limited+b.Limited
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if first != 1001 || last < 1051 || last > 1053 || limited < 500 || limited > 512 {
		t.Errorf("%d operations waited, from bin %d to bin %d", limited, first, last)
	}
	r, err := compute.FromBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Workloads[0]; w.Generator.Limited != limited || w.Generator.LimitedBins != last-first+1 || int64(w.Series[10].LimitedBins) != last-first+1 {
		t.Errorf("%d waited in %d bins, %d of them in second 10; the files have %d in %d",
			w.Generator.Limited, w.Generator.LimitedBins, w.Series[10].LimitedBins, limited, last-first+1)
	}
}

// drowsy is a disk that takes its time for some of the writes.
type drowsy struct {
	io.Writer
	begin time.Time
	from  time.Duration
	takes time.Duration
}

func (d *drowsy) Write(p []byte) (int, error) {
	if time.Since(d.begin) > d.from {
		time.Sleep(d.takes)
	}
	return d.Writer.Write(p)
}

func TestTheGeneratorIsAReason(t *testing.T) {
	well := scripted.Script{ServiceTime: time.Millisecond}
	load := plan.Load{Rate: 100, Arrivals: plan.ArrivalsPoisson, MaxInFlight: 300}
	for _, c := range []struct {
		name    string
		change  func(*Job, *results)
		reason  string
		seconds []int64 // the first of them
	}{
		{
			name: "a slow disk under the log", reason: report.LogDelayed,
			change: func(j *Job, r *results) {
				disk := &drowsy{from: 10_500 * time.Millisecond, takes: 1800 * time.Millisecond}
				begun := r.begun
				r.begun = func(at time.Time) { begun(at); disk.begin = at }
				j.disk = func(to io.Writer) io.Writer { disk.Writer = to; return disk }
			},
			seconds: []int64{10},
		},
		{
			name: "a clock that is set", reason: report.ClockStepped,
			change: func(_ *Job, r *results) {
				begun := r.begun
				r.begun = func(at time.Time) {
					begun(at)
					time.AfterFunc(time.Until(at)+15*time.Second, func() { r.step(-2 * time.Second) })
				}
			},
		},
		{
			name: "a quota", reason: report.GeneratorStarved,
			change: func(j *Job, _ *results) { j.lost = func() lost { return lost{throttledMicros: new(int64(150_000))} } }, seconds: []int64{0},
		},
		{
			name: "a worker that is missing", reason: report.WorkerLost,
			change: func(j *Job, _ *results) { j.Workload.Load.Workers, j.Workload.Load.Rate = 2, 200 },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			reasons, _ := blamed(t, well, load, c.change)
			if len(reasons) != 1 || reasons[0].Reason != c.reason {
				t.Fatalf("reasons %+v, want %s", reasons, c.reason)
			}
			if got := reasons[0].Seconds; !slices.Equal(got[:min(len(got), len(c.seconds))], c.seconds) {
				t.Errorf("seconds %v, want them from %v on", got, c.seconds)
			}
		})
	}
}

func TestAWorkerThatIsLostOnTheWayIsAReason(t *testing.T) {
	_, files := blamed(t, scripted.Script{}, plan.Load{Rate: 100, Arrivals: plan.ArrivalsConstant, MaxInFlight: 300}, unchanged)
	for name, file := range files {
		if strings.HasSuffix(name, "."+bundle.Hlog) {
			file.Data = file.Data[:len(file.Data)/2] // it shipped half of its log
			delete(files, bundle.EndFile(name))
		}
	}
	r, err := compute.FromBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.InvalidReasons) == 0 || r.InvalidReasons[0].Reason != report.FileIncomplete {
		t.Errorf("reasons %+v", r.InvalidReasons)
	}
}
