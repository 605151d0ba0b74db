package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func stands(kind troubleKind, pod string, since time.Duration) podTrouble {
	return podTrouble{Kind: kind, Words: "pod " + pod + ": why", Since: epoch.Add(-since)}
}

func TestTroubleIsToldOnceItHasStood(t *testing.T) {
	for _, c := range []struct {
		name     string
		troubles []podTrouble
		told     string
		want     verb
		reason   string
		says     string
		next     time.Duration
	}{
		{"there is none", nil, "", "", "", "", 0},
		{"it is new", []podTrouble{stands(unschedulable, "m-0", 5*time.Second)}, "", "", "", "", 15 * time.Second},
		{"it stood", []podTrouble{stands(unschedulable, "m-0", 20*time.Second)}, "", doWait, "Unschedulable", "pod m-0: why", 0},
		{"it stands for long, and may go", []podTrouble{stands(unschedulable, "m-0", time.Hour)}, "Unschedulable", doWait, "Unschedulable", "pod m-0: why", 0},
		{"it was told, by a controller that was killed", []podTrouble{stands(unschedulable, "m-0", 0)}, "Unschedulable", doWait, "Unschedulable", "pod m-0: why", 0},
		{"another one was told", []podTrouble{stands(unschedulable, "m-0", 0)}, "VolumePending", "", "", "", 20 * time.Second},
		{"the first of two", []podTrouble{stands(crashLoop, "m-0", 30*time.Second), stands(unschedulable, "m-1", time.Minute)}, "", doWait, "Unschedulable", "pod m-1: why", 0},
		{"of two at once, that of the first pod", []podTrouble{stands(unschedulable, "m-1", time.Minute), stands(unschedulable, "m-0", time.Minute)}, "", doWait, "Unschedulable", "pod m-0: why", 0},
		{"an image that is missing is waited for", []podTrouble{stands(imageNotFound, "m-0", 30*time.Second)}, "", doWait, "ImageNotFound", "pod m-0: why", 90 * time.Second},
		{"for two minutes", []podTrouble{stands(imageNotFound, "m-0", 2*time.Minute)}, "ImageNotFound", doFail, "ImageNotFound",
			"an image was not found for 2m0s: pod m-0: why (correct its name or version, or bring it where the nodes find it)", 0},
		{"so is one that is denied", []podTrouble{stands(imageDenied, "m-0", 2*time.Minute)}, "", doFail, "ImageDenied",
			"access to an image was denied for 2m0s: pod m-0: why (correct its name, or let the nodes pull it)", 0},
		{"after a restart it has its two minutes again", []podTrouble{stands(imageNotFound, "m-0", 0)}, "ImageNotFound", doWait, "ImageNotFound", "pod m-0: why", 2 * time.Minute},
		{"a registry that throttles is waited for", []podTrouble{stands(imageNotPulled, "m-0", time.Hour)}, "", doWait, "ImageNotPulled", "pod m-0: why", 0},
		{"what doesn't go by itself is told before what came first", []podTrouble{stands(unschedulable, "m-0", time.Hour), stands(imageDenied, "m-1", time.Minute)}, "", doWait, "ImageDenied", "pod m-1: why", time.Minute},
		{"one has stood, the other is new", []podTrouble{stands(unschedulable, "m-0", 5*time.Second), stands(crashLoop, "m-1", time.Minute)}, "", doWait, "CrashLoop", "pod m-1: why", 15 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told *metav1.Condition
			if c.told != "" {
				told = &metav1.Condition{Reason: c.told}
			}
			d, next := decideTrouble(c.troubles, told, epoch)
			if d.Verb != c.want || d.Reason != c.reason || d.Message != c.says || next != c.next || d.Verb == doWait && d.After != next {
				t.Errorf("%s %s: %q, look again after %s (%s), want %s %s: %q after %s", d.Verb, d.Reason, d.Message, d.After, next, c.want, c.reason, c.says, c.next)
			}
		})
	}
}

