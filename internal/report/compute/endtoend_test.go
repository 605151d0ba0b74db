package compute_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/test/machine"
)

const (
	lasted   = 3 * time.Second
	accuracy = 50 * time.Millisecond
	// A generator without CPU sends late, and says by how much. More than this is no excuse:
	// lags of seconds would excuse any figure.
	lateness = 100 * time.Millisecond

	warmup = time.Second
	// The outage begins between two bins, and a while after the injection was asked for.
	injectedAt = warmup + 3*time.Second + 3333*time.Microsecond
	noticedIn  = 250 * time.Millisecond // by the observer
)

// TestOutageOfKnownLength proves the outage in a report on stores whose outages are known
// to the millisecond, on the whole way that figures take: two real load generators that
// ship to a real results server, its merge, and the report computed again from its archive.
func TestOutageOfKnownLength(t *testing.T) {
	for _, c := range []struct {
		name    string
		fault   scripted.Behaviour
		timeout time.Duration
	}{
		{"all is answered after 3 s", scripted.Stall, 5 * time.Second},
		{"what is in flight is swallowed and ends at its deadline", scripted.Swallow, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begin := injectedAt + 20*time.Millisecond
			script := scripted.Script{
				ServiceTime: 2 * time.Millisecond,
				Faults:      []scripted.Fault{{Behaviour: c.fault, From: begin, To: begin + lasted}},
			}
			// A report that says of itself that the machine was too busy proves nothing, so
			// it is measured anew; the last one must do.
			for attempt := 1; ; attempt++ {
				r, busy := measureOutage(t, script, planOf(c.timeout), begin)
				if !busy || r.Valid || attempt == 3 {
					judge(t, r, begin, busy)
					return
				}
				t.Logf("measured anew, since the machine was busy: %+v", r.InvalidReasons)
			}
		})
	}
}

func measureOutage(t *testing.T, script scripted.Script, p *plan.Plan, begin time.Duration) (_ *report.Report, busy bool) {
	t.Helper()
	run := newRun(t, scripted.New(script), p)
	run.load(t)
	witness := machine.Watch(t)
	start := run.measure(t)
	busy = witness.Busy()
	run.observe(t, start, begin)
	run.fault(t, start)
	return run.reported(t), busy
}

// ofABusyMachine are the reasons for which other programs on the machine may be to blame, or a quota of the tests' own
// container.
var ofABusyMachine = []string{report.GeneratorLag, report.GeneratorStarved, report.GeneratorStopped, report.ArrivalsSkewed, report.RateNotAchieved}

func judge(t *testing.T, r *report.Report, begin time.Duration, busy bool) {
	t.Helper()
	for _, reason := range r.InvalidReasons {
		late := slices.Contains(ofABusyMachine, reason.Reason)
		if !late || !busy {
			t.Errorf("not valid: %s: %s (machine busy: %t)", reason.Reason, reason.Message, busy)
		}
	}
	f := r.Faults[0]
	near := func(what string, micros int64, want, by time.Duration) {
		t.Helper()
		got := time.Duration(micros) * time.Microsecond
		if (got - want).Abs() > by {
			t.Errorf("%s is %v, want %v ± %v", what, got, want, by)
		}
		t.Logf("%s: %v, off by %v", what, got, got-want)
	}
	by := accuracy + min(lateness, time.Duration(*f.OutageErrorMicros)*time.Microsecond)
	near("outage", *f.OutageMicros, lasted, by)
	near("longest gap", *f.LongestGapMicros, lasted, by)
	near("effective", int64(f.EffectiveAt.SinceStartMicros), begin-warmup, by)
	if f.OutageCensored || f.LimitedByClient || !f.Effective {
		t.Errorf("fault is %+v", f)
	}
	if f.LeaderBefore != "m-0" || f.LeaderAfter != "m-1" || f.TermBefore != 1 || f.TermAfter != 2 {
		t.Errorf("leader %s → %s, term %d → %d", f.LeaderBefore, f.LeaderAfter, f.TermBefore, f.TermAfter)
	}
	w := r.Workloads[0]
	if w.Loading == nil || w.Loading.Records != 1000 {
		t.Errorf("loading is %+v", w.Loading)
	}
	if ended := w.Succeeded + w.Failed + w.Unknown; ended != w.Intended || w.NeverStarted != 0 {
		t.Errorf("%d operations of %d ended, and %d never started", ended, w.Intended, w.NeverStarted)
	}
}

