package controllers

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/report"
)

// Deadlines count from what was stamped before: a step of the machine's clock between the
// two would end a run, or hold it up, for an hour. One clock that doesn't jump does both.
func TestTheControllerReadsNoClockThatJumps(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	jumps := map[string]bool{"time.Now": true, "time.Since": true, "time.Until": true, "metav1.Now": true, "metav1.NowMicro": true}
	looked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		looked++
		ast.Inspect(file, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := selector.X.(*ast.Ident); ok && jumps[of.Name+"."+selector.Sel.Name] {
					t.Errorf("%s uses %s.%s: use monotonic.Now, or stamp", name, of.Name, selector.Sel.Name)
				}
			}
			return true
		})
	}
	if looked < 20 {
		t.Fatalf("only %d files were found", looked)
	}
}

// clocks are the local clock and the results server's, as the controller sees them.
type clocks struct {
	refusing
	local         time.Time
	offset, bound time.Duration
	away          error
}

func (c *clocks) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{OffsetNanos: int64(c.offset), BoundNanos: int64(c.bound)}, c.away
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStepOfTheResultsServersClockIsSeen(t *testing.T) {
	for _, c := range []struct {
		name         string
		moved, bound time.Duration
		away         time.Duration // between the two estimates
		step         time.Duration
		off          time.Duration
	}{
		{"nothing", 0, time.Millisecond, time.Minute, 0, 0},
		{"a drift", 3 * time.Millisecond, time.Millisecond, time.Minute, 0, 0},
		{"a drift while the server was away", 800 * time.Millisecond, time.Millisecond, 5 * time.Hour, 0, 0},
		{"noise", 1500 * time.Millisecond, 1500 * time.Millisecond, time.Minute, 0, 0},
		{"a machine that stood still for a moment", 400 * time.Millisecond, 2 * time.Millisecond, time.Minute, 0, 402 * time.Millisecond},
		{"an hour ahead", time.Hour, time.Millisecond, time.Minute, time.Hour, time.Hour + time.Millisecond},
		{"an hour back", -time.Hour, time.Millisecond, time.Minute, -time.Hour, time.Hour + time.Millisecond},
		{"a machine that stood still for three seconds", 3 * time.Second, time.Millisecond, time.Minute, 3 * time.Second, 3001 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := &clocks{local: epoch, offset: time.Minute, bound: time.Millisecond}
			s := &serverTime{localNow: func() time.Time { return seen.local }}
			must(t, s.ask(t.Context(), seen))
			seen.local = epoch.Add(c.away)
			seen.offset, seen.bound = seen.offset+c.moved, c.bound
			must(t, s.ask(t.Context(), seen))
			if got := s.stepped(); got != c.step {
				t.Errorf("stepped by %s, want %s", got, c.step)
			}
			if got := s.off(); got != c.off {
				t.Errorf("off by %s, want %s", got, c.off)
			}
			// The newest estimate counts in any case.
			if got, _, err := s.now(seen); err != nil || !got.Equal(seen.local.Add(seen.offset)) {
				t.Errorf("the server's time is %s (%v), want %s", got, err, seen.local.Add(seen.offset))
			}
			s.begin()
			if step, off := s.stepped(), s.off(); step != 0 || off != 0 {
				t.Errorf("the next measurement begins with a step of %s, and off by %s", step, off)
			}
			seen.local, seen.offset = seen.local.Add(24*time.Hour), 5*time.Minute
			must(t, s.ask(t.Context(), seen))
			if got := s.stepped(); got != 0 {
				t.Errorf("a step of %s before the measurement counts against it", got)
			}
		})
	}
}

func TestAStepFailsOnlyARunWhoseFaultsAreStillToCome(t *testing.T) {
	moved := func(by time.Duration) situation {
		return func(o *observed) { o.ClockMoved, o.ServerNow = by, o.ServerNow.Add(by) }
	}
	healed := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})
	for _, c := range []struct {
		name string
		seen *observed
		want verb
		says string
	}{
		{"ahead, without faults", given(measuring(20*time.Second), moved(time.Hour)), doProgress, "a Measuring"},
		{"back, without faults", given(measuring(20*time.Second), moved(-time.Hour)), doProgress, "a Measuring"},
		{"ahead, before the fault", given(measuring(20*time.Second), withFault, moved(time.Hour)), doFail, reasonClockStepped},
		{"back, before the fault", given(measuring(20*time.Second), withFault, moved(-time.Hour)), doFail, reasonClockStepped},
		{"back, and the workers are done", given(measuring(80*time.Second), withFault, moved(-time.Hour), job("measure-a", jobState{Complete: true})), doFail, reasonClockStepped},
		{"ahead, after the fault", given(measuring(60*time.Second), withFault, healed, moved(time.Hour)), doProgress, "a Measuring"},
		{"ahead, and a worker is lost", given(measuring(20*time.Second), withFault, moved(time.Hour), job("measure-a", jobState{Failed: true})), doFail, "MeasurementLost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
			if got.Reason == reasonClockStepped && !strings.Contains(got.Message, "moved apart by 1h0m0s") {
				t.Errorf("the message doesn't say by how much: %s", got.Message)
			}
		})
	}
}