func TestTroubleIsToldWhereItStands(t *testing.T) {
	store := func(change ...situation) situation {
		return func(o *observed) {
			accepted(o)
			o.Store = storeState{Release: releaseDeployed, Troubles: []podTrouble{stands(unschedulable, "m-0", time.Minute)}}
			for _, c := range change {
				c(o)
			}
		}
	}
	troubled := jobState{Troubles: []podTrouble{stands(imageNotPulled, "w-0", time.Minute)}}
	toldIn := func(step string) situation {
		return func(o *observed) {
			setWorkload(o.Run, decision{Workload: "a", Condition: step, Reason: string(imageNotPulled), Message: "pod w-0: why"}, metav1.ConditionUnknown)
		}
	}
	for _, c := range []struct {
		name string
		seen *observed
		says string
		want string
	}{
		{"of a member", given(store()), "StoreReady Unschedulable", "pod m-0: why"},
		{"of the observer, where the members are ready", given(store(func(o *observed) { o.Store.ReadyMembers = 3 })), "StoreReady Unschedulable", "pod m-0: why"},
		{"of the observer of endpoints", given(store(endpoints, observing, func(o *observed) {
			o.Store.Troubles = []podTrouble{stands(imageNotPulled, "observer", time.Minute)}
		})), "StoreReady ImageNotPulled", "pod observer: why"},
		{"of what empties the store", given(deployed, job("reset-a", troubled), func(o *observed) { o.Plan.Workloads[0].Reset = true }), "a Loaded ImageNotPulled", "pod w-0: why"},
		{"of a loader", given(deployed, job("load-a", troubled)), "a Loaded ImageNotPulled", "pod w-0: why"},
		{"of a loader, until it is over", given(deployed, job("load-a", jobState{ReadyPods: 1}), toldIn(v1alpha1.ConditionLoaded)), "a Loaded Loading", "loading 1000 records for workload a"},
		{"of a worker", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", troubled)), "a Armed ImageNotPulled", "pod w-0: why"},
		{"of a worker, until it is over", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{ReadyPods: 1}), toldIn(v1alpha1.ConditionArmed)),
			"a Armed Arming", "waiting for the workers of workload a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := decide(c.seen)
			if d.Verb != doWait || signature(d) != c.says || d.Message != c.want {
				t.Errorf("%s %q: %q, want %q: %q", d.Verb, signature(d), d.Message, c.says, c.want)
			}
			before := c.seen.Run.DeepCopy()
			if _, err := (&Reconciler{}).act(t.Context(), c.seen, d); err != nil {
				t.Fatal(err)
			}
			told := story(before, c.seen.Run)
			if isTroubleOfPods(d.Reason) != (len(told) == 1 && told[0].Type == "Warning" && told[0].Reason == d.Reason) {
				t.Errorf("told is %+v", told)
			}
		})
	}
}

func TestARunFailsWhereItsImageIsMissing(t *testing.T) {
	missing := jobState{Troubles: []podTrouble{stands(imageNotFound, "w-0", giveUpImage)}}
	ofStore := func(o *observed) {
		o.Store = storeState{Release: releaseDeployed, Troubles: []podTrouble{stands(imageNotFound, "m-0", giveUpImage)}}
	}
	for name, o := range map[string]*observed{
		"of a member":                  given(accepted, ofStore),
		"of the observer of endpoints": given(accepted, endpoints, ofStore, observing),
		"of what empties the store":    given(deployed, job("reset-a", missing), func(o *observed) { o.Plan.Workloads[0].Reset = true }),
		"of a loader":                  given(deployed, job("load-a", missing)),
		"of a worker":                  given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", missing)),
	} {
		if d := decide(o); d.Verb != doFail || d.Reason != "ImageNotFound" {
			t.Errorf("%s: %s %s", name, d.Verb, d.Reason)
		}
	}
	// A member may be killed and come back while the store is measured; that has other bounds.
	if d := decide(given(measuring(20*time.Second), ofStore)); d.Verb == doFail {
		t.Errorf("a store that is measured: %s %s", d.Verb, d.Reason)
	}
}

// A Job deletes its pods at its deadline, and says only then that it failed.
func TestTroubleStaysToldWhileItsPodsAreDeleted(t *testing.T) {
	told := func(o *observed) {
		setWorkload(o.Run, decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: string(unschedulable), Message: "pod l-0: why"}, metav1.ConditionUnknown)
	}
	for starting, reason := range []string{"", "Loading"} {
		d := decide(given(deployed, job("load-a", jobState{StartingPods: starting}), told))
		if d.Verb != doWait || d.Condition == "" && reason != "" || d.Condition != "" && d.Reason != reason {
			t.Errorf("%d pods: %s %q of %q, want %q", starting, d.Verb, d.Reason, d.Condition, reason)
		}
	}
}

