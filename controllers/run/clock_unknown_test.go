package run

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/act"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
)

// The time of an injection, and the last comparison, are waited for, named, and not for ever.
// What is not known then, the report does not believe.
func TestAMeasurementsEndWaitsForTheServersTime(t *testing.T) {
	away := errors.New("connection refused")
	done := statetest.Job("measure-a", state.Job{Complete: true})
	after := statetest.Epoch.Add(-40 * time.Second).UnixNano()
	intended := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", InjectedAfterUnixNanos: after}, faults.State{Exists: true, Injected: true})
	healed := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, Target: "m-1", InjectedAfterUnixNanos: after, InjectedBeforeUnixNanos: after + 1, ClockBoundNanos: 5e6}, faults.State{})
	unknown := func(o *state.Observed) { o.ServerNow = time.Time{} }
	for _, c := range []struct {
		name   string
		seen   *state.Observed
		found  string
		before int64 // of the injection
	}{
		{"an injection that was not noted", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, intended, done, unknown), v1alpha1.FaultInjected, statetest.Epoch.Add(-10 * time.Second).UnixNano()},
		{"the last comparison", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, healed, done), v1alpha1.FaultHealed, after + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.seen
			seen := &statetest.Clocks{Local: statetest.Epoch, Away: away}
			r := &Reconciler{Set: clients.Set{Direct: pastCache{}, Results: seen, Clock: &servertime.Clock{LocalNow: func() time.Time { return seen.Local }}}}
			pass := func() {
				t.Helper()
				if _, err := pass(t, r, o); err != nil && !errors.Is(err, away) {
					t.Fatal(err)
				}
			}
			before := o.Run.DeepCopy()
			pass()
			noted := *status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionMeasured)
			if noted.Status != "Unknown" || noted.Reason != status.ReasonClockUnknown {
				t.Fatalf("the condition is %+v", noted)
			}
			if told := status.Story(before, o.Run); len(told) != 1 || told[0].Type != "Warning" || told[0].Reason != status.ReasonClockUnknown {
				t.Errorf("told is %+v", told)
			}
			o.Now = noted.LastTransitionTime.Add(decide.ClockDeadline - time.Second)
			pass()
			if status.IsTrue(o.Run, status.ConditionFailing) {
				t.Fatal("it fails before the deadline")
			}
			o.Now = noted.LastTransitionTime.Add(decide.ClockDeadline + time.Second)
			pass()
			failing := meta.FindStatusCondition(o.Run.Status.Conditions, status.ConditionFailing)
			if failing == nil || failing.Reason != status.ReasonClockUnknown || !strings.Contains(failing.Message, noted.Message) {
				t.Fatalf("after the deadline it is failing with %+v", failing)
			}
			if fault := status.FindFault(o.Run, "kill"); fault.State != c.found || fault.InjectedBeforeUnixNanos != c.before {
				t.Errorf("the fault is %+v, want it %s, before %d", fault, c.found, c.before)
			}
			if got := reasonsReported(t, o); !slices.Contains(got, report.ClockUncertain) || slices.Contains(got, report.FileCorrupt) {
				t.Errorf("the report's reasons are %v", got)
			}
		})
	}
}

// reasonsReported are those of a report on what the controller says of the faults, and nothing
// else.
func reasonsReported(t *testing.T, o *state.Observed) (reasons []string) {
	t.Helper()
	lines, err := act.FaultLines(o)
	statetest.Must(t, err)
	document, err := json.Marshal(o.Plan)
	statetest.Must(t, err)
	made, err := compute.FromBundle(fstest.MapFS{bundle.PlanFile: {Data: document}, bundle.FaultsFile: {Data: lines}})
	statetest.Must(t, err)
	for _, reason := range made.InvalidReasons {
		reasons = append(reasons, reason.Reason)
	}
	return reasons
}