func planOf(timeout time.Duration) *plan.Plan {
	p := &plan.Plan{
		Format: plan.Format,
		Run:    plan.Run{Namespace: "bench", Name: "scripted", UID: runUID, ID: "scripted-1a2b"},
		Seed:   42,
		Store:  plan.Store{Name: "scripted", Driver: "scripted", Values: json.RawMessage(`{}`), Consensus: true},
		Workloads: []plan.Workload{{
			Name: "a", Preset: "A", Properties: presetA(), Records: 1000, InsertBase: 1000, LoadFirst: true, DurationMillis: 10_000,
			Load: plan.Load{
				Workers: 2, Threads: 4, Rate: 1000, Arrivals: plan.ArrivalsPoisson,
				MaxInFlight:  int(1500 * timeout.Seconds()),
				WarmupMillis: warmup.Milliseconds(), CooldownMillis: 2000, OperationTimeoutMillis: timeout.Milliseconds(),
			},
		}},
		Faults: []plan.Fault{{Name: "kill", Action: "ContainerKill", Workload: "a",
			Target: plan.Target{Role: plan.RoleLeader}, AtMillis: (injectedAt - warmup).Milliseconds(), DeadlineMillis: 10_000}},
	}
	for i, name := range []string{"m-0", "m-1", "m-2"} {
		p.Store.Members = append(p.Store.Members, plan.Member{Index: i, Name: name, Address: "127.0.0.1:1"})
	}
	return p
}

// observe ships what an observer would have seen: another leader in a new term.
func (r *run) observe(t *testing.T, start time.Time, begin time.Duration) {
	t.Helper()
	var lines []byte
	for at := time.Duration(0); at < 15*time.Second; at += 250 * time.Millisecond {
		line := bundle.TopologyLine{AtUnixNanos: start.Add(at).UnixNano(), Leader: "m-0", Term: 1, Steady: true}
		switch {
		case at >= begin+lasted:
			line.Leader, line.Term = "m-1", 2
		case at >= begin+noticedIn:
			line.Leader, line.Steady = "", false
		}
		lines = append(lines, jsonLine(t, line)...)
	}
	name := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(99)}.File(bundle.Jsonl)
	if _, err := r.client.Append(t.Context(), runUID, name, 0, lines); err != nil {
		t.Fatal(err)
	}
}

// fault writes what the controller would have of the injection.
func (r *run) fault(t *testing.T, start time.Time) {
	t.Helper()
	at := start.Add(injectedAt).UnixNano()
	err := r.client.PutFaults(t.Context(), runUID, jsonLine(t, bundle.FaultLine{
		Name: "kill", Workload: "a", Action: "ContainerKill", Target: "m-0", Role: plan.RoleLeader,
		RequestedUnixNanos: at, InjectedAfterUnixNanos: at, InjectedBeforeUnixNanos: at + int64(200*time.Millisecond),
		LeaderBefore: "m-0", TermBefore: 1,
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// reported asks the server for the report, and computes it again from the archive.
func (r *run) reported(t *testing.T) *report.Report {
	t.Helper()
	made, err := r.client.MakeReport(t.Context(), runUID)
	for errors.Is(err, client.ErrMerging) {
		made, err = r.client.MakeReport(t.Context(), runUID)
	}
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := r.client.Bundle(context.Background(), runUID, &archive); err != nil {
		t.Fatal(err)
	}
	files, err := unpack(&archive)
	if err != nil {
		t.Fatal(err)
	}
	computed, err := compute.FromBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	again, err := computed.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, again) {
		t.Error("the report computed from the archive has other bytes than the server's")
	}
	var parsed report.Report
	if err := json.Unmarshal(made, &parsed); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + render.Table(&parsed))
	return &parsed
}

// TestTheStoresDelayIsNoLag: what a slow store takes, and what operations wait for a slot
// because of it, is response time. If it leaked into the lag, a slow store would make its own
// run not valid, and excuse any outage.
func TestTheStoresDelayIsNoLag(t *testing.T) {
	for _, c := range []struct {
		name    string
		slots   int // 10 are needed, and 400 for two seconds in which a busy machine lets nothing run
		limited bool
	}{
		{"a slow store", 400, false},
		{"a slow store and too few slots", 4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(2 * time.Second)
			p.Faults = nil
			w := &p.Workloads[0]
			w.LoadFirst, w.DurationMillis = false, 3000
			w.Load.Workers, w.Load.Rate, w.Load.MaxInFlight, w.Load.CooldownMillis = 1, 200, c.slots, 0
			run := newRun(t, scripted.New(scripted.Script{ServiceTime: 50 * time.Millisecond}), p)
			run.measure(t)
			g := run.reported(t).Workloads[0].Generator
			if g.Limited > 0 != c.limited {
				t.Errorf("%d operations waited for a slot", g.Limited)
			}
			if half := time.Duration(g.SendLag.P50Micros) * time.Microsecond; half > 10*time.Millisecond {
				t.Errorf("half of the sends lag by %v and more", half)
			}
		})
	}
}
