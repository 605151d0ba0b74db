package run

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/report"
)

// Deadlines count from what was stamped before: a step of the machine's clock between the
// two would end a run, or hold it up, for an hour. One clock that doesn't jump does both.
func TestTheControllerReadsNoClockThatJumps(t *testing.T) {
	files := sources(t, "..")
	jumps := map[string]bool{"time.Now": true, "time.Since": true, "time.Until": true, "metav1.Now": true, "metav1.NowMicro": true}
	looked := 0
	for _, name := range files {
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

func TestAStepIsTheErrorOfTheInjectionsBeforeIt(t *testing.T) {
	injected := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, ClockBoundNanos: 5e6}, faults.State{})
	for moved, want := range map[time.Duration]int64{0: 5e6, 20 * time.Millisecond: 21e6, -3 * time.Second: 3001e6, time.Hour: 3600e9, -50 * time.Hour: 3600e9} {
		seen := &statetest.Clocks{Local: statetest.Epoch, Bound: time.Millisecond}
		r := &Reconciler{Set: clients.Set{Results: seen, Clock: &servertime.Clock{LocalNow: func() time.Time { return seen.Local }}}}
		statetest.Must(t, r.Clock.Ask(t.Context(), seen))
		// In the last minute: nothing else would ask again before the report is made.
		seen.Local, seen.Offset = statetest.Epoch.Add(30*time.Second), moved
		o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, injected, statetest.Job("measure-a", state.Job{Complete: true}))
		if _, err := pass(t, r, o); err != nil || !status.WorkloadIs(o.Run, "a", v1alpha1.ConditionMeasured) {
			t.Errorf("it is not measured: %v", err)
		}
		if got := status.FindFault(o.Run, "kill").ClockBoundNanos; got != want {
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
		{"they can't be compared", 0, statetest.ErrAway, bundle.MaxClockBoundNanos},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := &statetest.Clocks{Local: statetest.Epoch, Bound: time.Millisecond}
			r := &Reconciler{Set: clients.Set{Results: seen, Clock: &servertime.Clock{LocalNow: func() time.Time { return seen.Local }}}}
			statetest.Must(t, r.Clock.Ask(t.Context(), seen))
			seen.Local, seen.Offset, seen.Away = statetest.Epoch.Add(30*time.Second), c.moved, c.away
			o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WithSecondFault, statetest.Job("measure-a", state.Job{Failed: true}),
				statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, ClockBoundNanos: 5e6}, faults.State{}))
			if _, err := pass(t, r, o); err != nil || !status.IsTrue(o.Run, status.ConditionFailing) {
				t.Fatalf("it doesn't fail: %v", err)
			}
			if got := status.FindFault(o.Run, "kill").ClockBoundNanos; got != c.want {
				t.Errorf("the bound is %d ns, want %d", got, c.want)
			}
			if got := status.FindFault(o.Run, "again"); got.State != "" || got.ClockBoundNanos != 0 {
				t.Errorf("the fault that was not injected is %+v", got)
			}
		})
	}
}
