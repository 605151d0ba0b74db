package decide

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestTroubleIsToldOnceItHasStood(t *testing.T) {
	for _, c := range []struct {
		name     string
		troubles []state.PodTrouble
		told     string
		want     Verb
		reason   string
		says     string
		next     time.Duration
	}{
		{"there is none", nil, "", "", "", "", 0},
		{"it is new", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", 5*time.Second)}, "", "", "", "", 15 * time.Second},
		{"it stood", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", 20*time.Second)}, "", DoWait, "Unschedulable", "pod m-0: why", 0},
		{"it stands for long, and may go", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", time.Hour)}, "Unschedulable", DoWait, "Unschedulable", "pod m-0: why", 0},
		{"it was told, by a controller that was killed", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", 0)}, "Unschedulable", DoWait, "Unschedulable", "pod m-0: why", 0},
		{"another one was told", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", 0)}, "VolumePending", "", "", "", 20 * time.Second},
		{"the first of two", []state.PodTrouble{statetest.Stands(state.CrashLoop, "m-0", 30*time.Second), statetest.Stands(state.Unschedulable, "m-1", time.Minute)}, "", DoWait, "Unschedulable", "pod m-1: why", 0},
		{"of two at once, that of the first pod", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-1", time.Minute), statetest.Stands(state.Unschedulable, "m-0", time.Minute)}, "", DoWait, "Unschedulable", "pod m-0: why", 0},
		{"an image that is missing is waited for", []state.PodTrouble{statetest.Stands(state.ImageNotFound, "m-0", 30*time.Second)}, "", DoWait, "ImageNotFound", "pod m-0: why", 90 * time.Second},
		{"for two minutes", []state.PodTrouble{statetest.Stands(state.ImageNotFound, "m-0", 2*time.Minute)}, "ImageNotFound", DoFail, "ImageNotFound",
			"an image was not found for 2m0s: pod m-0: why (correct its name or version, or bring it where the nodes find it)", 0},
		{"so is one that is denied", []state.PodTrouble{statetest.Stands(state.ImageDenied, "m-0", 2*time.Minute)}, "", DoFail, "ImageDenied",
			"access to an image was denied for 2m0s: pod m-0: why (correct its name, or let the nodes pull it)", 0},
		{"after a restart it has its two minutes again", []state.PodTrouble{statetest.Stands(state.ImageNotFound, "m-0", 0)}, "ImageNotFound", DoWait, "ImageNotFound", "pod m-0: why", 2 * time.Minute},
		{"a registry that throttles is waited for", []state.PodTrouble{statetest.Stands(state.ImageNotPulled, "m-0", time.Hour)}, "", DoWait, "ImageNotPulled", "pod m-0: why", 0},
		{"what doesn't go by itself is told before what came first", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", time.Hour), statetest.Stands(state.ImageDenied, "m-1", time.Minute)}, "", DoWait, "ImageDenied", "pod m-1: why", time.Minute},
		{"one has stood, the other is new", []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", 5*time.Second), statetest.Stands(state.CrashLoop, "m-1", time.Minute)}, "", DoWait, "CrashLoop", "pod m-1: why", 15 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told *metav1.Condition
			if c.told != "" {
				told = &metav1.Condition{Reason: c.told}
			}
			d, next := decideTrouble(c.troubles, told, statetest.Epoch)
			if d.Verb != c.want || d.Reason != c.reason || d.Message != c.says || next != c.next || d.Verb == DoWait && d.After != next {
				t.Errorf("%s %s: %q, look again after %s (%s), want %s %s: %q after %s", d.Verb, d.Reason, d.Message, d.After, next, c.want, c.reason, c.says, c.next)
			}
		})
	}
}

func TestARunFailsWhereItsImageIsMissing(t *testing.T) {
	missing := state.Job{Troubles: []state.PodTrouble{statetest.Stands(state.ImageNotFound, "w-0", giveUpImage)}}
	ofStore := func(o *state.Observed) {
		o.Store = state.Store{Release: state.ReleaseDeployed, Troubles: []state.PodTrouble{statetest.Stands(state.ImageNotFound, "m-0", giveUpImage)}}
	}
	for name, o := range map[string]*state.Observed{
		"of a member":                  statetest.Given(statetest.Accepted, ofStore),
		"of the observer of endpoints": statetest.Given(statetest.Accepted, statetest.Endpoints, ofStore, statetest.Observing),
		"of what empties the store":    statetest.Given(statetest.Deployed, statetest.Job("reset-a", missing), func(o *state.Observed) { o.Plan.Workloads[0].Reset = true }),
		"of a loader":                  statetest.Given(statetest.Deployed, statetest.Job("load-a", missing)),
		"of a worker":                  statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", missing)),
	} {
		if d := Decide(o); d.Verb != DoFail || d.Reason != "ImageNotFound" {
			t.Errorf("%s: %s %s", name, d.Verb, d.Reason)
		}
	}
	// A member may be killed and come back while the store is measured; that has other bounds.
	if d := Decide(statetest.Given(statetest.Measuring(20*time.Second), ofStore)); d.Verb == DoFail {
		t.Errorf("a store that is measured: %s %s", d.Verb, d.Reason)
	}
}

func TestAWaitEndsWhenTroubleIsToBeTold(t *testing.T) {
	fresh := []state.PodTrouble{statetest.Stands(state.Unschedulable, "m-0", 5*time.Second)}
	for name, o := range map[string]*state.Observed{
		"of a member": statetest.Given(statetest.Accepted, func(o *state.Observed) { o.Store = state.Store{Release: state.ReleaseDeployed, Troubles: fresh} }),
		"of a loader": statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{Troubles: fresh})),
		"of a worker": statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{Troubles: fresh})),
	} {
		if d := Decide(o); d.Verb != DoWait || state.IsTroubleOfPods(d.Reason) || d.After != 15*time.Second {
			t.Errorf("%s: %s %s, look again after %s", name, d.Verb, d.Reason, d.After)
		}
	}
}

func TestADeploymentThatTimesOutTellsTheFirstCause(t *testing.T) {
	o := statetest.Given(statetest.Accepted, func(o *state.Observed) {
		o.Store = state.Store{Release: state.ReleaseDeployed, Trouble: "pod m-0: Error, exit code 1: no peers", Troubles: []state.PodTrouble{
			statetest.Stands(state.CrashLoop, "m-0", time.Minute), statetest.Stands(state.Unschedulable, "m-1", 9*time.Minute)}}
		o.Run.Spec.Timeouts.Deploy = "1m"
	})
	want := "store etcd: 0 of 3 members were ready after 1m0s, and the observer was not ready: pod m-1: why (raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)"
	if d := Decide(o); d.Reason != "DeployTimedOut" || d.Message != want {
		t.Errorf("%s: %q, want %q", d.Reason, d.Message, want)
	}
}
