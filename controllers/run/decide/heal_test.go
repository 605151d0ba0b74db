package decide

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
)

var (
	podsThen  = faults.Pods{"m-1": "a"}
	inForce   = faults.State{Exists: true, Injected: true, Pods: podsThen}
	recovered = faults.State{Exists: true, Pods: podsThen}
)

// faultOf10s is a fault of 10 s, injected so long ago.
func faultOf10s(ago time.Duration, object faults.State) statetest.Situation {
	return func(o *state.Observed) {
		statetest.WithFault(o)
		o.Plan.Faults[0].DurationMillis = 10_000
		statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Target: "m-1", InjectedBeforeUnixNanos: statetest.Epoch.Add(-ago).UnixNano()}, object)(o)
	}
}

func podsAre(pods faults.Pods) statetest.Situation {
	return func(o *state.Observed) { o.Asked.Pods = pods }
}

func endNoted(o *state.Observed) {
	status.EnsureFault(o.Run, "kill").EndedAfterUnixNanos = statetest.Epoch.UnixNano()
}

func unlisted(o *state.Observed) { o.UnlistedFaults = map[string]bool{"kill": true} }

func TestAFaultThatLastsIsHealedInItsTime(t *testing.T) {
	measuring, failing := statetest.Measuring(55*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 0)
	measured := statetest.WorkloadAt("a", v1alpha1.ConditionMeasured)
	stuck := faults.State{Exists: true, Injected: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-3 * time.Minute)}
	clockUnknown := func(o *state.Observed) { o.ServerNow = time.Time{} }
	justStarted := func(o *state.Observed) { o.Began = statetest.Epoch.Add(-9 * time.Second) }
	measuredFor9s := func(o *state.Observed) {
		measured(o)
		status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionMeasured).LastTransitionTime = metav1.NewTime(statetest.Epoch.Add(-9 * time.Second))
	}
	workersDone := statetest.Job("measure-a", state.Job{Complete: true})
	unknownFor := func(long time.Duration) statetest.Situation {
		return func(o *state.Observed) {
			meta.SetStatusCondition(&status.EnsureWorkload(o.Run, "a").Conditions, metav1.Condition{Type: v1alpha1.ConditionMeasured, Status: "Unknown",
				Reason: status.ReasonClockUnknown, LastTransitionTime: metav1.NewTime(statetest.Epoch.Add(-long))})
		}
	}
	notCompared := func(o *state.Observed) { o.Asked.Clocks = &state.ClockComparison{Trouble: "it is away"} }
	refused := faults.State{Exists: true, Injected: true, Pods: podsThen, RefusedSince: statetest.Epoch.Add(-time.Second)}
	unnoted := func(o *state.Observed) { status.EnsureFault(o.Run, "kill").State = v1alpha1.FaultIntended }
	for name, c := range map[string]struct {
		seen *state.Observed
		want Verb
		says string
	}{
		"before it is made, its pods are looked at": {statetest.Given(statetest.Measuring(41*time.Second), faultOf10s(0, faults.State{}), func(o *state.Observed) {
			*status.EnsureFault(o.Run, "kill") = v1alpha1.FaultStatus{Name: "kill", State: v1alpha1.FaultIntended, Target: "m-1", InjectedAfterUnixNanos: statetest.Epoch.UnixNano()}
		}), DoAsk, "Pods"},
		"before its time is over it is left alone":         {statetest.Given(measuring, faultOf10s(9*time.Second, inForce)), DoProgress, "a Measuring"},
		"then its pods are looked at":                      {statetest.Given(measuring, faultOf10s(10*time.Second, inForce)), DoAsk, "Pods"},
		"its end is noted before it is healed":             {statetest.Given(measuring, faultOf10s(10*time.Second, inForce), podsAre(podsThen)), DoEndFault, "kill"},
		"with a pod that was replaced":                     {statetest.Given(measuring, faultOf10s(10*time.Second, inForce), podsAre(faults.Pods{"m-1": "b"})), DoEndFault, "kill PodReplaced"},
		"with pods that nobody noted":                      {statetest.Given(measuring, faultOf10s(10*time.Second, faults.State{Exists: true, Injected: true}), podsAre(podsThen)), DoEndFault, "kill PodReplaced"},
		"that Chaos Mesh ended before":                     {statetest.Given(measuring, faultOf10s(10*time.Second, recovered), podsAre(podsThen)), DoEndFault, "kill EndedEarly"},
		"its end is noted: it is healed":                   {statetest.Given(measuring, faultOf10s(10*time.Second, inForce), endNoted), DoHealFault, "kill"},
		"it is being healed":                               {statetest.Given(measuring, faultOf10s(11*time.Second, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch}), endNoted), DoProgress, "a Measuring"},
		"its object is gone":                               {statetest.Given(measuring, faultOf10s(11*time.Second, faults.State{}), endNoted), DoNoteHealed, "kill"},
		"its object was taken away before its time":        {statetest.Given(measuring, faultOf10s(2*time.Second, faults.State{}), podsAre(podsThen)), DoNoteHealed, "kill"},
		"an object that can't be listed isn't gone":        {statetest.Given(measuring, faultOf10s(11*time.Second, faults.State{}), unlisted), DoProgress, "a Measuring"},
		"a measurement that is over ends it":               {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), measured), DoAsk, "Pods"},
		"which is noted":                                   {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), measured, podsAre(podsThen)), DoEndFault, "kill"},
		"though nobody may know when":                      {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), measured, clockUnknown), DoHealFault, "kill"},
		"unless the controller has just started":           {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), measured, clockUnknown, justStarted), DoWait, "ClockUnknown"},
		"or its workload has just ended":                   {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), measuredFor9s, clockUnknown), DoWait, "ClockUnknown"},
		"but not for one whose end is noted":               {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), measured, clockUnknown, justStarted, endNoted), DoHealFault, "kill"},
		"a wait for the clocks at the end doesn't keep it": {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), workersDone, notCompared, podsAre(podsThen)), DoEndFault, "kill"},
		"and then it is healed":                            {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), workersDone, notCompared, endNoted), DoHealFault, "kill"},
		"nor does one for the server's time":               {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), workersDone, clockUnknown, unknownFor(startedAnew)), DoHealFault, "kill"},
		"but a controller that just started waits for it":  {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), workersDone, clockUnknown, unknownFor(startedAnew-time.Second)), DoWait, "a Measured ClockUnknown"},
		"which an injection that isn't noted waits for":    {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), workersDone, clockUnknown, unnoted), DoWait, "a Measured ClockUnknown"},
		"and one whose deletion was refused":               {statetest.Given(measuring, faultOf10s(2*time.Second, refused), workersDone, notCompared, endNoted), DoWait, "a Measured ClockUnknown"},
		"and one that is being healed":                     {statetest.Given(measuring, faultOf10s(2*time.Second, stuck), workersDone, clockUnknown, endNoted), DoWait, "a Measured ClockUnknown"},
		"and the end of one whose object is gone":          {statetest.Given(measuring, faultOf10s(2*time.Second, faults.State{}), workersDone, clockUnknown, endNoted), DoWait, "a Measured ClockUnknown"},
		"a run that fails ends it":                         {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), failing, podsAre(podsThen)), DoEndFault, "kill"},
		"and then heals it":                                {statetest.Given(measuring, faultOf10s(2*time.Second, inForce), failing, endNoted), DoHealFault, "kill"},
		"what can't be healed is named":                    {statetest.Given(measuring, faultOf10s(9*time.Minute, stuck), endNoted, measured), DoSetWorkload, "a FaultsHealed NotHealed"},
		"and what can't be listed":                         {statetest.Given(measuring, faultOf10s(9*time.Minute, faults.State{}), unlisted, measured), DoSetWorkload, "a FaultsHealed NotHealed"},
		"neither goes on in the next workload":             {statetest.Given(measuring, faultOf10s(9*time.Minute, stuck), endNoted, measured, statetest.WithSecondWorkload), DoFail, "FaultNotHealed"},
		"a fault that ends with its injection may stay":    {statetest.Given(measuring, faultOf10s(9*time.Minute, stuck), func(o *state.Observed) { o.Plan.Faults[0].DurationMillis = 0 }, measured, statetest.WithSecondWorkload), DoSetWorkload, "a FaultsHealed NotHealed"},
		"the kind of a fault that is over may be unknown":  {statetest.Given(measuring, faultOf10s(9*time.Minute, faults.State{}), func(o *state.Observed) { o.Plan.Faults[0].DurationMillis = 0 }, unlisted), DoNoteHealed, "kill"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
		})
	}
}

func TestAWaitForTheEndOfAFaultEndsWithIt(t *testing.T) {
	if got := Decide(statetest.Given(statetest.Measuring(55*time.Second), faultOf10s(8*time.Second, inForce))); got.After != 2*time.Second {
		t.Errorf("look again after %s, want 2s", got.After)
	}
}
