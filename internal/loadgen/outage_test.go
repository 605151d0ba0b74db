package loadgen

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/test/machine"
)

// An outage whose truth is known, from the generator's files through to the report: the
// report says it to 50 ms, and to what it says that late sends added.
func TestTheReportSeesAScriptedOutageAsItWas(t *testing.T) {
	const from, length = time.Second, 3 * time.Second // after the warm-up
	for _, behaviour := range []struct {
		name string
		is   scripted.Behaviour
	}{
		{"a stall", scripted.Stall},
		{"operations swallowed", scripted.Swallow},
	} {
		t.Run(behaviour.name, func(t *testing.T) {
			t.Parallel()
			for attempt := 1; ; attempt++ {
				r, lagMicros, busy := measureOutage(t, behaviour.is, from, length)
				t.Logf("reported: %+v %+v", r.InvalidReasons, r.Faults)
				late := slices.ContainsFunc(r.InvalidReasons, func(reason report.Reason) bool {
					return reason.Reason == report.GeneratorLag || reason.Reason == report.GeneratorStopped
				})
				if busy && late && attempt < 3 {
					continue // a generator that is so late measures nothing, as its report says
				}
				// The outage has a third of the operations. Their delay is the store's.
				if lagMicros > 100_000 {
					t.Errorf("80 %% of the lags are up to %d µs", lagMicros)
				}
				if len(r.Faults) != 1 || r.Faults[0].OutageCensored || r.Faults[0].LimitedByClient {
					t.Fatalf("faults: %+v", r.Faults)
				}
				outage := time.Duration(*r.Faults[0].OutageMicros) * time.Microsecond
				// What late sends may add is what the report says.
				by := 50*time.Millisecond + min(100*time.Millisecond, time.Duration(*r.Faults[0].OutageErrorMicros)*time.Microsecond)
				if off := outage - length; off.Abs() > by {
					t.Errorf("outage of %v reported as %v ± %v (machine busy: %t)", length, outage, by, busy)
				}
				return
			}
		})
	}
}

// measureOutage measures a store with an outage from a time on, after the warm-up, and makes the report.
// 80 % of the lags are up to lagMicros; busy says whether the test's own process got its cores late.
func measureOutage(t *testing.T, behaviour scripted.Behaviour, from, length time.Duration) (r *report.Report, lagMicros int64, busy bool) {
	t.Helper()
	begin := 500*time.Millisecond + from
	j, server, _ := job(t, scripted.Script{ServiceTime: time.Millisecond, Faults: []scripted.Fault{
		{Behaviour: behaviour, From: begin, To: begin + length},
	}}, preset(t, "A"), plan.Load{
		Rate: 1000, Arrivals: plan.ArrivalsPoisson, MaxInFlight: 3000, WarmupMillis: 500,
		OperationTimeoutMillis: 2000,
	})
	if behaviour == scripted.Stall {
		// All are answered: none may reach its deadline.
		j.Workload.Load.OperationTimeoutMillis, j.Workload.Load.MaxInFlight = 4000, 6000
	}
	j.Plan.Store.Members = []plan.Member{{Name: "m-0"}}
	return measureOutageOf(t, j, server, from, length)
}

// measureOutageOf is measureOutage for any job, with a warm-up of half a second.
func measureOutageOf(t *testing.T, j *Job, server *results, from, length time.Duration) (r *report.Report, lagMicros int64, busy bool) {
	t.Helper()
	j.Workload.DurationMillis = (from + length + 6*time.Second).Milliseconds()
	reportable(j)
	j.Plan.Faults = []plan.Fault{{
		Name: "kill", Action: "ContainerKill", Workload: "a", AtMillis: from.Milliseconds(),
		Target: plan.Target{Role: plan.RoleAny}, DeadlineMillis: 5000,
	}}
	var start time.Time
	begun := server.begun
	server.begun = func(at time.Time) { begun(at); start = at }
	witness := machine.Watch(t)
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy = witness.Busy()
	files := server.read(t, j.writer(bundle.RoleWorker))
	reconcile(t, files)
	r = reportOf(t, j, server, start.Add(server.offset).UnixNano(), 500*time.Millisecond+from)
	return r, files.hists[bundle.LagTag].ValueAtQuantile(80), busy
}

// reportOf makes the report of what the server holds, with a fault injected then.
func reportOf(t *testing.T, j *Job, server *results, startUnixNanos int64, injected time.Duration) *report.Report {
	t.Helper()
	files := bundleOf(t, j, server, startUnixNanos)
	at := startUnixNanos + int64(injected)
	files[bundle.FaultsFile] = &fstest.MapFile{Data: jsonLine(t, bundle.FaultLine{
		Name: "kill", Workload: "a", Action: "ContainerKill", Target: "m-0", Role: plan.RoleAny,
		RequestedUnixNanos: at - 1e6, InjectedAfterUnixNanos: at - 1e6, InjectedBeforeUnixNanos: at,
	})}
	made, err := compute.FromBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// reportable gives a job what a bundle needs.
func reportable(j *Job) {
	j.PodUID = "00000000-0000-0000-0000-000000000001"
	j.Plan.Format = plan.Format
	j.Plan.Run = plan.Run{Namespace: "bench", Name: "run", UID: "run", ID: "run"}
}

// bundleOf is the bundle with what the server holds of one worker.
func bundleOf(t *testing.T, j *Job, server *results, startUnixNanos int64) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for name, content := range server.files {
		files[name] = &fstest.MapFile{Data: content}
	}
	for name, mark := range server.marks {
		files[bundle.EndFile(name)] = &fstest.MapFile{Data: jsonLine(t, mark)}
	}
	files[bundle.PlanFile] = &fstest.MapFile{Data: jsonLine(t, j.Plan)}
	files[bundle.StartFile("a")] = &fstest.MapFile{Data: jsonLine(t, bundle.Start{StartUnixNanos: startUnixNanos})}
	files[bundle.ClaimsFile] = &fstest.MapFile{Data: jsonLine(t, bundle.Claim{Writer: j.writer(bundle.RoleWorker), Pod: "pod"})}
	return files
}

func jsonLine(t *testing.T, value any) []byte {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return append(content, '\n')
}
