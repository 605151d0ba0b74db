package act

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
)

// Whatever a run fails for, its report says of a fault that was begun whether it hit, and which member.
func TestARunThatFailsSaysWhatItsFaultsHit(t *testing.T) {
	requested, chosen := statetest.Epoch.Add(-9*time.Second).UnixNano(), statetest.Epoch.Add(-3*time.Second).UnixNano()
	sole := func(target string) faults.Sides { return faults.Sides{Targets: []string{target}} }
	begun := v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", LeaderBefore: "m-1", TermBefore: 7,
		RequestedUnixNanos: requested, InjectedAfterUnixNanos: chosen}
	for name, c := range map[string]struct {
		noted                 v1alpha1.FaultStatus
		object                faults.State
		state, target, leader string
		after                 int64
	}{
		"injected":            {begun, faults.State{Exists: true, Injected: true, Sides: sole("m-1")}, v1alpha1.FaultInjected, "m-1", "m-1", chosen},
		"into another member": {begun, faults.State{Exists: true, Injected: true, Sides: sole("m-2")}, v1alpha1.FaultInjected, "m-2", "", requested},
		"into another pod":    {begun, faults.State{Exists: true, Injected: true, Sides: sole("x")}, v1alpha1.FaultInjected, "", "", requested},
		"not injected":        {begun, faults.State{Exists: true, Sides: sole("m-1")}, v1alpha1.FaultNotInjected, "m-1", "m-1", chosen},
		"not begun":           {v1alpha1.FaultStatus{}, faults.State{}, "", "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.FaultIs(c.noted, c.object))
			failing(o, decide.Fail("MeasurementLost", "a worker was lost"))
			got := status.FindFault(o.Run, "kill")
			if got.State != c.state || got.Target != c.target || got.LeaderBefore != c.leader || got.InjectedAfterUnixNanos != c.after {
				t.Errorf("%+v", got)
			}
			if c.state == v1alpha1.FaultInjected && (got.ClockBoundNanos != bundle.MaxClockBoundNanos || got.InjectedBeforeUnixNanos <= got.InjectedAfterUnixNanos) {
				t.Errorf("its time is known: %+v", got)
			}
		})
	}
}

// Its injection may be as late as its measurement's end, and it is healed before that.
func TestAFaultThatIsHealedInAFailingRunEndsByThen(t *testing.T) {
	chosen := statetest.Epoch.Add(-3 * time.Second).UnixNano()
	begun := v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", InjectedAfterUnixNanos: chosen}
	for name, c := range map[string]struct {
		lastsMillis, after, before int64
	}{
		"one that lasts":                   {10_000, chosen, statetest.Epoch.UnixNano()},
		"one that ends with its injection": {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.FaultIs(begun, faults.State{Exists: true, Injected: true}))
			o.Plan.Faults[0].DurationMillis = c.lastsMillis
			failing(o, decide.Fail("MeasurementLost", "a worker was lost"))
			local := &statetest.Clocks{Local: statetest.Epoch}
			clock := &servertime.Clock{LocalNow: func() time.Time { return statetest.Epoch }}
			statetest.Must(t, clock.Ask(t.Context(), local))
			(&Actor{Set: clients.Set{Results: local, Clock: clock}}).noteHealed(o, "kill")
			if got := status.FindFault(o.Run, "kill"); got.EndedAfterUnixNanos != c.after || got.EndedBeforeUnixNanos != c.before || got.Reason != "" {
				t.Errorf("it ended between %d and %d (%s), want %d and %d", got.EndedAfterUnixNanos, got.EndedBeforeUnixNanos, got.Reason, c.after, c.before)
			}
		})
	}
}