func TestAWaitEndsWhenTroubleIsToBeTold(t *testing.T) {
	fresh := []podTrouble{stands(unschedulable, "m-0", 5*time.Second)}
	for name, o := range map[string]*observed{
		"of a member": given(accepted, func(o *observed) { o.Store = storeState{Release: releaseDeployed, Troubles: fresh} }),
		"of a loader": given(deployed, job("load-a", jobState{Troubles: fresh})),
		"of a worker": given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{Troubles: fresh})),
	} {
		if d := decide(o); d.Verb != doWait || isTroubleOfPods(d.Reason) || d.After != 15*time.Second {
			t.Errorf("%s: %s %s, look again after %s", name, d.Verb, d.Reason, d.After)
		}
	}
}

// The workers' time counts from when they were made, whatever is told of them meanwhile.
func TestWorkersInTroubleHaveTheirDeadline(t *testing.T) {
	o := given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{Message: "pod w-0: why", Troubles: []podTrouble{stands(unschedulable, "w-0", 6*time.Minute)}}))
	arming(o.Run, &o.Plan.Workloads[0])
	made := &ensureWorkload(o.Run, "a").Conditions[1]
	made.LastTransitionTime = metav1.NewTime(epoch.Add(-armDeadline))
	d := decide(o)
	if _, err := (&Reconciler{}).act(t.Context(), o, d); err != nil || d.Reason != string(unschedulable) {
		t.Fatalf("it decides %s, %v", d.Reason, err)
	}
	o.Now = o.Now.Add(time.Second)
	if d := decide(o); d.Verb != doFail || d.Reason != "ArmTimedOut" {
		t.Errorf("it decides %s %s", d.Verb, d.Reason)
	}
}

// What was told of the pods of a Job before it is not when the next Job could not be created first.
func TestTheTimeToCreateAJobCountsFromTheFirstAttempt(t *testing.T) {
	o := given(deployed)
	setWorkload(o.Run, decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: string(imageNotPulled)}, metav1.ConditionUnknown)
	old := metav1.NewTime(epoch.Add(-time.Hour))
	workloadCondition(o.Run, "a", v1alpha1.ConditionLoaded).LastTransitionTime = old
	for range 2 {
		setWorkloadAnew(o.Run, decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: reasonJobNotCreated}, metav1.ConditionUnknown)
		tried := workloadCondition(o.Run, "a", v1alpha1.ConditionLoaded)
		if tried.Reason != reasonJobNotCreated || !tried.LastTransitionTime.After(old.Time) {
			t.Fatalf("%+v", tried)
		}
		old = tried.LastTransitionTime
		old.Time = old.Add(-time.Nanosecond)
	}
}

// A kubelet that ends a pod writes over what held it.
func TestADeadlineTellsWhatWasToldBefore(t *testing.T) {
	o := given(deployed, job("load-a", jobState{Failed: true, TimedOut: true, Message: "pod w-0 was deleted before it ran"}), func(o *observed) {
		o.Run.Spec.Timeouts.Load = "40s"
		setWorkload(o.Run, decision{Workload: "a", Condition: v1alpha1.ConditionLoaded, Reason: string(imageNotPulled), Message: "pod w-0: ErrImagePull: no route to host"}, metav1.ConditionUnknown)
	})
	want := "the records of workload a could not be loaded within 40s (timeouts.load): pod w-0: ErrImagePull: no route to host"
	if got := decide(o); got.Message != want {
		t.Errorf("%q, want %q", got.Message, want)
	}
}

func TestADeploymentThatTimesOutTellsTheFirstCause(t *testing.T) {
	o := given(accepted, func(o *observed) {
		o.Store = storeState{Release: releaseDeployed, Trouble: "pod m-0: Error, exit code 1: no peers", Troubles: []podTrouble{
			stands(crashLoop, "m-0", time.Minute), stands(unschedulable, "m-1", 9*time.Minute)}}
		o.Run.Spec.Timeouts.Deploy = "1m"
	})
	want := "store etcd: 0 of 3 members were ready after 1m0s, and the observer was not ready: pod m-1: why (raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)"
	if d := decide(o); d.Reason != "DeployTimedOut" || d.Message != want {
		t.Errorf("%s: %q, want %q", d.Reason, d.Message, want)
	}
}
