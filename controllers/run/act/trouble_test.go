package act

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func TestTroubleIsToldWhereItStands(t *testing.T) {
	store := func(change ...statetest.Situation) statetest.Situation {
		return func(o *state.Observed) {
			statetest.Accepted(o)
			o.Store = state.Store{Release: state.ReleaseDeployed, Troubles: []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", time.Minute)}}
			for _, c := range change {
				c(o)
			}
		}
	}
	troubled := state.Job{Troubles: []state.PodTrouble{statetest.Stands(state.ImageNotPulled, "w-0", time.Minute)}}
	toldIn := func(step string) statetest.Situation {
		return func(o *state.Observed) {
			setWorkload(o.Run, decide.Decision{Workload: "a", Condition: step, Reason: string(state.ImageNotPulled), Message: "pod w-0: why"}, metav1.ConditionUnknown)
		}
	}
	for _, c := range []struct {
		name string
		seen *state.Observed
		says string
		want string
	}{
		{"of a member", statetest.Given(store()), "StoreReady Unschedulable", "pod m-0: why"},
		{"of the observer, where the members are ready", statetest.Given(store(func(o *state.Observed) { o.Store.ReadyMembers = 3 })), "StoreReady Unschedulable", "pod m-0: why"},
		{"of the observer of endpoints", statetest.Given(store(statetest.Endpoints, statetest.Observing, func(o *state.Observed) {
			o.Store.Troubles = []state.PodTrouble{statetest.Stands(state.ImageNotPulled, "observer", time.Minute)}
		})), "StoreReady ImageNotPulled", "pod observer: why"},
		{"of what empties the store", statetest.Given(statetest.Deployed, statetest.Job("reset-a", troubled), func(o *state.Observed) { o.Plan.Workloads[0].Reset = true }), "a Loaded ImageNotPulled", "pod w-0: why"},
		{"of a loader", statetest.Given(statetest.Deployed, statetest.Job("load-a", troubled)), "a Loaded ImageNotPulled", "pod w-0: why"},
		{"of a loader, until it is over", statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{ReadyPods: 1}), toldIn(v1alpha1.ConditionLoaded)), "a Loaded Loading", "loading 1000 records for workload a"},
		{"of a worker", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", troubled)), "a Armed ImageNotPulled", "pod w-0: why"},
		{"of a worker, until it is over", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{ReadyPods: 1}), toldIn(v1alpha1.ConditionArmed)),
			"a Armed Arming", "waiting for the workers of workload a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := decide.Decide(c.seen)
			told := strings.TrimSpace(strings.Join([]string{d.Workload, d.Condition, d.Reason}, " "))
			if d.Verb != decide.DoWait || told != c.says || d.Message != c.want {
				t.Errorf("%s %q: %q, want %q: %q", d.Verb, told, d.Message, c.says, c.want)
			}
			before := c.seen.Run.DeepCopy()
			if _, err := (&Actor{}).Act(t.Context(), c.seen, d); err != nil {
				t.Fatal(err)
			}
			events := status.Story(before, c.seen.Run)
			if state.IsTroubleOfPods(d.Reason) != (len(events) == 1 && events[0].Type == "Warning" && events[0].Reason == d.Reason) {
				t.Errorf("told is %+v", events)
			}
		})
	}
}

// A Job deletes its pods at its deadline, and says only then that it failed.
func TestTroubleStaysToldWhileItsPodsAreDeleted(t *testing.T) {
	told := func(o *state.Observed) {
		setWorkload(o.Run, decide.Decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: string(state.Unschedulable), Message: "pod l-0: why"}, metav1.ConditionUnknown)
	}
	for starting, reason := range []string{"", "Loading"} {
		d := decide.Decide(statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{StartingPods: starting}), told))
		if d.Verb != decide.DoWait || d.Condition == "" && reason != "" || d.Condition != "" && d.Reason != reason {
			t.Errorf("%d pods: %s %q of %q, want %q", starting, d.Verb, d.Reason, d.Condition, reason)
		}
	}
}

// What was told of the pods of a Job before it is not when the next Job could not be created first.
func TestTheTimeToCreateAJobCountsFromTheFirstAttempt(t *testing.T) {
	o := statetest.Given(statetest.Deployed)
	setWorkload(o.Run, decide.Decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: string(state.ImageNotPulled)}, metav1.ConditionUnknown)
	old := metav1.NewTime(statetest.Epoch.Add(-time.Hour))
	status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionLoaded).LastTransitionTime = old
	for range 2 {
		setWorkloadAnew(o.Run, decide.Decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: status.ReasonJobNotCreated}, metav1.ConditionUnknown)
		tried := status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionLoaded)
		if tried.Reason != status.ReasonJobNotCreated || !tried.LastTransitionTime.After(old.Time) {
			t.Fatalf("%+v", tried)
		}
		old = tried.LastTransitionTime
		old.Time = old.Add(-time.Nanosecond)
	}
}

// The workers' time counts from when they were made, whatever is told of them meanwhile.
func TestWorkersInTroubleHaveTheirDeadline(t *testing.T) {
	o := statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{Message: "pod w-0: why", Troubles: []state.PodTrouble{statetest.Stands(state.Unschedulable, "w-0", 6*time.Minute)}}))
	arming(o.Run, &o.Plan.Workloads[0])
	made := &status.EnsureWorkload(o.Run, "a").Conditions[1]
	made.LastTransitionTime = metav1.NewTime(statetest.Epoch.Add(-decide.ArmDeadline))
	d := decide.Decide(o)
	if _, err := (&Actor{}).Act(t.Context(), o, d); err != nil || d.Reason != string(state.Unschedulable) {
		t.Fatalf("it decides %s, %v", d.Reason, err)
	}
	o.Now = o.Now.Add(time.Second)
	if d := decide.Decide(o); d.Verb != decide.DoFail || d.Reason != "ArmTimedOut" {
		t.Errorf("it decides %s %s", d.Verb, d.Reason)
	}
}

// A kubelet that ends a pod writes over what held it.
func TestADeadlineTellsWhatWasToldBefore(t *testing.T) {
	o := statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{Failed: true, TimedOut: true, Message: "pod w-0 was deleted before it ran"}), func(o *state.Observed) {
		o.Run.Spec.Timeouts.Load = "40s"
		setWorkload(o.Run, decide.Decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: string(state.ImageNotPulled), Message: "pod w-0: ErrImagePull: no route to host"}, metav1.ConditionUnknown)
	})
	want := "the records of workload a could not be loaded within 40s (timeouts.load): pod w-0: ErrImagePull: no route to host"
	if got := decide.Decide(o); got.Message != want {
		t.Errorf("%q, want %q", got.Message, want)
	}
}