// The Job's age is the API server's word, and its clock may be an hour behind.
func TestArmingIsTimedByOneClock(t *testing.T) {
	o := given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{Age: time.Hour}))
	arming(o.Run, &o.Plan.Workloads[0])
	stampOf := workloadCondition(o.Run, "a", v1alpha1.ConditionArmed)
	for _, c := range []struct {
		after time.Duration
		want  verb
	}{{time.Second, doWait}, {armDeadline - time.Second, doWait}, {armDeadline + time.Second, doFail}} {
		o.Now = stampOf.LastTransitionTime.Add(c.after)
		if got := decide(o); got.Verb != c.want {
			t.Errorf("after %s: %s %s", c.after, got.Verb, got.Message)
		}
	}
}

func TestAStepIsTheErrorOfTheInjectionsBeforeIt(t *testing.T) {
	injected := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, ClockBoundNanos: 5e6}, faults.State{})
	for moved, want := range map[time.Duration]int64{0: 5e6, 20 * time.Millisecond: 21e6, -3 * time.Second: 3001e6, time.Hour: 3600e9, -50 * time.Hour: 3600e9} {
		seen := &clocks{local: epoch, bound: time.Millisecond}
		r := &Reconciler{Results: seen, time: serverTime{localNow: func() time.Time { return seen.local }}}
		must(t, r.time.ask(t.Context(), seen))
		// In the last minute: nothing else would ask again before the report is made.
		seen.local, seen.offset = epoch.Add(30*time.Second), moved
		o := given(measuring(80*time.Second), withFault, injected, job("measure-a", jobState{Complete: true}))
		if _, err := pass(t, r, o); err != nil || !workloadIs(o.Run, "a", v1alpha1.ConditionMeasured) {
			t.Errorf("it is not measured: %v", err)
		}
		if got := findFault(o.Run, "kill").ClockBoundNanos; got != want {
			t.Errorf("after a step of %s the bound is %d ns, want %d", moved, got, want)
		}
		uncertain := want > int64(10*time.Millisecond)
		if got := reasonsReported(t, o); slices.Contains(got, report.ClockUncertain) != uncertain || slices.Contains(got, report.FileCorrupt) {
			t.Errorf("after a step of %s the report's reasons are %v", moved, got)
		}
	}
}

// A worker may be lost after it has shipped everything. The report is then made of whole files,
// and must not believe an injection more than the clocks.
func TestAStepIsTheErrorOfTheInjectionsOfALostMeasurement(t *testing.T) {
	for _, c := range []struct {
		name  string
		moved time.Duration
		away  error
		want  int64
	}{
		{"the clocks agree", 0, nil, 5e6},
		{"they moved", -3 * time.Second, nil, 3001e6},
		{"they can't be compared", 0, errAway, bundle.MaxClockBoundNanos},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := &clocks{local: epoch, bound: time.Millisecond}
			r := &Reconciler{Results: seen, time: serverTime{localNow: func() time.Time { return seen.local }}}
			must(t, r.time.ask(t.Context(), seen))
			seen.local, seen.offset, seen.away = epoch.Add(30*time.Second), c.moved, c.away
			o := given(measuring(80*time.Second), withFault, withSecondFault, job("measure-a", jobState{Failed: true}),
				faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, ClockBoundNanos: 5e6}, faults.State{}))
			if _, err := pass(t, r, o); err != nil || !isTrue(o.Run, conditionFailing) {
				t.Fatalf("it doesn't fail: %v", err)
			}
			if got := findFault(o.Run, "kill").ClockBoundNanos; got != c.want {
				t.Errorf("the bound is %d ns, want %d", got, c.want)
			}
			if got := findFault(o.Run, "again"); got.State != "" || got.ClockBoundNanos != 0 {
				t.Errorf("the fault that was not injected is %+v", got)
			}
		})
	}
}
